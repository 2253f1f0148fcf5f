"""Fan-outs of many copies, durable: from the claim of the run to its last event, and a bare floor of the same minute.

`python -m tests.bench.fanout [counts]`, on SQLite. Copies are code that doubles a number, the smallest there is.
"""

from __future__ import annotations

import json
import os
import sys
import time
import uuid
from typing import Any

from tests.support.stack import Stack, running

COUNTS = (100, 1_000, 10_000)
PATIENCE = 300.0
UNITS = {
    "give": (
        "async def give(state, *, services, settings, env):\n    return {'items': list(range(int(state['count'])))}\n"
    ),
    "each": "async def each(state, *, services, settings, env):\n    return {'lines': [state['item'] * 2]}\n",
    "gather": "async def gather(state, *, services, settings, env):\n    return {'answer': str(len(state['lines']))}\n",
}


def prepare() -> None:
    """In the product: the flow, live under the slug "fanout"."""
    from flows import scope, store
    from flows.models import Flow, Unit
    from flows.units import units_of
    from runtime.models import Deployment
    from tests.support.seed import the_workspace

    with scope.workspace(the_workspace().id):
        flow = Flow.objects.create(path="fanout", name="Fan-out", draft=json.dumps(_document()))
        from flows.check import check

        found = check(flow.draft).flow
        assert found is not None
        for spec in units_of(found):
            Unit.objects.create(
                flow=flow, kind=spec.kind, name=spec.name, key=spec.key, code=UNITS[spec.name], origin="edited"
            )
        Deployment.objects.create(flow=flow, version=store.make_version(flow), slug="fanout", name="Fan-out")


def begin(count: int) -> str:
    from flows import scope
    from runtime import runs
    from runtime.models import Deployment
    from runtime.runs import Actor
    from tests.support.seed import the_workspace

    with scope.workspace(the_workspace().id):
        actor = Actor(name="Vera", visitor=uuid.uuid4().hex * 2)
        deployment = Deployment.objects.get(slug="fanout")
        return str(runs.start(deployment, actor, inputs={"count": str(count)}, text=str(count), text_input="count").run)


def seen(run: str) -> dict[str, Any]:
    from flows import scope
    from runtime.models import Run
    from tests.support.seed import the_workspace

    with scope.workspace(the_workspace().id):
        row = Run.objects.get(id=run)
        took = (row.finished_at - row.started_at).total_seconds() if row.finished_at and row.started_at else None
        return {"status": row.status, "seconds": took, "answer": row.outputs.get("answer"), "error": row.error}


def _document() -> dict[str, Any]:
    texts = {name: {"type": "string", "description": f"The {name}."} for name in ("count", "answer")}
    lists = {"items": {"type": "list", "description": "Numbers."}}
    lists["lines"] = {"type": "list", "reducer": "append", "description": "Each doubled."}  # type: ignore[dict-item]
    return {
        "version": "0.33", "name": "Fan-out", "description": "Doubles numbers.", "start": "give",
        "inputs": ["count"], "outputs": ["answer"], "state": {**texts, **lists},
        "nodes": [
            {"id": "give", "handler": "give", "description": "Gives numbers."},
            {"id": "spread", "type": "fanout", "over": "items", "as": "item", "to": "each"},
            {"id": "each", "handler": "each", "description": "Doubles one."},
            {"id": "gather", "handler": "gather", "description": "Counts."},
        ],
        "edges": [
            {"from": "give", "to": "spread"}, {"from": "each", "to": "gather"}, {"from": "gather", "to": "END"},
        ],
    }  # fmt: skip


def _floor() -> float:
    """Milliseconds for a fixed piece of Python, to tell a busy machine from a slow engine."""
    began = time.perf_counter()
    total = 0
    for number in range(2_000_000):
        total += number
    return (time.perf_counter() - began) * 1000


def _measure(stack: Stack, count: int) -> None:
    floor = _floor()
    run = stack.call("tests.bench.fanout:begin", count=count)
    until = time.monotonic() + PATIENCE
    found: dict[str, Any] = {}
    while time.monotonic() < until:
        found = stack.call("tests.bench.fanout:seen", run=run)
        if found["status"] in ("done", "failed", "lost"):
            break
        time.sleep(0.1)
    load = os.getloadavg()[0]
    print(
        f"{count:>6} copies: {found['status']} in {found['seconds']} s, answer {found['answer']}; "
        f"floor {floor:.0f} ms (quiet: about 60), load {load:.1f}", flush=True,
    )  # fmt: skip


def main(counts: tuple[int, ...]) -> None:
    with running(workers=1) as stack:
        stack.call("tests.bench.fanout:prepare")
        _measure(stack, 10)
        for count in counts:
            _measure(stack, count)


if __name__ == "__main__":
    main(tuple(int(one) for one in sys.argv[1:]) or COUNTS)
