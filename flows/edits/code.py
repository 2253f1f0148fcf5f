"""A unit's code under its new name, and code that calls it."""

from __future__ import annotations

import io
import tokenize
from collections.abc import Callable

Token = tokenize.TokenInfo


def renamed(code: str, old: str, new: str) -> str:
    """The code with the function `old` called `new`, where it is defined and where it is called; the rest as it is.

    Code that cannot be read stays as it is: what is wrong with it is said of it anyway.
    """

    def to(before: tuple[Token, Token], token: Token, after: Token) -> str | None:
        called = after.string == "(" and before[1].string != "."
        return new if token.string == old and (before[1].string == "def" or called) else None

    return _rewritten(code, to)


def reaching(code: str, old: str, new: str) -> str:
    """The code with `services.old` as `services.new`, and the other way round, so that the same again takes it back."""
    names = {old: new, new: old}

    def to(before: tuple[Token, Token], token: Token, after: Token) -> str | None:
        reached = (before[0].string, before[1].string) == ("services", ".")
        return names.get(token.string) if reached else None

    return _rewritten(code, to) if "services" in code else code


def _rewritten(code: str, to: Callable[[tuple[Token, Token], Token, Token], str | None]) -> str:
    try:
        tokens = list(tokenize.generate_tokens(io.StringIO(code).readline))
    except (tokenize.TokenError, SyntaxError):
        return code
    lines = code.splitlines(keepends=True)
    none = tokenize.TokenInfo(tokenize.NL, "", (0, 0), (0, 0), "")
    around = zip([none, none, *tokens], [none, *tokens], tokens, [*tokens[1:], none], strict=False)
    for first, second, token, after in reversed(list(around)):
        name = to((first, second), token, after) if token.type == tokenize.NAME else None
        if name is not None:
            row, column = token.start
            line = lines[row - 1]
            lines[row - 1] = line[:column] + name + line[column + len(token.string) :]
    return "".join(lines)
