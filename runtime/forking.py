"""A conversation forked at one of its turns: a new one that begins with the same turns and goes its own way."""

from __future__ import annotations

import uuid
from collections.abc import Iterable, Sequence
from datetime import datetime
from typing import Any

from django.db import transaction

from flows.scope import current
from runtime import history
from runtime.models import Conversation, Deployment, Run, RunEvent
from runtime.rows import NOW, insert, update
from runtime.runs import Actor

MOST_EVENTS = 20_000
AT_ONCE = 500
_UNSAID = ("read", "written", "cut")
"""What steps hand each other stays with the run; no conversation shows it."""

Row = tuple[uuid.UUID, str, Any, datetime]


class NotForked(Exception):
    """The conversation cannot be forked there. message says why, and what to do instead."""

    def __init__(self, code: str, message: str) -> None:
        super().__init__(message)
        self.code, self.message = code, message


def fork(talk: Conversation, run_id: uuid.UUID, actor: Actor, deployment: Deployment | None = None) -> Conversation:
    """A new conversation of this person that holds the turns up to this run's, what was remembered then, and nothing
    that came later. Scoped. Raises NotForked.

    The turns are told, and not had again: their runs, with what they called and cost, stay where they were.
    deployment: where it goes on; with the same agent when nothing is said.
    """
    rows = _until(talk, run_id)
    runs = _runs(rows)
    made = Conversation(
        deployment=deployment or talk.deployment, user_id=actor.user, visitor=actor.visitor, title=talk.title,
        forked_from=talk, history=_history(runs), remembered=_remembered(runs), next_seq=len(rows) + 1,
    )  # fmt: skip
    with transaction.atomic():
        made.save()
        for first in range(0, len(rows), AT_ONCE):
            insert(_copied(made, rows[first : first + AT_ONCE], first + 1))
        update(Conversation, {"last_at": NOW}, id=made.id)
    return made


def _until(talk: Conversation, run_id: uuid.UUID) -> list[Row]:
    """The events of the turns up to this one, in their order."""
    begun = RunEvent.objects.filter(conversation=talk, type="message_sent").order_by("seq")
    turns = list(begun.values_list("run_id", flat=True))
    if run_id not in turns:
        raise NotForked("TURN_GONE", "This turn is not part of the conversation.")
    if not Run.objects.filter(id=run_id, status__in=Run.ENDED).exists():
        raise NotForked("TURN_UNFINISHED", "This turn is not finished yet. Wait for its end, or stop it first.")
    kept = turns[: turns.index(run_id) + 1]
    found = RunEvent.objects.filter(conversation=talk, run_id__in=kept).order_by("seq")
    rows: list[Row] = list(found.values_list("run_id", "type", "payload", "at")[: MOST_EVENTS + 1])
    if len(rows) > MOST_EVENTS:
        raise NotForked(
            "CONVERSATION_TOO_LONG", f"More than {MOST_EVENTS:,} things happened until then. Fork at an earlier turn."
        )
    closed = {payload["question"] for _, type, payload, _ in rows if type == "question_closed"}
    # What is still asked about an ended turn is asked where it happened.
    return [row for row in rows if row[1] != "question_asked" or row[2]["question"] in closed]


def _runs(rows: Iterable[Row]) -> list[Run]:
    """The last runs that are done among them, as many as `history` holds, in the order of their turns."""
    order = list(dict.fromkeys(run for run, _, _, _ in rows))
    done = set(Run.objects.filter(id__in=order, status="done").values_list("id", flat=True))
    last = [id for id in order if id in done][-history.KEPT_TURNS :]
    runs = Run.objects.filter(id__in=last).select_related("version")
    found = runs.defer("version__units", "version__tree", "begins").in_bulk()
    return [found[id] for id in last]


def _history(runs: Sequence[Run]) -> list[Any]:
    kept: list[Any] = []
    for run in runs:
        document: Any = run.version.document
        if document.get("conversation"):
            kept = history.with_turn(kept, history.turn(run, run.outputs))
    return kept


def _remembered(runs: Sequence[Run]) -> dict[str, Any]:
    return (runs[-1].remembered or {}) if runs else {}


def _copied(made: Conversation, rows: Sequence[Row], first: int) -> list[RunEvent]:
    return [
        RunEvent(
            workspace_id=current(), conversation_id=made.id, seq=seq, run_id=run, type=type, at=at,
            payload={name: value for name, value in payload.items() if name not in _UNSAID},
        )
        for seq, (run, type, payload, at) in enumerate(rows, first)
    ]  # fmt: skip
