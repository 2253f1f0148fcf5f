"""Prints what many at once cost: runs that wait on slow models in one worker, events per second, a thousand sockets.

BENCH_RUNS: runs that wait at once. BENCH_SOCKETS: sockets that are open while a hundred runs work.
"""

from __future__ import annotations

import asyncio
import os
import statistics
import time
from typing import Any

import httpx

from tests.bench.idle import memory_of
from tests.bench.turns import TOKEN, Client
from tests.support.stack import Stack, running

RUNS = int(os.environ.get("BENCH_RUNS", "100"))
SOCKETS = int(os.environ.get("BENCH_SOCKETS", "1000"))
SLOW_SECONDS = 1.0
AT_ONCE = 50
# One person holds twenty sockets at most.
PEOPLE = 128


async def _in_groups(acts: list[Any]) -> None:
    for first in range(0, len(acts), AT_ONCE):
        await asyncio.gather(*(act() for act in acts[first : first + AT_ONCE]))


async def _leave(clients: list[Client]) -> None:
    await asyncio.gather(*(client.socket.close() for client in clients))


async def _all_at_once(clients: list[Client]) -> float:
    """Seconds until the last of them had its turn."""
    began = time.perf_counter()
    await asyncio.gather(*(client.turn() for client in clients))
    return time.perf_counter() - began


def count() -> dict[str, int]:
    """In the product: how many events and runs there are."""
    from runtime.models import Run, RunEvent

    return {"events": RunEvent.everywhere.count(), "done": Run.everywhere.filter(status="done").count()}


def ends(conversations: list[str]) -> dict[str, dict[str, float]]:
    """In the product, by conversation: when its run ended, and the number of its last event."""
    from runtime.models import Run

    runs = Run.everywhere.filter(conversation_id__in=conversations, status="done").select_related("conversation")
    return {
        str(run.conversation_id): {"at": run.finished_at.timestamp(), "seq": run.conversation.next_seq - 1}
        for run in runs
        if run.finished_at
    }


async def bench(stack: Stack, sessions: list[str]) -> None:
    headers = {"x-csrftoken": TOKEN, "origin": stack.url}
    limits = httpx.Limits(max_connections=200, max_keepalive_connections=200)
    async with httpx.AsyncClient(base_url=stack.url, headers=headers, limits=limits, timeout=60) as http:

        async def people(slug: str, number: int) -> list[Client]:
            made = [Client(stack, http, slug, sessions[n % len(sessions)]) for n in range(number)]
            await _in_groups([client.open for client in made])
            return made

        pleased = {"when": {"contains": "Answer:"}, "answer": "It is a pleasure."}
        stack.demo.add({**pleased, "first_delay": SLOW_SECONDS * 1000})
        waiting = await people("one-llm", RUNS)
        took = await _all_at_once(waiting)
        print(f"{RUNS} runs that each wait {SLOW_SECONDS:.0f} s on their model: all over in {took:.1f} s")
        await _leave(waiting)

        stack.demo.reset()
        stack.demo.add(pleased)
        steps = await people("ten-steps", 32)
        before, began = stack.call("tests.bench.crowd:count"), time.perf_counter()
        for _ in range(4):
            await _all_at_once(steps)
        seconds, after = time.perf_counter() - began, stack.call("tests.bench.crowd:count")
        events, done = after["events"] - before["events"], after["done"] - before["done"]
        print(f"{done} runs of ten steps, 32 at once: {events / seconds:.0f} events/s, {done / seconds:.1f} runs/s")
        await _leave(steps)

        await people("one-llm", SOCKETS)
        busy = await people("one-llm", RUNS)
        began = time.perf_counter()
        await asyncio.gather(*(client.send("Hello") for client in busy), *(client.until_idle() for client in busy))
        seconds = time.perf_counter() - began
        ended = stack.call("tests.bench.crowd:ends", conversations=[client.id for client in busy])
        lags = sorted((client.over - ended[client.id]["at"]) * 1000 for client in busy)
        short = sum(client.seq < ended[client.id]["seq"] for client in busy)
        web = memory_of(stack.children["web"].pid)[1]
        print(
            f"{SOCKETS} idle sockets and {RUNS} runs at once: over in {seconds:.1f} s; the last event was shown "
            f"p50 {statistics.median(lags):.0f} ms, p95 {lags[int(len(lags) * 0.95) - 1]:.0f} ms after it was written "
            f"(to reach: 1,000); {short} pages missed one; web process {web:.0f} MB (to reach: 200)"
        )


def main() -> None:
    url = os.environ.get("DATABASE_URL", "")
    print(
        f"database: {'PostgreSQL' if url else 'SQLite'}; one web and one worker process; load {os.getloadavg()[0]:.1f}"
    )
    with running() as stack:
        sessions = stack.call("tests.bench.seed:publish", people=PEOPLE)
        asyncio.run(bench(stack, sessions))


if __name__ == "__main__":
    main()
