"""Operations by chance, on whatever document there is: most fit it, some do not."""

from __future__ import annotations

import json
from random import Random
from typing import Any

Json = Any
NODES = ("reply", "plan", "change", "which", "step_2", "extra", "END", "no such", "")
CHANNELS = ("question", "answer", "plan", "order", "spare", "class", "history")
ROUTES = ("change", "talk", "again", "x y", "end")
VALUES: tuple[Json, ...] = (
    "", "Answer {{question}} and {{plan.wish}}", "'plan' is empty", 0, 1, 1.0, 1e300, -0.0, True, False, None, [], {},
    ["answer", "question"], {"ask": "Ok?", "show": ["order"]}, {"a": [{"b": "ü\n\t\"\\ "}]}, "𝕏 שלום", [[1], [2, [3]]],
)  # fmt: skip


def _list(document: Json, section: str) -> list[Json]:
    found = document.get(section) if isinstance(document, dict) else None
    return found if isinstance(found, list) else []


def _names(document: Json, section: str, key: str) -> list[str]:
    return [each[key] for each in _list(document, section) if isinstance(each, dict) and isinstance(each.get(key), str)]


class Chance:
    """Picks from a document."""

    def __init__(self, chance: Random, document: Json) -> None:
        self.chance = chance
        self.document = document

    def node(self) -> str:
        known = _names(self.document, "nodes", "id")
        return self.chance.choice(known or NODES) if self.chance.random() < 0.85 else self.chance.choice(NODES)

    def channel(self) -> str:
        state = self.document.get("state") if isinstance(self.document, dict) else None
        known = list(state) if isinstance(state, dict) else []
        return self.chance.choice(known or CHANNELS) if self.chance.random() < 0.8 else self.chance.choice(CHANNELS)

    def tool(self) -> str:
        return self.chance.choice(_names(self.document, "tools", "name") or ["changeOrder"])

    def ends(self) -> tuple[str, str, str | None]:
        """Two ends of an edge that there is, mostly, and its route."""
        edges = [each for each in _list(self.document, "edges") if isinstance(each, dict)]
        edge = self.chance.choice(edges) if edges else {}
        routes = edge.get("routes")
        if isinstance(routes, dict) and routes:
            route = self.chance.choice(list(routes))
            return str(edge.get("from")), str(routes[route]), route if self.chance.random() < 0.7 else None
        return str(edge.get("from", "reply")), str(edge.get("to", "END")), None

    def place(self) -> Json:
        return {"x": self.chance.randint(-500, 500), "y": self.chance.random() * 100}


def random_operation(chance: Random, document: Json) -> Json:
    """One operation as JSON."""
    pick = Chance(chance, document)
    kind = chance.choice(list(_MAKERS))
    return {"op": kind, **_MAKERS[kind](pick)}


def _node(pick: Chance) -> Json:
    id = pick.chance.choice([f"new_{pick.chance.randint(0, 9)}", *NODES])
    kinds = (
        {"type": "llm", "prompt": "{{question}}", "output": pick.channel()},
        {"handler": "work"},
        {"type": "wizard"},
    )
    return {"id": id, **pick.chance.choice(kinds)}


def _add(pick: Chance) -> Json:
    found: dict[str, Json] = {"node": _node(pick)}
    if pick.chance.random() < 0.5:
        found["position"] = pick.place()
    if pick.chance.random() < 0.5:
        from_, to, route = pick.ends()
        found["splice"] = {"from": from_, "to": to, **({"route": route} if route else {})}
    return found


def _set(pick: Chance) -> Json:
    chance = pick.chance
    from_, to, _ = pick.ends()
    on = chance.choice(
        [
            {"node": pick.node()}, {"edge": {"from": from_}}, {"edge": {"from": from_, "to": to}},
            {"channel": pick.channel()}, {"tool": pick.tool()}, {"flow": True},
        ]
    )  # fmt: skip
    keys = ("prompt", "output", "approval", "description", "handler", "router", "when", "type", "show", "retry",
            "onError", "name", "inputs", "suggestions", "version", "start", "id", "nodes", "new key", "routes",
            "to")  # fmt: skip
    path: list[Json] = [chance.choice(keys)]
    while chance.random() < 0.4:
        path.append(chance.choice(["ask", "show", "a", 0, 1, 2]))
    found = {"on": on, "path": path}
    if chance.random() < 0.8:
        found["value"] = chance.choice(VALUES)
    return found


def _connect(pick: Chance) -> Json:
    found = {"from": pick.node(), "to": pick.chance.choice([pick.node(), "END"])}
    if pick.chance.random() < 0.4:
        found["route"] = pick.chance.choice(ROUTES)
    if pick.chance.random() < 0.4:
        found["when"] = pick.chance.choice(["'answer' is empty", "anything else", ""])
    return found


def _edge(pick: Chance) -> Json:
    from_, to, route = pick.ends()
    return {"from": from_, "to": to, **({"route": route} if route else {})}


def _paste(pick: Chance) -> Json:
    chance, document = pick.chance, json.loads(json.dumps(pick.document))
    nodes = [each for each in _list(document, "nodes") if isinstance(each, dict) and chance.random() < 0.4]
    edges = [each for each in _list(document, "edges") if isinstance(each, dict)]
    state = document.get("state") if isinstance(document, dict) else None
    channels = {
        name: each for name, each in (state if isinstance(state, dict) else {}).items() if isinstance(each, dict)
    }
    for channel in channels.values():
        if chance.random() < 0.3:
            channel["description"] = "Something else."
    tools = [each for each in _list(document, "tools") if isinstance(each, dict)]
    positions = {str(each.get("id")): pick.place() for each in nodes if isinstance(each.get("id"), str)}
    return {
        "nodes": nodes, "edges": edges, "channels": channels, "tools": tools, "positions": positions,
        "offset": {"x": 20, "y": 20},
    }  # fmt: skip


def _text(pick: Chance) -> Json:
    document = json.loads(json.dumps(pick.document))
    if isinstance(document, dict) and pick.chance.random() < 0.9:
        items = list(document.items())
        if pick.chance.random() < 0.5:
            pick.chance.shuffle(items)
        document = dict(items)
        for nodes in [_list(document, "nodes")]:
            if nodes and pick.chance.random() < 0.5:
                nodes.insert(pick.chance.randint(0, len(nodes)), nodes.pop(pick.chance.randint(0, len(nodes) - 1)))
    return {
        "text": json.dumps(
            document, indent=pick.chance.choice([None, 1, 2, 4]), ensure_ascii=pick.chance.random() < 0.5
        )
    }


def _comment(pick: Chance) -> Json:
    box = {"width": 200, "height": 80.5}
    return {"comment": {"id": f"c{pick.chance.randint(0, 4)}", **pick.place(), **box, "text": "Look\nhere."}}


_MAKERS: dict[str, Any] = {
    "addNode": _add,
    "removeNodes": lambda pick: {
        "ids": list({pick.node() for _ in range(pick.chance.randint(1, 3))}), "heal": pick.chance.random() < 0.7
    },
    "renameNode": lambda pick: {"id": pick.node(), "to": pick.chance.choice(["fresh", "reply", "a b", "START", "n2"])},
    "setField": _set,
    "connect": _connect,
    "disconnect": _edge,
    "reconnect": lambda pick: {**_edge(pick), "newTo": pick.node()},
    "renameRoute": lambda pick: {
        "from": pick.ends()[0], "route": pick.ends()[2] or "talk", "to": pick.chance.choice(ROUTES)
    },
    "setStart": lambda pick: {"id": pick.node()},
    "addChannel": lambda pick: {"name": pick.chance.choice(CHANNELS), "channel": {"type": "string"}},
    "removeChannel": lambda pick: {"name": pick.channel()},
    "renameChannel": lambda pick: {"name": pick.channel(), "to": pick.chance.choice([*CHANNELS, "renamed"])},
    "addTool": lambda pick: {"tool": {"name": pick.chance.choice(["look", "changeOrder", "9"]), "description": "X."}},
    "removeTool": lambda pick: {"name": pick.tool()},
    "renameTool": lambda pick: {"name": pick.tool(), "to": pick.chance.choice(["look", "alter", "a-b"])},
    "paste": _paste,
    "setDocument": _text,
    "move": lambda pick: {"positions": {pick.node(): pick.place() for _ in range(2)}},
    "addComment": _comment,
    "changeComment": lambda pick: {"id": f"c{pick.chance.randint(0, 4)}", "text": "Other", "x": 3},
    "removeComment": lambda pick: {"id": f"c{pick.chance.randint(0, 4)}"},
}  # fmt: skip


def broken() -> dict[str, Json]:
    """Documents as people leave them halfway."""
    from tests.flows.flow_of import every_kind, question

    whole = every_kind()
    twice = every_kind()
    twice["nodes"].append({"id": "reply", "type": "llm"})
    twice["edges"].append({"from": "plan", "to": "reply"})
    holes = every_kind()
    holes["nodes"][1] = None
    holes["nodes"][2] = {"id": 7, "type": "tool"}
    holes["edges"][1] = {
        "from": "plan",
        "type": "conditional",
        "routes": {"a": 5, "b": "reply"},
        "limits": [1],
        "when": "x",
    }
    holes["edges"].append("nothing")
    holes["tools"].append(3)
    return {
        "whole": whole,
        "small": question(),
        "empty": {},
        "wrong sections": {"nodes": {}, "edges": "x", "state": [1], "tools": {"a": 1}, "inputs": 7},
        "twice": twice,
        "holes": holes,
        "no state": {"version": "1.0", "nodes": [{"id": "a", "type": "llm"}, {"id": "b", "onError": "a"}]},
        "old": {"version": "0.9", "start": "a", "nodes": [{"id": "a", "handler": "h"}], "edges": []},
    }
