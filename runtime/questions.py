"""The verbs on a question: answer it, take its run back, let it expire. Exactly one of them closes it.

What goes back into the run (Question.answer), by kind:
    ask       {"value": text}
    form      {"value": {field: value}} or {"closed": true}
    approval  {"approved": bool, "answer": what was typed, "edits": {channel: value}}; expired ones add "expired": true
    outcome   {"outcome": "happened" | "again" | "skip", "note": text}
Each carries "key", by which the page that repeats its own request is given the same reply.
"""

from __future__ import annotations

import uuid
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

from django.db import transaction
from django.db.models import Q
from django.db.models.functions import Now
from django.utils import timezone

from flows.scope import workspace
from flows.words.form import Field, check_values
from runtime import bell, canonical, cards, corrections, doubts, runs, turns
from runtime.events import QuestionClosed
from runtime.files import giving
from runtime.files.giving import Giver
from runtime.journal import append
from runtime.models import Question, Run
from runtime.runs import Actor
from runtime.yes import is_yes

Decision = Literal["answer", "approve", "decline", "close", "happened", "again", "skip", "withdraw"]
ALLOWED: dict[str, tuple[str, ...]] = {
    "ask": ("answer", "withdraw"),
    "form": ("answer", "close", "withdraw"),
    "approval": ("answer", "approve", "decline", "withdraw"),
    "outcome": ("happened", "again", "skip", "withdraw"),
}
DECIDING_ROLES = ("owner", "operator", "reviewer")
LONGEST_TEXT = 20_000
LONGEST_REASON = 2_000


@dataclass(frozen=True)
class Answered:
    """How the question stands now."""

    state: str


class Refused(Exception):
    """The answer does not fit; nothing was decided. fields: what is wrong, by field, for the form to show."""

    def __init__(self, code: str, message: str, fields: Mapping[str, str] | None = None) -> None:
        super().__init__(message)
        self.code, self.message, self.fields = code, message, dict(fields or {})


class NotYours(Refused):
    """This person may not decide this question."""


class Conflict(Exception):
    """The question is no longer the one that was shown: decided, expired, withdrawn, or another card."""

    def __init__(self, code: str, message: str, state: str) -> None:
        super().__init__(message)
        self.code, self.message, self.state = code, message, state


@dataclass(frozen=True)
class _Close:
    """What one decision writes."""

    state: Literal["answered", "approved", "declined", "closed", "expired"]
    answer: dict[str, Any]
    shown: Any
    approved_digest: str = ""
    reason: str = ""
    by: Actor = field(default_factory=lambda: Actor(name=""))


@dataclass(frozen=True)
class _Said:
    decision: Decision
    text: str
    values: Mapping[str, Any]
    reason: str
    language: str


def is_starter(question: Question, by: Actor) -> bool:
    """Whether this is the person of the conversation."""
    conversation = question.conversation
    if conversation.user_id is not None:
        return conversation.user_id == by.user
    return bool(conversation.visitor) and conversation.visitor == by.visitor


def may_decide(question: Question, by: Actor, role: str | None) -> bool:
    """Whether this person may decide: the conversation's own, or a deciding role that did not start the run.

    role: the person's role in the question's workspace, None without one.
    """
    mine = is_starter(question, by)
    started = mine or (by.user is not None and question.run.started_by_id == by.user)
    return decides(question.decider, question.not_starter, mine if question.decider == "starter" else started, role)


def decides(decider: str, not_starter: bool, starter: bool, role: str | None) -> bool:
    """The rule itself. starter: the person of the conversation is asked about."""
    if decider == "starter":
        return starter
    return role in DECIDING_ROLES and not (not_starter and starter)


def answer(
    question_id: uuid.UUID,
    *,
    by: Actor,
    role: str | None,
    digest: str,
    decision: Decision,
    text: str | None = None,
    values: Mapping[str, Any] | None = None,
    reason: str | None = None,
    key: str = "",
    language: str = "en",
) -> Answered:
    """Decide a question once. digest names what the person was shown. Scoped: enter the question's workspace first.

    Raises Question.DoesNotExist, NotYours, Refused (nothing decided; the person corrects and sends again) or Conflict.
    """
    question = Question.objects.select_related("conversation", "run").get(id=question_id)
    if decision == "withdraw":
        return _withdraw(question, by)
    if not may_decide(question, by, role):
        raise NotYours("QUESTION_NOT_YOURS", "Somebody else decides this. It goes on as soon as they have.")
    if question.state != "pending" or question.digest != digest:
        return _repeated_or_conflict(question, by, digest, key)
    said = _Said(decision, (text or "").strip(), values or {}, (reason or "").strip(), language)
    close = _close(question, by, said)
    close.answer["key"] = key
    with transaction.atomic():
        turns.lock(question.conversation_id)
        taken = (
            Question.objects.filter(id=question.id, state="pending", digest=digest)
            .filter(Q(expires_at=None) | Q(expires_at__gt=Now()))
            .update(**_row(close))
        )
        if taken:
            # It may have ended since the question was read; from here on it cannot.
            question.run.refresh_from_db(fields=["status"])
            if close.state == "answered" and question.kind == "form":
                giving.attach(close.answer["value"], _giver(question, by), question.conversation, question.run_id)
            _closed(question, close)
            return Answered(close.state)
    question.refresh_from_db()
    return _repeated_or_conflict(question, by, digest, key)


def due_ids(limit: int = 100) -> list[uuid.UUID]:
    """The approvals that nobody decided in time, in every workspace; the sweeper expires each on its own."""
    due = Question.everywhere.filter(kind="approval", state="pending", expires_at__lte=Now())
    return list(due.order_by("expires_at").values_list("id", flat=True)[:limit])


def expire(question_id: uuid.UUID) -> bool:
    """Decline an approval that nobody decided in time, and let its run go on. False when somebody was quicker."""
    question = Question.everywhere.select_related("run").get(id=question_id)
    with workspace(question.workspace_id), transaction.atomic():
        turns.lock(question.conversation_id)
        close = _Close(
            "expired", {"approved": False, "answer": "", "edits": {}, "expired": True, "key": ""}, {"reason": ""}
        )
        mine = Question.objects.filter(id=question.id, state="pending", expires_at__lte=Now())
        if not mine.update(**_row(close)):
            return False
        _closed(question, close)
        return True


def expire_due(limit: int = 100) -> int:
    """Expire what is due; returns how many."""
    return sum(expire(id) for id in due_ids(limit))


def approved(question: Question) -> cards.Payload:
    """What was approved: the stored card with the corrections in it. Raises ValueError unless its digest is the one
    that was written when it was approved."""
    given = question.answer or {}
    payload = cards.with_edits(cards.read(question.payload), given.get("edits", {}))
    if question.state != "approved" or cards.seal(payload).digest != question.approved_digest:
        raise ValueError("This card was not approved as it stands.")
    return payload


def _close(question: Question, by: Actor, said: _Said) -> _Close:
    """What the decision writes. Raises Refused when it does not fit the question."""
    if said.decision not in ALLOWED[question.kind]:
        raise Refused("QUESTION_DECISION", f"This {_NOUN[question.kind]} cannot be answered that way.")
    for name, text, longest in (("text", said.text, LONGEST_TEXT), ("reason", said.reason, LONGEST_REASON)):
        if len(text) > longest:
            message = f"Say it in at most {longest:,} characters."
            raise Refused("ANSWER_TOO_LONG", message, {name: message})
    payload = cards.read(question.payload)
    if question.kind == "ask":
        _require_text(said)
        return _Close("answered", {"value": said.text}, said.text, by=by)
    if question.kind == "form":
        if said.decision == "close":
            return _Close("closed", {"closed": True}, None, by=by)
        return _form(by, payload, said, _giver(question, by))
    if question.kind == "outcome":
        note = said.reason or said.text
        answer = {"outcome": said.decision, "note": note}
        return _Close("answered", answer, {"outcome": said.decision, "reason": note}, reason=note, by=by)
    if said.decision == "answer":
        _require_text(said)
        if not is_yes(said.text, said.language):
            raise Refused("DECLINE_UNCONFIRMED", "Only yes approves this. Decline it instead?")
    if said.decision == "decline":
        answer = {"approved": False, "answer": said.text or said.reason or "no", "edits": {}}
        return _Close("declined", answer, {"reason": said.reason}, reason=said.reason, by=by)
    return _approve(by, payload, said)


def _require_text(said: _Said) -> None:
    if not said.text:
        raise Refused("ANSWER_EMPTY", "Write an answer first.", {"text": "Write an answer first."})


def _giver(question: Question, by: Actor) -> Giver:
    return Giver(question.conversation.deployment_id, by, question.conversation_id)


def _form(by: Actor, payload: cards.Payload, said: _Said, giver: Giver) -> _Close:
    fields = {name: Field.model_validate(field) for name, field in payload["fields"].items()}
    values, missing = giving.resolve(fields, said.values, giver)
    checked, errors = check_values(fields, values)
    errors |= missing
    if errors:
        raise Refused("FORM_REFUSED", "Some of this does not fit yet.", errors)
    shown = [{"label": fields[name].titled(name), "value": value} for name, value in checked.items()]
    return _Close("answered", {"value": checked}, shown, by=by)


def _approve(by: Actor, payload: cards.Payload, said: _Said) -> _Close:
    checked, errors = corrections.corrected(payload["edit"], said.values)
    if errors:
        raise Refused("FORM_REFUSED", "Some of this does not fit yet.", errors)
    edits = corrections.channels(payload["edit"], payload["from"]["state"], checked)
    try:
        corrected = cards.with_edits(payload, edits)
        digest = cards.seal(corrected).digest
    except cards.ArgumentsRefused as error:
        raise Refused("FORM_REFUSED", f"With that correction nothing could be sent. {error}") from error
    except canonical.NotCanonical as error:
        raise Refused("FORM_REFUSED", "One of these values cannot be written down exactly. Correct it.") from error
    shown: dict[str, Any] = {"reason": said.reason}
    if edits:
        shown |= {"edited": sorted(edits), "show": corrected["show"], "args": corrected["does"]["args"]}
    answer = {"approved": True, "answer": said.text if said.decision == "answer" else "yes", "edits": edits}
    return _Close("approved", answer, shown, digest, said.reason, by)


def _withdraw(question: Question, by: Actor) -> Answered:
    if not is_starter(question, by):
        raise NotYours("QUESTION_NOT_YOURS", "Only the person who asked can take this back.")
    if question.state != "pending":
        raise _conflict(question)
    runs.cancel(question.run_id, by.name)
    question.refresh_from_db()
    return Answered(question.state)


def _row(close: _Close) -> dict[str, Any]:
    return {
        "state": close.state,
        "answer": close.answer,
        "approved_digest": close.approved_digest,
        "reason": close.reason,
        "decided_by_id": close.by.user,
        "decided_name": close.by.name,
        "decided_at": Now(),
    }


def _closed(question: Question, close: _Close) -> None:
    """Tell the log, and let the run go on unless its step is still being asked something else. Raises Refused."""
    after_the_end = question.kind == "outcome" and question.run.status in Run.ENDED
    if after_the_end and close.answer["outcome"] == "again":
        raise Refused(
            "RUN_ENDED", "Its run has ended, so the call cannot be made again. Say whether it happened, or skip it."
        )
    event = QuestionClosed(question=str(question.id), state=close.state, by=close.by.name, shown=close.shown)
    append(question.conversation_id, question.run_id, [event])
    if after_the_end:
        doubts.settle(question, close.answer["outcome"], close.answer["note"], close.by.name)
    same_step = Question.objects.filter(run_id=question.run_id, address=question.address, state="pending")
    # A run that still works is left alone: the engine looks for answers when its stream ends.
    if not same_step.exists() and Run.objects.filter(id=question.run_id, status="waiting").update(status="resumable"):
        turns.publish(question.run_id)
    transaction.on_commit(lambda: bell.inbox(question.workspace_id))


def _repeated_or_conflict(question: Question, by: Actor, digest: str, key: str) -> Answered:
    given = question.answer or {}
    same_person = (question.decided_by_id, question.decided_name) == (by.user, by.name)
    if key and given.get("key") == key and same_person and question.digest == digest:
        return Answered(question.state)
    raise _conflict(question)


def _conflict(question: Question) -> Conflict:
    state = question.state
    if state == "pending":
        late = question.expires_at is not None and question.expires_at <= timezone.now()
        if late:
            return Conflict("QUESTION_EXPIRED", "Nobody decided this in time, so it counts as declined.", "expired")
        return Conflict("QUESTION_CHANGED", "This is no longer what you were shown. Read it again, then decide.", state)
    return Conflict(f"QUESTION_{state.upper()}", _ENDED[state].format(by=question.decided_name or "Somebody"), state)


_NOUN = {"ask": "question", "form": "form", "approval": "card", "outcome": "card"}
_ENDED = {
    "answered": "{by} answered this already.",
    "approved": "{by} approved this already.",
    "declined": "{by} declined this already.",
    "closed": "{by} closed this form already.",
    "expired": "Nobody decided this in time, so it counts as declined.",
    "withdrawn": "This was taken back together with its run.",
}
