"""Steps that run another flow: a graph of its own inside the step's task, in the same thread of checkpoints.

Nothing but the mapping crosses. What the inner flow does is kept under the step's address, so a worker that takes the
run over goes on inside it, and a question that it asks is resumed inside it.
"""

from __future__ import annotations

import asyncio
import time
import uuid
import zlib
from collections.abc import Awaitable, Callable, Mapping
from functools import partial
from typing import Any

from langgraph.config import get_config
from langgraph.errors import GraphRecursionError
from langgraph.types import Command

from flows import mentions
from flows.checks.trees import DEEPEST
from flows.kinds.base import Callee, Json, NodeFailed, ended
from flows.words.channel import ChannelRefused, initial, judge
from flows.words.document import Document
from runtime import crash, stepname
from runtime.engine import approvals
from runtime.engine.excerpts import read_of
from runtime.engine.lease import Lease, current, place_of, stored
from runtime.engine.nodes import FINAL, RETRY_SECONDS, failed, finished, said_failed, started, told
from runtime.engine.program import ANSWERS, CHANNEL, CLOCK, KEPT, PLACE, ROUTES, UNKNOWN, VISITS, Part
from runtime.engine.step import EngineStep, tried
from runtime.engine.ways import Edges, RunFailure, State, steps_taken, task_at_work
from runtime.events import FlowEntered, FlowLeft
from runtime.journal import append
from runtime.turns import withdraw_questions

LONGEST = 1_700
"""So many characters may the address have of a step that runs another flow: it is part of keys inside."""
ENDS_RUN = ("TOO_MANY_STEPS", "RUN_COST_USED")
"""Ends of an inner flow that are the whole run's."""


class TurnOver(Exception):
    """The turn ended inside the flow, so it ends here too, in the same words."""

    def __init__(self, said: str) -> None:
        super().__init__(said)
        self.said = said


class NestedStep(EngineStep):
    """A visit whose work is another flow."""

    begun = False
    """An earlier worker, or an earlier stream, entered the flow."""
    inside = 0
    """The steps that were taken inside."""
    invocation = ""

    def callee(self, name: str = "") -> Callee:
        program = self._lease.program
        part = program.of(self._flow)
        file = program.agents.get(name) if name else part.calls.get(self._node.id)
        if file is None or file not in program.parts:
            who = f'No agent "{name}" is registered' if name else f'The flow that "{self._node.id}" runs is not there'
            raise NodeFailed(f"{who} in this version.", "AGENT_NOT_REGISTERED" if name else "FLOW_NOT_FOUND")
        return Callee(name, file, program.parts[file].document, file in self._above())

    async def run_flow(self, callee: Callee, given: Mapping[str, Json]) -> dict[str, Json]:
        lease = self._lease
        above = self._above()
        if len(above) >= DEEPEST or len(self.address) > LONGEST:
            raise NodeFailed(f'"{self._node.id}" would run flows more than {DEEPEST} deep.', "TREE_TOO_DEEP")
        part = lease.program.part(callee.file)
        start = self._start(part, callee, given)
        place = start[PLACE]
        self.invocation = place["invocation"]
        if not self.begun:
            lease.later("", FlowEntered(
                address=self.address, node=stepname.named(self.address), flow=callee.file, agent=callee.name,
                invocation=self.invocation, parent=place["parent"], attempt=self.attempt_number,
            ))  # fmt: skip
        crash.point("flow.entered")
        try:
            gave = await part.graph.ainvoke(start, durability="sync")
        except GraphRecursionError:
            await lease.rest()
            raise RunFailure("TOO_MANY_STEPS", "The run took too many steps without reaching its end.") from None
        except RunFailure as failure:
            self._leave(callee, place["began"], failure)
            lease.later("", ops=(partial(_withdraw, lease, f"{self.address}/"),))
            if failure.code in ENDS_RUN:
                await lease.rest()
                raise
            raise NodeFailed(failure.message, failure.code, failure.node, failure.address) from None
        crash.point("flow.left")
        self.inside = sum((gave.get(VISITS) or {}).values())
        # A worker that took the run over did not see the beginning.
        self._leave(callee, gave[PLACE]["began"], None)
        if said := gave[PLACE].get("ended"):
            raise TurnOver(said)
        return {name: gave.get(CHANNEL + name) for name in part.document.outputs}

    def _above(self) -> list[str]:
        """The files of the flows that run above the one inside, this step's own last."""
        place = self._raw.get(PLACE)
        return place["files"] if place else [self._lease.program.top.file]

    def _start(self, part: Part, callee: Callee, given: Mapping[str, Json]) -> State:
        outer = self._raw.get(PLACE)
        address = f"{self.address}/{callee.name}/" if callee.name else f"{self.address}/"
        run, counted = self._lease.id, tries(self._raw, self.attempt_number)
        state: State = {VISITS: {}, ROUTES: {}, ANSWERS: {}, UNKNOWN: {}, CLOCK: self._raw.get(CLOCK)}
        state[PLACE] = {
            "address": address, "files": [*self._above(), part.file], "steps": steps_taken(dict(self._raw)) + 1,
            "tries": counted, "tried": [*tried(outer), self.attempt_number, *([1] if callee.name else [])],
            "began": time.time(),
            "invocation": str(uuid.uuid5(run, f"{address}{counted or 1}")),
            "parent": outer["invocation"] if outer else str(run),
        }  # fmt: skip
        for name, channel in part.document.state.items():
            value = initial(channel)
            if given.get(name) is not None:
                value = given[name]
                try:
                    judge(channel, value)
                except ChannelRefused as refused:
                    raise NodeFailed(
                        f'The input "{name}" does not fit. {refused.message}',
                        "AGENT_INPUT_REFUSED" if callee.name else "FLOW_INPUT_REFUSED",
                    ) from None
            state[CHANNEL + name] = value
        for name, value in (("history", []), ("__approval", None), ("__error", None)):
            state[CHANNEL + name] = value
        return state

    def _leave(self, callee: Callee, began: float, failure: RunFailure | None) -> None:
        self._lease.later(self._task, FlowLeft(
            address=self.address, node=stepname.named(self.address), flow=callee.file, agent=callee.name,
            invocation=self.invocation, ms=round(max(0.0, time.time() - began) * 1000, 2), ok=failure is None,
            code=failure.code if failure else "", message=failure.message if failure else "",
        ))  # fmt: skip


def _withdraw(lease: Lease, below: str) -> None:
    """Of a flow that failed, nobody waits for what its other copies still ask."""
    append(lease.run.conversation_id, lease.id, withdraw_questions(lease.run, below=below))


def tries(state: Mapping[str, Any], attempt: int) -> int:
    """What the attempts inside are counted from, so that another attempt of the whole flow asks its models anew."""
    place = state.get(PLACE)
    outer = place["tries"] if place else 0
    return 0 if attempt == 1 and not outer else (zlib.crc32(f"{outer}/{attempt}".encode()) % 1_000_000 + 1) * 100


def work(flow: Document, node: Any, kind: Any, way: Edges) -> Callable[[State], Awaitable[Command[Any]]]:
    """The graph node that runs another flow, once for each attempt of each visit."""
    named = way.reads(mentions.reads(node))
    most = node.retry.max_attempts if node.retry else 1

    async def run(state: State) -> Command[Any]:
        lease, task = current(), task_at_work()
        await lease.checked()
        place = place_of(task)
        lease.active[place] += 1
        try:
            return await _visit(lease, task, state)
        finally:
            lease.active[place] -= 1

    async def _visit(lease: Lease, task: str, state: State) -> Command[Any]:
        state, address = way.visit(state)
        if (elsewhere := way.needless(lease, state)) is not None:
            return elsewhere
        way.count(lease, state, address)
        attempt = ((state.get(KEPT) or {}).get(address) or {}).get("attempt", 1)
        step = NestedStep(lease, task, flow, node, state, address, attempt)
        inner = get_config().get("configurable", {})["checkpoint_ns"]
        step.begun = stored(inner) in await lease.known_places()
        if not step.begun:
            lease.later("", started(node, step, read_of(named, step.state) if attempt == 1 else {}))
        began = time.perf_counter()
        try:
            await approvals.recheck(lease, flow, node, state, address)
            writes, said = dict(await kind.run(node, step)), ""
        except TurnOver as over:
            said = over.said
            writes = dict(ended(flow, said, mentions.writes(node)).writes)
        except NodeFailed as failure:
            lease.inherit(inner, task)
            if attempt == most or failure.code in FINAL:
                return await failed(lease, task, way, state, address, attempt, failure)
            lease.later(task, said_failed(node, address, attempt, failure, "retry"))
            await asyncio.sleep(RETRY_SECONDS[min(attempt, len(RETRY_SECONDS)) - 1])
            # The next attempt is a task of its own, so that the flow begins anew inside it.
            return Command(update={KEPT: {address: {"attempt": attempt + 1}}}, goto=node.id)
        finished(lease, task, node, address, (time.perf_counter() - began) * 1000, writes)
        told(lease, task, flow, state, step, writes)
        update = {CHANNEL + name: value for name, value in writes.items()}
        return way.done(state, address, update, said, step.inside)

    return run
