"""Small flows that tests of the runner run."""

from __future__ import annotations

from typing import Any

Json = Any


def flow(nodes: list[Json], edges: list[Json], state: Json = None, **more: Json) -> Json:
    """A flow that begins at its first node; q goes in, a comes out."""
    known = {"q": {"type": "string"}, "a": {"type": "string"}, **(state or {})}
    described = {name: {"description": f"The {name}.", **channel} for name, channel in known.items()}
    return {
        "version": "0.33", "id": "6f1dfb1e-0000-4000-8000-000000000001", "name": "Small", "description": "Small.",
        "inputs": ["q"], "outputs": ["a"], "start": nodes[0]["id"], "state": described, "nodes": nodes, "edges": edges,
        **more,
    }  # fmt: skip


def to(*ids: str) -> list[Json]:
    """Edges from each to the next, and from the last to the end."""
    return [{"from": one, "to": two} for one, two in zip(ids, [*ids[1:], "END"], strict=True)]


def says(**more: Json) -> Json:
    """One model that answers."""
    return {"id": "reply", "type": "llm", "prompt": "Answer {{q}}.", "output": "a", **more}


SCHEMA = {
    "type": "object",
    "properties": {
        "kind": {"type": "string", "enum": ["billing", "other"]},
        "sure": {"type": "number", "minimum": 0, "maximum": 1},
    },
    "required": ["kind"],
}
OBJECT, LIST = {"type": "object"}, {"type": "list"}
CLASSIFIES = flow(
    [{"id": "sort", "type": "llm", "prompt": "Sort {{q}}.", "output": "found", "schema": SCHEMA}, says()],
    to("sort", "reply"),
    {"found": OBJECT},
)
TOOL = {"name": "fetch", "description": "Fetches. RETURNS an object { said }."}
CALLS = flow(
    [{"id": "get", "type": "tool", "tool": "fetch", "args": {"what": "{{q}}"}, "output": "got"}, says()],
    to("get", "reply"),
    {"got": OBJECT},
    tools=[TOOL],
)
CATCHES = flow(
    [
        {
            "id": "get", "type": "tool", "tool": "fetch", "args": {"what": "{{q}}"}, "output": "got",
            "onError": "reply", "retry": {"maxAttempts": 2},
        },
        {"id": "note", "handler": "note", "description": "Writes 'a'."},
        says(prompt="What went wrong: {{__error}}"),
    ],
    [{"from": "get", "to": "note"}, {"from": "note", "to": "END"}, {"from": "reply", "to": "END"}],
    {"got": OBJECT},
    tools=[TOOL],
)  # fmt: skip
NOTE = 'async def note(state, *, services, settings, env):\n    return {"a": "noted " + state["got"]["said"]}\n'
LOOP = flow(
    [
        {"id": "decide", "type": "llm", "prompt": "Decide on {{q}}.", "output": "found", "schema": SCHEMA},
        says(),
    ],
    [
        {
            "from": "decide", "type": "conditional", "router": "again",
            "routes": {"more": "decide", "done": "reply"},
            "when": {"more": "'found.kind' is \"other\"", "done": "anything else"},
            "limits": {"more": {"max": 9, "then": "done"}},
        },
        {"from": "reply", "to": "END"},
    ],
    {"found": OBJECT},
)  # fmt: skip
ASKS = flow(
    [
        {"id": "name", "type": "ask", "ask": "What is your name, {{q}}?", "output": "who"},
        {
            "id": "details", "type": "form", "title": "Details of {{who}}", "output": "filled",
            "fields": {"age": {"type": "number", "required": True}, "note": {"type": "string"}},
        },
        says(prompt="{{who}} {{filled}}", approval={"ask": "Answer {{who}}?"}),
    ],
    to("name", "details", "reply"),
    {"who": {"type": "string"}, "filled": OBJECT},
)  # fmt: skip
CODED = flow([{"id": "work", "handler": "work", "description": "Writes 'a'."}], to("work"))


def coded(body: str) -> str:
    return f"async def work(state, *, services, settings, env):\n    {body}\n"
