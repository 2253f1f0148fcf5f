"""A flow with everything in it that runs inside something: copies of a flow that asks, and an agent that writes.

Called through the stack's desk, as tests/chaos/desk.py is.
"""

from __future__ import annotations

import json
import os
import uuid
from typing import Any

from django.conf import settings

from flows import scope, store
from flows.models import Flow, FlowFile, Unit
from flows.units import units_of
from runtime import runs
from runtime.models import Deployment, ModelChoice, ModelEntry
from runtime.runs import Actor
from tests.support.seed import the_workspace

ITEMS = int(os.environ.get("CHAOS_ITEMS", "3"))
WRITES = ITEMS + 1
"""So many orders does each run place."""

PLACE = """async def place(args, *, services, settings, env):
    reply = await services.http.post(settings.url + "/orders", json={
        "customerId": args["customerId"], "lines": [{"productId": 101, "quantity": args["quantity"]}],
        "shipTo": "Here", "deliverOn": None, "note": "",
    })
    if reply.status >= 400:
        raise ValueError(f"The office answered {reply.status}")
    return f"{args['customerId']} {args['quantity']}"
"""
UNITS = {
    "plan": (
        f"async def plan(state, *, services, settings, env):\n    return {{'items': list(range(1, {ITEMS + 1}))}}\n"
    ),
    "gather": (
        "async def gather(state, *, services, settings, env):\n"
        "    return {'answer': '; '.join(state['lines']) + '; ' + state['audit']['placed']}\n"
    ),
    "place": PLACE,
}
TOOLS = [{
    "name": "place", "description": "Posts an order to the office through services.http. RETURNS a line about it.",
    "inputs": {"customerId": {"type": "string", "required": True, "label": "Customer"},
               "quantity": {"type": "number", "required": True}},
}]  # fmt: skip


def prepare(host: str) -> None:
    """The flow and those that it runs, live under the slug "nest"; reviewers approve its writes."""
    with scope.workspace(the_workspace().id):
        entry = ModelEntry.objects.create(name="Demo", base_url=settings.DEMO_URL, model="demo", demo=True)
        ModelChoice.objects.create(purpose="answers", entry=entry)
        needs = {"settings": {"url": {"default": f"http://{host}/office", "description": "The office."}}}
        top = _row("nest", _top())
        _row("nest/order", _order(needs))
        _row("nest/audit", _audit(needs))
        text = json.dumps({"agents": {"audit": {"flow": "./audit/flow.json"}}})
        FlowFile.objects.create(flow=top, path="agents.json", text=text, sha="", size=len(text))
        version = store.make_version(top)
        Deployment.objects.create(
            flow=top, version=version, slug="nest", name="Nest", allowed_hosts=[host], deciders="reviewers"
        )


def begin(count: int) -> list[str]:
    """Start so many runs, each of a person of its own."""
    with scope.workspace(the_workspace().id):
        deployment = Deployment.objects.get(slug="nest")
        return [
            str(
                runs.start(
                    deployment, Actor(name="Vera", visitor=uuid.uuid4().hex * 2), inputs={"question": "Go"}, text="Go",
                    text_input="question",
                ).run
            )
            for _ in range(count)
        ]  # fmt: skip


def _row(path: str, document: dict[str, Any]) -> Flow:
    flow = Flow.objects.create(path=path, name=path, draft=json.dumps(document))
    from flows.check import check

    found = check(flow.draft)
    assert found.flow is not None and found.ok, found.problems
    for spec in units_of(found.flow):
        Unit.objects.create(
            flow=flow, kind=spec.kind, name=spec.name, key=spec.key, code=UNITS[spec.name], origin="edited"
        )
    return flow


def _flow(nodes: list[dict[str, Any]], edges: list[tuple[str, str]], **keys: Any) -> dict[str, Any]:
    return {
        "version": "0.33", "name": "Nest", "description": "Places orders.", "start": nodes[0]["id"], "nodes": nodes,
        "edges": [{"from": a, "to": b} for a, b in edges], **keys,
    }  # fmt: skip


def _texts(**names: str) -> dict[str, Any]:
    return {name: {"type": type, "description": f"The {name}."} for name, type in names.items()}


def _top() -> dict[str, Any]:
    state = _texts(question="string", answer="string", items="list", audit="object")
    state["lines"] = {"type": "list", "reducer": "append", "description": "A line for each order."}
    return _flow(
        [
            {"id": "plan", "handler": "plan", "description": "Says how many."},
            {"id": "spread", "type": "fanout", "over": "items", "as": "item", "to": "order",
             "approval": {"ask": "Order all of them?", "show": ["items"]}},
            {"id": "order", "type": "flow", "flow": "./order/flow.json", "input": {"quantity": "{{item}}"},
             "output": {"placed": "lines"}},
            {"id": "delegate", "type": "agent", "agents": ["audit"], "agent": "audit",
             "input": {"about": "{{question}}"}, "output": "audit"},
            {"id": "gather", "handler": "gather", "description": "Puts it together."},
        ],
        [("plan", "spread"), ("order", "delegate"), ("delegate", "gather"), ("gather", "END")],
        state=state, inputs=["question"], outputs=["answer"], conversation=True,
    )  # fmt: skip


def _order(needs: dict[str, Any]) -> dict[str, Any]:
    return _flow(
        [
            {"id": "which", "type": "ask", "ask": "For which customer are these {{quantity}}?", "output": "customer"},
            {"id": "say", "type": "llm", "prompt": "Say something about {{customer}}.", "output": "said"},
            {"id": "place", "type": "tool", "tool": "place", "output": "placed",
             "args": {"customerId": "{{customer}}", "quantity": "{{quantity}}"},
             "approval": {"ask": "Place {{quantity}} for {{customer}}?", "show": ["quantity"]}},
        ],
        [("which", "say"), ("say", "place"), ("place", "END")],
        state=_texts(quantity="number", customer="string", said="string", placed="string"),
        inputs=["quantity"], outputs=["placed"], tools=TOOLS, requires=needs,
    )  # fmt: skip


def _audit(needs: dict[str, Any]) -> dict[str, Any]:
    return _flow(
        [
            {"id": "say", "type": "llm", "prompt": "Say something about {{about}}.", "output": "said"},
            {"id": "place", "type": "tool", "tool": "place", "output": "placed",
             "args": {"customerId": "MERID", "quantity": 99}},
        ],
        [("say", "place"), ("place", "END")],
        state=_texts(about="string", said="string", placed="string"), inputs=["about"], outputs=["placed"], tools=TOOLS,
        requires=needs,
    )  # fmt: skip
