"""What every kind is wrapped in: approval before it, retry and onError around it, the journal on both sides."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Awaitable, Callable
from typing import Any, Literal

from langgraph.config import get_config
from langgraph.graph import END
from langgraph.types import Command, Interrupt, interrupt

from flows.kinds.base import Ended, NodeFailed, Unfinished
from flows.mentions import reads
from flows.words.channel import reduce
from flows.words.document import Document
from flows.words.label import label
from runtime.engine import approvals
from runtime.engine.calls import OutcomeUnknown, Settled
from runtime.engine.excerpts import excerpt, read_of
from runtime.engine.lease import Lease, current
from runtime.engine.program import ANSWERS, CHANNEL, KEPT, PLACE, ROUTES, UNKNOWN, VISITS
from runtime.engine.step import EngineStep, given
from runtime.engine.ways import Edges, RunFailure, State, entry, replacement, task_at_work
from runtime.events import OutputWritten, RouteTaken, StepFailed, StepFinished, StepStarted
from runtime.stepname import is_inside, named

FINAL = ("APPROVAL_MISMATCH", "APPROVAL_MISSING", "CALL_CHANGED", "BUDGET_USED", "WORK_ROUNDS")
"""Failures that another attempt cannot mend."""
RETRY_SECONDS = (0.2, 0.5, 1.0, 2.0, 5.0)

SLOW_SECONDS = 0.06
"""A step that takes longer is shown on the page while it works."""

GraphNode = Callable[[State], Awaitable[Any]]


def work(flow: Document, node: Any, kind: Any, way: Edges) -> GraphNode:
    """The graph node that runs one flow node, once for each visit."""
    read = way.reads(reads(node))

    async def run(state: State) -> Command[Any]:
        lease, task = current(), task_at_work()
        return await lease.working(task, lambda: _visit(lease, task, state))

    async def _visit(lease: Lease, task: str, state: State) -> Command[Any]:
        lease.check()
        state, address = way.visit(state)
        if (elsewhere := way.needless(lease, state)) is not None:
            return elsewhere
        way.count(lease, state, address)
        attempts = node.retry.max_attempts if node.retry else 1
        memory = (state.get(KEPT) or {}).get(address) or {}
        first = memory.get("attempt", 1)
        for attempt in range(first, attempts + 1):
            step = EngineStep(lease, task, flow, node, state, address, attempt)
            if step.saying.taken_over() or attempt > first or not memory or memory.get("pause"):
                # Another attempt reads the same once more.
                lease.later(task, started(node, step, read_of(read, step.state) if attempt == 1 else {}))
            began = time.perf_counter()
            soon = asyncio.get_running_loop().call_later(SLOW_SECONDS, lease.commit_soon, task)
            try:
                await approvals.recheck(lease, flow, node, state, address)
                await step.look()
                done = await kind.run(node, step)
                if isinstance(done, Unfinished):
                    return _goes_on(node, address, attempt, memory, done)
                ended = done.said if isinstance(done, Ended) else ""
                writes = dict(done.writes if isinstance(done, Ended) else done)
                break
            except OutcomeUnknown as unknown:
                return way.doubtful(state, address, unknown.key)
            except Settled as settled:
                ended, writes = "", _settled_writes(flow, node, settled)
                break
            except NodeFailed as failure:
                if attempt == attempts or failure.code in FINAL:
                    return await failed(lease, task, way, state, address, attempt, failure)
                lease.later(task, said_failed(node, address, attempt, failure, "retry"))
                await lease.commit(task=task)
                await asyncio.sleep(RETRY_SECONDS[min(attempt, len(RETRY_SECONDS)) - 1])
                lease.check()
            finally:
                soon.cancel()
        else:  # pragma: no cover - the loop always ends by break, return or raise
            raise AssertionError
        ms = (time.perf_counter() - began) * 1000
        finished(lease, task, node, address, ms, writes)
        told(lease, task, flow, state, step, writes)
        update = {
            **{CHANNEL + name: value for name, value in writes.items()},
            **{CHANNEL + name: replacement([]) for name in kind.clears(node)},
        }
        return way.done(state, address, update, ended)

    return run


def told(lease: Lease, task: str, flow: Document, state: State, step: EngineStep, writes: dict[str, Any]) -> None:
    """Show the outputs of the flow on top that a step wrote."""
    if is_inside(step.address):
        return
    for name, value in writes.items():
        if name in (flow.outputs or []):
            shown = reduce(flow.state[name], state.get(CHANNEL + name), value)
            output = OutputWritten(channel=name, label=label(name), value=shown, demo=step.demo)
            lease.later(task, output, ops=(step.saying.forget(),) if name == step.saying.channel else ())


def _goes_on(node: Any, address: str, attempt: int, memory: State, done: Unfinished) -> Command[Any]:
    """The visit is kept as far as it came, in one checkpoint, and goes on from there, after a question if it has one.

    Topic: work.
    """
    pause = done.pause and {"slot": done.pause.slot, "kind": done.pause.kind, "body": dict(done.pause.body)}
    kept = {"turn": memory.get("turn", 0) + 1, "attempt": attempt, "kept": done.kept, "pause": pause}
    return Command(update={KEPT: {address: kept}}, goto=f"{node.id}.ask" if pause else node.id)


def ask(flow: Document, node: Any, kind: Any, way: Edges) -> GraphNode:
    """The graph node at which a flow node waits for people: one interrupt, resumed by its id."""

    async def run(state: State) -> Command[Any]:
        lease = current()
        await lease.checked()
        state, address = way.visit(state)
        if (elsewhere := way.needless(lease, state)) is not None:
            return elsewhere
        # Whoever answers one of many open questions does not have all the others' cards made again.
        question: Any = lease.ledger.asked.get(Interrupt.from_ns(None, _graph_place()).id)
        try:
            question = question or await approvals.due(lease, flow, node, kind, state, address)
        except NodeFailed as failure:
            return await failed(lease, task_at_work(), way, state, address, 1, failure)
        if question is None:
            return Command(goto=node.id)
        answer = interrupt(question)
        answers = {**((state.get(ANSWERS) or {}).get(address) or {}), question["slot"]: answer}
        update: State = {ANSWERS: {address: answers}}
        if question["kind"] == "outcome":
            return Command(update={**update, UNKNOWN: {address: None}}, goto=node.id)
        if question["slot"] != "approval":
            step = EngineStep(lease, "", flow, node, state, address, 1)
            for name, value in kind.taken(node, step, question["slot"], given(answer)).items():
                update[CHANNEL + name] = replacement(value)
            return Command(update=way.keeps(update), goto=f"{node.id}.ask")
        approved = bool(answer.get("approved"))
        update[CHANNEL + "__approval"] = {"node": node.id, "approved": approved, "answer": answer.get("answer") or ""}
        if approved:
            for name, value in (answer.get("edits") or {}).items():
                update[CHANNEL + name] = replacement(value)
            return Command(update=way.keeps(update), goto=node.id)
        return way.declined(state, address, update[CHANNEL + "__approval"])

    return run


def _graph_place() -> str:
    return get_config().get("configurable", {})["checkpoint_ns"]


def route(flow: Document, node: Any, edge: Any) -> GraphNode:
    """The graph node that runs a router and counts the route it takes."""

    async def run(state: State) -> Command[Any]:
        lease, task = current(), task_at_work()
        return await lease.working(task, lambda: _choose(lease, task, state))

    async def _choose(lease: Lease, task: str, state: State) -> Command[Any]:
        lease.check()
        place, visit = state.get(PLACE), (state.get(VISITS) or {}).get(node.id, 1)
        address = f"{place['address'] if place else ''}{node.id}.route#{visit}"
        name = named(address).removesuffix(".route")
        step = EngineStep(lease, task, flow, node, state, address, 1)
        try:
            chosen = await step.code("router", edge.router, dict(step.state))
        except NodeFailed as failure:
            raise RunFailure(
                "ROUTER_FAILED", f"The router {edge.router} failed: {failure.message}", name, address
            ) from None
        except (OutcomeUnknown, Settled):
            raise RunFailure(
                "ROUTER_WROTE",
                f"The router {edge.router} made a call that writes; routers only read.",
                name,
                address,
            ) from None
        if not isinstance(chosen, str) or chosen not in edge.routes:
            known = ", ".join(edge.routes)
            raise RunFailure(
                "ROUTE_UNKNOWN", f'The router {edge.router} chose "{chosen}"; its routes are {known}.', name, address
            )
        taken, counts = _limited(node.id, edge, chosen, state.get(ROUTES) or {})
        goto = edge.routes[taken]
        lease.later(task, RouteTaken(node=name, router=edge.router, route=taken, goto=goto, limited=taken != chosen))
        return Command(update={ROUTES: counts}, goto=END if goto == "END" else entry(flow, goto))

    return run


async def failed(
    lease: Lease, task: str, way: Edges, state: State, address: str, attempt: int, failure: NodeFailed
) -> Command[Any]:
    """The last attempt went wrong: on to onError, or the end of the run. Topic: errors."""
    next, goto = way.aside(failure, address)
    lease.later(task, said_failed(way.node, address, attempt, failure, next, goto))
    if next == "end" and way.ends_run:
        await lease.commit(task=task)
        node, place = failure.node or named(address), failure.address or address
        raise RunFailure(failure.code, failure.message, node, place) from None
    return way.failed(state, address, failure)


def started(node: Any, step: EngineStep, given: dict[str, Any]) -> StepStarted:
    read, cut = excerpt(given)
    return StepStarted(
        address=step.address, node=named(step.address), kind=node.type, title=label(node.id),
        attempt=step.saying.attempt, streams=step.saying.announced, read=read, cut=cut,
    )  # fmt: skip


def finished(lease: Lease, task: str, node: Any, address: str, ms: float, writes: dict[str, Any]) -> None:
    """Tell and count a step that has done its work, and what it wrote."""
    written, cut = excerpt(writes)
    lease.ledger.steps += 1
    lease.later(task, StepFinished(
        address=address, node=named(address), kind=node.type, title=label(node.id), ms=round(ms, 2), written=written,
        cut=cut,
    ))  # fmt: skip


def said_failed(
    node: Any, address: str, attempt: int, failure: NodeFailed,
    following: Literal["retry", "onError", "skip", "end"], goto: str | None = None,
) -> StepFailed:  # fmt: skip
    return StepFailed(
        address=address, node=named(address), title=label(node.id), code=failure.code, message=failure.message,
        attempt=attempt, next=following, goto=goto,
    )  # fmt: skip


def _limited(node: str, edge: Any, chosen: str, counts: dict[str, int]) -> tuple[str, dict[str, int]]:
    """The route taken once limits are heeded, and the counts after it. Topic: edges ("limits")."""
    limits = edge.limits or {}
    passed = set()
    route = chosen
    while route in limits and counts.get(f"{node}/{route}", 0) >= limits[route].max and route not in passed:
        passed.add(route)
        route = limits[route].then
    if route in passed:
        raise RunFailure("LIMITS_EXHAUSTED", f'Every route from "{node}" that its limits lead to is used up.', node)
    return route, {f"{node}/{route}": counts.get(f"{node}/{route}", 0) + 1}


def _settled_writes(flow: Document, node: Any, settled: Settled) -> dict[str, Any]:
    """What a step writes whose call a person settled: its output says so; without one, as on a handler, nothing."""
    output = getattr(node, "output", None)
    if not output:
        return {}
    channel = flow.state[output]
    if channel.type == "string":
        return {output: settled.result["message"]}
    if channel.type == "list":
        return {output: [settled.result]}
    return {output: settled.result} if channel.type in ("object", "any") else {}
