"""Deciding: exactly one decision counts, it names what was shown, and only who may decide can."""

from __future__ import annotations

import json
import subprocess
import sys
from collections import Counter
from collections.abc import Callable
from datetime import timedelta
from typing import Any

import pytest
from django.db import connection
from django.utils import timezone

from flows import scope
from flows.models import Workspace
from runtime import cards, questions
from runtime.events import QuestionClosed
from runtime.journal import since
from runtime.models import Outbox, Question, Run
from runtime.processes import ROOT
from runtime.questions import Conflict, NotYours, Refused, answer
from runtime.runs import Actor
from runtime.yes import is_yes
from studio.models import User
from tests.support import talk

People = Callable[..., User]


def actor(user: User) -> Actor:
    return Actor(name=user.name, user=user.id)


@pytest.fixture
def dana(user: People) -> Actor:
    return actor(user("member", "Dana"))


@pytest.fixture
def asked(dana: Actor) -> Callable[..., Question]:
    """`asked("form", decider=…)`: a waiting question in a conversation of Dana."""

    def make(kind: str = "approval", status: str = "waiting", **terms: Any) -> Question:
        of = talk.run(talk.conversation(talk.agent(), User.objects.get(id=dana.user)), status)
        return talk.ask(of, kind, **terms)

    return make


def decide(question: Question, by: Actor, decision: Any, role: str | None = "member", **said: Any) -> str:
    said = {"digest": question.digest, **said}
    return answer(question.id, by=by, role=role, decision=decision, **said).state


def closing(question: Question) -> QuestionClosed:
    found = [entry.event for entry in since(question.conversation_id, 0) if isinstance(entry.event, QuestionClosed)]
    assert len(found) == 1
    return found[0]


def test_an_answer_goes_back_as_text_and_the_run_goes_on(asked, dana) -> None:
    question = asked("ask")
    assert decide(question, dana, "answer", text="  the second one ") == "answered"
    question.refresh_from_db()
    assert question.answer["value"] == "the second one"
    assert Run.objects.get(id=question.run_id).status == "resumable"
    assert Outbox.objects.filter(run_id=question.run_id).count() == 1
    assert closing(question).shown == "the second one"


# LG-forms-10, LG-forms-11
def test_a_form_is_checked_here_and_every_wrong_field_is_named(asked, dana) -> None:
    question = asked("form")
    with pytest.raises(Refused) as refused:
        decide(question, dana, "answer", values={"customerId": "TOO LONG", "since": "last week", "extra": 1})
    assert set(refused.value.fields) == {"customerId", "since", "extra"}
    question.refresh_from_db()
    assert question.state == "pending"
    assert decide(question, dana, "answer", values={"customerId": "BLAUS", "since": "2026-11-01"}) == "answered"
    question.refresh_from_db()
    assert question.answer["value"] == {"customerId": "BLAUS", "since": "2026-11-01"}


# LG-forms-12
def test_a_form_can_be_closed(asked, dana) -> None:
    question = asked("form")
    assert decide(question, dana, "close") == "closed"
    question.refresh_from_db()
    assert question.answer["closed"] is True


# LG-approval-08
def test_only_the_exact_yes_approves_and_nothing_declines_unconfirmed(asked, dana) -> None:
    question = asked()
    for text in ("yes please", "y", "ok", "yes.", "ja", "no", "yes\u200b"):
        with pytest.raises(Refused) as refused:
            decide(question, dana, "answer", text=text)
        assert refused.value.code == "DECLINE_UNCONFIRMED"
    assert decide(question, dana, "answer", text=" Yes ") == "approved"
    question.refresh_from_db()
    assert (question.answer["approved"], question.answer["answer"]) == (True, "Yes")


@pytest.mark.parametrize(
    ("language", "word"), [("de", "Ja"), ("es", "SÍ"), ("he", "כן"), ("ar-EG", "نعم"), ("ja", "はい")]
)
def test_a_page_in_another_language_has_its_own_yes(language: str, word: str) -> None:
    assert is_yes(word, language)
    assert is_yes("yes", language)
    assert not is_yes(word, "en")


# LG-approval-10
def test_a_decline_says_what_was_typed(asked, dana) -> None:
    question = asked()
    assert decide(question, dana, "decline", reason="Wrong quantity") == "declined"
    question.refresh_from_db()
    assert question.answer == {"approved": False, "answer": "Wrong quantity", "edits": {}, "key": ""}
    assert (question.reason, closing(question).shown) == ("Wrong quantity", {"reason": "Wrong quantity"})
    with pytest.raises(ValueError, match="not approved"):
        questions.approved(question)


# LG-approval-05
def test_a_corrected_card_is_approved_under_its_own_digest(asked, dana) -> None:
    question = asked()
    assert decide(question, dana, "approve", values={"order.quantity": "3", "order.customerId": "ALFKI"}) == "approved"
    question.refresh_from_db()
    assert question.answer["edits"] == {"order": {"customerId": "ALFKI", "quantity": 3}}
    assert question.approved_digest != question.digest
    approved = questions.approved(question)
    assert approved["does"]["args"] == {"customer": "ALFKI", "quantity": 3}
    now = cards.with_edits(cards.read(question.payload), {"order": {"customerId": "ALFKI", "quantity": 4}})
    assert "does.args.quantity" in cards.differs(approved, now)


def test_an_unchanged_card_is_approved_under_the_digest_that_was_shown(asked, dana) -> None:
    question = asked()
    decide(question, dana, "approve", values={"order.quantity": 2, "order.customerId": "ALFKI"})
    question.refresh_from_db()
    assert question.approved_digest == question.digest
    assert question.answer["edits"] == {}


def test_a_wrong_correction_decides_nothing(asked, dana) -> None:
    question = asked()
    with pytest.raises(Refused) as refused:
        decide(question, dana, "approve", values={"order.quantity": "many", "customer": "X"})
    assert set(refused.value.fields) == {"order.quantity", "customer"}
    question.refresh_from_db()
    assert question.state == "pending"


def test_an_unknown_outcome_is_settled_by_a_person(asked, user) -> None:
    question = asked("outcome", decider="reviewers")
    rina = actor(user("reviewer", "Rina"))
    assert decide(question, rina, "happened", "reviewer", reason="Order 12 is there") == "answered"
    question.refresh_from_db()
    assert (question.answer["outcome"], question.answer["note"]) == ("happened", "Order 12 is there")


@pytest.mark.parametrize(
    ("kind", "decision"), [("ask", "approve"), ("form", "decline"), ("approval", "close"), ("outcome", "approve")]
)
def test_a_decision_that_belongs_to_another_kind_is_refused(asked, dana, kind, decision) -> None:
    with pytest.raises(Refused) as refused:
        decide(asked(kind), dana, decision)
    assert refused.value.code == "QUESTION_DECISION"


@pytest.mark.parametrize("role", ["owner", "operator", "reviewer"])
def test_reviewers_decide_what_is_theirs(asked, user, role) -> None:
    assert decide(asked(decider="reviewers"), actor(user(role)), "approve", role) == "approved"


@pytest.mark.parametrize("role", ["builder", "member", None])
def test_nobody_else_decides_what_is_the_reviewers(asked, user, dana, role) -> None:
    for by in (dana, Actor(name="Visitor", visitor="somebody"), Actor(name="")):
        with pytest.raises(NotYours):
            decide(asked(decider="reviewers"), by, "approve", role)


def test_whoever_started_the_run_cannot_decide_when_the_agent_says_so(asked, dana) -> None:
    with pytest.raises(NotYours):
        decide(asked(decider="reviewers", not_starter=True), dana, "approve", "owner")
    assert decide(asked(decider="reviewers", not_starter=False), dana, "approve", "owner") == "approved"


def test_a_conversation_is_answered_by_its_own_person_only(asked, user) -> None:
    owner = actor(user("owner"))
    for kind, decision in (("ask", "answer"), ("form", "close"), ("approval", "approve")):
        with pytest.raises(NotYours):
            decide(asked(kind), owner, decision, "owner", text="yes")


def test_one_visitor_cannot_answer_for_another(workspace) -> None:
    question = talk.ask(talk.run(talk.conversation(talk.agent(access="link"), visitor="a" * 64)))
    for visitor in ("b" * 64, ""):
        with pytest.raises(NotYours):
            decide(question, Actor(name="Visitor", visitor=visitor), "approve", None)
    assert decide(question, Actor(name="Visitor", visitor="a" * 64), "approve", None) == "approved"


def test_another_workspace_does_not_find_the_question(asked, dana) -> None:
    question = asked()
    with scope.workspace(Workspace.objects.create(name="Other").id), pytest.raises(Question.DoesNotExist):
        decide(question, dana, "approve")


def test_a_second_decision_and_a_stale_one_are_told_plainly(asked, dana) -> None:
    question = asked()
    with pytest.raises(Conflict) as stale:
        decide(question, dana, "approve", digest="0" * 64)
    assert (stale.value.code, stale.value.state) == ("QUESTION_CHANGED", "pending")
    decide(question, dana, "approve", key="k1")
    with pytest.raises(Conflict) as second:
        decide(question, dana, "decline", key="k2")
    assert (second.value.code, second.value.state) == ("QUESTION_APPROVED", "approved")
    assert second.value.message == "Dana approved this already."


def test_the_same_request_twice_is_one_decision_and_one_reply(asked, dana) -> None:
    question = asked()
    assert decide(question, dana, "approve", key="k1") == "approved"
    assert decide(question, dana, "approve", key="k1") == "approved"
    assert Outbox.objects.filter(run_id=question.run_id).count() == 1
    closing(question)


def test_an_overdue_card_cannot_be_approved_and_is_declined_by_nobody(asked, dana) -> None:
    question = asked(expires_at=timezone.now() - timedelta(seconds=1))
    waits = asked(expires_at=timezone.now() + timedelta(hours=1))
    with pytest.raises(Conflict) as late:
        decide(question, dana, "approve")
    assert (late.value.code, late.value.state) == ("QUESTION_EXPIRED", "expired")
    assert questions.expire_due() == 1
    assert questions.expire_due() == 0
    question.refresh_from_db()
    waits.refresh_from_db()
    assert (question.state, question.decided_by, waits.state) == ("expired", None, "pending")
    assert (question.answer["approved"], question.answer["expired"]) == (False, True)
    assert Run.objects.get(id=question.run_id).status == "resumable"


def test_withdrawing_ends_the_run_and_only_its_person_can(asked, dana, user) -> None:
    question = asked(decider="reviewers")
    with pytest.raises(NotYours):
        decide(question, actor(user("reviewer")), "withdraw", "reviewer")
    assert decide(question, dana, "withdraw") == "withdrawn"
    assert Run.objects.get(id=question.run_id).status == "cancelled"
    with pytest.raises(Conflict) as again:
        decide(question, dana, "withdraw")
    assert again.value.state == "withdrawn"


def test_a_run_that_still_works_is_left_to_its_engine(asked, dana) -> None:
    question = asked("ask", status="running")
    decide(question, dana, "answer", text="two")
    assert Run.objects.get(id=question.run_id).status == "running"
    assert not Outbox.objects.filter(run_id=question.run_id).exists()


def test_a_step_goes_on_only_when_nothing_more_of_it_is_asked(asked, dana) -> None:
    first = asked("ask")
    second = talk.ask(first.run, "ask", address=first.address)
    decide(first, dana, "answer", text="one")
    assert Run.objects.get(id=first.run_id).status == "waiting"
    decide(second, dana, "answer", text="two")
    assert Run.objects.get(id=first.run_id).status == "resumable"


def test_words_that_are_too_long_or_missing_are_refused(asked, dana) -> None:
    for said in ({"text": ""}, {"text": "   "}, {"text": "x" * 20_001}):
        with pytest.raises(Refused):
            decide(asked("ask"), dana, "answer", **said)
    with pytest.raises(Refused):
        decide(asked(), dana, "decline", reason="x" * 2_001)


# reliability C9
@pytest.mark.django_db(transaction=True)
def test_a_hundred_cards_raced_for_by_twenty_in_two_processes_have_one_winner_each(user) -> None:
    dana, rina = user("member", "Dana"), user("reviewer", "Rina")
    deployment = talk.agent()
    made = [talk.ask(talk.run(talk.conversation(deployment, dana)), decider="reviewers") for _ in range(100)]
    told = {
        "database": str(connection.settings_dict["NAME"]),
        "workspace": str(deployment.workspace_id),
        "user": str(rina.id),
        "name": rina.name,
        "questions": [(str(question.id), question.digest) for question in made],
        "racers": 10,
    }
    results = raced([{**told, "first": 0}, {**told, "first": 10}])
    assert len(results) == 2_000
    assert not [one for one in results if one[1] == "stale"]
    winners = Counter(id for id, what in results if what != "conflict")
    assert len(winners) == 100
    assert set(winners.values()) == {1}
    assert Outbox.objects.count() == 100
    assert Run.objects.filter(status="resumable").count() == 100
    for question in Question.objects.filter(state="approved"):
        questions.approved(question)


def raced(told: list[dict[str, Any]]) -> list[tuple[str, str]]:
    """What came of it in all processes, each told its part and started together."""
    command = [sys.executable, "-m", "tests.support.race"]
    processes = [
        subprocess.Popen(command, cwd=ROOT, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) for _ in told
    ]
    try:
        for process, part in zip(processes, told, strict=True):
            say(process, json.dumps(part))
        for process in processes:
            assert heard(process) == "ready"
        for process in processes:
            say(process, "go")
        return [tuple(one) for process in processes for one in json.loads(heard(process))]
    finally:
        for process in processes:
            process.kill()
            process.wait()


def say(process: subprocess.Popen[str], line: str) -> None:
    assert process.stdin
    process.stdin.write(f"{line}\n")
    process.stdin.flush()


def heard(process: subprocess.Popen[str]) -> str:
    assert process.stdout
    return process.stdout.readline().strip()
