"""An ask as the worker does it: claimed with a lease, talked through with the model, and written down as it goes.

What it writes is fenced by the row itself: the ask must still be working, and this worker's. A person who stops it, or
a sweeper that took this worker for dead, ends it for good.
"""

from __future__ import annotations

import asyncio
import contextlib
import logging
import time
import uuid
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from django.db import Error as DatabaseError
from django.db.models import F, Q
from django.db.models.functions import Now

from flows import scope
from flows.check import check
from runtime import bell
from runtime.clock import after
from runtime.errands import Desk
from runtime.services.endpoints import ask_beside_runs, endpoint_for
from runtime.services.failures import ModelFailed
from runtime.services.model import Endpoint, ModelCancelled, Reply
from studio.ask import prompt
from studio.ask.prompt import Earlier
from studio.ask.talk import Message, Outcome, Talk
from studio.ask.working import Working, parsed
from studio.models import Ask, Membership
from studio.strings import t

Json = Any
log = logging.getLogger(__name__)

WATCH_SECONDS = 0.4
UNSENT_SECONDS = 2.0
CALL_SECONDS = 300.0
AT_ONCE = 50
EARLIER = 4


class Over(Exception):
    """The ask is no longer this worker's: stopped by its person, or taken for lost."""


async def work(desk: Desk, id: uuid.UUID) -> None:
    """Work on an ask until it ends. Harmless for one that somebody else has, or that is over."""
    ask = await desk.database.write(lambda: _claim(desk, id))
    if ask is None:
        return
    scope.enter(ask.workspace_id)
    held = _Held(desk, ask)
    watch = asyncio.create_task(held.watch())
    try:
        outcome = await _talk(held)
        await held.finish(outcome)
    except (Over, ModelCancelled):
        if desk.stopping and not held.taken:
            with contextlib.suppress(Over):
                await held.finish(_failed("ASK_INTERRUPTED", t("ask.interrupted")))
    except DatabaseError:
        # Nothing can be written now; the lease runs out and the sweeper says so on the row.
        log.exception("The ask %s met a database error", id)
    except Exception:
        log.exception("The ask %s ended by a fault", id)
        with contextlib.suppress(Over):
            await held.finish(_failed("ASK_FAULT", t("ask.fault")))
    finally:
        watch.cancel()


async def sweep(desk: Desk) -> list[uuid.UUID]:
    """Ends what a worker left behind; gives back what nobody began."""
    return await desk.database.write(_sweep)


def _claim(desk: Desk, id: uuid.UUID) -> Ask | None:
    taken = Ask.everywhere.filter(id=id, state="working", owner="").update(
        owner=desk.name, lease_until=after(desk.lease_seconds), rev=F("rev") + 1
    )
    return Ask.everywhere.select_related("flow").get(id=id) if taken else None


def _sweep() -> list[uuid.UUID]:
    lost = Ask.everywhere.filter(Q(lease_until__lt=Now()), state="working").exclude(owner="")
    for id, flow, rev in lost.values_list("id", "flow_id", "rev")[:AT_ONCE]:
        ended = lost.filter(id=id).update(
            state="failed", rev=rev + 1, finished_at=Now(), base="", base_layout={},
            error={"code": "ASK_INTERRUPTED", "message": t("ask.interrupted")},
        )  # fmt: skip
        if ended:
            bell.flow_after_commit(flow, {"type": "ask", "id": str(id), "rev": rev + 1})
    unsent = Ask.everywhere.filter(state="working", owner="", created_at__lt=after(-UNSENT_SECONDS))
    return list(unsent.order_by("created_at").values_list("id", flat=True)[:AT_ONCE])


@dataclass
class _Held:
    """The ask in this worker."""

    desk: Desk
    ask: Ask
    taken: bool = False
    talk: Talk | None = None

    @property
    def over(self) -> bool:
        return self.taken or self.desk.stopping

    async def watch(self) -> None:
        """Extend the lease, and see whether the ask is still this worker's."""
        renewed = time.monotonic()
        while not self.taken:
            await asyncio.sleep(WATCH_SECONDS)
            extend = time.monotonic() - renewed >= self.desk.lease_seconds / 3
            try:
                if extend:
                    self.taken = not await self.desk.database.write(
                        lambda: self._mine().update(lease_until=after(self.desk.lease_seconds))
                    )
                    renewed = time.monotonic()
                else:
                    self.taken = not await self.desk.database.read(lambda: self._mine().exists())
            except DatabaseError:
                # Whoever cannot say any more that the ask is theirs must not go on with it.
                self.taken = time.monotonic() - renewed > self.desk.lease_seconds

    def _mine(self) -> Any:
        return Ask.objects.filter(id=self.ask.id, state="working", owner=self.desk.name)

    async def tell(self, talk: Talk) -> None:
        """Write down how far it is. Raises Over."""
        await self._write({})

    async def finish(self, outcome: Outcome) -> None:
        """Write down how it ended. Raises Over when it had ended already."""
        operations, lines = [], []
        if outcome.state == "proposed" and self.talk is not None:
            operations, lines = self.talk.working.wire()
        await self._write(
            {
                "state": outcome.state,
                "reply": outcome.reply,
                "claims": outcome.claims,
                "error": outcome.error,
                "operations": operations,
                "lines": lines,
                "base": "",
                "base_layout": {},
                "finished_at": Now(),
                "lease_until": None,
            }
        )

    async def _write(self, fields: dict[str, Json]) -> None:
        if self.talk is not None:
            usage = self.talk.usage
            fields |= {
                "steps": [step.wire() for step in self.talk.steps],
                "refused": self.talk.refused,
                "model": usage.model[:200],
                "demo": usage.demo,
                "input_tokens": usage.input_tokens,
                "output_tokens": usage.output_tokens,
                "cost": usage.cost,
            }

        def act() -> bool:
            if not self._mine().update(rev=F("rev") + 1, **fields):
                # The person stopped it. What it had cost by then is kept all the same.
                kept = {key: fields[key] for key in ("input_tokens", "output_tokens", "cost", "steps") if key in fields}
                Ask.objects.filter(id=self.ask.id, owner=self.desk.name).exclude(state="working").update(**kept)
                return False
            if fields.get("state") == "proposed" and self.ask.continues_id is not None:
                Ask.objects.filter(id=self.ask.continues_id, state="proposed").update(state="dropped", rev=F("rev") + 1)
            rev = Ask.objects.values_list("rev", flat=True).get(id=self.ask.id)
            bell.flow_after_commit(self.ask.flow_id, {"type": "ask", "id": str(self.ask.id), "rev": rev})
            return True

        if not await self.desk.database.write(act):
            self.taken = True
            raise Over


async def _talk(held: _Held) -> Outcome:
    ask = held.ask
    found = await held.desk.database.read(lambda: _beginning(ask))
    if found.endpoint is None:
        return _failed("NO_ASK_MODEL", t("ask.no_model"))
    document = parsed(ask.base)
    if document is None:
        return _failed("DRAFT_UNREADABLE", t("ask.unreadable"))
    working = await asyncio.to_thread(Working, document, ask.base_layout, found.people)
    if found.before and not await asyncio.to_thread(working.go_on, found.before):
        return _failed("ASK_MOVED", t("ask.moved"))
    endpoint = found.endpoint

    async def model(messages: Sequence[Message], declared: Sequence[Json], *, seconds: float) -> Reply:
        if held.over:
            raise Over
        reply = await ask_beside_runs(
            endpoint, list(messages), write=held.desk.database.write, tools=list(declared),
            timeout=min(seconds, CALL_SECONDS), cancelled=lambda: held.over,
        )  # fmt: skip
        if held.over:
            raise Over
        return reply

    messages = await asyncio.to_thread(
        lambda: prompt.messages(
            ask.text, working.draft.document, check(working.draft.document), ask.selection, found.earlier
        )
    )
    held.talk = Talk(model, working, messages, held.tell)
    await held.tell(held.talk)
    try:
        return await held.talk.hold()
    except ModelFailed as failed:
        return _failed(failed.code, failed.message)


@dataclass
class _Beginning:
    endpoint: Endpoint | None
    people: list[str]
    earlier: list[Earlier]
    before: list[Json]


def _beginning(ask: Ask) -> _Beginning:
    """What an ask needs to know of its workspace. The people's names are for a check; the model is told none."""
    members = Membership.objects.select_related("user").values_list("user__name", "user__email")
    people = [name for name, _ in members if len(name.split()) > 1] + [email for _, email in members]
    before = Ask.objects.filter(flow_id=ask.flow_id, by_id=ask.by_id).exclude(id=ask.id).exclude(state="working")
    rows = list(before.order_by("-created_at")[:EARLIER])
    earlier = [Earlier(row.text, row.reply or t("ask.no_words"), row.state) for row in reversed(rows)]
    going_on = Ask.objects.filter(id=ask.continues_id, state="proposed").first() if ask.continues_id else None
    return _Beginning(endpoint_for(None, "ask"), people, earlier, going_on.operations if going_on else [])


def _failed(code: str, message: str) -> Outcome:
    return Outcome("failed", error={"code": code, "message": message})
