"""handlers.py beside a flow: all its functions in one file, taken apart into units and put together again."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Mapping

_GIVEN = {"services", "settings", "env"}
_DEFINED = ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef | ast.Assign | ast.AnnAssign


class FileRefused(Exception):
    """The file cannot be taken apart, or units cannot share one. The message is a sentence."""

    def __init__(self, message: str) -> None:
        super().__init__(message)
        self.message = message


def parse_handlers(text: str) -> dict[str, str]:
    """Function name → its unit's code: the imports and shared definitions it uses, then its own text, unchanged.

    A unit is a function that takes services, settings and env: an async one, or a service's, which takes nothing else.
    Raises FileRefused.
    """
    try:
        tree = ast.parse(text)
    except SyntaxError as error:
        raise FileRefused(f"handlers.py, line {error.lineno or 1}: this is not Python: {error.msg}.") from None
    except (ValueError, RecursionError, MemoryError):
        raise FileRefused("handlers.py is not Python: it holds NUL characters or is nested too deep.") from None
    lines = text.splitlines(keepends=True)
    imports: list[ast.Import | ast.ImportFrom] = []
    shared: dict[str, ast.stmt] = {}
    units: dict[str, ast.stmt] = {}
    for node in tree.body:
        if isinstance(node, ast.Import | ast.ImportFrom):
            imports.append(node)
        elif isinstance(node, _DEFINED):
            for name in _defines(node):
                if name in shared or name in units:
                    raise FileRefused(f"handlers.py, line {node.lineno}: {name} is defined twice.")
                (units if _is_unit(node) else shared)[name] = node
        elif not (isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)):
            raise FileRefused(
                f"handlers.py, line {node.lineno}: outside functions stand only imports, constants and functions."
            )
    return {name: _unit(node, imports, shared, lines) for name, node in units.items()}


def render_handlers(codes: Iterable[str], words: str = "") -> str:
    """One file of several units' code: imports once, shared definitions once. Raises FileRefused.

    words: the file's docstring, when there is to be one.
    """
    imports: dict[str, None] = {}
    defined: dict[str, str] = {}
    for code in codes:
        lines = code.splitlines(keepends=True)
        for node in ast.parse(code).body:
            piece = _text(node, lines)
            if isinstance(node, ast.Import | ast.ImportFrom):
                imports.update(dict.fromkeys(_one_by_one(node, node.names)))
            elif isinstance(node, _DEFINED):
                for name in _defines(node):
                    if defined.setdefault(name, piece) != piece:
                        raise FileRefused(
                            f"Two units define {name} differently. Rename it in one of them to have both in one file."
                        )
    parts = [f'"""{words}"""\n'] if words else []
    if imports:
        parts.append("\n".join(sorted(imports, key=_after_future)) + "\n")
    bodies = list(dict.fromkeys(piece.strip("\n") + "\n" for piece in defined.values()))
    return "\n".join(parts) + ("\n\n" if parts and bodies else "") + "\n\n".join(bodies)


def _after_future(line: str) -> bool:
    return "__future__" not in line


def _one_by_one(node: ast.Import | ast.ImportFrom, names: list[ast.alias]) -> list[str]:
    """An import statement's names as one statement each, so that two units' imports fit together."""
    made = []
    for alias in names:
        if isinstance(node, ast.Import):
            made.append(ast.unparse(ast.Import([alias])))
        else:
            made.append(ast.unparse(ast.ImportFrom(node.module, [alias], node.level)))
    return made


def _is_unit(node: ast.stmt) -> bool:
    if not isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
        return False
    makes = isinstance(node, ast.FunctionDef) and not (node.args.args or node.args.posonlyargs)
    return (makes or isinstance(node, ast.AsyncFunctionDef)) and {one.arg for one in node.args.kwonlyargs} >= _GIVEN


def _defines(node: ast.stmt) -> list[str]:
    if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
        return [node.name]
    targets = node.targets if isinstance(node, ast.Assign) else [node.target] if isinstance(node, ast.AnnAssign) else []
    return [one.id for target in targets for one in ast.walk(target) if isinstance(one, ast.Name)]


def _uses(node: ast.AST) -> set[str]:
    return {one.id for one in ast.walk(node) if isinstance(one, ast.Name)}


def _unit(
    node: ast.stmt, imports: list[ast.Import | ast.ImportFrom], shared: Mapping[str, ast.stmt], lines: list[str]
) -> str:
    needed: set[str] = set()
    waiting = _uses(node)
    while waiting:
        name = waiting.pop()
        if name not in needed:
            needed.add(name)
            if name in shared:
                waiting |= _uses(shared[name])
    heads = [line for one in imports for line in _needed_imports(one, needed)]
    kept = dict.fromkeys(shared[name] for name in shared if name in needed)
    bodies = [_text(one, lines).strip("\n") + "\n" for one in [*kept, node]]
    head = "\n".join(dict.fromkeys(heads)) + "\n\n\n" if heads else ""
    return head + "\n\n".join(bodies)


def _needed_imports(node: ast.Import | ast.ImportFrom, needed: set[str]) -> list[str]:
    kept = [alias for alias in node.names if (alias.asname or alias.name.partition(".")[0]) in needed]
    if isinstance(node, ast.ImportFrom) and node.module == "__future__":
        kept = node.names
    return _one_by_one(node, kept)


def _text(node: ast.stmt, lines: list[str]) -> str:
    """The statement's own text, with its decorators and the comment lines right above it."""
    first = min([node.lineno, *(one.lineno for one in getattr(node, "decorator_list", []))]) - 1
    while first > 0 and lines[first - 1].startswith("#"):
        first -= 1
    return "".join(lines[first : node.end_lineno])
