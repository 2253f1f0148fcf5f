"""Flows that chance grows, of every kind and nearly every word, each right as it is."""

from __future__ import annotations

from collections.abc import Callable
from random import Random
from typing import Any

from flows.kinds import BY_TYPE

Json = Any
STRANGE = ("Ünïcode · שלום · 你好 🙂", 'Say "yes", or \\ no.', "One\n\ttwo", "{ not a template }", "'quoted' words")
FIELDS: tuple[Json, ...] = (
    {"type": "string", "required": True, "maxLength": 40}, {"type": "text", "description": "In full."},
    {"type": "number", "default": 2}, {"type": "boolean"}, {"type": "date", "default": "2026-03-31"},
    {"type": "string", "options": ["S", "M", "L"], "default": "M"}, {"type": "object"}, {"type": "any"},
    {"type": "list", "of": {"sku": {"type": "string", "required": True}, "pieces": {"type": "number"}}},
)  # fmt: skip


class Grown:
    """One flow while it grows: a row of steps, each writing a channel of its own that the later ones read."""

    def __init__(self, chance: Random, kinds: tuple[str, ...] = ()) -> None:
        self.chance = chance
        self.kinds = kinds or tuple(BY_TYPE)
        self.types: dict[str, str] = {"question": "string"}
        self.appends: set[str] = set()
        self.state: dict[str, Json] = {"question": {"type": "string", "description": "What was asked."}}
        self.nodes: list[Json] = []
        self.edges: list[Json] = []
        self.tools: dict[str, Json] = {}
        self.requires: dict[str, Json] = {
            "env": ["SHOP_KEY"],
            "services": {"shop": "The shop's REST API, called with GET and POST."},
            "settings": {"most": {"default": 5, "description": "How many are read."}},
        }

    def flow(self, most: int = 9) -> dict[str, Json]:
        """A flow of up to so many steps."""
        count = self.chance.randint(1, most)
        rows = [self._row(number, number + 1 < count) for number in range(count)]
        for number, (first, last) in enumerate(rows):
            after = rows[number + 1][0] if number + 1 < count else "END"
            later = [each for each, _ in rows[number + 1 :]]
            self.edges.append(self._edge(last, after, first, later))
            self._detours(first, later)
        named = {each["tool"] for each in self.nodes if "tool" in each}
        return {
            "version": "0.33",
            "description": "Grown by chance: " + self.chance.choice(STRANGE),
            "conversation": True,
            "inputs": ["question"],
            "outputs": [self.chance.choice(list(self.types))],
            "requires": self.requires,
            "start": rows[0][0],
            "tools": [each for name, each in self.tools.items() if name in named or self._has("tools", "work")],
            "state": self.state,
            "nodes": self.nodes,
            "edges": self.edges,
        }

    def _has(self, *types: str) -> bool:
        return any(each.get("type") in types for each in self.nodes)

    def _row(self, number: int, more: bool) -> tuple[str, str]:
        """One step, or a few that belong together. Returns the first of them and the one whose edge goes on."""
        kind = self.chance.choice(self.kinds)
        id = f"step_{number}"
        node = {"id": id, **MAKERS[kind](self, f"value_{number}")}
        if self.chance.random() < 0.2:
            node["description"] = node.get("description") or self.chance.choice(STRANGE)
        if self.chance.random() < 0.2:
            node["retry"] = {"maxAttempts": self.chance.randint(1, 10)}
        self.nodes.append(node)
        if kind != "fanout":
            return id, id
        copy = {"id": f"{id}_each", **_llm(self, f"copies_{number}", append=True)}
        copy["prompt"] += f" Item: {{{{item_{number}}}}}"
        node |= {"as": f"item_{number}", "to": copy["id"]}
        if self.chance.random() < 0.5:
            copy["onError"] = "SKIP"
        self.nodes.append(copy)
        return id, copy["id"]

    def channel(self, name: str, type: str, append: bool = False) -> str:
        """A new channel."""
        said: Json = {"type": type, "description": f"What {name} holds: " + self.chance.choice(STRANGE)}
        if append:
            said["reducer"] = "append"
            self.appends.add(name)
        elif type == "object" and self.chance.random() < 0.2:
            said["reducer"] = "merge"
        if self.chance.random() < 0.2 and not append:
            said["default"] = {"string": "", "number": 0, "boolean": False, "list": [], "object": {}, "any": None}[type]
        if self.chance.random() < 0.2:
            said["remembers"] = True
        self.state[name], self.types[name] = said, type
        return name

    def known(self, *types: str) -> str:
        """A channel that there is, of one of the types; one is made where there is none."""
        found = [name for name, type in self.types.items() if not types or type in types]
        return self.chance.choice(found) if found else self.channel(f"own_{len(self.types)}", types[0])

    def template(self) -> str:
        """Words with a channel or two in them."""
        name = self.known()
        path = f"{name}.{self.chance.choice(['a', '0', 'length'])}" if self.types[name] in ("list", "object") else name
        return f"{self.chance.choice(STRANGE)} {{{{{path}}}}} {{{{question}}}}"

    def tool(self) -> str:
        """A tool that there is, or a new one."""
        if self.tools and self.chance.random() < 0.5:
            return self.chance.choice(list(self.tools))
        name = f"look{len(self.tools)}"
        words = "GETs one order by services.shop, with env.SHOP_KEY. Returns the order, an object."
        self.tools[name] = {"name": name, "description": words}
        if self.chance.random() < 0.6:
            self.tools[name]["inputs"] = self.fields()
        return name

    def fields(self) -> dict[str, Json]:
        """Fields for a person to fill in."""
        return {f"field{n}": dict(self.chance.choice(FIELDS)) for n in range(self.chance.randint(1, 4))}

    def schema(self, type: str, depth: int = 0) -> dict[str, Json]:
        """The shape of an answer."""
        if type == "object":
            inner = self._inner(depth)
            names = {f"part{n}": self.schema(inner(), depth + 1) for n in range(self.chance.randint(1, 3))}
            return {"type": "object", "properties": names, "required": list(names)[: self.chance.randint(0, 3)]}
        if type == "list":
            return {"type": "list", "items": self.schema(self._inner(depth)(), depth + 1)}
        if type == "string":
            return self.chance.choice([{"type": type, "enum": ["a", "b"]}, {"type": type, "maxLength": 9}])
        return {"type": type, "minimum": 0, "maximum": 9} if type == "number" else {"type": type}

    def _inner(self, depth: int) -> Callable[[], str]:
        types = ("string", "number", "boolean") + (("object", "list") if depth < 3 else ())
        return lambda: self.chance.choice(types)

    def _edge(self, id: str, after: str, head: str, later: list[str]) -> Json:
        """A plain edge, or a choice with a limited way back and a way further on."""
        if self.chance.random() < 0.6:
            return {"from": id, "to": after}
        name = self.known()
        routes = {"on": after}
        when = {"on": "anything else"}
        limits: dict[str, Json] = {}
        if self.chance.random() < 0.5:
            routes = {"back": head, **routes}
            when = {"back": f"'{name}' is empty", **when}
            limits["back"] = {"max": self.chance.randint(1, 5), "then": "on"}
            if self.chance.random() < 0.3:
                limits["back"]["per"] = self.nodes[0]["id"]
        if later and self.chance.random() < 0.6:
            routes = {"far": self.chance.choice([*later, "END"]), **routes}
            sentence = self.chance.choice([f"'{name}' is \"far\"", f"`{name}` says that the person wants more"])
            when = {"far": sentence, **when}
        edge: Json = {"from": id, "type": "conditional", "router": f"route_{id}", "routes": routes, "when": when}
        return {**edge, "limits": limits} if limits else edge

    def _detours(self, id: str, later: list[str]) -> None:
        node = next(each for each in self.nodes if each["id"] == id)
        if self.chance.random() < 0.25 and node.get("type") != "fanout":
            node["onError"] = self.chance.choice([*later, "END"])
        if self.chance.random() < 0.25 and node.get("type") != "fanout":
            node["approval"] = {"ask": self.template(), "show": [self.known()]}
            plain = [name for name in self.types if name not in self.appends]
            if self.chance.random() < 0.5:
                node["approval"]["edit"] = [self.chance.choice(plain)]
            if later and self.chance.random() < 0.5:
                node["approval"]["onReject"] = self.chance.choice(later)
            if self.chance.random() < 0.3:
                node["approval"] |= {"needs": "spending", "why": self.known("string")}


def _handler(grown: Grown, name: str) -> Json:
    read, output = grown.known(), grown.channel(name, grown.chance.choice(["string", "number", "list", "object"]))
    words = f"Reads '{read}' and writes '{output}': what is in it, in order. Where '{read}' is empty, nothing."
    return {"handler": f"make_{name}", "description": words}


def _llm(grown: Grown, name: str, append: bool = False) -> Json:
    type = "list" if append else grown.chance.choice(["string", "string", "number", "boolean", "object", "list"])
    node = {"type": "llm", "prompt": f"{{{{history}}}} {grown.template()}"}
    if type in ("number", "boolean") or (type != "string" and not append and grown.chance.random() < 0.5):
        node["schema"] = grown.schema(type)
    return {**node, "output": grown.channel(name, type, append)}


def _ask(grown: Grown, name: str) -> Json:
    words, shown = grown.template(), grown.known()
    return {"type": "ask", "ask": words, "show": [shown], "output": grown.channel(name, "string")}


def _form(grown: Grown, name: str) -> Json:
    node = {"type": "form", "title": "Which one?", "output": grown.channel(name, "object")}
    source = f"{{{{{grown.known('object')}}}}}"
    return {**node, "fields": grown.fields() if grown.chance.random() < 0.8 else source}


def _tool(grown: Grown, name: str) -> Json:
    tool = grown.tool()
    inputs = grown.tools[tool].get("inputs") or {"id": {}}
    args = {
        key: grown.chance.choice([f"{{{{{grown.known()}}}}}", 3, ["{{question}}"], grown.template()]) for key in inputs
    }
    return {"type": "tool", "tool": tool, "args": args, "output": grown.channel(name, "object")}


def _tools(grown: Grown, name: str) -> Json:
    grown.tool()
    queue = grown.known("list")
    node = {"type": "tools", "calls": queue, "output": grown.channel(name, "list")}
    return {**node, "clear": False} if queue in grown.appends or grown.chance.random() < 0.3 else node


def _work(grown: Grown, name: str) -> Json:
    tool = grown.tool()
    node = {"type": "work", "prompt": f"{{{{history}}}} {grown.template()}", "tools": [tool]}
    if grown.chance.random() < 0.5:
        node |= {"approve": [tool], "ask": grown.template(), "show": [grown.known()]}
    if grown.chance.random() < 0.5:
        node["rounds"] = grown.chance.randint(1, 20)
    return {**node, "output": grown.channel(name, "string")}


def _fanout(grown: Grown, name: str) -> Json:
    return {"type": "fanout", "over": grown.known("list")}


def _flow(grown: Grown, name: str) -> Json:
    node = {"type": "flow", "flow": "./flows/lookup.json", "input": {"customerId": grown.template()}}
    return {**node, "output": {"customer": grown.channel(name, "object"), "orders": None}}


def _agent(grown: Grown, name: str) -> Json:
    chosen = grown.chance.choice(["sql", f"{{{{{grown.known()}}}}}"])
    node = {"type": "agent", "agents": ["sql", "papers"], "agent": chosen}
    node["input"] = grown.chance.choice([{"question": grown.template()}, f"{{{{{grown.known('object')}}}}}"])
    return {**node, "output": grown.channel(name, "object")}


def _read(grown: Grown, name: str) -> Json:
    source = grown.chance.choice([f"{{{{{grown.known('string')}}}}}", "https://desk.example/handbook.pdf"])
    node = {"type": "read", "from": [source], "output": grown.channel(name, "object")}
    return {**node, "maxChars": 5000} if grown.chance.random() < 0.3 else node


def _collection(grown: Grown, **more: Json) -> str:
    name = "rulesBuilt" if more else "rules"
    grown.requires.setdefault("knowledge", {})[name] = {"describe": "The rules for travel.", **more}
    return name


def _knowledge(grown: Grown, name: str) -> Json:
    node = {"type": "knowledge", "from": _collection(grown), "ask": grown.template()}
    return {**node, "most": grown.chance.randint(1, 50), "output": grown.channel(name, "list")}


def _index(grown: Grown, name: str) -> Json:
    node = {"type": "index", "into": _collection(grown, builds=True), "builtFrom": "the HR share"}
    if grown.chance.random() < 0.5:
        node |= {"method": "structure", "size": grown.chance.randint(100, 20_000)}
    return {**node, "output": grown.channel(name, "object")}


def _database(grown: Grown, name: str) -> Json:
    grown.requires["database"] = {"sales": {"describe": "Orders and customers."}}
    node = {"type": "database", "from": "sales"}
    asked = (
        {"mode": "schema"} if grown.chance.random() < 0.5 else {"sql": f"{{{{{grown.known('string')}}}}}", "most": 9}
    )
    return {**node, **asked, "output": grown.channel(name, "object")}


MAKERS: dict[str, Callable[[Grown, str], Json]] = {
    "handler": _handler, "llm": _llm, "ask": _ask, "form": _form, "tool": _tool, "tools": _tools, "work": _work,
    "fanout": _fanout, "flow": _flow, "agent": _agent, "read": _read, "knowledge": _knowledge, "index": _index,
    "database": _database,
}  # fmt: skip
