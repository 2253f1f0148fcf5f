"""Steps that only compute wait for the next commit."""

from __future__ import annotations

import asyncio
from collections.abc import Callable

import pytest
import uvloop

from runtime.engine import nodes, saver
from runtime.engine.keeping import Keeping
from tests.bench.seed import ten_steps
from tests.runtime.engine.conftest import Desk, flow


def test_steps_that_only_compute_wait_for_a_commit_and_are_computed_again_where_none_came(
    deploy: Callable[..., Desk], power_cut: Callable[..., None], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(saver, "MADE_SECONDS", 60.0)
    monkeypatch.setattr(nodes, "SLOW_SECONDS", 60.0)
    document, units = ten_steps()
    desk = deploy(document, units)
    power_cut("finish.before")
    run_id = desk.send(question="Hello")
    desk.left(run_id)
    assert [event.type for event in desk.events(run_id)] == ["message_sent"]
    run = desk.take_over(run_id)
    assert (run.status, run.outputs) == ("done", {"answer": "x" * 10})
    assert desk.types(run) == [
        "message_sent", "run_started", *["step_started", "step_finished", "output_written"] * 10, "output_written",
        "run_finished",
    ]  # fmt: skip


def test_what_keeps_a_step_from_being_written_when_nobody_waits_for_it_ends_the_run_in_words(
    deploy: Callable[..., Desk], monkeypatch: pytest.MonkeyPatch
) -> None:
    def refused(rows: list[object], **_: object) -> None:
        raise ValueError("No database takes this")

    later = "async def later(state, *, services, settings, env):\n    import time\n    time.sleep(0.3)\n    return {}\n"
    nodes_of = [{"id": "made", "handler": "made", "description": "Computes."},
                {"id": "later", "handler": "later", "description": "Computes for longer."}]  # fmt: skip
    desk = deploy(flow(nodes_of), {"handler:made": later.replace("later(", "made(").replace("0.3", "0"),
                                   "handler:later": later})  # fmt: skip
    monkeypatch.setattr(saver, "insert", refused)
    run = desk.say(question="Hello")
    assert (run.status, run.error["code"], run.fence) == ("failed", "ENGINE_FAULT", 1)


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
