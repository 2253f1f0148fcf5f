"""Asks that go well: answered in words, proposed from what was applied, accepted as one edit, dropped."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import pytest

from flows.models import Flow, FlowEdit
from runtime import bell
from runtime.models import ModelChoice, ModelEntry
from studio.ask import asks
from studio.models import Ask
from tests.studio.ask.conftest import Bar, call, calls, says

PROMPT = call("setField", on={"node": "reply"}, path=["prompt"], value="{{history}}\nBe brief. {{question}}")


def test_a_question_is_answered_in_words_and_changes_nothing(bar: Bar) -> None:
    before = bar.now.draft
    bar.say(calls(call("read_flow", part="reply")), says("It answers the question with the conversation in view."))
    ask = bar.ask("What does reply do?", ["reply"])
    assert (ask["state"], ask["lines"], ask["document"]) == ("answered", [], None)
    assert ask["reply"] == "It answers the question with the conversation in view."
    assert ask["note"] == "Nothing in the flow was changed."
    assert [step["tool"] for step in ask["steps"]] == ["read_flow"]
    assert (bar.now.draft, bar.now.revision) == (before, 1)
    assert ask["inputTokens"] > 500 and ask["outputTokens"] > 5 and ask["demo"] and ask["model"] == "demo"


def test_a_change_waits_as_a_proposal_and_is_accepted_as_one_step(bar: Bar) -> None:
    before = bar.now.draft
    note = {"id": "note", "type": "llm", "prompt": "Sum it up: {{answer}}", "output": "answer"}
    bar.say(
        calls(PROMPT, call("addNode", node=note, splice={"from": "reply", "to": "place"}), say="Two edits."),
        says("It answers briefly, and sums up."),
    )
    ask = bar.ask("Be brief, and sum up")
    assert (ask["state"], ask["fits"], ask["newErrors"], ask["refused"]) == ("proposed", True, [], [])
    assert bar.now.draft == before, "nobody said yes"
    assert [step["ok"] for step in ask["steps"]] == [True] * 3
    assert {(line["sign"], line["what"]) for line in ask["lines"]} >= {("+", "node"), ("~", "node")}
    assert [node["id"] for node in ask["document"]["nodes"]] == ["reply", "note", "place"]

    reply = bar.accept(ask["id"])
    assert reply.status_code == 200, reply.content
    assert reply.json()["revision"] == 2 and reply.json()["undo"]["label"].startswith("Ask: Be brief")
    assert json.dumps(bar.document) == json.dumps(ask["document"])
    accepted = bar.get(ask["id"])
    assert (accepted["state"], accepted["acceptedRevision"]) == ("accepted", 2)
    # A second yes, as from a second window, changes nothing.
    assert bar.accept(ask["id"]).status_code == 200 and bar.now.revision == 2

    undone = bar.client.post(f"/api/flows/{bar.flow.pk}/undo", '{"revision": 2}', content_type="application/json")
    assert undone.status_code == 200, undone.content
    assert bar.now.draft == before


def test_a_second_yes_changes_nothing_however_long_ago_the_first_one_was(bar: Bar) -> None:
    bar.say(calls(PROMPT), says("Briefer now."))
    ask = bar.ask("Be brief")
    assert bar.accept(ask["id"]).status_code == 200
    bar.edit({"op": "setField", "on": {"node": "reply"}, "path": ["prompt"], "value": "By hand."})
    FlowEdit.objects.filter(ask=ask["id"]).delete()
    assert bar.accept(ask["id"]).status_code == 200
    assert (bar.document["nodes"][0]["prompt"], bar.now.revision) == ("By hand.", 3)


def test_the_oldest_asks_that_are_over_are_let_go(bar: Bar, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(asks, "MOST", 2)
    answered = [bar.ask(f"And {number}?")["id"] for number in range(4)]
    bar.say(calls(PROMPT), says("Briefer."), to="brief")
    proposed = bar.ask("Be brief")["id"]
    assert {str(id) for id in Ask.objects.values_list("id", flat=True)} == {proposed, *answered[2:]}


def test_what_was_not_asked_for_stays_byte_for_byte(bar: Bar) -> None:
    before = bar.now.draft
    bar.say(calls(PROMPT), says("Briefer now."))
    bar.accept(bar.ask("Change the prompt of reply")["id"])
    old, new = before.splitlines(), bar.now.draft.splitlines()
    changed = [index for index, (one, other) in enumerate(zip(old, new, strict=True)) if one != other]
    assert len(changed) == 1 and '"prompt"' in old[changed[0]]


def test_a_proposal_is_dropped(bar: Bar) -> None:
    before = bar.now.draft
    bar.say(calls(PROMPT), says("Briefer."))
    ask = bar.ask("Be brief")
    assert bar.act(ask["id"], "drop").json()["state"] == "dropped"
    assert bar.accept(ask["id"]).status_code == 409
    assert (bar.now.draft, bar.now.revision) == (before, 1)


def test_a_proposal_follows_the_draft_while_it_fits(bar: Bar) -> None:
    bar.say(calls(PROMPT), says("Briefer."))
    ask = bar.ask("Be brief")
    bar.edit({"op": "setField", "on": {"channel": "answer"}, "path": ["description"], "value": "What is said."})
    shown = bar.get(ask["id"])
    assert shown["fits"] and shown["baseRevision"] == 2
    assert shown["document"]["state"]["answer"]["description"] == "What is said."
    assert bar.accept(ask["id"]).status_code == 200
    assert bar.document["state"]["answer"]["description"] == "What is said."
    assert "Be brief" in bar.document["nodes"][0]["prompt"]


def test_a_proposal_that_does_not_fit_any_more_says_so(bar: Bar) -> None:
    bar.say(calls(PROMPT), says("Briefer."))
    ask = bar.ask("Be brief")
    bar.edit({"op": "removeNodes", "ids": ["reply"]})
    assert not bar.get(ask["id"])["fits"]
    refused = bar.accept(ask["id"])
    assert refused.status_code == 409 and "ask again" in refused.json()["message"].lower()
    assert [node["id"] for node in bar.document["nodes"]] == ["place"]
    assert bar.get(ask["id"])["state"] == "proposed"


def test_a_yes_to_what_was_not_seen_is_asked_again(bar: Bar, member_client: Callable) -> None:
    bar.say(calls(PROMPT), says("Briefer."))
    ask = bar.ask("Be brief")
    other = Bar(bar.flow, member_client("owner"), bar.demo)
    other.edit(
        {"op": "setField", "on": {"node": "reply"}, "path": ["prompt"], "value": "{{history}} {{question}} Theirs."}
    )
    met = bar.act(ask["id"], "accept", revision=1)
    assert (met.status_code, met.json()["code"]) == (409, "ASK_MOVED")
    assert "Theirs." in bar.document["nodes"][0]["prompt"], "nothing of theirs was overwritten"
    # Nothing was set aside either: the proposal is still there, now against their text.
    shown = bar.get(ask["id"])
    assert (shown["state"], shown["fits"], shown["baseRevision"]) == ("proposed", True, 2)
    assert "Theirs." in shown["lines"][0]["old"]
    accepted = bar.act(ask["id"], "accept", revision=2)
    assert accepted.status_code == 200 and accepted.json()["asides"] == []


def test_pages_are_told_how_far_an_ask_is(bar: Bar, monkeypatch: pytest.MonkeyPatch) -> None:
    rung: list[tuple[str, Any]] = []
    monkeypatch.setattr(bell.ringer, "send", lambda group, message: rung.append((group, message)))
    bar.say(calls(call("read_flow")), says("So."))
    ask = bar.ask("What is it?")
    # Rung once the end is committed, and by then it can be read.
    bar.when(ask["id"], lambda now: any(message["news"]["rev"] == now["rev"] for _, message in rung))
    news = [message["news"] for group, message in rung if group == bell.flow_group(bar.flow.pk)]
    assert {each["type"] for each in news} == {"ask"} and {each["id"] for each in news} == {ask["id"]}
    revs = [each["rev"] for each in news]
    assert revs == sorted(revs) and revs[-1] == ask["rev"] and len(revs) >= 3


def test_the_next_ask_goes_on_from_an_open_proposal(bar: Bar) -> None:
    bar.say(calls(PROMPT), says("Briefer."), to="be brief")
    bar.say(
        calls(call("setField", on={"node": "place"}, path=["description"], value="Places it.")),
        says("Described too."),
        to="describe it",
    )
    first = bar.ask("Be brief")
    second = bar.ask("Also describe it")
    assert second["state"] == "proposed"
    assert "Be brief" in second["document"]["nodes"][0]["prompt"]
    assert second["document"]["nodes"][1]["description"] == "Places it."
    assert bar.get(first["id"])["state"] == "dropped"
    told = bar.demo.requests()[-1]["messages"][1]["content"]
    assert "Be brief" in told and "<earlier>" in told


def test_without_a_model_the_refusal_says_where_to_set_one(bar: Bar) -> None:
    ModelChoice.objects.all().delete()
    ModelEntry.objects.all().delete()
    refused = bar.post("Be brief")
    assert refused.status_code == 409 and refused.json()["code"] == "NO_ASK_MODEL"
    assert "Settings → Models" in refused.json()["message"]
    assert "Settings → Models" in bar.client.get(bar.path).json()["problem"]


def test_bad_asks_are_refused_in_words(bar: Bar) -> None:
    assert bar.post("   ").json()["code"] == "ASK_EMPTY"
    assert bar.post("x" * 9000).json()["code"] == "ASK_TOO_LONG"
    for body in ("[]", "{", '{"text": 5}', '{"text": "a", "selection": "b"}', '{"text": "a", "more": 1}'):
        reply = bar.client.post(bar.path, body, content_type="application/json")
        assert 400 <= reply.status_code < 500 and reply.json()["message"]
    Flow.objects.filter(pk=bar.flow.pk).update(draft="{ nothing")
    assert bar.post("Be brief").json()["code"] == "DRAFT_UNREADABLE"


def test_one_ask_of_a_person_at_a_time_and_another_person_beside(bar: Bar, member_client: Callable) -> None:
    bar.say(says("Soon."), hold_after=0)
    first = bar.begin("Slowly, please")
    again = bar.post("And this")
    assert again.status_code == 409 and again.json()["code"] == "ASK_WORKING"
    other = Bar(bar.flow, member_client("owner"), bar.demo)
    second = other.begin("Mine beside")
    bar.demo.wait_for(2)
    bar.demo.release()
    assert bar.ended(first)["state"] == "answered" and other.ended(second)["state"] == "answered"
    # Each may read the other's, and end only their own.
    assert other.get(first)["by"] == bar.get(first)["by"] and not other.get(first)["mine"]
    for act in ("stop", "drop", "accept"):
        assert other.act(first, act, revision=1).status_code in (403, 422)


def test_the_last_twenty_asks_can_be_read(bar: Bar) -> None:
    bar.say(says("Yes."))
    for number in range(22):
        bar.ask(f"Question {number}")
    listed = bar.client.get(bar.path).json()
    assert [row["text"] for row in listed["asks"]] == [f"Question {number}" for number in range(21, 1, -1)]
    assert listed["current"] is None and listed["demo"] is True and listed["problem"] == ""
