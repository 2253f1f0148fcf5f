"""What waits for a commit is written in time, whatever the event loop is."""

from __future__ import annotations

import asyncio
from collections.abc import Callable

import pytest
import uvloop

from runtime.engine.keeping import Keeping


@pytest.mark.parametrize("new_loop", [uvloop.new_event_loop, asyncio.new_event_loop], ids=["uvloop", "asyncio"])
def test_what_is_due_at_once_and_what_follows_it_are_written_together(
    new_loop: Callable[[], asyncio.AbstractEventLoop],
) -> None:
    commits: list[int] = []

    async def commit() -> None:
        keeping.taken()
        commits.append(1)

    async def go() -> None:
        # uvloop gives a handle without a time for what is due now; a busy loop makes that of a short wait too.
        keeping.within(0)
        keeping.within(0.05)
        await asyncio.sleep(0.01)
        assert commits == [1] and not keeping.waits
        keeping.within(60)
        keeping.within(0)
        await asyncio.sleep(0.01)
        assert commits == [1, 1] and not keeping.waits

    keeping = Keeping(commit)
    with asyncio.Runner(loop_factory=new_loop) as runner:
        runner.run(go())
