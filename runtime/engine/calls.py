"""The ledger of outgoing requests: written before a call goes out, and read before one goes out again."""

from __future__ import annotations

import hashlib
import time
from collections.abc import Mapping
from dataclasses import replace
from typing import Any
from urllib.parse import urlsplit

from flows.kinds.base import NodeFailed
from runtime import canonical, crash
from runtime.engine.lease import Lease, Stopped
from runtime.events import ToolCalled
from runtime.models import ToolCall
from runtime.services.http import (
    AddressRefused,
    Guarded,
    NotSent,
    OutcomeUnclear,
    Request,
    effect,
    host_of,
    redacted,
)
from runtime.services.secrets import SecretValue
from runtime.units.sandbox import ServiceFailed

Json = Any
LARGEST_KEPT = 1_000_000
MOST_CALLS = 200

COLUMNS = [
    "attempt", "unit", "address", "effect", "state", "fence", "args_sha", "request", "response", "error", "settled",
    "ms",
]  # fmt: skip


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


class Calls:
    """The requests of one unit call of one step visit, in their order."""

    def __init__(
        self,
        lease: Lease,
        task: str,
        *,
        address: str,
        unit: str,
        attempt: int,
        client: Guarded,
        secrets: Mapping[str, SecretValue],
        marks: Mapping[str, str],
        answers: Mapping[str, Mapping[str, Json]],
    ) -> None:
        self._lease, self._task = lease, task
        self._address, self._unit, self._attempt = address, unit, attempt
        self._client, self._answers = client, answers
        self._ordinal = 0
        self._secrets, self._marks = secrets, marks

    def restart(self) -> None:
        """The unit begins again: its first request is number 1 again, and finished ones are replayed."""
        self._ordinal = 0

    async def send(self, request: Request) -> Json:
        """One request: {status, headers, text | base64, url}.

        Raises ServiceFailed (the code may catch it), OutcomeUnknown, Settled or another Stopped.
        """
        lease = self._lease
        lease.check()
        self._ordinal += 1
        if self._ordinal > MOST_CALLS:
            raise ServiceFailed(f"This step has made {MOST_CALLS} calls; a step may not make more.")
        key = f"{self._address}/{self._unit}/{self._ordinal}"
        # A mark carries a hash that a person cannot guess, so text typed by somebody never names a secret.
        request = replace(request, marks=self._marks)
        shown = redacted(request)
        sha = hashlib.sha256(canonical.encode(shown)).hexdigest()
        try:
            kind = effect(request.method, host_of(request, self._secrets), lease.run.deployment.idempotent_hosts)
        except AddressRefused as refused:
            raise ServiceFailed(refused.message) from None
        row = lease.tool_calls.get(key)
        if row is not None:
            replayed = await self._replayed(row, kind, sha)
            if replayed is not None:
                return replayed
        row = ToolCall(
            workspace_id=lease.run.workspace_id, run_id=lease.id, key=key, address=self._address, unit=self._unit,
            attempt=self._attempt, effect=kind, state="started", fence=lease.fence, args_sha=sha, request=shown,
        )  # fmt: skip
        lease.tool_calls[key] = row
        if kind != "read":
            await lease.commit(task=self._task, ops=(lambda: _save(row),))
            crash.point("tool.started")
        return await self._go(row, request)

    async def _replayed(self, row: ToolCall, kind: str, sha: str) -> Json | None:
        """The answer of an earlier try, or None when the request is to be made now."""
        same = row.args_sha == sha
        ok = row.state == "done" and row.response is not None and row.response["status"] < 400
        if row.state == "settled":
            raise Settled(row.settled["outcome"], row.settled.get("note", ""))
        if row.state == "unknown" or (row.state == "started" and row.effect == "write"):
            return await self._decided(row)
        if row.state == "started":
            return None
        if row.effect != "read" and ok:
            if not same:
                raise NodeFailed(
                    f'"{self._unit}" made another call than the one already carried out in this step '
                    f"({_target(row.request)}). Nothing was sent.", "CALL_CHANGED",
                )  # fmt: skip
            return row.response
        if row.attempt == self._attempt and same:
            if row.state == "failed":
                raise ServiceFailed(row.error)
            return row.response
        return None

    async def _decided(self, row: ToolCall) -> None:
        """What a person said about a write of unknown outcome; without that, ask. None: make it again."""
        lease = self._lease
        if row.state == "started":
            row.state = "unknown"
            lease.later(self._task, self._event(row), ops=(lambda: _save(row),))
            await lease.commit(task=self._task)
        answer = self._answers.get(outcome_slot(row.key))
        if answer is None:
            raise OutcomeUnknown(row.key)
        if answer["outcome"] == "again":
            return
        row.state = "settled"
        row.settled = {"outcome": answer["outcome"], "note": answer.get("note") or ""}
        lease.later(self._task, self._event(row), ops=(lambda: _save(row),))
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
            if row.effect == "write":
                await self._close(row, "unknown", began, error=unclear.message)
                raise OutcomeUnknown(row.key) from None
            await self._close(row, "failed", began, error=unclear.message)
            raise ServiceFailed(unclear.message) from None
        body = response.as_json()
        size = len(body.get("text") or body.get("base64") or "")
        if size > LARGEST_KEPT and not write:
            message = f"{_target(row.request)} answered {size:,} characters; a step may take {LARGEST_KEPT:,}."
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
        row.state, row.response, row.error = state, response, error
        row.ms = round((time.perf_counter() - began) * 1000, 2)
        self._lease.later(self._task, self._event(row), ops=(lambda: _save(row),))
        if row.effect != "read":
            await self._lease.commit(task=self._task)

    def _event(self, row: ToolCall) -> ToolCalled:
        return ToolCalled(
            address=row.address, key=row.key, unit=row.unit, effect=row.effect, state=row.state,  # type: ignore[arg-type]
            method=row.request["method"], target=_target(row.request),
            status=row.response["status"] if row.response else None, ms=row.ms,
        )  # fmt: skip


def outcome_slot(key: str) -> str:
    """The slot of the question about one call."""
    return f"outcome:{hashlib.sha256(key.encode()).hexdigest()[:16]}"


def _save(row: ToolCall) -> None:
    ToolCall.objects.bulk_create([row], update_conflicts=True, unique_fields=["run", "key"], update_fields=COLUMNS)


def _target(request: Mapping[str, Json]) -> str:
    """The address as people read it: host and path, without a query."""
    parts = urlsplit(str(request["url"]))
    return f"{parts.netloc}{parts.path}"
