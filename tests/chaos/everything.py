"""A flow with every kind of step that runs, and with all that can be done twice: it reads, asks, works and writes.

Called through the stack's desk, as tests/chaos/desk.py is. Whatever a run writes bears the run's own name, so that the
books say of each write whether it happened once.
"""

from __future__ import annotations

import json
import uuid
from typing import Any

from django.conf import settings

from flows import scope, store
from flows.check import check
from flows.models import Flow, FlowFile, Unit
from flows.units import units_of
from runtime import runs
from runtime.models import Deployment, ModelChoice, ModelEntry
from runtime.runs import Actor
from tests.support import offices
from tests.support.seed import the_workspace

ITEMS = 5
WRITES = ("work", "b1", "b2", *(f"c{number}" for number in range(1, ITEMS + 1)), "agent")
"""What each run writes at the office that takes orders, by the second half of the order's note."""
ASKED = json.dumps({"needs": {"city": {"type": "string", "required": True, "label": "City"}}, "why": "Where to?"})

PLACE = """async def place(args, *, services, settings, env):
    reply = await services.http.post(settings.url + "/orders", json={
        "customerId": args["customer"], "lines": [{"productId": 101, "quantity": 1}],
        "shipTo": "Here", "deliverOn": None, "note": args["note"],
    })
    if reply.status >= 400:
        raise ValueError(f"The office answered {reply.status}")
    return args["note"].partition("/")[2]
"""
LOOK = """async def look(args, *, services, settings, env):
    reply = await services.http.get(settings.url + f"/products/{100 + args['number']}")
    return str(args["number"])
"""
PLAN = f"""async def plan(state, *, services, settings, env):
    place = lambda what: {{"name": "place", "args": {{"customer": "MERID", "note": state["question"] + "/" + what}}}}
    calls = [place("b1"), {{"name": "look", "args": {{"number": 1}}}}, place("b2")]
    return {{"calls": calls, "items": list(range(1, {ITEMS + 1}))}}
"""
GATHER = """async def gather(state, *, services, settings, env):
    lines = [state["report"], *state["seen"], *state["lines"], state["audit"]["placed"]]
    return {"answer": "; ".join([*lines, str(len(state["results"])), state["paper"]["mediaType"]])}
"""
UNITS = {"place": PLACE, "look": LOOK, "plan": PLAN, "gather": GATHER}
PLACE_TOOL = {
    "name": "place", "description": "Posts an order to the office through services.http. RETURNS a line about it.",
    "inputs": {"customer": {"type": "string", "required": True}, "note": {"type": "string", "required": True}},
}  # fmt: skip
LOOK_TOOL = {
    "name": "look", "description": "Looks a product up through services.http. RETURNS its number.",
    "inputs": {"number": {"type": "number", "required": True}},
}  # fmt: skip
SERVER = {"describe": "The other office.", "tools": [
    {"name": "find", "remote": "find_customer"},
    {"name": "note", "remote": "add_order", "describe": "Notes an order.", "inputs": {
        "customer": {"type": "string", "required": True}, "quantity": {"type": "number", "required": True},
        "note_text": {"type": "string", "required": True}}},
]}  # fmt: skip


def rules(refs: list[str]) -> list[dict[str, Any]]:
    """What the scripted model does in these runs."""
    slow = {"first_delay": 40, "pace": 4}

    def call(name: str, /, **arguments: Any) -> dict[str, Any]:
        return {"name": name, "arguments": arguments}

    def turns(ref: str) -> list[dict[str, Any]]:
        return [
            {"say": "Let me look first.", "calls": [call("look", number=2), call("find", name="Meridian")]},
            {"say": "I note it down.", "calls": [call("note", customer="MERID", quantity=1, note_text=ref)]},
            {"calls": [call("place", customer="MERID", note=f"{ref}/work")]},
            {"say": f"Did {ref}."},
        ]

    return [
        *({"when": {"tools": True, "contains": ref}, "turns": turns(ref), **slow} for ref in refs),
        {"when": {"contains": "The person filled in the form"}, "answer": "To Oslo.", **slow},
        {"when": {"contains": "Decide where"}, "answer": ASKED, **slow},
        {"when": {"contains": "Say something"}, "answer": "Something.", **slow},
    ]


def prepare(host: str, server: str) -> None:
    """The flow and those that it runs, live under the slug "everything"; reviewers approve. server: another office."""
    with scope.workspace(the_workspace().id):
        if not ModelEntry.objects.exists():
            entry = ModelEntry.objects.create(name="Demo", base_url=settings.DEMO_URL, model="demo", demo=True)
            ModelChoice.objects.create(purpose="answers", entry=entry)
        needs = {"settings": {"url": {"default": f"http://{host}/office", "description": "The office."}}}
        top = row("everything", _top(host, {**needs, "mcp": {"office": SERVER}}))
        row("everything/order", _order(needs))
        row("everything/audit", _audit(needs))
        text = json.dumps({"agents": {"audit": {"flow": "./audit/flow.json"}}})
        FlowFile.objects.create(flow=top, path="agents.json", text=text, sha="", size=len(text))
        deployment = Deployment.objects.create(
            flow=top, version=store.make_version(top), slug="everything", name="Everything", allowed_hosts=[host],
            deciders="reviewers",
        )  # fmt: skip
        offices.connect(deployment, offices.at(server), find_customer="read")


def begin(refs: list[str], slug: str = "everything") -> list[str]:
    """Start a run for each of these, each of a person of its own."""
    with scope.workspace(the_workspace().id):
        deployment = Deployment.objects.get(slug=slug)
        return [
            str(
                runs.start(
                    deployment, Actor(name="Vera", visitor=uuid.uuid4().hex * 2), inputs={"question": ref}, text=ref,
                    text_input="question",
                ).run
            )
            for ref in refs
        ]  # fmt: skip


def row(path: str, document: dict[str, Any], units: dict[str, str] = UNITS) -> Flow:
    """A flow of that path and document, with its code."""
    flow, _ = Flow.objects.update_or_create(path=path, defaults={"name": path, "draft": json.dumps(document)})
    found = check(flow.draft)
    assert found.flow is not None and found.ok, found.problems
    for spec in units_of(found.flow):
        Unit.objects.update_or_create(
            flow=flow, kind=spec.kind, name=spec.name,
            defaults={"key": spec.key, "code": units[spec.name], "origin": "edited"},
        )  # fmt: skip
    return flow


def flow(nodes: list[dict[str, Any]], edges: list[tuple[str, str]], **keys: Any) -> dict[str, Any]:
    return {
        "version": "0.33", "name": "Flow", "description": "Places orders.", "start": nodes[0]["id"], "nodes": nodes,
        "edges": [{"from": a, "to": b} for a, b in edges], **keys,
    }  # fmt: skip


def channels(**names: str) -> dict[str, Any]:
    return {name: {"type": type, "description": f"The {name}."} for name, type in names.items()}


def _top(host: str, needs: dict[str, Any]) -> dict[str, Any]:
    state = channels(
        question="string", answer="string", paper="object", form="object", wish="string", report="string",
        calls="list", results="list", items="list", audit="object",
    )  # fmt: skip
    for name in ("seen", "lines"):
        state[name] = {"type": "list", "reducer": "append", "description": "A line for each item."}
    return flow(
        [
            {"id": "load", "type": "read", "from": [f"http://{host}/office/products"], "output": "paper",
             "allowPrivate": True},
            {"id": "details", "type": "form", "title": "Details", "output": "form",
             "fields": {"quantity": {"type": "number", "required": True}, "shipTo": {"type": "string"}}},
            {"id": "decide", "type": "llm", "asks": True, "output": "wish",
             "prompt": "Decide where {{question}} goes."},
            {"id": "desk", "type": "work", "prompt": "Work on {{question}}, to go there: {{wish}}", "output": "report",
             "tools": ["look", "place", "office"], "approve": ["place"], "ask": "Place it?"},
            {"id": "plan", "handler": "plan", "description": "Says what is ordered."},
            {"id": "batch", "type": "tools", "calls": "calls", "output": "results",
             "approval": {"ask": "Make these calls?", "show": ["calls"]}},
            {"id": "peek", "type": "fanout", "over": "items", "as": "item", "to": "peek_one"},
            {"id": "peek_one", "type": "tool", "tool": "look", "args": {"number": "{{item}}"}, "output": "seen"},
            {"id": "spread", "type": "fanout", "over": "items", "as": "item", "to": "order"},
            {"id": "order", "type": "flow", "flow": "./order/flow.json",
             "input": {"number": "{{item}}", "ref": "{{question}}"}, "output": {"placed": "lines"}},
            {"id": "delegate", "type": "agent", "agents": ["audit"], "agent": "audit",
             "input": {"ref": "{{question}}"}, "output": "audit"},
            {"id": "gather", "handler": "gather", "description": "Puts it together."},
        ],
        [("load", "details"), ("details", "decide"), ("decide", "desk"), ("desk", "plan"), ("plan", "batch"),
         ("batch", "peek"), ("peek_one", "spread"), ("order", "delegate"), ("delegate", "gather"), ("gather", "END")],
        state=state, inputs=["question"], outputs=["wish", "report", "answer"], conversation=True,
        tools=[LOOK_TOOL, PLACE_TOOL], requires=needs,
    )  # fmt: skip


def _order(needs: dict[str, Any]) -> dict[str, Any]:
    return flow(
        [
            {"id": "which", "type": "ask", "ask": "For which customer is number {{number}}?", "output": "customer"},
            {"id": "say", "type": "llm", "prompt": "Say something about {{customer}}.", "output": "said"},
            {"id": "place", "type": "tool", "tool": "place", "output": "placed",
             "args": {"customer": "{{customer}}", "note": "{{ref}}/c{{number}}"}},
        ],
        [("which", "say"), ("say", "place"), ("place", "END")],
        state=channels(number="number", ref="string", customer="string", said="string", placed="string"),
        inputs=["number", "ref"], outputs=["placed"], tools=[PLACE_TOOL], requires=needs,
    )  # fmt: skip


def _audit(needs: dict[str, Any]) -> dict[str, Any]:
    return flow(
        [
            {"id": "say", "type": "llm", "prompt": "Say something about {{ref}}.", "output": "said"},
            {"id": "place", "type": "tool", "tool": "place", "output": "placed",
             "args": {"customer": "MERID", "note": "{{ref}}/agent"},
             "approval": {"ask": "Place it for {{ref}}?", "show": ["said"]}},
        ],
        [("say", "place"), ("place", "END")],
        state=channels(ref="string", said="string", placed="string"), inputs=["ref"], outputs=["placed"],
        tools=[PLACE_TOOL], requires=needs,
    )  # fmt: skip
