"""The verbs on a run: start, cancel, take a queued message back."""

from __future__ import annotations

import uuid
from dataclasses import dataclass
from typing import Any

from django.db import transaction
from django.db.models import QuerySet
from django.db.models.functions import Now

from flows.scope import current
from flows.words.label import label
from runtime import turns
from runtime.events import MessageRemoved, MessageSent, RunCancelled, Shown
from runtime.files import giving
from runtime.files.giving import Giver
from runtime.journal import append
from runtime.models import Conversation, Deployment, Run
from runtime.prepared import Prepared
from runtime.rows import NOW, insert, update


@dataclass(frozen=True)
class Actor:
    """Who acts: an account (user), or an anonymous visitor by the hash of their cookie. name is what pages show."""

    name: str
    user: uuid.UUID | None = None
    visitor: str = ""


@dataclass(frozen=True)
class Started:
    """A message's run; queued says that it waits behind an unfinished turn."""

    run: uuid.UUID
    conversation: uuid.UUID
    queued: bool


class NotLive(Exception):
    """The deployment has no live version, so there is nothing to start."""


class NobodyKnown(Exception):
    """The deployment answers only people whom it can name, and whoever speaks is none."""


def _of_key(talk: uuid.UUID, key: str) -> QuerySet[Run]:
    return Run.objects.filter(conversation_id=talk, client_key=key).only("id", "status")


def _of_talk(talk: uuid.UUID) -> QuerySet[Run]:
    return Run.objects.filter(conversation_id=talk, status__in=(*Run.ACTIVE, "held")).only("id")[:1]


_by_key = Prepared(_of_key, uuid.UUID, str)
_unfinished = Prepared(_of_talk, uuid.UUID)


def open_conversation(deployment: Deployment, actor: Actor, title: str = "") -> Conversation:
    """A new, empty conversation of this person with this agent."""
    return Conversation.objects.create(
        deployment=deployment, user_id=actor.user, visitor=actor.visitor, title=_title(title)
    )


def start(
    deployment: Deployment,
    actor: Actor,
    *,
    inputs: dict[str, Any],
    text: str = "",
    text_input: str | None = None,
    conversation: Conversation | None = None,
    key: str = "",
    version: uuid.UUID | None = None,
) -> Started:
    """Start a run with checked inputs, or hold it behind the turn before it. text_input: the input that the text is.

    version: another than the one that is live, as a step that is tried by itself is.

    One transaction writes the run, its message event and its outbox row. The same key in the same conversation is
    the same message: its run is returned and nothing is written. Raises NotLive and NobodyKnown.
    """
    version = version or deployment.version_id
    if version is None:
        raise NotLive(deployment.slug)
    if deployment.known_people and actor.user is None:
        raise NobodyKnown(deployment.slug)
    with transaction.atomic():
        if conversation is None:
            conversation = open_conversation(deployment, actor, text)
        turns.lock(conversation.id)
        same = known(conversation.id, key)
        if same is not None:
            return same
        queued = _unfinished.first(conversation.id) is not None
        run = Run(
            workspace_id=current(), conversation=conversation, deployment=deployment,
            version_id=version, status="held" if queued else "queued", inputs=inputs,
            started_by_id=actor.user, client_key=key,
        )  # fmt: skip
        insert([run])
        giving.attach(inputs, Giver(deployment.id, actor, conversation.id), conversation, run.id)
        values = [
            Shown(label=label(name), value=value, channel=name) for name, value in inputs.items() if name != text_input
        ]
        append(conversation.id, run.id, [MessageSent(text=text, values=values, by=actor.name, queued=queued)])
        title = {"title": _title(text)} if not conversation.title and text else {}
        update(Conversation, {"last_at": NOW, **title}, id=conversation.id)
        if not queued:
            turns.publish(run.id)
    return Started(run.id, conversation.id, queued)


def known(conversation: uuid.UUID, key: str) -> Started | None:
    """What a message with this key has started already; None without a key."""
    same = _by_key.first(conversation, key) if key else None
    return Started(same.id, conversation, same.status == "held") if same is not None else None


def cancel(run_id: uuid.UUID, by: str) -> str:
    """Ask a run to end. Returns its status afterwards; "running" means that its worker stops before the next effect.

    A run that nobody works on ends here. An ended run is left as it is.
    """
    with transaction.atomic():
        run = Run.objects.get(id=run_id)
        turns.lock(run.conversation_id)
        run.refresh_from_db()
        if run.status == "held":
            return _remove(run)
        if run.status in ("queued", "waiting", "resumable"):
            turns.end(run, "cancelled", [RunCancelled(by=by)], cancelled_by=by, cancel_requested_at=NOW)
            return "cancelled"
        if run.status == "running" and run.cancel_requested_at is None:
            Run.objects.filter(id=run.id).update(cancel_requested_at=Now(), cancelled_by=by)
        return run.status


def remove_queued(run_id: uuid.UUID) -> bool:
    """Take a queued message back. False when its turn has begun already."""
    with transaction.atomic():
        run = Run.objects.get(id=run_id)
        turns.lock(run.conversation_id)
        run.refresh_from_db()
        if run.status != "held":
            return False
        _remove(run)
        return True


def _remove(run: Run) -> str:
    Run.objects.filter(id=run.id).update(status="cancelled", finished_at=Now())
    append(run.conversation_id, run.id, [MessageRemoved()])
    return "cancelled"


def _title(text: str) -> str:
    words = " ".join(text.split())
    return words if len(words) <= 80 else words[:79].rstrip() + "…"
