"""What every kind is wrapped in: approval before it, retry and onError around it, the journal on both sides."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Awaitable, Callable
from typing import Any, Literal

from langgraph.config import get_config
from langgraph.graph import END
from langgraph.types import Command, interrupt

from flows.kinds import kind_of
from flows.kinds.base import Kind, NodeFailed
from flows.words.channel import reduce
from flows.words.document import Document
from flows.words.edge import ConditionalEdge
from flows.words.label import label
from runtime.engine import approvals
from runtime.engine.calls import OutcomeUnknown, Settled
from runtime.engine.excerpts import excerpt, read_of, reads
from runtime.engine.lease import Lease, current
from runtime.engine.program import ANSWERS, CHANNEL, CLOCK, ROUTES, UNKNOWN, VISITS
from runtime.engine.step import EngineStep
from runtime.events import OutputWritten, RouteTaken, StepFailed, StepFinished, StepStarted

MAX_STEPS = 10_000
FINAL = ("APPROVAL_MISMATCH", "APPROVAL_MISSING", "CALL_CHANGED", "BUDGET_USED")
"""Failures that another attempt cannot mend."""
RETRY_SECONDS = (0.2, 0.5, 1.0, 2.0, 5.0)

SLOW_SECONDS = 0.06
"""A step that takes longer is shown on the page while it works."""

State = dict[str, Any]
GraphNode = Callable[[State], Awaitable[Any]]


class RunFailure(Exception):
    """The run ends here. message is a sentence for the person; node and address say where."""

    def __init__(self, code: str, message: str, node: str | None = None, address: str | None = None) -> None:
        super().__init__(message)
        self.code, self.message, self.node, self.address = code, message, node, address


def may_pause(node: Any, kind: Any) -> bool:
    """Whether the node's own pause is always asked before it runs."""
    return node.approval is not None or type(kind).pause is not Kind.pause


def entry(flow: Document, id: str) -> str:
    """The graph node at which a flow node begins."""
    if id == "END":
        return END
    node = flow.node(id)
    return f"{id}.ask" if may_pause(node, kind_of(node.type)) else id


def following(flow: Document, node: Any) -> str:
    """The graph node after a flow node that succeeded."""
    edge = flow.edge_from(node.id)
    if edge is None:
        return END
    return f"{node.id}.route" if isinstance(edge, ConditionalEdge) else entry(flow, edge.goes[""])


def work(flow: Document, node: Any, kind: Any) -> GraphNode:
    """The graph node that runs one flow node, once for each visit."""
    resets = _counts_reset_by(flow, node.id)
    named = reads(node)

    async def run(state: State) -> Command[Any]:
        lease, task = current(), _task()
        lease.active += 1
        try:
            return await _visit(lease, task, state)
        finally:
            lease.active -= 1

    async def _visit(lease: Lease, task: str, state: State) -> Command[Any]:
        lease.check()
        visit = _visit_number(state, node.id)
        address = f"{node.id}#{visit}"
        _count_step(lease, state, node.id, address)
        attempts = node.retry.max_attempts if node.retry else 1
        for attempt in range(1, attempts + 1):
            step = EngineStep(lease, task, flow, node, state, address, attempt)
            # Another attempt reads the same once more.
            lease.later(task, _started(node, step, read_of(named, step.state) if attempt == 1 else {}))
            began = time.perf_counter()
            soon = asyncio.get_running_loop().call_later(SLOW_SECONDS, lease.commit_soon, task)
            try:
                await approvals.recheck(lease, flow, node, state, address)
                writes = await kind.run(node, step)
                break
            except OutcomeUnknown as unknown:
                return Command(update={UNKNOWN: {address: unknown.key}}, goto=f"{node.id}.ask")
            except Settled as settled:
                writes = _settled_writes(flow, node, settled)
                break
            except NodeFailed as failure:
                if attempt == attempts or failure.code in FINAL:
                    return await _failed(lease, task, flow, node, state, address, attempt, failure)
                lease.later(task, _failure(node, address, attempt, failure, "retry"))
                await lease.commit(task=task)
                await asyncio.sleep(RETRY_SECONDS[min(attempt, len(RETRY_SECONDS)) - 1])
                lease.check()
            finally:
                soon.cancel()
        else:  # pragma: no cover - the loop always ends by break, return or raise
            raise AssertionError
        ms = (time.perf_counter() - began) * 1000
        lease.later(task, _finished(node, address, ms, writes))
        for name, value in writes.items():
            if name in (flow.outputs or []):
                shown = reduce(flow.state[name], state.get(CHANNEL + name), value)
                output = OutputWritten(channel=name, label=label(name), value=shown, demo=step.demo)
                lease.later(task, output, ops=(step.forget_stream(name),) if name == step.streamed_output() else ())
        update = {
            **_after(state, node.id, address, resets),
            **{CHANNEL + name: value for name, value in writes.items()},
        }
        if state.get(CHANNEL + "__error"):
            update[CHANNEL + "__error"] = None
        return Command(update=update, goto=following(flow, node))

    return run


def ask(flow: Document, node: Any, kind: Any) -> GraphNode:
    """The graph node at which a flow node waits for people: one interrupt, resumed by its id."""

    async def run(state: State) -> Command[Any]:
        lease = current()
        lease.check()
        visit = _visit_number(state, node.id)
        address = f"{node.id}#{visit}"
        try:
            question = await approvals.due(lease, flow, node, kind, state, address)
        except NodeFailed as failure:
            return await _failed(lease, _task(), flow, node, state, address, 1, failure)
        if question is None:
            return Command(goto=node.id)
        answer = interrupt(question)
        answers = {**((state.get(ANSWERS) or {}).get(address) or {}), question["slot"]: answer}
        update: State = {ANSWERS: {address: answers}}
        if question["kind"] == "outcome":
            return Command(update={**update, UNKNOWN: {address: None}}, goto=node.id)
        if question["kind"] != "approval":
            return Command(update=update, goto=f"{node.id}.ask")
        approved = bool(answer.get("approved"))
        update[CHANNEL + "__approval"] = {"node": node.id, "approved": approved, "answer": answer.get("answer") or ""}
        if approved:
            for name, value in (answer.get("edits") or {}).items():
                update[CHANNEL + name] = approvals.replacement(value)
            return Command(update=update, goto=node.id)
        target = node.approval.on_reject
        return Command(
            update={**_after(state, node.id, address, _counts_reset_by(flow, node.id)),
                    CHANNEL + "__approval": update[CHANNEL + "__approval"]},
            goto=entry(flow, target) if target else END,
        )  # fmt: skip

    return run


def route(flow: Document, node: Any, edge: Any) -> GraphNode:
    """The graph node that runs a router and counts the route it takes."""

    async def run(state: State) -> Command[Any]:
        lease, task = current(), _task()
        lease.check()
        visit = (state.get(VISITS) or {}).get(node.id, 1)
        address = f"{node.id}.route#{visit}"
        step = EngineStep(lease, task, flow, node, state, address, 1)
        try:
            chosen = await step.code("router", edge.router, dict(step.state))
        except NodeFailed as failure:
            raise RunFailure(
                "ROUTER_FAILED", f"The router {edge.router} failed: {failure.message}", node.id, address
            ) from None
        except (OutcomeUnknown, Settled):
            raise RunFailure(
                "ROUTER_WROTE",
                f"The router {edge.router} made a call that writes; routers only read.",
                node.id,
                address,
            ) from None
        if not isinstance(chosen, str) or chosen not in edge.routes:
            known = ", ".join(edge.routes)
            raise RunFailure(
                "ROUTE_UNKNOWN", f'The router {edge.router} chose "{chosen}"; its routes are {known}.', node.id, address
            )
        taken, counts = _limited(node.id, edge, chosen, state.get(ROUTES) or {})
        goto = edge.routes[taken]
        lease.later(task, RouteTaken(node=node.id, router=edge.router, route=taken, goto=goto, limited=taken != chosen))
        return Command(update={ROUTES: counts}, goto=END if goto == "END" else entry(flow, goto))

    return run


async def _failed(
    lease: Lease, task: str, flow: Document, node: Any, state: State, address: str, attempt: int, failure: NodeFailed
) -> Command[Any]:
    """The last attempt went wrong: on to onError, or the end of the run. Topic: errors."""
    target = node.on_error
    lease.later(task, _failure(node, address, attempt, failure, "onError" if target else "end", target))
    if target is None:
        await lease.commit(task=task)
        raise RunFailure(failure.code, failure.message, node.id, address) from None
    error = {"node": node.id, "message": failure.message}
    update = {**_after(state, node.id, address, _counts_reset_by(flow, node.id)), CHANNEL + "__error": error}
    return Command(update=update, goto=entry(flow, target))


def _started(node: Any, step: EngineStep, given: dict[str, Any]) -> StepStarted:
    read, cut = excerpt(given)
    return StepStarted(
        address=step.address, node=node.id, kind=node.type, title=label(node.id), attempt=step.stream_attempt,
        streams=step.streamed_output(), read=read, cut=cut,
    )  # fmt: skip


def _finished(node: Any, address: str, ms: float, writes: dict[str, Any]) -> StepFinished:
    written, cut = excerpt(writes)
    return StepFinished(
        address=address, node=node.id, kind=node.type, title=label(node.id), ms=round(ms, 2), written=written, cut=cut
    )


def _failure(
    node: Any, address: str, attempt: int, failure: NodeFailed, following: Literal["retry", "onError", "end"],
    goto: str | None = None,
) -> StepFailed:  # fmt: skip
    return StepFailed(
        address=address, node=node.id, title=label(node.id), code=failure.code, message=failure.message,
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


def _counts_reset_by(flow: Document, id: str) -> list[str]:
    """The counters that begin again whenever this node runs (`per`)."""
    return [
        f"{edge.from_}/{name}"
        for edge in flow.routers()
        for name, limit in (edge.limits or {}).items()
        if limit.per == id
    ]


def _after(state: State, id: str, address: str, resets: list[str]) -> State:
    """What every finished visit writes besides its channels."""
    update: State = {VISITS: {id: (state.get(VISITS) or {}).get(id, 0) + 1}, CLOCK: round(time.time(), 3)}
    if (state.get(ANSWERS) or {}).get(address):
        update[ANSWERS] = {address: None}
    if resets:
        update[ROUTES] = dict.fromkeys(resets, 0)
    return update


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


def _visit_number(state: State, id: str) -> int:
    return (state.get(VISITS) or {}).get(id, 0) + 1


def _count_step(lease: Lease, state: State, node: str, address: str) -> None:
    cap = min(int(lease.run.deployment.limits.get("steps", MAX_STEPS)), MAX_STEPS)
    if sum((state.get(VISITS) or {}).values()) >= cap:
        raise RunFailure(
            "TOO_MANY_STEPS", f"The run took {cap} steps without reaching its end. Limit the loop, or raise the "
            "deployment's limit on steps.", node, address,
        )  # fmt: skip


def _task() -> str:
    return get_config().get("configurable", {})["__pregel_task_id"]
