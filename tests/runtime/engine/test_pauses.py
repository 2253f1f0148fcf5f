"""Questions to people: asked once, answered once, and the run goes on from there."""

from __future__ import annotations

from collections.abc import Callable

from runtime import cards
from runtime.demo.testing import Scripted
from runtime.engine.worker import Worker
from runtime.models import ModelCall, Question, ToolCall
from tests.runtime.engine.conftest import Desk, flow
from tests.runtime.engine.orders import APPROVAL, UNITS, desk_flow


def test_an_ask_waits_and_goes_on(deploy: Callable[..., Desk]) -> None:
    # LG-ask-01, LG-ask-02, LG-forms-20: every run has a checkpointer, in which a question waits
    desk = deploy(
        flow([{"id": "which", "type": "ask", "ask": "Which {{question}}?", "output": "answer", "show": ["question"]}])
    )
    run = desk.say(question="room")
    assert run.status == "waiting"
    shown = cards.read(desk.question(run).payload)
    assert shown["ask"] == "Which room?"
    assert shown["show"] == [{"label": "Question", "channel": "question", "value": "room"}]
    run = desk.answer(run, "answer", text="The blue one")
    assert (run.status, run.outputs) == ("done", {"answer": "The blue one"})


def test_a_form_closed_fails_the_node(deploy: Callable[..., Desk], demo: Scripted) -> None:
    # LG-forms-12, LG-llm-31, LG-errors-02, LG-errors-03
    demo.add({"when": {"contains": "went wrong"}, "answer": "You closed it."})
    desk = deploy(flow(
        [
            {"id": "details", "type": "form", "title": "Where?", "output": "given", "onError": "reply",
             "fields": {"city": {"type": "string", "required": True}}},
            {"id": "reply", "type": "llm", "prompt": "It went wrong: {{__error}}", "output": "answer"},
        ],
        state={"given": {"type": "object", "description": "What was typed."}},
    ))  # fmt: skip
    run = desk.answer(desk.say(question="go"), "close")
    assert run.outputs == {"answer": "You closed it."}
    prompt = ModelCall.objects.get(run=run).messages[0]["content"]
    assert '"node": "details"' in prompt


def test_a_missing_argument_becomes_a_form_before_anything_is_called(
    deploy: Callable[..., Desk], demo: Scripted
) -> None:
    # LG-tools-11, LG-forms-19
    desk = deploy(desk_flow(demo.office_url, approval=APPROVAL), UNITS)
    run = desk.say(customer="", quantity=2, note="")
    assert desk.question(run).kind == "form"
    run = desk.answer(run, "answer", values={"customerId": "MERID", "quantity": "3"})
    question = desk.question(run)
    assert question.kind == "approval"
    card = cards.read(question.payload)
    assert card["does"]["args"] == {"customerId": "MERID", "quantity": 3, "note": ""}
    assert demo.writes()["placed"] == 0


def test_approved_means_done_once(deploy: Callable[..., Desk], demo: Scripted) -> None:
    # LG-contract-10
    # LG-approval-03, LG-approval-04
    desk = deploy(desk_flow(demo.office_url, approval=APPROVAL), UNITS)
    run = desk.say(customer="MERID", quantity=2, note="")
    assert demo.writes()["placed"] == 0
    run = desk.answer(run, "approve")
    assert run.status == "done", run.error
    assert run.outputs["result"]["lines"][0]["quantity"] == 2
    assert demo.writes()["placed"] == 1


def test_corrections_replace_the_values_and_are_what_is_sent(deploy: Callable[..., Desk], demo: Scripted) -> None:
    # LG-approval-05
    desk = deploy(desk_flow(demo.office_url, approval=APPROVAL), UNITS)
    run = desk.say(customer="MERID", quantity=2, note="")
    run = desk.answer(run, "approve", values={"quantity": 5})
    assert run.status == "done", run.error
    assert run.outputs["result"]["lines"][0]["quantity"] == 5


def test_declined_means_it_never_ran(deploy: Callable[..., Desk], demo: Scripted) -> None:
    # LG-approval-03, LG-approval-09, LG-approval-10, LG-approval-11
    demo.add({"when": {"contains": "Decision"}, "answer": "Nothing was ordered."})
    document = desk_flow(demo.office_url, approval={**APPROVAL, "onReject": "reply"})
    document["nodes"].append({"id": "reply", "type": "llm", "prompt": "Decision: {{__approval}}", "output": "said"})
    document["edges"].append({"from": "reply", "to": "END"})
    document["outputs"] = ["said"]
    desk = deploy(document, UNITS)
    run = desk.say(customer="MERID", quantity=2, note="")
    run = desk.answer(run, "decline", reason="Too many")
    assert run.outputs == {"said": "Nothing was ordered."}
    assert demo.writes()["placed"] == 0
    prompt = ModelCall.objects.get(run=run).messages[0]["content"]
    assert '"approved": false' in prompt and '"node": "place"' in prompt
    assert not [event for event in desk.events(run.id) if event.type == "step_started" and event.node == "place"]


def test_a_plain_write_of_unknown_outcome_asks_a_person(deploy: Callable[..., Desk], demo: Scripted) -> None:
    demo.faults({"at": "after", "do": "cut", "times": 1})
    desk = deploy(desk_flow(demo.office_url), UNITS)
    run = desk.say(customer="MERID", quantity=2, note="")
    assert run.status == "waiting", run.error
    question = desk.question(run)
    assert (question.kind, question.decider) == ("outcome", "reviewers")
    assert ToolCall.objects.get(run=run).state == "unknown"
    run = desk.answer(run, "happened", text="Order 7001 is there")
    assert run.status == "done", run.error
    assert run.outputs["result"]["outcome"] == "happened"
    assert demo.writes()["placed"] == 1


def test_run_again_makes_the_call_again(deploy: Callable[..., Desk], demo: Scripted) -> None:
    demo.faults({"at": "before", "do": "cut", "times": 1})
    desk = deploy(desk_flow(demo.office_url), UNITS)
    run = desk.answer(desk.say(customer="MERID", quantity=2, note=""), "again")
    assert run.status == "done", run.error
    assert demo.writes()["placed"] == 1


def test_an_answer_that_came_while_the_stream_ended_is_not_forgotten(
    deploy: Callable[..., Desk], engine: Worker
) -> None:
    desk = deploy(flow([{"id": "which", "type": "ask", "ask": "Which?", "output": "answer"}]))
    run = desk.say(question="x")
    question = Question.objects.get(run=run)
    run.status = "running"
    run.save(update_fields=["status"])
    from runtime import questions
    from tests.runtime.engine.conftest import VISITOR

    questions.answer(question.id, by=VISITOR, role=None, digest=question.digest, decision="answer", text="This")
    run.refresh_from_db()
    assert run.status == "running"
    engine.submit(run.id)
    assert desk.settle(run.id).outputs == {"answer": "This"}
