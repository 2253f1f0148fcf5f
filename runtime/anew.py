"""A run begun anew at a step of another: what the flow held just before the step, and a run that starts with that."""

from __future__ import annotations

import re
import uuid
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import ormsgpack
from django.db import transaction

from flows.scope import current
from flows.words.channel import ChannelRefused, judge
from flows.words.document import Document
from runtime import turns
from runtime.events import MessageSent
from runtime.journal import append
from runtime.models import Checkpoint, CheckpointBlob, Conversation, Deployment, Run, RunEvent
from runtime.rows import insert
from runtime.runs import Actor, Started

Json = Any
CHANNEL = "ch."
_NUMBER = re.compile(r"[0-9]{1,9}")
ENGINES_OWN = ("history", "__approval", "__error")
"""What the engine keeps beside the channels that a flow declares, and a step reads as one."""


class NotAnew(Exception):
    """Nothing can begin at that step. message says why, and what to do instead."""

    def __init__(self, code: str, message: str) -> None:
        super().__init__(message)
        self.code, self.message = code, message


class NotFitting(Exception):
    """Channels that were given a value of another type. problems: a sentence each, by channel."""

    def __init__(self, problems: Mapping[str, str]) -> None:
        super().__init__("; ".join(problems.values()))
        self.problems = dict(problems)


@dataclass(frozen=True)
class Before:
    """What the flow held when a step was about to begin. visits, routes: what was counted until then."""

    node: str
    state: dict[str, Json]
    visits: dict[str, int] = field(default_factory=dict)
    routes: dict[str, int] = field(default_factory=dict)


def before(run: Run, address: str) -> Before:
    """What the run's flow held just before this step. Scoped. Raises NotAnew.

    It is read from what the engine kept, without the engine, and as plain values only.
    """
    node, _, number = address.partition("#")
    if "/" in address or "[" in address or not _NUMBER.fullmatch(number):
        raise NotAnew(
            "STEP_INSIDE",
            "A step inside another flow, or one copy of many, cannot be begun by itself. Begin at the step around it.",
        )
    wanted, thread = int(number), str(run.id)
    entries = (f"branch:to:{node}.ask", f"branch:to:{node}")
    set_at = CheckpointBlob.objects.filter(thread=thread, ns="", channel__in=entries).exclude(type="empty")
    due = set(set_at.values_list("channel", "version"))
    rows = Checkpoint.objects.filter(thread=thread, ns="").only("type", "body").order_by("checkpoint_id")
    for row in rows.iterator(100) if due else ():
        body = _read(row.type, row.body)
        versions = {name: str(version) for name, version in body["channel_versions"].items()}
        if not any((name, versions.get(name)) in due for name in entries):
            continue
        # A loop comes by thousands of times; all that it held is read for the one visit alone.
        counted = _values(thread, {name: versions[name] for name in ("at.visits",) if name in versions})
        visits = counted.get("at.visits") or {}
        if visits.get(node, 0) + 1 == wanted:
            held = _values(thread, versions)
            state = {name[len(CHANNEL) :]: value for name, value in held.items() if name.startswith(CHANNEL)}
            return Before(node, state, visits, held.get("at.routes") or {})
    raise NotAnew(
        "STEP_NOT_KEPT",
        "What the flow held before this step is not kept any more, or the step never began. Send the message again.",
    )


def begin(
    of: Run, found: Before, edits: Mapping[str, Json], document: Document, *,
    version: uuid.UUID, deployment: Deployment, by: Actor, title: str,
) -> Started:  # fmt: skip
    """Start a run of this version at the step, with what the flow held there and these channels changed.

    It has a conversation, a ledger and journal of its own; nothing before the step is done again. Channels that the
    version does not know any more are left out. Raises NotAnew and NotFitting.
    """
    if all(node.id != found.node for node in document.nodes):
        raise NotAnew("STEP_GONE", f'There is no step "{found.node}" in this version. Choose the one that ran.')
    state = _fitting(found.state, edits, document)
    began = {
        "run": str(of.id), "address": f"{found.node}#{found.visits.get(found.node, 0) + 1}", "node": found.node,
        "state": state, "visits": found.visits, "routes": found.routes,
    }  # fmt: skip
    said = RunEvent.objects.filter(conversation_id=of.conversation_id, run=of, type="message_sent").first()
    message = {**(said.payload if said else {"text": ""}), "by": by.name, "queued": False}
    with transaction.atomic():
        talk = Conversation.objects.create(
            deployment=deployment, user_id=by.user, visitor=by.visitor, title=title[:120],
            history=state["history"] or [],
        )  # fmt: skip
        turns.lock(talk.id)
        run = Run(
            workspace_id=current(), conversation=talk, deployment=deployment, version_id=version, inputs=of.inputs,
            started_by_id=by.user, begins=began,
        )  # fmt: skip
        insert([run])
        append(talk.id, run.id, [MessageSent.model_validate(message)])
        turns.publish(run.id)
    return Started(run.id, talk.id, queued=False)


def _fitting(held: Mapping[str, Json], edits: Mapping[str, Json], document: Document) -> dict[str, Json]:
    """The state that the run begins with. Raises NotFitting."""
    problems = {name: f'There is no channel "{name}" in this version.' for name in edits if name not in document.state}
    state: dict[str, Json] = {name: held.get(name) for name in ENGINES_OWN}
    for name, channel in document.state.items():
        if name not in edits and name not in held:
            continue
        value = edits.get(name, held.get(name))
        try:
            if value is not None:
                judge(channel, value)
            state[name] = value
        except ChannelRefused as refused:
            # What no longer fits by itself starts from its default; what somebody typed is said.
            if name in edits:
                problems[name] = refused.message
    if problems:
        raise NotFitting(problems)
    return state


def _values(thread: str, versions: Mapping[str, str]) -> dict[str, Json]:
    blobs = CheckpointBlob.objects.filter(thread=thread, ns="", channel__in=versions).exclude(type="empty")
    return {
        blob.channel: _read(blob.type, blob.body)
        for blob in blobs.filter(version__in=set(versions.values()))
        if versions[blob.channel] == blob.version and blob.channel.startswith((CHANNEL, "at.visits", "at.routes"))
    }


def _read(type: str, body: bytes | memoryview) -> Json:
    """A stored value as plain data. Raises NotAnew for anything that is more than data."""
    if type == "null":
        return None
    try:
        if type == "msgpack":
            return ormsgpack.unpackb(bytes(body))
    except ormsgpack.MsgpackDecodeError:
        pass
    raise NotAnew("STEP_NOT_READABLE", "What the flow held before this step cannot be read. Send the message again.")
