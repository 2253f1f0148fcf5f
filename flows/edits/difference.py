"""What is different between two documents, in words: built from the documents alone, whatever anybody says of them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

from flows.edits.apply import EditRefused, apply
from flows.edits.changes import Sketch, same
from flows.edits.lines import ChangeLine, What
from flows.edits.references import is_conditional
from flows.problem import at, quoted

Json = Any
_PARTS = ("tools", "state", "nodes", "edges")
_STORED = ("id", "createdBy", "lastUpdatedBy")
_DONE = {"+": "added", "~": "changed", "-": "removed"}


def lines(old: Json, new: Json) -> list[ChangeLine]:
    """Every difference, as a reader of the flow meets it: the flow itself, nodes, edges, channels, tools."""
    before = old if isinstance(old, dict) else {}
    after = new if isinstance(new, dict) else {}
    found: list[ChangeLine] = []
    for kind in _KINDS:
        renamed = _renamed(kind, before, after)
        before = _followed(kind, before, renamed) if renamed else before
        for name, new_name in renamed.items():
            words = f"{kind.what.capitalize()} {quoted(name)} renamed to {quoted(new_name)}"
            node: dict[str, Json] = {"node": new_name} if kind.what == "node" else {}
            found.append(
                ChangeLine(sign="~", what=kind.what, name=new_name, words=words, old=name, new=new_name, **node)
            )
    found += _flow(before, after)
    for kind in _KINDS:
        found += _parts(kind.what, kind.parts(before), kind.parts(after))
        if kind.what == "node":
            found += _edges(_by_name(before, "edges", "from"), _by_name(after, "edges", "from"))
    return found


class _Kind(NamedTuple):
    """Parts that have names. section and key: where they stand, and what names each; no key: by name in an object."""

    what: What
    section: str
    key: str
    rename: str

    def parts(self, document: dict[str, Json]) -> dict[str, Json]:
        if not self.key:
            return _mapped(document.get(self.section))
        return _by_name(document, self.section, self.key)


_KINDS = (
    _Kind("channel", "state", "", "renameChannel"),
    _Kind("tool", "tools", "name", "renameTool"),
    _Kind("node", "nodes", "id", "renameNode"),
)


def _followed(kind: _Kind, document: dict[str, Json], renamed: dict[str, str]) -> dict[str, Json]:
    """The document with what was renamed called so, so that all that follows from a name is said once."""
    key = "id" if kind.what == "node" else "name"
    operations = [{"op": kind.rename, key: old, "to": new} for old, new in renamed.items()]
    try:
        return apply(Sketch(document, {}), operations).document
    except EditRefused:
        return document


def layout_lines(old: Json, new: Json) -> list[ChangeLine]:
    """What is different beside the document: nodes that were moved, and comments."""
    before, after = _mapped(old), _mapped(new)
    stood, stands = _mapped(before.get("nodes")), _mapped(after.get("nodes"))
    moved = [id for id in stands if stood.get(id) != stands[id]]
    found: list[ChangeLine] = []
    if moved:
        words = f"Node {quoted(moved[0])} moved" if len(moved) == 1 else f"{len(moved)} nodes moved"
        found.append(ChangeLine(sign="~", what="layout", name=moved[0] if len(moved) == 1 else "", words=words))
    was, is_ = _by_name(before, "comments", "id"), _by_name(after, "comments", "id")
    for id in dict.fromkeys([*was, *is_]):
        if was.get(id) != is_.get(id):
            sign = "+" if id not in was else "-" if id not in is_ else "~"
            found.append(ChangeLine(sign=sign, what="layout", name=id, words=f"Comment {_DONE[sign]}"))
    return found


def unit_lines(old: Mapping[str, str], new: Mapping[str, str]) -> list[ChangeLine]:
    """What is different in the code, by `kind:name`."""
    found: list[ChangeLine] = []
    for id in dict.fromkeys([*old, *new]):
        if old.get(id) != new.get(id):
            kind, _, name = id.partition(":")
            sign = "+" if id not in old else "-" if id not in new else "~"
            words = f"Code of {kind} {quoted(name)} {_DONE[sign]}"
            found.append(ChangeLine(sign=sign, what="unit", name=id, words=words, old=old.get(id), new=new.get(id)))
    return found


def _mapped(value: Json) -> dict[str, Json]:
    return value if isinstance(value, dict) else {}


def _by_name(document: dict[str, Json], section: str, key: str) -> dict[str, Json]:
    """The parts of a section by their names; a second one of a name is told apart by its number."""
    parts = document.get(section)
    found: dict[str, Json] = {}
    # How many there are of a name so far: counting anew for each would take hours for a list of nothing but numbers.
    counts: dict[str, int] = {}
    for each in parts if isinstance(parts, list) else ():
        name = each.get(key) if isinstance(each, dict) else None
        called = name = name if isinstance(name, str) else "?"
        while called in found:
            counts[name] = counts.get(name, 1) + 1
            called = f"{name}#{counts[name]}"
        found[called] = each
    return found


def _flow(old: dict[str, Json], new: dict[str, Json]) -> Iterator[ChangeLine]:
    for key in dict.fromkeys([*old, *new]):
        if key in _PARTS or key in _STORED or (key in old and key in new and same(old[key], new[key])):
            continue
        sign = "+" if key not in old else "-" if key not in new else "~"
        yield ChangeLine(
            sign="~", what="flow", name=key, words=f"{quoted(key)} of the flow {_DONE[sign]}", path=[key],
            **_values(old, new, key),
        )  # fmt: skip


def _values(old: dict[str, Json], new: dict[str, Json], key: str) -> dict[str, Json]:
    return {name: part[key] for name, part in (("old", old), ("new", new)) if key in part}


def _parts(what: What, old: dict[str, Json], new: dict[str, Json]) -> Iterator[ChangeLine]:
    for name in dict.fromkeys([*new, *old]):
        node: dict[str, Json] = {"node": name} if what == "node" and name in new else {}
        if name not in old:
            words = f"{what.capitalize()} {quoted(name)} added"
            yield ChangeLine(sign="+", what=what, name=name, words=words, new=new[name], **node)
        elif name not in new:
            words = f"{what.capitalize()} {quoted(name)} removed"
            yield ChangeLine(sign="-", what=what, name=name, words=words, old=old[name])
        else:
            yield from _fields(what, name, old[name], new[name], node)


def _renamed(kind: _Kind, before: dict[str, Json], after: dict[str, Json]) -> dict[str, str]:
    """Old name → new name of what has nothing but another name; only where that is beyond doubt."""
    old, new = kind.parts(before), kind.parts(after)
    gone = {name: _nameless(kind.what, part) for name, part in old.items() if name not in new}
    found: dict[str, str] = {}
    for name, part in new.items() if gone else ():
        fits = [each for each, rest in gone.items() if name not in old and same(rest, _nameless(kind.what, part))]
        if len(fits) == 1 and fits[0] not in found:
            found[fits[0]] = name
    return found


def _nameless(what: What, part: Json) -> Json:
    key = {"node": "id", "tool": "name"}.get(what)
    return {name: each for name, each in part.items() if name != key} if isinstance(part, dict) else part


def _fields(what: What, name: str, old: Json, new: Json, node: dict[str, Json]) -> Iterator[ChangeLine]:
    if same(old, new):
        return
    before, after = _mapped(old), _mapped(new)
    keys = [key for key in dict.fromkeys([*after, *before]) if not same(before.get(key), after.get(key))]
    if not keys:
        yield ChangeLine(sign="~", what=what, name=name, words=f"{what.capitalize()} {quoted(name)} reordered", **node)
    for key in keys:
        sign = "+" if key not in before else "-" if key not in after else "~"
        words = f"{quoted(key)} of {what} {quoted(name)} {_DONE[sign]}"
        yield ChangeLine(
            sign="~", what=what, name=name, words=words, path=[key], **_values(before, after, key), **node
        )  # fmt: skip


def _edges(old: dict[str, Json], new: dict[str, Json]) -> Iterator[ChangeLine]:
    for name in dict.fromkeys([*new, *old]):
        before, after = _mapped(old.get(name)), _mapped(new.get(name))
        if same(before, after):
            continue
        from_ = name.partition("#")[0]
        node: dict[str, Json] = {"node": from_}
        was, is_ = is_conditional(before), is_conditional(after)
        if not was and not is_:
            yield from _plain(from_, before.get("to"), after.get("to"), node)
            continue
        if before and after and was != is_:
            words = f"The way on from {quoted(from_)} is now {'chosen by routes' if is_ else 'always the same'}"
            yield ChangeLine(sign="~", what="edge", name=from_, words=words, **node)
        if not is_ and after:
            yield from _plain(from_, None, after.get("to"), node)
        yield from _routes(from_, _mapped(before.get("routes")), _mapped(after.get("routes")), node)
        yield from _sentences(from_, before, after, node)


def _plain(from_: str, old: Json, new: Json, node: dict[str, Json]) -> Iterator[ChangeLine]:
    if old == new:
        return
    if old is None:
        words = f"{quoted(from_)} leads to {quoted(new)}"
    elif new is None:
        words = f"{quoted(from_)} leads no more to {quoted(old)}"
    else:
        words = f"{quoted(from_)} leads to {quoted(new)} instead of {quoted(old)}"
    sign = "+" if old is None else "-" if new is None else "~"
    yield ChangeLine(sign=sign, what="edge", name=from_, words=words, old=old, new=new, **node)


def _routes(from_: str, old: dict[str, Json], new: dict[str, Json], node: dict[str, Json]) -> Iterator[ChangeLine]:
    for route in dict.fromkeys([*new, *old]):
        if old.get(route) == new.get(route):
            continue
        sign = "+" if route not in old else "-" if route not in new else "~"
        aim = f" now leads to {quoted(new[route])}" if sign == "~" else f" {_DONE[sign]}"
        to = f", to {quoted(new[route])}" if sign == "+" else ""
        words = f"Route {quoted(route)} from {quoted(from_)}{aim}{to}"
        more = _values(old, new, route) | node
        yield ChangeLine(sign=sign, what="route", name=route, words=words, path=["routes", route], **more)


def _sentences(
    from_: str, before: dict[str, Json], after: dict[str, Json], node: dict[str, Json]
) -> Iterator[ChangeLine]:
    """What else an edge says: sentences and limits of routes that were there before, and the router's name."""
    kept = _mapped(before.get("routes")).keys() & _mapped(after.get("routes")).keys()
    for key, called in (("when", "Condition"), ("limits", "Limit")):
        old, new = _mapped(before.get(key)), _mapped(after.get(key))
        for route in dict.fromkeys([*new, *old]):
            if same(old.get(route), new.get(route)) or (key == "when" and route not in kept):
                continue
            sign = "+" if route not in old else "-" if route not in new else "~"
            words = f"{called} of the route {quoted(route)} from {quoted(from_)} {_DONE[sign]}"
            more = _values(old, new, route) | node
            yield ChangeLine(sign="~", what="route", name=route, words=words, path=[key, route], **more)
    for key in dict.fromkeys([*after, *before]):
        if key in ("from", "to", "type", "routes", "when", "limits") or key not in before or key not in after:
            continue
        if not same(before[key], after[key]):
            words = f"{quoted(at('', key))} of the edge from {quoted(from_)} changed"
            more = _values(before, after, key) | node
            yield ChangeLine(sign="~", what="edge", name=from_, words=words, path=[key], **more)
