"""Which channels a node's own words read, and which they write."""

from __future__ import annotations

from flows.kinds import kind_of
from flows.words import template
from flows.words.base import Json, said
from flows.words.node import Node


def reads(node: Node) -> tuple[str, ...] | None:
    """The channels that the node's own words read, by name; None for code, which is given all of them."""
    if kind_of(node.type).sees_all:
        return None
    found: set[str] = set()
    for one in said(node, ""):
        if one.dsl.ref == "template":
            found |= template.reads(one.value)
        elif one.dsl.ref == "channel" and not one.dsl.writes:
            found |= set(_names(one.value))
    return tuple(sorted(found))


def writes(node: Node) -> tuple[str, ...]:
    """The channels that the node's own words write, by name; of code that writes what it likes, none."""
    found: set[str] = set()
    for one in said(node, ""):
        if one.dsl.ref == "channel" and one.dsl.writes:
            found |= set(_names(one.value))
    return tuple(sorted(found))


def _names(value: Json) -> list[str]:
    """The channels that a word names: one, several, or those that what another flow gives lands in."""
    named = list(value.values()) if isinstance(value, dict) else value if isinstance(value, list) else [value]
    return [name for name in named if name]
