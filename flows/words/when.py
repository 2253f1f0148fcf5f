"""When sentences that are regular become router code without a model.

A regular sentence compares a channel, or a value inside it, named in single quotes or backticks, with a value in
double quotes or a number:

    'x' is "y"            'x' is not "y"         'x' is one of "a", "b" or "c"    'x' is true
    'x' is empty          'x' is not empty       'list' has at least n items
    'x' is at least n     'x' is more than n     'x' is at most n                 'x' is less than n

joined by `and` and `or` (and binds closer), and `anything else` for what the other routes leave.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import lru_cache
from typing import NamedTuple

from flows.words.template import is_path

_OTHERWISE = re.compile(r"\s*(?:anything|everything) else\b.*", re.IGNORECASE | re.DOTALL)
_TOKEN = re.compile(
    r"""\s*(?:
        '(?P<quoted>[^']*)' | `(?P<ticked>[^`]*)` | "(?P<text>(?:[^"\\]|\\.)*)"
      | (?P<number>-?\d+(?:\.\d+)?)(?![\w.]*\w) | (?P<word>[A-Za-z]+) | (?P<comma>,)
    )""",
    re.VERBOSE,
)

_QUOTED = re.compile(r""""(?:[^"\\]|\\.)*"|(?P<mark>['`])(?P<path>[^'`"]*)(?P=mark)""")

MAX_TOKENS = 400


class _Token(NamedTuple):
    kind: str
    text: str


class _Irregular(Exception):
    """The sentence is not of the regular form."""


def is_otherwise(sentence: str) -> bool:
    """Is this the sentence for whatever the others leave?"""
    return _OTHERWISE.fullmatch(sentence) is not None


def is_regular(sentence: str) -> bool:
    """Can code be written from this sentence without a model?"""
    if is_otherwise(sentence):
        return True
    try:
        _condition(sentence)
    except _Irregular:
        return False
    return True


@lru_cache(maxsize=2048)
def regular_reads(sentence: str) -> tuple[str, ...]:
    """The paths that a regular sentence reads; none of any other, whose quotes may hold anything."""
    if is_otherwise(sentence) or not is_regular(sentence):
        return ()
    return tuple(token.text for token in _tokens(sentence) if token.kind == "path")


def renamed(sentence: str, old: str, new: str) -> str:
    """The sentence with the channel `old` called `new` where it stands in single quotes or backticks.

    What stands in double quotes is a value and stays.
    """

    def follow(match: re.Match[str]) -> str:
        path = match.group("path")
        if path is None or not is_path(path) or path.partition(".")[0] != old:
            return match.group(0)
        return f"{match.group('mark')}{new}{path[len(old) :]}{match.group('mark')}"

    return _QUOTED.sub(follow, sentence) if old in sentence else sentence


def compile_router(name: str, routes: Mapping[str, str], when: Mapping[str, str]) -> str | None:
    """The router's Python code; None when a sentence is irregular, a route has none, or two say "anything else".

    Routes are tried in the order of `when`, and "anything else" last. Without it, a state in which no sentence holds
    fails the router in words.
    """
    tests: list[tuple[str, str]] = []
    rest: str | None = None
    for route, sentence in when.items():
        if route not in routes:
            return None
        if is_otherwise(sentence):
            if rest is not None:
                return None
            rest = route
            continue
        try:
            tests.append((route, _condition(sentence)))
        except _Irregular:
            return None
    if not set(routes) <= set(when):
        return None
    return _code(name, tests, rest)


def _code(name: str, tests: list[tuple[str, str]], rest: str | None) -> str:
    lines = [f"async def {name}(state, *, services, settings, env):"]
    body = " ".join(condition for _, condition in tests)
    lines += [line for function, source in _PARTS if f"{function}(" in body for line in source.splitlines()]
    for route, condition in tests:
        lines += [f"    if {condition}:", f"        return {_literal(route)}"]
    if rest is not None:
        lines.append(f"    return {_literal(rest)}")
    else:
        lines.append(f"    raise ValueError({_literal(f'No route of {name} fits: add one for anything else.')})")
    return "\n".join(lines) + "\n"


_READ = """\
    def read(*path):
        here = state
        for part in path:
            if isinstance(here, dict):
                here = here.get(part)
            elif isinstance(here, list) and part.isdigit() and int(part) < len(here):
                here = here[int(part)]
            else:
                return None
        return here
"""
_SAME = """\
    def same(value, wanted):
        if isinstance(value, bool) or isinstance(wanted, bool):
            return value is wanted
        return value == wanted or (isinstance(value, str) and value.strip() == wanted)
"""
_EMPTY = """\
    def empty(value):
        return value is None or value == [] or value == {} or (isinstance(value, str) and not value.strip())
"""
_AMOUNT = """\
    def amount(value):
        if isinstance(value, bool) or not isinstance(value, (int, float)):
            return float("nan")
        return value
"""
_SIZE = """\
    def size(value):
        return len(value) if isinstance(value, (list, dict)) else 0
"""
_PARTS = (("read", _READ), ("same", _SAME), ("empty", _EMPTY), ("amount", _AMOUNT), ("size", _SIZE))


def _condition(sentence: str) -> str:
    """A sentence as a Python expression. Raises _Irregular."""
    reader = _Reader(_tokens(sentence))
    expression = reader.alternatives()
    if reader.rest:
        raise _Irregular
    return expression


def _tokens(sentence: str) -> list[_Token]:
    sentence = sentence.strip().removesuffix(".").rstrip()
    tokens: list[_Token] = []
    position = 0
    while position < len(sentence):
        found = _TOKEN.match(sentence, position)
        if found is None or len(tokens) >= MAX_TOKENS or found.lastgroup is None:
            raise _Irregular
        kind = found.lastgroup
        text = found.group(kind)
        if kind in ("quoted", "ticked"):
            if not is_path(text):
                raise _Irregular
            kind = "path"
        tokens.append(_Token(kind, text.lower() if kind == "word" else text))
        position = found.end()
    return tokens


class _Reader:
    """Reads tokens by the grammar above."""

    def __init__(self, tokens: list[_Token]) -> None:
        self.rest = tokens

    def alternatives(self) -> str:
        parts = [self.conjunction()]
        while self._words("or"):
            parts.append(self.conjunction())
        return " or ".join(parts)

    def conjunction(self) -> str:
        parts = [self.comparison()]
        while self._words("and"):
            parts.append(self.comparison())
        return " and ".join(parts)

    def comparison(self) -> str:
        path = self._take("path").text
        read = f"read({', '.join(_literal(part) for part in path.split('.'))})"
        if self._words("has", "at", "least"):
            number = self._number()
            if not (self._words("items") or self._words("item") or self._words("entries") or self._words("entry")):
                raise _Irregular
            return f"size({read}) >= {number}"
        if not self._words("is"):
            raise _Irregular
        if self._words("not", "empty"):
            return f"not empty({read})"
        if self._words("empty"):
            return f"empty({read})"
        for words, sign in (
            (("at", "least"), ">="),
            (("more", "than"), ">"),
            (("at", "most"), "<="),
            (("less", "than"), "<"),
        ):
            if self._words(*words):
                return f"amount({read}) {sign} {self._number()}"
        if self._words("one", "of"):
            return self._one_of(read)
        denied = self._words("not")
        return f"{'not ' if denied else ''}same({read}, {self._value()})"

    def _one_of(self, read: str) -> str:
        values = [self._value()]
        while True:
            before = self.rest
            joined = self._comma()
            joined = self._words("or") or joined
            if not joined or not self._is_value():
                self.rest = before
                break
            values.append(self._value())
        return f"any(same({read}, wanted) for wanted in [{', '.join(values)}])"

    def _value(self) -> str:
        if self._words("true"):
            return "True"
        if self._words("false"):
            return "False"
        if self.rest and self.rest[0].kind == "number":
            return self._number()
        return _literal(re.sub(r"\\(.)", r"\1", self._take("text").text))

    def _is_value(self) -> bool:
        return bool(self.rest) and (
            self.rest[0].kind in ("text", "number") or self.rest[0] in (_Token("word", "true"), _Token("word", "false"))
        )

    def _number(self) -> str:
        text = self._take("number").text
        return repr(float(text)) if "." in text else str(int(text))

    def _comma(self) -> bool:
        if self.rest and self.rest[0].kind == "comma":
            self.rest = self.rest[1:]
            return True
        return False

    def _words(self, *words: str) -> bool:
        """Take these words when they come next."""
        if [token.text for token in self.rest[: len(words)] if token.kind == "word"] == list(words):
            self.rest = self.rest[len(words) :]
            return True
        return False

    def _take(self, kind: str) -> _Token:
        if not self.rest or self.rest[0].kind != kind:
            raise _Irregular
        token, self.rest = self.rest[0], self.rest[1:]
        return token


def _literal(text: str) -> str:
    """A Python string literal, with double quotes where that needs no escapes."""
    plain = text.isprintable() and '"' not in text and "\\" not in text
    return f'"{text}"' if plain else repr(text)
