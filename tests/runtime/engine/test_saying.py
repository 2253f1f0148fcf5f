"""What pages see of an answer while a model writes it that may yet call a tool, or ask."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from runtime import bell
from runtime.demo.testing import Scripted
from runtime.engine import lease as leases
from runtime.engine.lease import Fenced
from runtime.journal import since
from runtime.models import RunStream
from studio.frames import Eyes
from studio.frames.fold import Page
from tests.runtime.engine.conftest import At, Desk, flow, until
from tests.runtime.engine.test_asking import ASK, TYPED, asking
from tests.runtime.engine.test_work import ORDER, UNITS, working


class Heard:
    """The words that were sent to open pages."""

    def __init__(self) -> None:
        self.deltas: list[tuple[int, int, str]] = []

    def take(self, group: str, message: dict[str, Any]) -> None:
        if message["type"] == "delta":
            self.deltas.append((message["attempt"], message["offset"], message["text"]))

    @property
    def texts(self) -> list[str]:
        """What each attempt said, in order; offsets leave no gap."""
        said: dict[int, str] = {}
        for attempt, offset, text in self.deltas:
            assert offset == len(said.get(attempt, ""))
            said[attempt] = said.get(attempt, "") + text
        assert list(said) == sorted(said)
        return list(said.values())


@pytest.fixture
def heard(house: object, monkeypatch: pytest.MonkeyPatch) -> Heard:
    found = Heard()
    send = bell.ringer.send

    def both(group: str, message: dict[str, Any]) -> None:
        found.take(group, message)
        send(group, message)

    monkeypatch.setattr(bell.ringer, "send", both)
    return found


def page(desk: Desk) -> list[Any]:
    """The answers on the page as it is opened now."""
    assert desk.conversation is not None
    opened = Page(Eyes(starter=True), lambda id: pytest.fail("no card"))
    opened.apply(since(desk.conversation.id, 0))
    return [item for item in opened.items.values() if item.type == "answer"]


def script(demo: Scripted, *turns: dict[str, Any], **manner: Any) -> None:
    demo.set(speed=1)
    demo.add({"when": {"tools": True, "contains": "order"}, "turns": list(turns), **manner})


def call(word: str) -> dict[str, Any]:
    return {"name": "ping", "arguments": {"word": word}}


def kinds(desk: Desk, run: Any) -> list[str]:
    return [event.type for event in desk.events(run) if event.type.startswith(("answer", "output"))]


def test_the_answer_of_a_work_node_is_seen_while_it_is_written(
    deploy: Callable[..., Desk], demo: Scripted, heard: Heard
) -> None:
    answer = "Ordered two pieces for Meridian. " * 4
    script(demo, {"calls": [call("a")]}, {"say": answer}, hold_after=8)
    desk = deploy(working(demo.office_url), UNITS)
    id = desk.send(question="order 2")
    demo.wait_for(2)
    until(RunStream.objects.exists)
    (item,) = page(desk)
    assert item.streaming and item.value == ""
    assert answer.startswith(RunStream.objects.get().text)
    demo.release()
    run = desk.settle(id)
    assert run.outputs == {"answer": answer}, run.error
    assert "".join(heard.texts) == answer
    assert kinds(desk, id) == ["answer_begun", "output_written", "output_written"]
    assert not RunStream.objects.exists()


def test_words_beside_a_call_are_withdrawn_before_the_call_is_made(
    deploy: Callable[..., Desk], demo: Scripted, heard: Heard
) -> None:
    script(demo, {"say": "Let me look.", "calls": [call("a")]}, {"say": "  ", "calls": [call("b")]}, {"say": "Done."})
    desk = deploy(working(demo.office_url), UNITS)
    run = desk.say(question="order 2")
    assert run.outputs == {"answer": "Done."}, run.error
    assert heard.texts == ["Let me look.", "Done."]
    assert kinds(desk, run.id) == [
        "answer_begun", "answer_withdrawn", "answer_begun", "output_written", "output_written",
    ]  # fmt: skip
    assert [item.value for item in page(desk)] == ["Done."]


def test_words_before_an_approval_are_gone_while_it_waits(
    deploy: Callable[..., Desk], demo: Scripted, heard: Heard
) -> None:
    place = {"name": "place", "arguments": ORDER}
    script(demo, {"say": "I will order it.", "calls": [place]}, {"say": "Ordered."})
    desk = deploy(working(demo.office_url, approve=["place"]), UNITS)
    run = desk.say(question="order 2")
    assert run.status == "waiting" and not RunStream.objects.exists()
    assert kinds(desk, run.id) == ["answer_begun", "answer_withdrawn"]
    run = desk.answer(run, "approve")
    assert run.outputs == {"answer": "Ordered."}, run.error
    assert heard.texts == ["I will order it.", "Ordered."]


@pytest.mark.parametrize("calls", [False, True], ids=["answers", "calls"])
def test_whoever_takes_over_shows_no_word_twice(
    deploy: Callable[..., Desk], demo: Scripted, heard: Heard, at: At, calls: bool
) -> None:
    words = "Half of what there is to be said."
    turn: dict[str, Any] = {"say": words, "calls": [call("b")]} if calls else {"say": words}
    script(demo, {"calls": [call("a")]}, turn, {"say": "Done."}, hold_after=2)
    answered: list[None] = []

    def cut() -> None:
        # The second round's model has said everything, and nothing of the round is kept.
        answered.append(None)
        if len(answered) == 2:
            leases.current().lost = True
            raise Fenced

    at("model.answered", cut, 2)
    desk = deploy(working(demo.office_url), UNITS)
    id = desk.send(question="order 2")
    demo.wait_for(2)
    until(RunStream.objects.exists)
    demo.release()
    desk.left(id)
    assert [item.streaming for item in page(desk)] == [True]
    desk.claim_again(id)
    until(RunStream.objects.filter(attempt__gt=20_000).exists)
    demo.release()
    run = desk.settle(id)
    assert run.status == "done", run.error
    assert [item.value for item in page(desk)] == ["Done." if calls else words]
    assert heard.texts == [words, words, "Done."] if calls else [words, words]
    started = [event.type for event in desk.events(id) if event.type in ("step_started", "answer_begun")]
    assert started[:4] == ["step_started", "answer_begun", "step_started", "answer_begun"]


def test_a_request_for_details_is_never_read_and_the_answer_is(
    deploy: Callable[..., Desk], demo: Scripted, heard: Heard
) -> None:
    # LG-llm-26: what is no request is the answer, and is seen as one
    demo.set(speed=1)
    demo.add({"when": {"contains": TYPED}, "answer": "It is in Rome, {as you said}."})
    demo.add({"when": {"contains": "Do order"}, "answer": ASK})
    desk = deploy(asking())
    run = desk.say(question="order")
    assert run.status == "waiting" and kinds(desk, run.id) == [] and heard.deltas == []
    run = desk.answer(run, "answer", values={"city": "Rome"})
    assert run.outputs == {"answer": "It is in Rome, {as you said}."}
    assert heard.texts == ["It is in Rome, {as you said}."]


def test_words_around_a_request_are_withdrawn_with_the_form(
    deploy: Callable[..., Desk], demo: Scripted, heard: Heard
) -> None:
    demo.set(speed=1)
    demo.add({"when": {"contains": "Do order"}, "answer": f"I need more.\n```json\n{ASK}\n```\nThank you."})
    desk = deploy(asking())
    run = desk.say(question="order")
    assert run.status == "waiting" and heard.texts == ["I need more.\n"]
    assert kinds(desk, run.id) == ["answer_begun", "answer_withdrawn"] and not RunStream.objects.exists()


def test_what_is_no_answer_of_the_flow_is_not_seen(deploy: Callable[..., Desk], demo: Scripted, heard: Heard) -> None:
    script(demo, {"say": "Noted."})
    demo.add({"when": {"contains": "Last"}, "answer": "Over."})
    document = working(demo.office_url)
    document["nodes"][0]["output"] = "note"
    document["state"]["note"] = {"type": "string", "description": "A note."}
    document["nodes"].append({"id": "last", "type": "llm", "prompt": "Last {{note}}", "output": "answer"})
    document["edges"] = [{"from": "desk", "to": "last"}, {"from": "last", "to": "END"}]
    run = deploy(document, UNITS).say(question="order")
    assert run.outputs == {"answer": "Over."}, run.error
    assert heard.texts == ["Over."]


def test_what_another_step_says_into_the_same_output_is_another_text(
    deploy: Callable[..., Desk], demo: Scripted, heard: Heard
) -> None:
    demo.set(speed=1)
    demo.add({"when": {"contains": "Better"}, "answer": "A better answer."})
    demo.add({"when": {"contains": "Sketch"}, "answer": "A first answer."})
    document = flow(
        nodes=[
            {"id": "draft", "type": "llm", "prompt": "Sketch {{question}}", "output": "answer"},
            {"id": "better", "type": "llm", "prompt": "Better {{answer}}", "output": "answer"},
        ],
        edges=[{"from": "draft", "to": "better"}, {"from": "better", "to": "END"}],
        start="draft",
    )
    desk = deploy(document)
    run = desk.say(question="order")
    assert run.outputs == {"answer": "A better answer."}, run.error
    assert heard.texts == ["A first answer.", "A better answer."]
