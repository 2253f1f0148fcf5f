"""Judge a unit's code by reading it: is it the function that the flow asks for, and does it use only what there is?

The code is parsed and never run here. These checks make good code likely and tell authors early what will not work;
what keeps code in is the sandbox.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from functools import lru_cache

from flows.units import UnitKind, UnitSpec
from runtime.units import packages, patterns, reach
from runtime.units.inside.modules import ALLOWED, SUBMODULES

LONGEST = 64 << 10
GIVEN = ("services", "settings", "env")
_PARENTS = {"urllib", "xml"}
_PACKAGE_NAMES = {"PIL": "pillow", "sklearn": "scikit-learn", "cv2": "opencv-python", "docx": "python-docx"}
_FORBIDDEN = {
    "eval": "code that runs text as code cannot be checked",
    "exec": "code that runs text as code cannot be checked",
    "compile": "code that runs text as code cannot be checked",
    "__import__": "import at the top instead",
    "open": "there are no files; use services.files",
    "input": "there is no terminal; ask people with an ask or form node",
    "breakpoint": "there is no debugger",
    "globals": "write plain names instead",
    "locals": "write plain names instead",
    "vars": "write plain names instead",
    "setattr": "write the attribute instead",
    "delattr": "write the attribute instead",
}
_LOOP_PARTS = {
    "to_thread",
    "run",
    "open_connection",
    "start_server",
    "create_subprocess_exec",
    "create_subprocess_shell",
}
_FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef)
_TOP = (*_FUNCTIONS, ast.ClassDef, ast.Import, ast.ImportFrom, ast.Assign, ast.AnnAssign)
_NO_OBJECT = (ast.List, ast.Tuple, ast.Set, ast.JoinedStr)


@dataclass(frozen=True)
class Ground:
    """What code stands on: its kind and name, and the names that the flow declares.

    routes: a router's. channels: name → type, to tell text from lists where a router looks inside a value.
    """

    kind: UnitKind
    name: str
    routes: tuple[str, ...] = ()
    services: tuple[str, ...] = ()
    settings: tuple[str, ...] = ()
    env: tuple[str, ...] = ()
    packages: tuple[tuple[str, str], ...] = ()
    channels: Mapping[str, str] = field(default_factory=dict, hash=False)

    @classmethod
    def of(cls, spec: UnitSpec, channels: Mapping[str, str] | None = None) -> Ground:
        return cls(
            spec.kind,
            spec.name,
            tuple(spec.routes),
            tuple(spec.services),
            tuple(spec.settings),
            tuple(spec.env),
            tuple(spec.packages.items()),
            channels or {},
        )


def lint(ground: Ground, code: str) -> list[str]:
    """What is wrong with the code, in sentences that name its line; empty when nothing is."""
    if len(code.encode("utf-8", "replace")) > LONGEST:
        return [f"The code is longer than {LONGEST >> 10} KB. Split the work over several nodes."]
    try:
        tree = ast.parse(code)
    except SyntaxError as error:
        return [f"Line {error.lineno or 1}: this is not Python: {error.msg}."]
    except (ValueError, RecursionError, MemoryError):
        return ["This is not Python: it holds NUL characters or is nested too deep."]
    found = [*_function(tree, ground), *_top(tree), *_imports(tree, ground), *_names(tree)]
    found += reach.problems(tree, ground.services, ground.settings, ground.env)
    if ground.kind == "router":
        found += patterns.problems(tree, ground.name, ground.routes, ground.channels)
    if ground.kind == "service":
        found += _offered(tree)
    return [*dict.fromkeys(found)]


@lru_cache(maxsize=2000)
def declarations(ground: Ground, code: str) -> tuple[str, ...]:
    """What in code that was accepted is not declared any more: services, settings, secrets, packages; in sentences."""
    try:
        tree = ast.parse(code)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return ()
    found = [*_imports(tree, ground), *reach.undeclared(tree, ground.services, ground.settings, ground.env)]
    return tuple(dict.fromkeys(found))


def _function(tree: ast.Module, ground: Ground) -> Iterator[str]:
    """Exactly one async function of the name, with the one signature that the sandbox calls."""
    kind, name = ground.kind, ground.name
    same = [node for node in tree.body if isinstance(node, _FUNCTIONS) and node.name == name]
    first = {"tool": ["args"], "service": []}.get(kind, ["state"])
    wanted = f"{'' if kind == 'service' else 'async '}def {name}({', '.join([*first, '*', *GIVEN])})"
    if len(same) != 1:
        yield f"There must be exactly one function named {name}: {wanted}. There are {len(same)}."
        return
    node = same[0]
    given = node.args
    positional = [*given.posonlyargs, *given.args]
    if isinstance(node, ast.AsyncFunctionDef) == (kind == "service"):
        yield f"Line {node.lineno}: {name} must {'not ' if kind == 'service' else ''}be async: {wanted}."
    elif (
        [one.arg for one in positional] != first
        or sorted(one.arg for one in given.kwonlyargs) != sorted(GIVEN)
        or given.vararg
        or given.kwarg
    ):
        yield f"Line {node.lineno}: the function must begin {wanted}."
    if node.decorator_list:
        yield f"Line {node.lineno}: {name} must have no decorator."
    if any(isinstance(inner, ast.Yield | ast.YieldFrom) for inner in _own(node)):
        yield f"Line {node.lineno}: {name} must return its result, not yield it."
    returned = [inner for inner in _own(node) if isinstance(inner, ast.Return) and inner.value is not None]
    if kind != "handler" and not returned and not any(isinstance(inner, ast.Raise) for inner in _own(node)):
        yield f"Line {node.lineno}: {name} returns nothing."
    if kind == "handler":
        for inner in returned:
            value = inner.value
            if isinstance(value, _NO_OBJECT) or (isinstance(value, ast.Constant) and value.value is not None):
                yield f"Line {inner.lineno}: a handler returns an object of the channels it changes."


def _offered(tree: ast.Module) -> Iterator[str]:
    """What a service offers is awaited, whoever calls it: its public methods are async."""
    for holder in ast.walk(tree):
        for node in holder.body if isinstance(holder, ast.ClassDef) else ():
            if isinstance(node, ast.FunctionDef) and not node.name.startswith("_") and not node.decorator_list:
                yield (
                    f"Line {node.lineno}: {node.name} must be async, since what a service offers is awaited. "
                    "A method for the service alone has a name that begins with _."
                )


def _own(function: ast.AST) -> Iterator[ast.AST]:
    """The nodes of a function, without those of functions inside it."""
    waiting = list(ast.iter_child_nodes(function))
    while waiting:
        node = waiting.pop(0)
        yield node
        if not isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda | ast.ClassDef):
            waiting += ast.iter_child_nodes(node)


def _top(tree: ast.Module) -> Iterator[str]:
    """Only definitions stand outside functions: a unit's module is run anew for each call."""
    for node in tree.body:
        is_words = isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)
        if not isinstance(node, _TOP) and not is_words:
            yield f"Line {node.lineno}: outside functions stand only imports, constants and functions."


def _imports(tree: ast.Module, ground: Ground) -> Iterator[str]:
    for node in ast.walk(tree):
        if isinstance(node, ast.ImportFrom):
            if node.level:
                yield f"Line {node.lineno}: there is nothing beside the code to import from."
                continue
            if any(alias.name == "*" for alias in node.names):
                yield f"Line {node.lineno}: import names one by one, not with *."
            within = {f"{node.module}.{alias.name}" for alias in node.names}
            names = within if node.module in _PARENTS or within <= set(SUBMODULES) else {node.module or ""}
        elif isinstance(node, ast.Import):
            names = {alias.name for alias in node.names}
        else:
            continue
        for name in sorted(names):
            yield from _import(node.lineno, name, ground.packages)


def _import(line: int, name: str, wanted: tuple[tuple[str, str], ...]) -> Iterator[str]:
    top = name.partition(".")[0]
    if name in SUBMODULES or (top in ALLOWED and top not in _PARENTS):
        return
    package = packages.of_module(top)
    # A package that is not here is known by its name alone, which is mostly that of its module.
    called = package.name if package else _PACKAGE_NAMES.get(top, packages.canonical(top))
    declared = next((each for each in wanted if packages.canonical(each[0]) == called), None)
    if declared is not None:
        why = packages.why_not(*declared)
        if why:
            yield f"Line {line}: {why}"
    elif package is not None:
        yield (
            f"Line {line}: {top} belongs to {package.name} {package.version}, which the flow does not require. "
            f'Add "{package.name}" with a version range to requires.packages, or do without it.'
        )
    elif top in _PARENTS or top in ALLOWED:
        offered = ", ".join(one for one in SUBMODULES if one.startswith(top + "."))
        yield f"Line {line}: of {top}, code may import {offered}."
    elif top in ("httpx", "requests", "aiohttp", "http", "socket"):
        yield f"Line {line}: {top} cannot be imported; code reaches the outside through services.http."
    else:
        yield f"Line {line}: {top} cannot be imported; code may import {', '.join(ALLOWED[1:])}."


def _names(tree: ast.Module) -> Iterator[str]:
    for node in ast.walk(tree):
        if isinstance(node, ast.Attribute) and node.attr.startswith("__") and node.attr.endswith("__"):
            if node.attr != "__name__" and not _is_super(node.value):
                yield f"Line {node.lineno}: {node.attr} reaches into Python itself; write it without."
        elif isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load) and node.id in _FORBIDDEN:
            yield f"Line {node.lineno}: {node.id} cannot be used: {_FORBIDDEN[node.id]}."
        elif isinstance(node, ast.Name) and node.id.startswith("__") and node.id not in ("__name__", "__debug__"):
            yield f"Line {node.lineno}: {node.id} reaches into Python itself; write it without."
        elif isinstance(node, ast.Global):
            yield f"Line {node.lineno}: nothing outlives a call; use a local name instead of global."
        elif isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name):
            if (node.value.id, node.attr) == ("time", "sleep"):
                yield f"Line {node.lineno}: time.sleep stops everything; write await asyncio.sleep."
            elif node.value.id == "asyncio" and node.attr in _LOOP_PARTS:
                yield f"Line {node.lineno}: asyncio.{node.attr} does not work here: there are no threads and sockets."


def _is_super(node: ast.expr) -> bool:
    return isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "super"
