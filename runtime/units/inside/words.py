"""A unit's own error, and a result that is no JSON, in words."""

import json
import math
from typing import Any

LONGEST = 1000
DEEPEST = 64


def tell(error: BaseException, unit: str, code: dict[str, str]) -> tuple[str, int | None]:
    """(sentence, the unit's line). No line of ours, no stack trace. code: of every unit that may have been called."""
    lines: dict[str, int] = {}
    trace = error.__traceback__
    while trace is not None:
        called = trace.tb_frame.f_code.co_filename[1:-1]
        if called == unit or (called.startswith("service:") and called in code):
            lines[called] = trace.tb_lineno
        trace = trace.tb_next
    if isinstance(error, SyntaxError) and error.lineno and (error.filename or "")[1:-1] in code:
        lines[(error.filename or "")[1:-1]] = error.lineno
    where = _line(code.get(unit, ""), lines.get(unit))
    for service in [called for called in lines if called != unit][-1:]:
        where += f", in services.{service.partition(':')[2]}{_line(code[service], lines[service])}"
    return f"The code of {unit.partition(':')[2]} stopped{where}: {_reason(error)}"[:LONGEST], lines.get(unit)


def _line(code: str, line: int | None) -> str:
    """` at line 3 (total = 1 / 0)`; "" where the line is not known."""
    lines = code.splitlines()
    if not line:
        return ""
    return f" at line {line} ({lines[line - 1].strip()[:120]})" if line <= len(lines) else f" at line {line}"


def _reason(error: BaseException) -> str:
    try:
        text = str(error)
    except Exception:
        text = ""
    if isinstance(error, SyntaxError) and type(error).__module__ == "builtins":
        return f"it is not Python: {error.msg}."
    if isinstance(error, KeyError) and error.args:
        return f"there is no {str(error.args[0])[:200]!r} in the object."
    if isinstance(error, RecursionError):
        return "it calls itself without end."
    if isinstance(error, SystemExit | KeyboardInterrupt):
        return "it tried to end the program."
    if type(error).__name__ == "ServiceError":
        return text
    return f"{type(error).__name__}: {text[:600]}" if text else type(error).__name__


class NotJson(Exception):
    """A value that cannot be kept as JSON. The message says which part of it, and why."""


def encoded(value: object) -> bytes:
    """The value as JSON. Raises NotJson."""
    try:
        if _plain(value, 0):
            return json.dumps(value, ensure_ascii=False, allow_nan=False, separators=(",", ":")).encode()
    except (ValueError, RecursionError):
        pass
    raise NotJson(_not_json(value) or "it holds a number of too many digits.")


_LEAVES = frozenset({str, int, bool, type(None), float})


def _plain(value: Any, depth: int) -> bool:
    """A quick look that lets only usual values pass; what it stops, _not_json judges and puts into words."""
    kind = type(value)
    if kind in _LEAVES:
        return True
    if depth > DEEPEST:
        return False
    if kind is dict:
        for key, item in value.items():
            if type(key) is not str or (type(item) not in _LEAVES and not _plain(item, depth + 1)):
                return False
        return True
    if kind in (list, tuple):
        return all(type(item) in _LEAVES or _plain(item, depth + 1) for item in value)
    return _not_json(value, "", depth) is None


def _not_json(value: object, path: str = "", depth: int = 0) -> str | None:
    """What keeps a value from being JSON, as a sentence; None when nothing does."""
    where = f"its {path!r}" if path else "it"
    if depth > DEEPEST:
        return f"{where} is nested more than 64 deep."
    if value is None or isinstance(value, bool | int):
        return None
    if isinstance(value, str):
        return None if value.isascii() or _encodes(value) else f"{where} holds half a character (a lone surrogate)."
    if isinstance(value, float):
        return None if math.isfinite(value) else f"{where} is {value}, which is no number in JSON."
    if isinstance(value, dict):
        odd = next((key for key in value if not isinstance(key, str)), None)
        if odd is not None:
            return f"{where} has the name {odd!r}, which is no text; JSON names are texts."
        pairs = value.items()
    elif isinstance(value, list | tuple):
        pairs = enumerate(value)
    else:
        return f"{where} is a {type(value).__name__}; only text, numbers, booleans, None, lists and dicts can be kept."
    for key, item in pairs:
        found = _not_json(item, f"{path}.{key}" if path else str(key), depth + 1)
        if found:
            return found
    return None


def _encodes(text: str) -> bool:
    try:
        text.encode()
    except UnicodeEncodeError:
        return False
    return True
