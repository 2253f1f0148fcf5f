"""A unit's code under its new name."""

from __future__ import annotations

import io
import tokenize


def renamed(code: str, old: str, new: str) -> str:
    """The code with the function `old` called `new`, where it is defined and where it is called; the rest as it is.

    Code that cannot be read stays as it is: what is wrong with it is said of it anyway.
    """
    try:
        tokens = list(tokenize.generate_tokens(io.StringIO(code).readline))
    except (tokenize.TokenError, SyntaxError):
        return code
    lines = code.splitlines(keepends=True)
    for before, token, after in reversed(list(zip(tokens, tokens[1:], tokens[2:], strict=False))):
        called = after.string == "(" and before.string != "."
        if token.type == tokenize.NAME and token.string == old and (before.string == "def" or called):
            row, column = token.start
            line = lines[row - 1]
            lines[row - 1] = line[:column] + new + line[column + len(old) :]
    return "".join(lines)
