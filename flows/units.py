"""The code that a flow needs, before there is any: one spec for every handler, router, tool and service."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from flows.kinds import kind_of
from flows.words.base import Json, UnitKind, declared
from flows.words.canonical import sha
from flows.words.document import Document
from flows.words.node import Node

__all__ = ["SHAPES", "UnitKind", "UnitSpec", "key_of", "units_named", "units_of"]

SHAPES = 1
"""Number of the way in which code is called and what it is given; a new one makes all code stale."""


@dataclass(frozen=True)
class UnitSpec:
    """What one function is to do.

    description: its words; empty for a router, which has `when` (route → sentence, in the author's order) and
    `routes`. inputs: a tool's arguments as fields. services (other than itself), settings, packages: what the flow
    declares, by name. env: names of secrets. key: changes when the code must be written again.
    """

    kind: UnitKind
    name: str
    key: str
    description: str = ""
    when: Mapping[str, str] = field(default_factory=dict)
    routes: Mapping[str, str] = field(default_factory=dict)
    inputs: Mapping[str, Json] = field(default_factory=dict)
    services: Mapping[str, str] = field(default_factory=dict)
    settings: Mapping[str, Json] = field(default_factory=dict)
    packages: Mapping[str, str] = field(default_factory=dict)
    env: tuple[str, ...] = ()

    @property
    def id(self) -> str:
        """`handler:plan`, as a version's units are named."""
        return f"{self.kind}:{self.name}"


def key_of(
    kind: UnitKind,
    name: str,
    description: str = "",
    when: Mapping[str, str] | None = None,
    inputs: Mapping[str, Json] | None = None,
) -> str:
    """Hash of what code is written from. The order of when sentences counts, since routes are tried in it."""
    return sha([SHAPES, kind, name, description, [[route, words] for route, words in (when or {}).items()], inputs])


def units_named(node: Node) -> list[tuple[UnitKind, str]]:
    """The code that a node runs, as its own words name it."""
    found: list[tuple[UnitKind, str]] = []
    for name, (_, dsl) in declared(type(node)).items():
        value = getattr(node, name)
        if dsl.unit and isinstance(value, str):
            found.append((dsl.unit, value))
    return found


def units_of(document: Document, *, uncalled: bool = False) -> list[UnitSpec]:
    """Every service of the flow's own, every function that a node names, every conditional edge's router, every tool
    that a node calls; each once. Services come first: what is written later calls them.

    uncalled: tools that no node calls as well. They may have code; nothing waits for it.
    """
    needs = document.requires
    given: dict[str, Json] = {
        "services": needs.services,
        "settings": {name: setting.plain() for name, setting in needs.settings.items()},
        "packages": needs.packages,
        "env": tuple(needs.env),
    }
    found: dict[str, UnitSpec] = {}

    def add(spec: UnitSpec) -> None:
        # A function that two nodes share is described by the one that describes it.
        known = found.get(spec.id)
        if known is None or (not known.description and spec.description):
            found[spec.id] = spec

    for name, said in needs.services.items():
        others = {other: words for other, words in needs.services.items() if other != name}
        words = said.strip()
        add(UnitSpec("service", name, key_of("service", name, words), words, **{**given, "services": others}))
    called: set[str] = set()
    for node in document.nodes:
        words = node.description.strip()
        called.update(kind_of(node.type).may_call(node, document))
        for kind, name in units_named(node):
            if kind != "tool":
                add(UnitSpec(kind, name, key_of(kind, name, words), words, **given))
    for edge in document.routers():
        key = key_of("router", edge.router, when=edge.when)
        add(UnitSpec("router", edge.router, key, when=edge.when, routes=edge.routes, **given))
    for tool in document.tools:
        if uncalled or tool.name in called:
            inputs = {name: each.plain() for name, each in (tool.inputs or {}).items()}
            words = tool.description.strip()
            key = key_of("tool", tool.name, words, inputs=inputs)
            add(UnitSpec("tool", tool.name, key, words, inputs=inputs, **given))
    return list(found.values())
