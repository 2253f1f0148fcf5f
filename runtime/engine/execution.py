"""One run in this worker: claim it, stream its graph, and write down how the stream ended."""

from __future__ import annotations

import logging
import time
from typing import TYPE_CHECKING, Any

from django.conf import settings
from django.db import InterfaceError, OperationalError
from langgraph.errors import GraphRecursionError
from langgraph.types import Command

from flows.models import FlowVersion
from flows.words.channel import ChannelRefused, initial, reduce
from flows.words.document import Document
from flows.words.label import label
from runtime import crash, history, limits, turns
from runtime.engine import again
from runtime.engine import lease as leases
from runtime.engine.claiming import claim
from runtime.engine.clocks import Worked
from runtime.engine.lease import Cancelled, Drained, Fenced, Lease, OutOfTime
from runtime.engine.program import ANSWERS, CHANNEL, CLOCK, ROUTES, UNKNOWN, VISITS, Broken
from runtime.engine.ways import MAX_STEPS, RunFailure
from runtime.events import Event, OutputWritten, RunCancelled, RunFailed, RunFinished, RunLost, RunStarted
from runtime.journal import append
from runtime.models import Conversation, Question, Run
from runtime.rows import NOW, update

if TYPE_CHECKING:
    import uuid

    from runtime.engine.worker import Worker

log = logging.getLogger(__name__)

INTERRUPTED = "__interrupt__"

State = dict[str, Any]


async def execute(worker: Worker, run_id: uuid.UUID) -> None:
    """Work on a run until it ends, waits, or is taken from this process. Harmless for a run that is not due."""
    lease = await claim(worker.database, run_id, worker.name, worker.lease_seconds)
    if lease is None:
        return
    leases.enter(lease)
    lease.draining = worker.stopping
    lease.resources = worker.resources(lease)
    lease.worked = Worked(lease.run.worked, limits.of(lease.run.deployment.limits).seconds)
    try:
        await _carry_on(worker, lease)
    except Fenced:
        log.info("Run %s is another worker's now", lease.id)
    except (OperationalError, InterfaceError):
        # The lease runs out and the sweeper finds the run again, with everything that was committed.
        log.exception("Run %s stopped at a database error; it goes on when the database answers", lease.id)
    finally:
        leases.leave(lease)
        await lease.resources.close()


async def _carry_on(worker: Worker, lease: Lease) -> None:
    if lease.run.attempts > settings.LOST_AFTER:
        words = (
            f"This run stopped making progress: {settings.LOST_AFTER} workers ended while they had it. "
            "It was set aside."
        )
        await _end(lease, "lost", [RunLost(message=words)], error={"code": "RUN_LOST", "message": words})
        return
    began = time.perf_counter()
    try:
        lease.check()
        lease.program = await _program(worker, lease)
        lease.again = await lease.database.read(lambda: again.tried(lease.run)) if lease.run.continued else {}
        state, interrupts = await _stream(worker, lease)
        if interrupts:
            await _wait(lease, interrupts)
        elif interrupts is not None:
            await _finish(lease, state, (time.perf_counter() - began) * 1000)
    except OutOfTime:
        await _fail(lease, "RUN_TIME_USED", _out_of_time(lease))
    except Cancelled:
        await _end(lease, "cancelled", [RunCancelled(by=lease.run.cancelled_by or await _cancelled_by(lease))])
    except Drained:
        await _hand_back(lease)
    except RunFailure as failure:
        await _fail(lease, failure.code, failure.message, failure.node, failure.address)
    except Broken as broken:
        await _fail(lease, "VERSION_BROKEN", str(broken))
    except GraphRecursionError:
        await _fail(lease, "TOO_MANY_STEPS", "The run took too many steps without reaching its end. Limit the loop.")
    except (Fenced, OperationalError, InterfaceError):
        raise
    except Exception:
        log.exception("Run %s ended by a fault of the engine", lease.id)
        words = "Something went wrong inside LGStudio, so this run ended. Nothing was sent after that; try again."
        await _fail(lease, "ENGINE_FAULT", words, after_fault=True)


async def _program(worker: Worker, lease: Lease) -> Any:
    version_id = lease.run.version_id
    found = worker.shelf.get(version_id)
    if found is not None:
        return found
    version = await lease.database.read(lambda: FlowVersion.objects.get(id=version_id))
    return worker.shelf.load(version)


async def _stream(worker: Worker, lease: Lease) -> tuple[State, list[str] | None]:
    """The last state and the ids of the interrupts that wait; None when nothing was done because people still think."""
    graph = lease.program.graph
    config: Any = {
        "configurable": {"thread_id": str(lease.id)},
        "recursion_limit": 4 * MAX_STEPS,
    }
    given: Any = None
    if not lease.fresh:
        before = await graph.aget_state(config)
        waiting = [one.id for one in before.interrupts]
        if waiting:
            answers, asked = await lease.database.read(lambda: (_answers(lease, waiting), _asked_all(lease, waiting)))
            if asked and not (answers or lease.hopeless or lease.run.continued):
                await _wait(lease, waiting)
                return {}, None
            # Of a run that ended badly, more may be left to do than what waits for people; and what nobody was asked
            # yet, nobody can answer.
            given = Command(resume=answers) if answers else None
        elif before.created_at is None:
            given = _start(lease)
    else:
        given = _start(lease)
    last: State = {}
    interrupts: dict[str, None] = {}
    if lease.run.begins and isinstance(given, dict):
        graph = worker.shelf.begun_at(lease.program, lease.run.begins["node"])
    ended: set[str] | None = None
    while interrupts or ended is None:
        interrupts, ended = {}, set(lease.hopeless)
        async for chunk in graph.astream(given, config, stream_mode="values", durability="sync"):
            # Each pause comes by itself; what is not asked in this stream any more was answered before it.
            asked = chunk.pop(INTERRUPTED, ())
            interrupts.update((one.id, None) for one in asked)
            last = chunk or last
            lease.check()
        if lease.hopeless == ended:
            break
        # Nothing depends any more on what copies beside the one that failed ask, so nobody needs to answer first.
        given = None
    return last, list(interrupts)


def _start(lease: Lease) -> State:
    """The state a run starts from: defaults, what the conversation remembers, and the message's inputs."""
    lease.later("", RunStarted())
    run, flow = lease.run, lease.program.document
    state: State = {VISITS: {}, ROUTES: {}, ANSWERS: {}, UNKNOWN: {}, CLOCK: run.created_at.timestamp()}
    if run.begins:
        return {**state, **_begun(run.begins, flow)}
    conversation = run.conversation
    for name, channel in flow.state.items():
        value = initial(channel)
        if channel.remembers and name in conversation.remembered:
            try:
                kept = conversation.remembered[name]
                reduce(channel, None, kept)
                value = kept
            except ChannelRefused:
                # A newer version gave the channel another type: it starts from its default again.
                log.info("Channel %s of run %s starts from its default", name, run.id)
        state[CHANNEL + name] = value
    for name, value in run.inputs.items():
        state[CHANNEL + name] = value
    state[CHANNEL + "history"] = conversation.history if flow.conversation else []
    state[CHANNEL + "__approval"] = None
    state[CHANNEL + "__error"] = None
    return state


def _begun(begins: State, flow: Document) -> State:
    """Of a run that takes up another at one of its steps: what the flow held there."""
    held = begins["state"]
    state: State = {CHANNEL + name: held.get(name, initial(channel)) for name, channel in flow.state.items()}
    state |= {CHANNEL + name: held.get(name) for name in ("__approval", "__error")}
    state[CHANNEL + "history"] = held.get("history") or []
    return {**state, VISITS: begins["visits"], ROUTES: begins["routes"]}


def _answers(lease: Lease, interrupts: list[str]) -> State:
    found = Question.objects.filter(run_id=lease.id, interrupt_id__in=interrupts).exclude(
        state__in=("pending", "withdrawn")
    )
    return {question.interrupt_id: question.answer for question in found}


def _asked_all(lease: Lease, interrupts: list[str]) -> bool:
    """Whether each of these pauses has its question; only a fault keeps a pause without one."""
    return Question.objects.filter(run_id=lease.id, interrupt_id__in=interrupts).count() == len(set(interrupts))


async def _wait(lease: Lease, interrupts: list[str]) -> None:
    """The stream paused: waiting, or resumable if somebody answered while it ended, or over if somebody stopped it."""

    def then(events: list[Event]) -> None:
        run = Run.objects.get(id=lease.id)
        if run.cancel_requested_at is not None:
            turns.end(run, "cancelled", [*events, RunCancelled(by=run.cancelled_by)])
            return
        append(run.conversation_id, run.id, events)
        answered = bool(_answers(lease, interrupts))
        status = "resumable" if answered else "waiting"
        update(Run, {"status": status, "lease_until": None, "owner": "", "worked": lease.worked.seconds}, id=run.id)
        if answered:
            turns.publish(run.id)

    await lease.conclude(then)


async def _hand_back(lease: Lease) -> None:
    """This process is ending: another worker goes on from the last checkpoint."""

    def then(events: list[Event]) -> None:
        append(lease.run.conversation_id, lease.id, events)
        Run.objects.filter(id=lease.id).update(
            status="resumable", lease_until=None, owner="", worked=lease.worked.seconds
        )
        turns.publish(lease.id)

    await lease.conclude(then)


async def _finish(lease: Lease, state: State, ms: float) -> None:
    flow = lease.program.document
    values = {name: state.get(CHANNEL + name) for name in flow.state}
    outputs = {name: values[name] for name in flow.outputs or []}
    demo = lease.ledger.demo
    shown = [
        OutputWritten(channel=name, label=label(name), value=value, final=True, demo=demo)
        for name, value in outputs.items()
        if value not in (None, "", [], {})
    ]
    remembered = {name: values[name] for name, channel in flow.state.items() if channel.remembers}

    def also() -> None:
        conversation = turns.lock(lease.run.conversation_id)
        turns_kept, all_remembered = conversation.history, {**conversation.remembered, **remembered}
        if flow.conversation:
            turns_kept = history.with_turn(turns_kept, history.turn(lease.run, outputs))
        kept = {"history": turns_kept, "remembered": all_remembered, "last_at": NOW}
        update(Conversation, kept, id=conversation.id)
        if all_remembered:
            update(Run, {"remembered": all_remembered}, id=lease.id)

    crash.point("finish.before")
    await _end(lease, "done", [*shown, RunFinished(outputs=outputs, ms=round(ms, 2))], also=also, outputs=outputs)
    crash.point("finish.after")


async def _fail(
    lease: Lease, code: str, message: str, node: str | None = None, address: str | None = None,
    *, after_fault: bool = False,
) -> None:  # fmt: skip
    event = RunFailed(code=code, message=message, node=node, address=address)
    error = {"code": code, "message": message, "node": node, "address": address}
    await _end(lease, "failed", [event], after_fault=after_fault, error=error)


async def _end(
    lease: Lease, status: turns.Ended, events: list[Event], also: Any = None, *, after_fault: bool = False,
    **fields: Any,
) -> None:  # fmt: skip
    def then(waiting: list[Event]) -> None:
        turns.end(lease.run, status, [*waiting, *events], worked=lease.worked.seconds, **fields)
        if also is not None:
            also()

    await lease.conclude(then, after_fault=after_fault)


def _out_of_time(lease: Lease) -> str:
    minutes = limits.of(lease.run.deployment.limits).minutes
    return (
        f"This run has worked for {minutes} minute{'' if minutes == 1 else 's'}, as long as a run of this agent may. "
        "Let it go on for as long again, or raise the limit in the agent's settings first."
    )


async def _cancelled_by(lease: Lease) -> str:
    return await lease.database.read(lambda: Run.objects.values_list("cancelled_by", flat=True).get(id=lease.id))
