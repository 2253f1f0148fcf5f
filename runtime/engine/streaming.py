"""The text of an answer on its way: deltas to open pages, and a row for pages that open or missed one."""

from __future__ import annotations

import asyncio
import logging
import time
from collections.abc import Callable
from functools import partial

from django.db import Error as DatabaseError

from runtime import bell
from runtime.engine.lease import Fenced, Lease
from runtime.models import RunStream
from runtime.rows import insert

log = logging.getLogger(__name__)

DELTA_SECONDS = 0.05
SAVE_SECONDS = 0.3


class Stream:
    """One attempt's text for one page item. The first text goes out at once, then at most every 50 ms.

    begin: told just before the first words go out. only: gives of each new piece what may be shown by now.
    """

    def __init__(
        self, lease: Lease, item: str, attempt: int, begin: Callable[[], None] | None = None,
        only: Callable[[str], str] | None = None,
    ) -> None:  # fmt: skip
        self._lease = lease
        self._begin, self._only = begin, only
        self._item = item
        self._attempt = attempt
        self._text = ""
        self._sent = 0
        self._saved = 0
        self._last = 0.0
        self._timer: asyncio.TimerHandle | None = None
        self._saver: asyncio.Task[None] | None = None
        self._write: asyncio.Future[None] | None = None

    def add(self, text: str) -> None:
        """Take the next piece of text from the model."""
        if self._only is not None:
            text = self._only(text)
        if not text:
            return
        self._text += text
        if self._begin is not None:
            if not self._text.strip():
                return
            self._begin()
            self._begin = None
        now = time.monotonic()
        if now - self._last >= DELTA_SECONDS:
            self._send()
        elif self._timer is None:
            wait = DELTA_SECONDS - (now - self._last)
            self._timer = asyncio.get_running_loop().call_later(wait, self._send)
        if self._saver is None:
            self._saver = asyncio.create_task(self._save_often())

    async def close(self) -> None:
        """Send what is left. The row stays until the closing event's transaction removes it."""
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None
        if self._begin is None and self._sent < len(self._text):
            self._send()
        if self._saver is not None:
            self._saver.cancel()
            self._saver = None
        if self._write is not None:
            # Written after the closing event, the row would stay with half an answer in it.
            await asyncio.wait([self._write])

    def _send(self) -> None:
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None
        text = self._text[self._sent :]
        if not text:
            return
        bell.delta(self._lease.run.conversation_id, self._item, self._attempt, self._sent, text)
        self._sent = len(self._text)
        self._last = time.monotonic()

    async def _save_often(self) -> None:
        while True:
            await asyncio.sleep(SAVE_SECONDS)
            if self._saved == len(self._text):
                continue
            text = self._text
            self._write = asyncio.ensure_future(self._lease.database.write(partial(self._save, text)))
            try:
                await asyncio.shield(self._write)
            except (DatabaseError, Fenced) as error:
                log.info("The text so far was not saved: %s", type(error).__name__)
                continue
            self._saved = len(text)

    def _save(self, text: str) -> None:
        lease = self._lease
        lease.hold()
        row = RunStream(
            workspace_id=lease.run.workspace_id, run_id=lease.id, item=self._item, attempt=self._attempt, text=text
        )
        insert([row], conflict="replace", unique=("run", "item"))
