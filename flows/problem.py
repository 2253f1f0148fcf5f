"""A problem is one thing wrong with a flow, in words; a rule is a generator that finds one kind of them."""

from __future__ import annotations

import contextlib
import difflib
import json
import re
from collections.abc import Callable, Generator, Iterable, Iterator, Sequence
from contextvars import ContextVar
from dataclasses import dataclass
from typing import Any, Literal

Level = Literal["error", "warning"]

Finding = tuple[str, str] | tuple[str, str, str]
"""What a rule yields: (path, message) or (path, message, hint)."""

_PLAIN_KEY = re.compile(r"[A-Za-z_$][A-Za-z0-9_$-]*")
_STEP = re.compile(r'\.?([A-Za-z_$][A-Za-z0-9_$-]*)|\[(\d+)\]|\["((?:[^"\\]|\\.)*)"\]')


@dataclass(frozen=True, slots=True)
class Problem:
    """What is wrong, where, and what to do.

    code: names the mistake (`NODE_UNREACHABLE`). level: errors stop a version, warnings are advice.
    path: `nodes[2].prompt`, a JSON path from the top of the flow; "" means the whole flow.
    message: what is wrong, quoting the name. hint: what to do about it; may be empty.
    """

    code: str
    level: Level
    path: str
    message: str
    hint: str = ""


class Rule:
    """A generator of findings, with the code and level that each of them gets. Call it to get Problems."""

    def __init__(self, code: str, level: Level, find: Callable[..., Iterable[Finding]]) -> None:
        self.code = code
        self.level: Level = level
        self.find = find
        self.__name__ = find.__name__
        self.__doc__ = find.__doc__

    def on(self, find: Callable[..., Iterable[Finding]]) -> Rule:
        """The same rule, looked for in another way: a rule about fields, asked of each node that has them."""
        moved = Rule(self.code, self.level, find)
        moved.__name__, moved.__doc__ = self.__name__, self.__doc__
        return moved

    def __call__(self, *given: Any) -> Iterator[Problem]:
        for path, message, *hint in self.find(*given):
            yield Problem(self.code, self.level, path, message, hint[0] if hint else "")


def rule(code: str, level: Level = "error") -> Callable[[Callable[..., Iterable[Finding]]], Rule]:
    """Label a generator of findings. Its docstring says what is refused, why, and what to write instead."""

    def label(find: Callable[..., Iterable[Finding]]) -> Rule:
        return Rule(code, level, find)

    return label


def at(path: str, *steps: str | int) -> str:
    """The JSON path below `path`: at("nodes", 2, "prompt") is `nodes[2].prompt`."""
    for step in steps:
        if isinstance(step, int):
            path = f"{path}[{step}]"
        elif _PLAIN_KEY.fullmatch(step):
            path = f"{path}.{step}" if path else step
        else:
            path = f"{path}[{json.dumps(_cut(step), ensure_ascii=False)}]"
    return path


def steps_of(path: str) -> list[str | int]:
    """The keys and positions of a JSON path that at() wrote; [] when it is none."""
    found: list[str | int] = []
    end = 0
    for match in _STEP.finditer(path):
        if match.start() != end:
            return []
        end = match.end()
        if match[2] is not None:
            found.append(int(match[2]))
        else:
            found.append(match[1] if match[1] is not None else json.loads(f'"{match[3]}"'))
    return found if end == len(path) else []


def quoted(name: object) -> str:
    """A name as messages quote it, cut when nobody would read the rest."""
    return f'"{_cut(str(name))}"'


def _cut(text: str) -> str:
    return text if len(text) <= 80 else text[:77] + "…"


def listed(names: Iterable[object], last: str = "or") -> str:
    """`"a", "b" or "c"`."""
    words = [quoted(name) for name in names]
    if len(words) < 2:
        return "".join(words)
    return f"{', '.join(words[:-1])} {last} {words[-1]}"


def chain(names: Sequence[str]) -> str:
    """`a → b → a`, cut in its middle when nobody would read it."""
    return " → ".join(names if len(names) < 12 else [*names[:5], "…", *names[-5:]])


_left: ContextVar[list[int] | None] = ContextVar("guesses left", default=None)


@contextlib.contextmanager
def guessing(most: int) -> Generator[None]:
    """Inside, nearest() compares at length so many times only; where more is wrong, a guess is no help."""
    token = _left.set([most])
    try:
        yield
    finally:
        _left.reset(token)


def nearest(word: str, choices: Iterable[str]) -> str | None:
    """The choice that `word` was probably meant to be; None when none is near."""
    pool = [choice for choice in choices if abs(len(choice) - len(word)) <= 4][:150]
    plain = word.lower().replace("_", "")
    for choice in pool:
        if choice.lower().replace("_", "") == plain:
            return choice
    left = _left.get()
    if left is not None and pool:
        left[0] -= 1
        if left[0] < 0:
            return None
    found = difflib.get_close_matches(word[:80], pool, 1, 0.7)
    return found[0] if found else None


def suggestion(word: str, choices: Iterable[str], otherwise: str) -> str:
    """`Did you mean "prompt"?`, or the other sentence."""
    found = nearest(word, choices)
    return f"Did you mean {quoted(found)}?" if found else otherwise
