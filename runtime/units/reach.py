"""What code asks for beside its state: each services, settings and env name that it uses must be there."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence

OFFERED = {
    "http": ("request", "get", "head", "post", "put", "patch", "delete"),
    "files": ("read", "base64", "save"),
}
_MAPPING = ("get", "keys", "items", "values")


def problems(tree: ast.Module, services: Sequence[str], settings: Sequence[str], env: Sequence[str]) -> Iterator[str]:
    """Each undeclared name, and each request whose answer is not waited for, as a sentence."""
    yield from undeclared(tree, services, settings, env)
    yield from _unawaited(tree, services)


def undeclared(tree: ast.Module, services: Sequence[str], settings: Sequence[str], env: Sequence[str]) -> Iterator[str]:
    """Each name that the flow does not declare, or that nothing has, as a sentence."""
    for node in ast.walk(tree):
        for name, line in _read(node, "services"):
            yield from _service(name, line, services)
        for name, line in _read(node, "settings"):
            if name not in settings and name not in _MAPPING:
                yield _undeclared("settings", name, line, settings)
        for name, line in _read(node, "env"):
            if name not in env and name != "get":
                yield _undeclared("env", name, line, env)
        if isinstance(node, ast.Attribute) and _of(node.value, "services") in OFFERED:
            service = _of(node.value, "services") or ""
            if node.attr not in OFFERED[service]:
                offered = ", ".join(OFFERED[service])
                yield f"Line {node.lineno}: services.{service} has no {node.attr}; it has {offered}."


def _service(name: str, line: int, declared: Sequence[str]) -> Iterator[str]:
    if name not in (*OFFERED, "sign", *declared):
        there = ", ".join(f"services.{each}" for each in ("http", "files", "sign", *declared))
        yield f"Line {line}: services.{name} is not declared. Describe it in requires.services, or use one of {there}."


def _undeclared(kind: str, name: str, line: int, declared: Sequence[str]) -> str:
    there = f" Declared are {', '.join(declared)}." if declared else ""
    return f"Line {line}: {kind}.{name} is not declared. Add {name} to requires.{kind}, or do without it.{there}"


def _read(node: ast.AST, given: str) -> Iterator[tuple[str, int]]:
    """The names read off one of the three: given.NAME, given["NAME"], given.get("NAME")."""
    if isinstance(node, ast.Attribute) and _is(node.value, given):
        yield node.attr, node.lineno
    elif isinstance(node, ast.Subscript) and _is(node.value, given) and isinstance(node.slice, ast.Constant):
        yield str(node.slice.value), node.lineno
    elif (
        isinstance(node, ast.Call)
        and isinstance(node.func, ast.Attribute)
        and node.func.attr == "get"
        and given != "services"
        and _is(node.func.value, given)
        and node.args
        and isinstance(node.args[0], ast.Constant)
    ):
        yield str(node.args[0].value), node.lineno


def _is(node: ast.AST, name: str) -> bool:
    return isinstance(node, ast.Name) and node.id == name


def _of(node: ast.AST, name: str) -> str | None:
    """X of name.X."""
    return node.attr if isinstance(node, ast.Attribute) and _is(node.value, name) else None


def _requests(node: ast.AST, services: Sequence[str]) -> bool:
    """Is this a call of services.http.get and the like, of services.sign, or of what a service of the flow's offers?"""
    if not isinstance(node, ast.Call) or not isinstance(node.func, ast.Attribute):
        return False
    return _of(node.func.value, "services") in (*OFFERED, *services) or _of(node.func, "services") == "sign"


def _unawaited(tree: ast.Module, services: Sequence[str]) -> Iterator[str]:
    """A request without await never happens, and its answer has no parts to read."""
    for node in ast.walk(tree):
        inner = node.value if isinstance(node, ast.Expr | ast.Attribute | ast.Subscript | ast.Return) else None
        if inner is not None and _requests(inner, services):
            assert isinstance(inner, ast.Call)
            yield f"Line {inner.lineno}: write await before {ast.unparse(inner.func)}."
