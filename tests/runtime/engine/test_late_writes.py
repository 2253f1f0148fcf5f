"""What LangGraph still writes when a lease is over, and what becomes of a pause that nobody was asked about."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Callable
from typing import Any

import pytest
from langgraph.checkpoint.base import empty_checkpoint
from langgraph.types import Interrupt

from runtime.engine import lease as leases
from runtime.engine.lease import Fenced, Lease
from runtime.engine.ledger import Ledger
from runtime.engine.saver import INTERRUPT
from runtime.engine.worker import Worker
from runtime.models import Checkpoint, CheckpointWrite, Question, Run
from tests.runtime.engine.conftest import Desk, aside, flow

ASK = {"id": "which", "type": "ask", "ask": "Which {{question}}?", "output": "answer"}
ITEMS = {"items": {"type": "list", "description": "Items.", "default": [1, 2]},
         "all": {"type": "list", "reducer": "append", "description": "Answers."}}  # fmt: skip


@pytest.mark.parametrize("again", [False, True], ids=["elsewhere", "here"])
def test_a_late_write_of_a_lease_that_is_over_is_not_made(
    deploy: Callable[..., Desk], engine: Worker, again: bool
) -> None:
    # LG-forms-20: neither when another worker has the run by now, nor when this one has it again
    desk = deploy(flow([ASK]))
    run = desk.say(question="one")
    graph, config = engine.shelf.get(run.version_id).graph, {"configurable": {"thread_id": str(run.id)}}  # type: ignore[union-attr]
    saver: Any = graph.checkpointer

    def rows() -> list[int]:
        thread = str(run.id)
        tables = (CheckpointWrite.objects.filter(thread=thread), Checkpoint.objects.filter(thread=thread))
        return [*(table.count() for table in tables), Question.objects.filter(run=run).count()]

    async def late() -> None:
        mine, newer = (
            Lease(
                run=run,
                fence=run.fence,
                owner="me",
                database=engine.database,
                fresh=False,
                ledger=Ledger(engine.database),
            )
            for _ in range(2)
        )
        leases.enter(mine)
        leases.leave(mine)
        if again:
            leases._held[str(run.id)] = newer
        pause = Interrupt({"kind": "ask", "address": "which#1", "slot": "ask"}, id="f" * 32)
        await saver.aput_writes(config, [(INTERRUPT, [pause])], "task")
        with contextlib.suppress(Fenced):
            await saver.aput(config, empty_checkpoint(), {"source": "loop", "step": 5, "parents": {}}, {})

    before = rows()
    Run.objects.filter(id=run.id).update(status="running")
    try:
        aside(lambda: asyncio.run(late()))
    finally:
        leases._held.pop(str(run.id), None)
    assert rows() == before


@pytest.mark.parametrize("copies", [False, True], ids=["step", "copies"])
def test_a_pause_without_its_question_is_asked(deploy: Callable[..., Desk], copies: bool) -> None:
    # LG-forms-20: no run waits for an answer that nobody can give
    nodes: list[dict[str, Any]] = [ASK]
    keys: dict[str, Any] = {}
    if copies:
        nodes = [{"id": "spread", "type": "fanout", "over": "items", "as": "item", "to": "which"},
                 {**ASK, "ask": "Which {{item}}?", "output": "all"}]  # fmt: skip
        edges = [{"from": "which", "to": "END"}]
        keys = {"edges": edges, "outputs": ["all"], "state": ITEMS}
    desk = deploy(flow(nodes, **keys))
    run = desk.say(question="one")
    asked = Question.objects.filter(run=run).count()
    assert run.status == "waiting" and asked == (2 if copies else 1)
    Question.objects.filter(run=run).order_by("address")[0].delete()
    Run.objects.filter(id=run.id).update(status="resumable")
    run = desk.take_over(run.id)
    assert run.status == "waiting" and Question.objects.filter(run=run, state="pending").count() == asked
    for question in Question.objects.filter(run=run):
        run = desk.answer_one(run, question, "this")
    assert run.status == "done", run.error
