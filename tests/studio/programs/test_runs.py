"""Runs by API: started once, read, answered, stopped; and what is refused before anything begins."""

from __future__ import annotations

from typing import Any

import pytest

from runtime.events import QuestionClosed, StepFinished, StepStarted
from runtime.models import Question, Run
from studio.programs.following import message
from studio.strings import t
from tests.studio.programs.conftest import Program, Programs
from tests.support import talk

ASKED = {"inputs": {"question": "Where is ALFKI?"}}


def start(caller: Program, slug: str = "desk", body: Any = ASKED, **headers: str) -> dict[str, Any]:
    status, run = caller.post(f"agents/{slug}/runs", body, **headers)
    assert status == 202, run
    return run


def test_an_agent_says_what_it_takes_and_gives_back(desk, program: Programs) -> None:
    status, agent = program().get("agents/desk")
    assert (status, agent["version"], agent["paused"]) == (200, 1, None)
    assert agent["inputs"] == [
        {
            "name": "question",
            "type": "string",
            "required": True,
            "label": "Question",
            "description": "",
            "default": None,
        }
    ]
    assert [one["name"] for one in agent["outputs"]] == ["answer"]


def test_a_run_starts_and_is_read_back(desk, program: Programs) -> None:
    caller = program()
    run = start(caller)
    assert (run["agent"], run["status"], run["inputs"]) == ("desk", "queued", {"question": "Where is ALFKI?"})
    assert caller.get(f"runs/{run['id']}")[1] == run
    stored = Run.objects.select_related("conversation").get(pk=run["id"])
    assert (stored.started_by_id, stored.conversation.user_id) == (None, None)
    events = caller.get(f"runs/{run['id']}/events")[1]
    assert [one["type"] for one in events["events"]] == ["message_sent"]
    assert events["events"][0]["fields"]["by"] == "Back office"
    assert (events["next"], events["ended"]) == (1, False)
    assert caller.get(f"runs/{run['id']}/events?after=1")[1] == {"events": [], "next": 1, "ended": False}


@pytest.mark.parametrize("how", ["key", "header"])
def test_the_same_key_twice_is_one_run(desk, program: Programs, how: str) -> None:
    caller = program()
    given = ({**ASKED, "key": "order-7"}, {}) if how == "key" else (ASKED, {"Idempotency-Key": "order-7"})
    first = start(caller, "desk", given[0], **given[1])
    assert start(caller, "desk", given[0], **given[1])["id"] == first["id"]
    assert Run.objects.count() == 1
    assert start(program("Another"), "desk", given[0], **given[1])["id"] != first["id"]


def test_a_conversation_goes_on_and_queues(desk, program: Programs) -> None:
    caller = program()
    first = start(caller)
    second = start(caller, body={**ASKED, "conversation": first["conversation"]})
    assert (second["conversation"], second["status"]) == (first["conversation"], "held")
    assert program("Another").post("agents/desk/runs", {**ASKED, "conversation": first["conversation"]})[0] == 404
    assert caller.post("agents/desk/runs", {**ASKED, "conversation": "no-id"})[0] == 404


@pytest.mark.parametrize(
    ("body", "fields"),
    [
        ({}, {"question"}),
        ({"inputs": {"question": 7}}, {"question"}),
        ({"inputs": {"question": "Hello", "colour": "red"}}, {"colour"}),
        ({"inputs": {"colour": "red"}}, {"question", "colour"}),
        ({"inputs": []}, {"inputs"}),
        ({"input": {"question": "Hello"}}, {"input"}),
        ({**ASKED, "key": "a b"}, {"key"}),
    ],
)
def test_all_that_is_wrong_is_said_by_name(desk, program: Programs, body: Any, fields: set[str]) -> None:
    status, said = program().post("agents/desk/runs", body)
    assert (status, said["code"], set(said["fields"])) == (422, "INVALID", fields)
    assert not Run.objects.exists()


def test_what_is_no_json_is_refused_in_words(desk, program: Programs) -> None:
    status, said = program().post("agents/desk/runs", '{"inputs": {"question": "a", "question": "b"}}')
    assert (status, said["code"]) == (400, "JSON_DUPLICATE_KEY")
    assert program().get("runs/0190f0f0-0000-7000-8000-000000000000/events?after=x")[0] in (404, 422)


def test_a_paused_agent_says_so(desk, program: Programs) -> None:
    desk.paused, desk.paused_words = True, "Stocktaking until noon."
    desk.save()
    status, said = program().post("agents/desk/runs", ASKED)
    assert (status, said["code"], said["message"]) == (409, "AGENT_PAUSED", "Stocktaking until noon.")
    assert program().get("agents/desk")[1]["paused"] == "Stocktaking until noon."


def document(**more: Any) -> dict[str, Any]:
    return {**talk.DOCUMENT, **more}


def test_an_agent_that_asks_its_starter_for_a_yes_needs_a_token_that_may_give_one(program: Programs) -> None:
    nodes = [{**talk.DOCUMENT["nodes"][0], "approval": {"ask": "Really?"}}]
    talk.agent("careful", document(nodes=nodes))
    status, said = program().post("agents/careful/runs", ASKED)
    assert (status, said["code"]) == (409, "NOBODY_DECIDES")
    assert not Run.objects.exists()
    start(program(approves=True), "careful")
    talk.agent("reviewed", document(nodes=nodes), deciders="reviewers")
    start(program(), "reviewed")


def test_an_agent_that_wants_to_know_the_person_takes_no_program(program: Programs) -> None:
    talk.agent("named", document(requires={"users": True}))
    status, said = program().post("agents/named/runs", ASKED)
    assert (status, said["code"]) == (409, "PERSON_REQUIRED")


def test_what_a_flow_inside_needs_is_asked_of_the_program_too(program: Programs) -> None:
    nodes = [{**talk.DOCUMENT["nodes"][0], "approval": {"ask": "Really?"}}]
    for slug, inner, code in (
        ("asks", document(nodes=nodes), "NOBODY_DECIDES"),
        ("knows", document(requires={"users": True}), "PERSON_REQUIRED"),
    ):
        agent = talk.agent(slug)
        assert agent.version is not None
        agent.version.tree = {"top": "flow.json", "flows": {"in/flow.json": {"document": inner, "units": {}}}}
        agent.version.save()
        agent.save()
        status, said = program().post(f"agents/{slug}/runs", ASKED)
        assert (status, said["code"]) == (409, code)


def test_the_visitors_limit_is_not_the_programs_but_the_ceiling_is(desk, program: Programs) -> None:
    desk.visitor_limit = 1
    desk.save()
    caller = program()
    for _ in range(3):
        start(caller)
    desk.cost_ceiling = 0
    desk.save()
    assert caller.post("agents/desk/runs", ASKED)[1]["code"] == "DAILY_CEILING"


def waiting(caller: Program, kind: str, **terms: Any) -> Question:
    run = Run.objects.get(pk=start(caller)["id"])
    Run.objects.filter(pk=run.pk).update(status="waiting")
    return talk.ask(run, kind, **terms)


def test_a_program_answers_what_its_run_asks(desk, program: Programs) -> None:
    caller = program()
    question = waiting(caller, "form")
    run = caller.get(f"runs/{question.run_id}")[1]
    (asked,) = run["questions"]
    assert (asked["kind"], asked["item"]["type"], asked["item"]["digest"]) == ("form", "form", question.digest)
    wrong = {"digest": question.digest, "decision": "answer", "values": {"customerId": "TOOLONG"}}
    status, said = caller.post(f"questions/{question.pk}/answer", wrong)
    assert (status, set(said["fields"])) == (422, {"customerId", "since"})
    right = {**wrong, "values": {"customerId": "ALFKI", "since": "2026-01-31"}, "key": "k"}
    assert caller.post(f"questions/{question.pk}/answer", right) == (200, {"state": "answered"})
    assert caller.post(f"questions/{question.pk}/answer", right) == (200, {"state": "answered"})
    assert caller.get(f"runs/{question.run_id}")[1]["status"] == "running"


def test_a_yes_needs_a_token_that_may_give_one(desk, program: Programs) -> None:
    caller = program()
    question = waiting(caller, "approval")
    body = {"digest": question.digest, "decision": "approve"}
    status, said = caller.post(f"questions/{question.pk}/answer", body)
    assert (status, said["code"]) == (403, "TOKEN_MAY_NOT_APPROVE")
    question.refresh_from_db()
    assert question.state == "pending"
    other = waiting(program("Decider", approves=True), "approval")
    allowed = program("Third", approves=True)
    assert allowed.post(f"questions/{other.pk}/answer", {**body, "digest": other.digest})[0] == 404


def test_a_token_that_may_approve_decides_its_own_runs(desk, program: Programs) -> None:
    caller = program(approves=True)
    question = waiting(caller, "approval")
    body = {"digest": question.digest, "decision": "approve"}
    assert caller.post(f"questions/{question.pk}/answer", body) == (200, {"state": "approved"})


def test_a_reviewers_card_is_not_shown_to_the_program(desk, program: Programs) -> None:
    caller = program(approves=True)
    question = waiting(caller, "approval", decider="reviewers")
    asked = caller.get(f"questions/{question.pk}")[1]
    assert (asked["decider"], asked["item"]["type"]) == ("reviewers", "waiting")
    assert {"figures", "does", "edit"}.isdisjoint(asked["item"])
    body = {"digest": question.digest, "decision": "approve"}
    assert caller.post(f"questions/{question.pk}/answer", body)[0] == 403


def test_what_steps_hand_each_other_and_what_reviewers_said_is_not_told(desk, program: Programs) -> None:
    caller = program()
    run = Run.objects.get(pk=start(caller)["id"])
    talk.log(
        run,
        StepStarted(address="reply#1", node="reply", kind="llm", title="Reply", read={"secret": "balance 12"}, cut=[]),
        StepFinished(address="reply#1", node="reply", kind="llm", title="Reply", ms=2, written={"x": "balance 12"}),
        QuestionClosed(question="q", state="declined", by="Rina", shown={"reason": "balance 12"}),
        QuestionClosed(question="p", state="answered", by="Back office", shown="What I said"),
    )
    told = caller.get(f"runs/{run.pk}/events")[1]["events"]
    assert "balance 12" not in str(told)
    assert [one["fields"]["shown"] for one in told if one["type"] == "question_closed"] == [None, "What I said"]


def test_a_run_is_stopped(desk, program: Programs) -> None:
    caller = program()
    run = start(caller)
    assert caller.post(f"runs/{run['id']}/cancel") == (200, {"status": "cancelled"})
    events = caller.get(f"runs/{run['id']}/events")[1]
    assert (events["events"][-1]["type"], events["events"][-1]["fields"]["by"]) == ("run_cancelled", "Back office")
    assert events["ended"] is True


def test_runs_are_listed_in_pages(desk, program: Programs, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("studio.programs.api.ROWS", 2)
    caller = program()
    made = [start(caller)["id"] for _ in range(5)]
    start(program("Another"))
    seen: list[str] = []
    following = ""
    while True:
        page = caller.get(f"runs?before={following}")[1]
        seen += [run["id"] for run in page["runs"]]
        if page["next"] is None:
            break
        following = page["next"]
    assert seen == list(reversed(made))
    caller.post(f"runs/{made[0]}/cancel")
    assert [run["id"] for run in caller.get("runs?status=cancelled&agent=desk")[1]["runs"]] == [made[0]]
    assert caller.get("runs?agent=none")[1]["runs"] == []


def test_a_server_sent_event_is_one_whatever_its_text() -> None:
    # Line ends within JSON are escaped, so that no text can end the event or begin another.
    sent = message("delta", {"text": "a\n\nevent: end\ndata: {}\r\u2028"}, 7).decode()
    assert sent.startswith("id: 7\nevent: delta\ndata: {")
    assert sent.count("\n") == 4
    assert "\r" not in sent


def test_a_program_lets_its_failed_run_go_on_and_no_other(desk, program: Programs) -> None:
    mine, other = program(), program("Another")
    started = mine.post("agents/desk/runs", {"inputs": {"question": "q"}})[1]
    Run.objects.filter(pk=started["id"]).update(status="failed", error={"code": "X", "message": "No."})
    assert other.post(f"runs/{started['id']}/continue")[0] == 404
    status, run = mine.post(f"runs/{started['id']}/continue")
    assert (status, run["status"], run["error"]) == (202, "running", None)
    status, fault = mine.post(f"runs/{started['id']}/continue")
    assert (status, fault["code"]) == (409, "RUN_NOT_FAILED")
    assert mine.get(f"runs/{started['id']}/events")[1]["events"][-1]["fields"]["by"] == "Back office"


def test_a_program_forks_its_conversation_at_a_run_and_goes_on_there(desk, program: Programs) -> None:
    mine = program()
    started = mine.post("agents/desk/runs", {"inputs": {"question": "q"}})[1]
    assert mine.post(f"runs/{started['id']}/fork")[1]["code"] == "TURN_UNFINISHED"
    Run.objects.filter(pk=started["id"]).update(status="done")
    status, made = mine.post(f"runs/{started['id']}/fork")
    assert status == 201
    body = {"inputs": {"question": "and then?"}, "conversation": made["conversation"]}
    status, run = mine.post("agents/desk/runs", body)
    assert (status, run["conversation"], run["status"]) == (202, made["conversation"], "queued")
    status, fault = mine.post("agents/desk/runs", {**body, "conversation": "x"})
    assert (status, fault["message"]) == (404, t("conversation.no_conversation"))


def test_an_agent_says_how_far_a_run_of_it_may_go(desk, program: Programs) -> None:
    desk.limits, desk.cost_ceiling = {"minutes": 5, "cost": "0.5"}, 3
    desk.save()
    limits = program().get("agents/desk")[1]["limits"]
    assert limits == {"minutes": 5, "steps": 20_000, "rounds": 100, "cost": 0.5, "day": 3.0}
