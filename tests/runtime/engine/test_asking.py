"""A model that may ask: its forms, what a telling costs, what closing one means, and that nothing typed is lost."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import pytest

from runtime import cards
from runtime.demo.testing import Scripted
from runtime.models import ModelCall, Question
from tests.runtime.engine.conftest import Desk, flow

NEEDS = {"needs": {"city": {"type": "string", "required": True, "label": "City"}}, "why": "I must know where."}
ASK = json.dumps(NEEDS)
TYPED = "The person filled in the form"


def asking(**node: Any) -> dict[str, Any]:
    return flow(
        [{"id": "decide", "type": "llm", "asks": True, "prompt": "Do {{question}}.", "output": "answer", **node}]
    )


def once(demo: Scripted, answer: str = "It is in Rome.", ask: str = ASK) -> None:
    """The model asks at first, and answers once it was told."""
    demo.add({"when": {"contains": TYPED}, "answer": answer}, {"when": {"contains": "Do order"}, "answer": ask})


def calls(run: Any) -> list[ModelCall]:
    return list(ModelCall.objects.filter(run=run).order_by("id"))


def test_a_form_instead_of_a_paragraph(deploy: Callable[..., Desk], demo: Scripted) -> None:
    # LG-llm-22, LG-llm-23, LG-llm-34: one form costs two model calls
    once(demo)
    desk = deploy(asking())
    run = desk.say(question="order")
    form = cards.read(desk.question(run).payload)
    assert (form["kind"], form["ask"], form["why"]) == ("form", "Decide", "I must know where.")
    assert form["fields"]["city"]["label"] == "City"
    run = desk.answer(run, "answer", values={"city": "Rome"})
    assert (run.status, run.outputs) == ("done", {"answer": "It is in Rome."})
    first, second = calls(run)
    assert [message["role"] for message in second.messages] == ["user", "assistant", "user"]
    assert second.messages[0] == first.messages[0] and second.messages[1]["content"] == ASK
    assert '{"city": "Rome"}' in second.messages[2]["content"]
    assert (first.key, second.key) == ("decide#1/a1/0", "decide#1/t1a1/0")


def test_a_reply_that_asks_nothing_is_the_answer(deploy: Callable[..., Desk], demo: Scripted) -> None:
    # LG-llm-26
    for answer in ("Done.", '{"needs": {}}', '{"needs": {"a": {"type": "string"}}, "other": 1}', '{"needs": 7}',
                   '{"needs": {"a": {"type": "file"}}}'):  # fmt: skip
        demo.reset()
        demo.add({"when": {"contains": "Do order"}, "answer": answer})
        run = deploy(asking()).say(question="order")
        assert (run.status, run.outputs) == ("done", {"answer": answer})


@pytest.mark.parametrize(
    ("needs", "fields"),
    [
        (["city", "day"], {"city": "string", "day": "string"}),
        ({"day": "date", "note": "What to write"}, {"day": "date", "note": "string"}),
        ({"type": "object", "properties": {"n": {"type": "integer"}, "rows": {"type": "array", "items": {
            "type": "object", "properties": {"id": {"type": "string"}}}}}, "required": ["n"]},
         {"n": "number", "rows": "list"}),
    ],
    ids=["names", "short", "schema"],
)  # fmt: skip
def test_what_it_needs_may_be_written_in_any_of_its_ways(
    deploy: Callable[..., Desk], demo: Scripted, needs: Any, fields: dict[str, str]
) -> None:
    # LG-llm-24: a tool's inputSchema, copied, is the form
    once(demo, ask=f"I need more.\n```json\n{json.dumps({'needs': needs})}\n```")
    desk = deploy(asking())
    form = cards.read(desk.question(desk.say(question="order")).payload)
    assert {name: field["type"] for name, field in form["fields"].items()} == fields


def test_with_a_schema_only_an_answer_that_fits_is_written(deploy: Callable[..., Desk], demo: Scripted) -> None:
    # LG-llm-04, LG-llm-23
    schema = {"type": "object", "properties": {"city": {"type": "string"}}, "required": ["city"]}
    once(demo, '{"city": "Rome"}')
    document = asking(schema=schema)
    document["state"]["answer"]["type"] = "object"
    desk = deploy(document)
    run = desk.answer(desk.say(question="order"), "answer", values={"city": "Rome"})
    assert run.outputs == {"answer": {"city": "Rome"}}
    # The endpoint is not held to the schema, or the model could not ask.
    assert all("response_format" not in request["params"] for request in demo.requests())


def test_it_asks_three_times_at_most(deploy: Callable[..., Desk], demo: Scripted) -> None:
    # LG-llm-27
    demo.add({"when": {"contains": "Nothing more can be asked"}, "answer": "As far as I know."},
             *({"when": {"contains": words}, "answer": ASK} for words in ("Do order", TYPED)))  # fmt: skip
    desk = deploy(asking())
    run = desk.say(question="order")
    for city in ("A", "B", "C"):
        assert run.status == "waiting"
        run = desk.answer(run, "answer", values={"city": city})
    assert run.outputs == {"answer": "As far as I know."}
    assert len(calls(run)) == 4 and Question.objects.filter(run=run).count() == 3
    text = json.dumps(calls(run)[-1].messages)
    assert all(f'\\"city\\": \\"{city}\\"' in text for city in "ABC")


def test_a_model_that_never_answers_ends_in_words(deploy: Callable[..., Desk], demo: Scripted) -> None:
    demo.add(*({"when": {"contains": words}, "answer": ASK} for words in ("Do order", TYPED)))
    desk = deploy(asking())
    run = desk.say(question="order")
    for _ in range(3):
        run = desk.answer(run, "answer", values={"city": "A"})
    assert (run.error["code"], run.error["node"]) == ("MODEL_SHAPE", "decide")
    assert "3 forms" in run.error["message"]


def after(**node: Any) -> dict[str, Any]:
    """A flow in which another model speaks after the one that may ask."""
    return flow(
        [
            {"id": "decide", "type": "llm", "asks": True, "prompt": "Do {{question}}.", "output": "plan", **node},
            {"id": "reply", "type": "llm", "prompt": "Say what was planned: {{plan}}", "output": "answer"},
        ],
        state={"plan": {"type": "string", "description": "The plan.", "default": "nothing yet"}},
    )


def test_a_closed_form_with_words_for_it_ends_the_turn_there(deploy: Callable[..., Desk], demo: Scripted) -> None:
    # LG-llm-28, LG-llm-34: a cancelled turn costs one model call
    once(demo)
    desk = deploy(after(onCancel="Nothing was ordered."))
    run = desk.answer(desk.say(question="order"), "close")
    assert (run.status, run.outputs) == ("done", {"answer": "Nothing was ordered."})
    assert len(calls(run)) == 1
    shown = [event for event in desk.events(run.id) if event.type == "output_written"]
    assert [(event.channel, event.value) for event in shown] == [("answer", "Nothing was ordered.")] * 2


def test_a_closed_form_without_words_writes_nothing_and_goes_on(deploy: Callable[..., Desk], demo: Scripted) -> None:
    # LG-llm-29, LG-llm-30
    once(demo)
    demo.add({"when": {"contains": "planned: nothing yet"}, "answer": "Nothing was planned."})
    desk = deploy(after())
    run = desk.answer(desk.say(question="order"), "close")
    assert run.outputs == {"answer": "Nothing was planned."}
    assert [call.address for call in calls(run)] == ["decide#1", "reply#1"]


@pytest.mark.parametrize("point", ["model.started", "model.answered", "checkpoint.before", "checkpoint.after"])
def test_what_was_said_and_typed_outlives_the_worker(
    deploy: Callable[..., Desk], demo: Scripted, power_cut: Callable[..., None], point: str
) -> None:
    # LG-llm-32, LG-llm-33, LG-llm-34
    once(demo)
    desk = deploy(asking())
    power_cut(point)
    run_id = desk.send(question="order")
    run = desk.take_over(run_id)
    assert run.status == "waiting"
    power_cut(point)
    desk.decide(run, "answer", values={"city": "Rome"})
    desk.engine.submit(run.id)
    desk.left(run.id, claims=3)
    run = desk.take_over(run.id)
    assert run.outputs == {"answer": "It is in Rome."}
    # Only a telling that the worker's end cut off is repeated, and it counts once.
    assert len(calls(run)) == 2
    assert len(demo.requests()) <= 4


def test_a_failure_after_the_form_does_not_ask_again(deploy: Callable[..., Desk], demo: Scripted) -> None:
    # LG-llm-35: what was typed cannot be thrown away by a model that changes its mind
    once(demo)
    demo.add({"when": {"contains": TYPED}, "answer": "no", "fail": {"status": 500}, "times": 1})
    desk = deploy(asking(retry={"maxAttempts": 3}))
    run = desk.answer(desk.say(question="order"), "answer", values={"city": "Rome"})
    assert run.outputs == {"answer": "It is in Rome."}, run.error
    assert Question.objects.filter(run=run).count() == 1
    assert [call.state for call in calls(run)] == ["done", "failed", "done"]


def test_an_approval_comes_before_the_model_is_asked_at_all(deploy: Callable[..., Desk], demo: Scripted) -> None:
    once(demo)
    desk = deploy(asking(approval={"ask": "Go on?"}))
    run = desk.say(question="order")
    assert desk.question(run).kind == "approval" and not calls(run)
    run = desk.answer(run, "approve")
    assert desk.question(run).kind == "form"
    run = desk.answer(run, "answer", values={"city": "Rome"})
    assert run.outputs == {"answer": "It is in Rome."}, run.error
