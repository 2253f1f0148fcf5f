"""The ledger of outgoing requests: written before a call goes out, and read before one goes out again."""

from __future__ import annotations

import asyncio
import hashlib
import time
from collections.abc import Callable, Mapping
from dataclasses import replace
from functools import partial
from typing import Any, Protocol

from django.db import transaction

from flows.kinds.base import NodeFailed
from runtime import canonical, crash
from runtime.engine.lease import Fenced, Lease, Stopped
from runtime.engine.ledger import Holder, Ledger
from runtime.models import ToolCall
from runtime.outgoing import target, told
from runtime.rows import insert, update
from runtime.services.http import (
    AddressRefused,
    NotSent,
    OutcomeUnclear,
    Request,
    Response,
    effect,
    host_of,
    redacted,
)
from runtime.services.secrets import SecretValue
from runtime.units.sandbox import ServiceFailed

Json = Any
LARGEST_KEPT = 7_000_000
"""Characters of an answer: a picture of 5 MB in base64."""
LARGEST_HELD = 50_000
"""What is larger is read from the database when it is needed again."""
MOST_CALLS = 200
REFUSED, TIMED_OUT, BROKEN = 400, 408, 500


class OutcomeUnknown(Stopped):
    """A write may have happened and nobody knows. A person is asked; nothing is repeated by itself."""

    def __init__(self, key: str) -> None:
        super().__init__(key)
        self.key = key


class Settled(Stopped):
    """A person said what became of a write of unknown outcome, so the code that made it is not run again."""

    def __init__(self, outcome: str, note: str) -> None:
        super().__init__(outcome)
        self.outcome, self.note = outcome, note

    @property
    def result(self) -> dict[str, Json]:
        """What the step's output holds instead of the code's own result."""
        said = (
            "A person confirmed that this happened." if self.outcome == "happened" else "A person chose to skip this."
        )
        return {"outcome": self.outcome, "note": self.note, "message": f"{said} {self.note}".strip()}


class Sends(Protocol):
    """What carries a request out. Raises AddressRefused, NotSent and OutcomeUnclear."""

    async def send(
        self, request: Request, *, secrets: Mapping[str, SecretValue] | None = None, idempotency_key: str | None = None
    ) -> Response: ...


class Calls:
    """The requests of one unit call of one step visit. place tells several calls of the same unit apart.

    Reads and writes are numbered apart: a retry that reads another way must still find the write it made before.
    """

    def __init__(
        self,
        lease: Lease,
        task: str,
        *,
        address: str,
        unit: str,
        attempt: int,
        client: Sends,
        secrets: Mapping[str, SecretValue],
        marks: Mapping[str, str],
        answers: Mapping[str, Mapping[str, Json]],
        place: str = "",
        tried: tuple[int, ...] = (),
        effect_of: Callable[[Request], str] | None = None,
    ) -> None:
        self._lease, self._task = lease, task
        self._place, self._effect_of = place, effect_of or self._by_method
        self._address, self._unit, self._attempt = address, unit, attempt
        self._client, self._answers = client, answers
        self._secrets, self._marks = secrets, marks
        self._me = Holder(tried, self._prefix)
        self.restart()

    def restart(self) -> None:
        """The unit begins again: its first request is its first again, and finished ones are replayed."""
        self._reads = 0
        self._used: set[str] = set()
        self._doubt: Stopped | None = None

    def check(self) -> None:
        """Raise what a request ended in that the code may not decide about, even if the code did not wait for it."""
        if self._doubt is not None:
            raise self._doubt
        if self._lease.lost:
            raise self._lease.fault or Fenced

    async def send(self, request: Request) -> Json:
        """One request: {status, headers, text | base64, url}.

        Raises ServiceFailed (the code may catch it), OutcomeUnknown, Settled or another Stopped.
        """
        try:
            return await self._send(request)
        except Stopped as stopped:
            self._doubt = self._doubt or stopped
            raise

    async def _send(self, request: Request) -> Json:
        lease = self._lease
        lease.check()
        if self._reads + len(self._used) >= MOST_CALLS:
            raise ServiceFailed(f"This step has made {MOST_CALLS} calls; a step may not make more.")
        request = replace(request, marks=self._marks)
        shown = redacted(request)
        sha = hashlib.sha256(canonical.encode(shown)).hexdigest()
        try:
            kind = self._effect_of(request)
        except AddressRefused as refused:
            raise ServiceFailed(refused.message) from None
        if kind == "read":
            self._reads += 1
            key = f"{self._prefix}r{self._reads}"
            row = lease.ledger.tools.get(key)
            if row is not None and row.attempt == self._attempt and row.args_sha == sha and row.state != "started":
                if row.state == "failed":
                    raise ServiceFailed(row.error)
                await lease.ledger.whole(row)
                return row.response
        else:
            row, key = await self._write_row(sha)
            self._used.add(key)
            replayed = None if row is None else await self._replayed(row)
            if replayed is not None:
                return replayed
        row = ToolCall(
            workspace_id=lease.run.workspace_id, run_id=lease.id, key=key, address=self._address, unit=self._unit,
            attempt=self._attempt, effect=kind, state="started", fence=lease.fence, args_sha=sha, request=shown,
            held_by=str(self._me),
        )  # fmt: skip
        lease.ledger.put(row)
        if kind != "read":
            await lease.commit(task=self._task, ops=(partial(_save, row),))
            crash.point("tool.started")
        return await self._go(row, request)

    @property
    def _prefix(self) -> str:
        return f"{self._address}/{self._place}{'.' if self._place else ''}{self._unit}/"

    def _by_method(self, request: Request) -> str:
        hosts = self._lease.run.deployment.idempotent_hosts
        return effect(request.method, host_of(request, self._secrets), hosts)

    async def _write_row(self, sha: str) -> tuple[ToolCall | None, str]:
        """The row of this very write from an earlier try, if there is one, and the key under which it is made.

        Raises NodeFailed when an earlier try wrote, or may have written, something that this one does otherwise.
        """
        ledger = self._lease.ledger
        # What another call let go meanwhile is read as well.
        while parts := [row for row in (*self._own(), *ledger.alike(self._unit, sha)) if row.get_deferred_fields()]:
            await ledger.whole(*parts)
        # From here on nothing waits, so that no two calls take the same row.
        made = self._own()
        own = [row for row in made if row.key not in self._used and not self._is_anothers(row)]
        same = [row for row in own if row.args_sha == sha]
        others: list[ToolCall] = []
        if self._me.again:
            alike = [row for row in ledger.alike(self._unit, sha) if row not in made and row.key not in self._used]
            others = [row for row in alike if not _void(row) and self._may_hold(row)]
        held = [row for row in (*same, *others) if row.held_by == str(self._me)]
        for row in (*held, *(row for row in same if not _void(row)), *others, *same):
            return self._take(row), row.key
        for row in own:
            if not _void(row):
                raise NodeFailed(
                    f'"{self._unit}" is about to make another call than the one that this step made before '
                    f"({target(row.request)}). Nothing was sent.", "CALL_CHANGED",
                )  # fmt: skip
        return None, f"{self._prefix}w{len(made) + 1}"

    def _own(self) -> list[ToolCall]:
        """The writes that were made in this place before, in any try."""
        # They are numbered without a gap; a search among the calls of ten thousand copies would take too long.
        made: list[ToolCall] = []
        while (known := self._lease.ledger.tools.get(f"{self._prefix}w{len(made) + 1}")) is not None:
            made.append(known)
        return made

    def _may_hold(self, row: ToolCall) -> bool:
        """Whether a call that was made elsewhere is this one: its own already, or one of an earlier try."""
        return row.held_by == str(self._me) or self._me.follows(Holder.read(row.held_by))

    def _is_anothers(self, row: ToolCall) -> bool:
        """Whether another call of this try has taken the request that was made in this place before."""
        holder = Holder.read(row.held_by)
        return bool(holder.place) and holder.place != self._me.place and not self._me.follows(holder)

    def _take(self, row: ToolCall) -> ToolCall:
        """Hold the row from here on. Written with what the step makes of it, so that one is never there alone."""
        if row.held_by != str(self._me):
            row.held_by = str(self._me)
            taken = partial(update, ToolCall, {"held_by": row.held_by}, run=self._lease.id, key=row.key)
            self._lease.later(self._task, ops=(taken,))
        return row

    async def _replayed(self, row: ToolCall) -> Json | None:
        """The answer of an earlier try of the same write, or None when it is to be made now."""
        if row.state == "settled":
            raise Settled(row.settled["outcome"], row.settled.get("note", ""))
        if row.state == "unknown" or (row.state == "started" and row.effect == "write"):
            return await self._decided(row)
        if row.state == "done" and (row.response["status"] < REFUSED or row.attempt == self._attempt):
            return row.response
        if row.state == "failed" and row.attempt == self._attempt:
            raise ServiceFailed(row.error)
        return None

    async def _decided(self, row: ToolCall) -> None:
        """What a person said about a write of unknown outcome; without that, ask. None: make it again."""
        lease = self._lease
        if row.state == "started":
            row.state = "unknown"
            await lease.commit(told(row), ops=(partial(_save, row),), task=self._task)
        answer = self._answers.get(outcome_slot(row))
        if answer is None:
            raise OutcomeUnknown(row.key)
        if answer["outcome"] == "again":
            return
        row.state = "settled"
        row.settled = {"outcome": answer["outcome"], "note": answer.get("note") or ""}
        lease.later(self._task, told(row), ops=(partial(_save, row),))
        raise Settled(answer["outcome"], answer.get("note") or "")

    async def _go(self, row: ToolCall, request: Request) -> Json:
        lease = self._lease
        began = time.perf_counter()
        write = row.effect != "read"
        id_key = hashlib.sha256(f"{lease.id}/{row.key}".encode()).hexdigest() if write else None
        try:
            if write:
                crash.point("tool.sent")
            response = await self._client.send(request, secrets=self._secrets, idempotency_key=id_key)
            if write:
                crash.point("tool.answered")
        except AddressRefused as refused:
            await self._close(row, "failed", began, error=refused.message)
            raise ServiceFailed(refused.message) from None
        except NotSent as failed:
            await self._close(row, "failed", began, error=failed.message)
            raise ServiceFailed(failed.message) from None
        except OutcomeUnclear as unclear:
            # A receiver that knows repeats may simply be asked again, so its row stays started: sent, not answered.
            state = {"write": "unknown", "idempotent": "started", "read": "failed"}[row.effect]
            await self._close(row, state, began, error=unclear.message)
            if row.effect == "write":
                raise OutcomeUnknown(row.key) from None
            raise ServiceFailed(unclear.message) from None
        body = response.as_json()
        if row.effect == "write" and (response.status >= BROKEN or response.status == TIMED_OUT):
            # A gateway that gave up says nothing about what the server behind it did.
            words = f"{target(row.request)} answered with status {response.status}."
            await self._close(row, "unknown", began, response=body, error=words)
            raise OutcomeUnknown(row.key)
        size = len(body.get("text") or body.get("base64") or "")
        if size > LARGEST_KEPT and not write:
            message = f"{target(row.request)} answered {size:,} characters; a step may take {LARGEST_KEPT:,}."
            await self._close(row, "failed", began, error=message)
            raise ServiceFailed(message)
        if size > LARGEST_KEPT:
            # The write happened; only what came back is cut, so that the ledger can still say so.
            body = {**body, "text": (body.get("text") or "")[:LARGEST_KEPT], "base64": None}
        await self._close(row, "done", began, response=body)
        if write:
            crash.point("tool.done")
        return body

    async def _close(self, row: ToolCall, state: str, began: float, *, response: Json = None, error: str = "") -> None:
        row.state, row.response, row.error = state, response, error.replace("\0", "")
        row.ms = round((time.perf_counter() - began) * 1000, 2)
        ops = [partial(_save, row)]
        if response and len(response.get("text") or response.get("base64") or "") > LARGEST_HELD:
            ops.append(partial(_let_go, row, asyncio.get_running_loop()))
        self._lease.later(self._task, told(row), ops=tuple(ops))
        if row.effect != "read":
            await self._lease.commit(task=self._task)


def outcome_slot(row: ToolCall) -> str:
    """The slot of the question about one sending of one call: sent again, it is another question."""
    return f"outcome:{hashlib.sha256(f'{row.key}/{row.fence}'.encode()).hexdigest()[:16]}"


def _void(row: ToolCall) -> bool:
    """Whether the call certainly changed nothing: it never went out, or it was refused."""
    return row.state == "failed" or (row.state == "done" and REFUSED <= row.response["status"] < BROKEN)


def _let_go(row: ToolCall, loop: asyncio.AbstractEventLoop) -> None:
    """Once the row is committed; in the loop, where nobody is about to read it."""
    transaction.on_commit(lambda: loop.call_soon_threadsafe(Ledger.let_go, row), robust=True)


def _save(row: ToolCall) -> None:
    insert([row], conflict="replace", unique=("run", "key"))
