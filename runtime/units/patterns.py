"""Routers choose by settled state. One that looks for patterns in text is refused: code cannot read intent."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping, Sequence

_TEXT_MODULES = {"re", "difflib", "string", "unicodedata", "textwrap", "html"}
_TEXT_METHODS = {
    "startswith", "endswith", "lower", "upper", "casefold", "capitalize", "title", "swapcase", "find", "rfind",
    "rindex", "split", "rsplit", "splitlines", "partition", "rpartition", "replace", "translate", "removeprefix",
    "removesuffix", "match", "search", "fullmatch", "findall", "finditer", "sub",
}  # fmt: skip
_INSTEAD = (
    "A router branches on settled state, never on what somebody meant: let an llm node write one word to a channel, "
    "and compare that channel."
)


def problems(tree: ast.Module, name: str, routes: Sequence[str], channels: Mapping[str, str]) -> Iterator[str]:
    """channels: name → type."""
    yield from _routes(tree, name, routes)
    named = {
        node.targets[0].id: node.value
        for node in ast.walk(tree)
        if isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Name)
    }
    for node in ast.walk(tree):
        if isinstance(node, ast.Import | ast.ImportFrom):
            names = [node.module or ""] if isinstance(node, ast.ImportFrom) else [alias.name for alias in node.names]
            for module in names:
                if module.partition(".")[0] in _TEXT_MODULES:
                    yield f"Line {node.lineno}: the router matches patterns in text (it imports {module}). {_INSTEAD}"
        elif isinstance(node, ast.Attribute) and node.attr in _TEXT_METHODS:
            yield f"Line {node.lineno}: the router matches patterns in text ({node.attr}). {_INSTEAD}"
        elif isinstance(node, ast.Compare):
            yield from _membership(node, channels, named)
        elif isinstance(node, ast.Name) and node.id in ("services", "env") and isinstance(node.ctx, ast.Load):
            yield f"Line {node.lineno}: a router asks nobody; it reads the state. Let a node before it fetch the value."


def _routes(tree: ast.Module, name: str, routes: Sequence[str]) -> Iterator[str]:
    """Each return is a declared route's name, written out, and each route can be returned."""
    function = next((node for node in tree.body if isinstance(node, ast.AsyncFunctionDef) and node.name == name), None)
    if function is None:
        return
    listed = ", ".join(routes)
    returned: set[str] = set()
    for node in _returns(function):
        for value in _choices(node.value):
            if isinstance(value, ast.Constant) and isinstance(value.value, str):
                returned.add(value.value)
                if value.value not in routes:
                    yield f'Line {node.lineno}: "{value.value}" is no route of {name}. Its routes are {listed}.'
            else:
                yield f"Line {node.lineno}: return the route's name itself, one of {listed}, so that it can be checked."
    for route in routes:
        if route not in returned:
            yield f'The route "{route}" is never returned.'
    last = function.body[-1]
    if not _ends(last):
        yield f"Line {last.lineno}: after the last line nothing is returned. End with a return or a raise."


def _returns(function: ast.AST) -> Iterator[ast.Return]:
    for node in ast.iter_child_nodes(function):
        if isinstance(node, ast.Return):
            yield node
        elif not isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda | ast.ClassDef):
            yield from _returns(node)


def _choices(value: ast.expr | None) -> Iterator[ast.expr | None]:
    if isinstance(value, ast.IfExp):
        yield from _choices(value.body)
        yield from _choices(value.orelse)
    else:
        yield value


def _ends(last: ast.stmt) -> bool:
    if isinstance(last, ast.Return | ast.Raise):
        return True
    if isinstance(last, ast.If):
        return bool(last.orelse) and _ends(last.body[-1]) and _ends(last.orelse[-1])
    if isinstance(last, ast.Match):
        wild = last.cases[-1].pattern
        whole = isinstance(wild, ast.MatchAs) and wild.pattern is None
        return whole and all(_ends(case.body[-1]) for case in last.cases)
    if isinstance(last, ast.Try):
        return _ends(last.body[-1]) and all(_ends(handler.body[-1]) for handler in last.handlers)
    return isinstance(last, ast.With) and _ends(last.body[-1])


def _membership(node: ast.Compare, channels: Mapping[str, str], named: Mapping[str, ast.expr]) -> Iterator[str]:
    """`"refund" in state["message"]` looks inside a text; `state["kind"] in ("a", "b")` compares."""
    for sign, held in zip(node.ops, node.comparators, strict=True):
        holder = named.get(held.id, held) if isinstance(held, ast.Name) else held
        if isinstance(sign, ast.In | ast.NotIn) and not _holds_values(holder, channels):
            what = ast.unparse(holder)[:60]
            yield (
                f"Line {node.lineno}: the router looks for something inside {what}, which may be a text. {_INSTEAD} "
                "To ask whether an object has a field, write .get(…) is not None."
            )


def _holds_values(holder: ast.expr, channels: Mapping[str, str]) -> bool:
    """Is it surely no text: a written-out list, the state itself, or a list or object channel?"""
    if isinstance(holder, ast.List | ast.Tuple | ast.Set | ast.Dict | ast.ListComp | ast.SetComp | ast.DictComp):
        return True
    if isinstance(holder, ast.Name):
        return holder.id == "state"
    if isinstance(holder, ast.BoolOp) and isinstance(holder.op, ast.Or):
        return all(_holds_values(value, channels) for value in holder.values)
    if isinstance(holder, ast.Call) and isinstance(holder.func, ast.Attribute):
        if holder.func.attr in ("keys", "values"):
            return True
        if holder.func.attr == "get" and isinstance(holder.func.value, ast.Name) and holder.args:
            return _channel_holds(holder.func.value.id, holder.args[0], channels)
    if isinstance(holder, ast.Call) and isinstance(holder.func, ast.Name):
        return holder.func.id in ("set", "list", "tuple", "range", "frozenset", "dict")
    if isinstance(holder, ast.Subscript) and isinstance(holder.value, ast.Name):
        return _channel_holds(holder.value.id, holder.slice, channels)
    return False


def _channel_holds(name: str, key: ast.expr, channels: Mapping[str, str]) -> bool:
    return name == "state" and isinstance(key, ast.Constant) and channels.get(str(key.value)) in ("list", "object")
