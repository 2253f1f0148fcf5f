"""A run as server-sent events: what the log holds behind a cursor, then everything as it happens, then the end."""

from __future__ import annotations

import asyncio
import contextlib
import json
import time
from collections import Counter
from collections.abc import AsyncIterator
from typing import Any

from channels.layers import get_channel_layer

from flows.scope import workspace
from runtime import bell
from runtime.models import Run
from studio.models import ApiToken
from studio.programs import facts, tokens
from studio.programs.wire import Journal
from studio.refusal import Refusal
from studio.serving import Streamed
from studio.strings import t
from studio.watch import read_in_thread

POLL_SECONDS = 2.0
PING_SECONDS = 15.0
CHECK_SECONDS = 60.0
MOST_STREAMS = 500
MOST_PER_TOKEN = 50

_open: Counter[str] = Counter()


class Following(Streamed):
    """The answer that follows one run. Raises Refusal when this process, or the token, follows as many as may be."""

    def __init__(self, run: Run, token: ApiToken, after: int) -> None:
        super().__init__(content_type="text/event-stream; charset=utf-8")
        self["X-Accel-Buffering"] = "no"
        self._run, self._token, self._after = run, token, after
        if _open.total() >= MOST_STREAMS or _open[str(token.pk)] >= MOST_PER_TOKEN:
            raise Refusal("TOO_MANY_STREAMS", t("programs.too_many_streams", count=MOST_PER_TOKEN), 429)

    async def chunks(self) -> AsyncIterator[bytes]:
        name = str(self._token.pk)
        _open[name] += 1
        try:
            async for chunk in self._follow():
                yield chunk
        finally:
            _open[name] -= 1
            if not _open[name]:
                del _open[name]

    async def _follow(self) -> AsyncIterator[bytes]:
        said = checked = time.monotonic()
        async with _Doorbell(self._run) as doorbell:
            while True:
                found: Journal = await read_in_thread(self._read)()
                for event in found.events:
                    yield message(event.type, event.wire(), event.seq)
                    said = time.monotonic()
                self._after = found.next
                if found.ended:
                    yield message("end", await read_in_thread(self._facts)())
                    return
                if len(found.events) == facts.MOST_EVENTS:
                    continue
                async for delta in doorbell.until_poked(POLL_SECONDS):
                    yield message("delta", delta)
                    said = time.monotonic()
                now = time.monotonic()
                if now - checked > CHECK_SECONDS:
                    checked = now
                    if not await read_in_thread(tokens.is_good)(self._token.pk):
                        return
                if now - said > PING_SECONDS:
                    said = now
                    yield message("ping", {})

    def _read(self) -> Journal:
        with workspace(self._run.workspace_id):
            return facts.journal(self._run, self._after, self._token.name)

    def _facts(self) -> dict[str, Any]:
        with workspace(self._run.workspace_id):
            run = Run.objects.select_related("deployment", "version", "conversation").get(pk=self._run.pk)
            return facts.runs([run])[0].wire()


class _Doorbell:
    """What Channels says of the run's conversation. Without a broker, the log is read every other second."""

    def __init__(self, run: Run) -> None:
        self._item = f"out:{run.pk}:"
        self._group = bell.group(run.conversation_id)
        self._layer: Any = get_channel_layer()
        self._hearing: asyncio.Task[dict[str, Any]] | None = None

    async def __aenter__(self) -> _Doorbell:
        try:
            self._channel = await asyncio.wait_for(self._layer.new_channel(), 2)
            await asyncio.wait_for(self._layer.group_add(self._group, self._channel), 2)
        except Exception:
            self._layer = None
        return self

    async def __aexit__(self, *_: object) -> None:
        if self._hearing is not None:
            self._hearing.cancel()
            with contextlib.suppress(BaseException):
                await self._hearing
        if self._layer is not None:
            with contextlib.suppress(Exception):
                await self._layer.group_discard(self._group, self._channel)

    async def until_poked(self, seconds: float) -> AsyncIterator[dict[str, Any]]:
        """The words that stream in meanwhile, until there is something to read or the time is up."""
        until = time.monotonic() + seconds
        while True:
            if self._layer is None:
                await asyncio.sleep(max(0.0, until - time.monotonic()))
                return
            if self._hearing is None:
                self._hearing = asyncio.create_task(self._layer.receive(self._channel))
            done, _ = await asyncio.wait({self._hearing}, timeout=max(0.0, until - time.monotonic()))
            if not done:
                return
            hearing, self._hearing = self._hearing, None
            heard = hearing.result()
            if heard["type"] != "delta":
                return
            if heard["item"].startswith(self._item):
                channel = heard["item"].removeprefix(self._item)
                yield {"channel": channel, **{key: heard[key] for key in ("attempt", "offset", "text")}}


def message(event: str, fields: dict[str, Any], id: int | None = None) -> bytes:
    """One server-sent event."""
    head = f"id: {id}\n" if id is not None else ""
    return f"{head}event: {event}\ndata: {json.dumps(fields, ensure_ascii=False)}\n\n".encode()
