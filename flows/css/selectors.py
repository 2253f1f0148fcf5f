"""Which parts of the page a selector is about: only those that the page publishes, and what stands inside them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

from flows.css import allowed
from flows.problem import listed, nearest, quoted

Token = Any


class Selected(NamedTuple):
    """The selector is about parts of the page; root: about the page's own variables."""

    root: bool


class NotSelected(NamedTuple):
    """Why the selector is refused, and what to write."""

    words: str
    hint: str


def selected(prelude: Sequence[Token]) -> Selected | NotSelected:
    """Judge the selectors before a block."""
    groups = list(_split(prelude))
    roots = [_is_root(group) for group in groups]
    if all(roots):
        return Selected(True)
    if any(roots):
        return NotSelected('":root" stands beside other selectors', "Give it a block of its own.")
    for group in groups:
        wrong = _complex(group, inside=False)
        if wrong:
            return wrong
    return Selected(False)


def _split(tokens: Sequence[Token]) -> Iterator[list[Token]]:
    """The selectors between the commas, without space around them."""
    group: list[Token] = []
    for each in tokens:
        if each == ",":
            yield _trimmed(group)
            group = []
        elif each.type != "comment":
            group.append(each)
    yield _trimmed(group)


def _trimmed(group: list[Token]) -> list[Token]:
    said = [at for at, each in enumerate(group) if each.type != "whitespace"]
    return group[said[0] : said[-1] + 1] if said else []


def _is_root(group: list[Token]) -> bool:
    return len(group) == 2 and group[0] == ":" and group[1].type == "ident" and group[1].lower_value == "root"


def _complex(group: list[Token], inside: bool) -> NotSelected | None:
    """One selector. inside: it is an argument of :not() and the like, and need name no part."""
    if not group:
        return NotSelected("a selector is missing", f"Name a part of the page: {_PARTS}.")
    about = False
    before = ""
    for each in group:
        kind, now = each.type, ""
        if kind == "ident":
            name = each.lower_value
            if before == ".":
                if each.value not in (*allowed.PARTS, *allowed.STATES):
                    return _unknown(f".{each.value}")
                about = about or each.value in allowed.PARTS
            elif before in (":", "::"):
                known = allowed.PSEUDO_CLASSES if before == ":" else allowed.PSEUDO_ELEMENTS
                if name not in known:
                    return NotSelected(f"{quoted(before + name)} is not allowed", f"Use {listed(sorted(known)[:8])}.")
            elif name in allowed.ELEMENTS:
                about = about or name == "header"
            else:
                return _unknown(name)
        elif kind == "function" and before == ":" and each.lower_name in allowed.PSEUDO_FUNCTIONS:
            wrong = None if each.lower_name.startswith("nth") else _arguments(each.arguments)
            if wrong:
                return wrong
        elif kind == "literal" and each.value == ":" and before == ":":
            now = "::"
        elif kind == "literal" and each.value in (".", ":", ">", "*"):
            now = each.value
        elif kind != "whitespace":
            hint = f"Name parts by their classes, one inside another: {_PARTS}."
            return NotSelected(f"the selector {quoted(_written(group))} cannot be used", hint)
        after_a_sign = before in (".", ":", "::")
        if after_a_sign and now != "::" and kind not in ("ident", "function"):
            return NotSelected(f"the selector {quoted(_written(group))} cannot be read", "Name a class after the dot.")
        before = now
    if about or inside:
        return None
    return NotSelected(f"{quoted(_written(group))} is about no part of the page", f"Begin with one: {_PARTS}.")


def _arguments(tokens: Sequence[Token]) -> NotSelected | None:
    return next((wrong for group in _split(tokens) if (wrong := _complex(group, inside=True))), None)


def _unknown(name: str) -> NotSelected:
    near = nearest(name.lstrip("."), (*allowed.PARTS, *allowed.STATES, *allowed.ELEMENTS))
    hint = f"Did you mean {quoted(('.' if near in (*allowed.PARTS, *allowed.STATES) else '') + near)}?" if near else ""
    return NotSelected(f"{quoted(name)} is no part of the page that may be styled", hint or f"Its parts: {_PARTS}.")


def _written(group: Sequence[Token]) -> str:
    return "".join(token.serialize() for token in group)


_PARTS = listed([*(f".{name}" for name in allowed.PARTS), "header"])
