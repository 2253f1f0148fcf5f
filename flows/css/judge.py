"""Judges a style sheet by its decoded tokens: what is not on the lists of flows.css.allowed is refused by name.

Nothing that is accepted can load anything, place anything over the page or write words into it; the worst it can do
is look wrong. What is accepted is written out again and judged once more, so that no spelling reads in two ways.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from functools import lru_cache
from itertools import islice
from typing import Any, Literal, NamedTuple

import tinycss2

from flows.css import allowed
from flows.css.selectors import Selected, selected
from flows.problem import listed, nearest, quoted

Token = Any
"""A token or a rule of tinycss2, which has no types of its own."""

Sort = Literal["loads", "refused", "broken"]

MAX_DEPTH = 16
MOST = 50
_LITERALS = frozenset(",/+-*:;%<>=")


class Wrong(NamedTuple):
    """One thing that a style sheet may not say: what it is, on which line, and what to do."""

    sort: Sort
    line: int
    words: str
    hint: str


@lru_cache(maxsize=64)
def judge(css: str) -> tuple[Wrong, ...]:
    """Everything that is wrong with a style sheet; at most 50 things."""
    found = tuple(islice(_all(css), MOST))
    if found:
        return found
    again = tuple(islice(_all(written(css)), MOST))
    return tuple(each._replace(line=0) for each in again)


def written(css: str) -> str:
    """The style sheet written out from its tokens, as it is served once it was judged."""
    return tinycss2.serialize(_rules(css))


def _rules(css: str) -> list[Token]:
    return list(tinycss2.parse_stylesheet(css, skip_comments=True, skip_whitespace=True))


def _all(css: str) -> Iterator[Wrong]:
    if "</" in css or "\x00" in css:
        yield Wrong("refused", 0, '"</" or a character that is none stands in it', "Remove it.")
        return
    if _is_deep(css):
        yield Wrong("broken", 0, f"its brackets are nested more than {MAX_DEPTH} deep", "Write it more simply.")
        return
    yield from _block_of_rules(_rules(css))


def _is_deep(css: str) -> bool:
    waiting = [(token, 1) for token in tinycss2.parse_component_value_list(css, skip_comments=True)]
    while waiting:
        token, depth = waiting.pop()
        inside = _inside(token)
        if inside and depth >= MAX_DEPTH:
            return True
        waiting.extend((each, depth + 1) for each in inside)
    return False


def _inside(token: Token) -> list[Token]:
    if token.type == "function":
        return list(token.arguments)
    return list(token.content) if token.type in ("() block", "[] block", "{} block") else []


def _block_of_rules(rules: Iterable[Token]) -> Iterator[Wrong]:
    for rule in rules:
        if rule.type == "qualified-rule":
            yield from _style(rule)
        elif rule.type == "at-rule":
            yield from _at_rule(rule)
        elif rule.type == "error":
            yield _broken(rule)


def _style(rule: Token) -> Iterator[Wrong]:
    found = selected(rule.prelude)
    if isinstance(found, Selected):
        yield from _declarations(rule, found.root)
    else:
        yield Wrong("refused", rule.source_line, found.words, found.hint)
        yield from _declarations(rule, False)


def _at_rule(rule: Token) -> Iterator[Wrong]:
    name = rule.lower_at_keyword
    if name in ("import", "font-face", "namespace", "charset"):
        yield Wrong("loads", rule.source_line, f"{quoted('@' + name)} loads something", _NOTHING)
        return
    if name not in allowed.AT_RULES or rule.content is None:
        hint = f"Use {listed('@' + each for each in allowed.AT_RULES)} with a block, or none."
        yield Wrong("refused", rule.source_line, f"{quoted('@' + name)} is not allowed", hint)
        return
    yield from _values(rule.prelude, "", (*allowed.FUNCTIONS, *allowed.CONDITIONS))
    inside = tinycss2.parse_rule_list(rule.content, skip_comments=True, skip_whitespace=True)
    if name != "keyframes":
        yield from _block_of_rules(inside)
        return
    for step in inside:
        if step.type == "qualified-rule":
            yield from _declarations(step, False)
        elif step.type == "error":
            yield _broken(step)
        else:
            yield Wrong("refused", step.source_line, "an @-rule stands inside @keyframes", "Remove it.")


def _declarations(rule: Token, root: bool) -> Iterator[Wrong]:
    for each in tinycss2.parse_blocks_contents(rule.content, skip_comments=True, skip_whitespace=True):
        if each.type == "declaration":
            yield from _declaration(each, root)
        elif each.type == "error":
            yield _broken(each)
        else:
            yield Wrong("refused", each.source_line, "a rule stands inside another rule", "Write it on its own.")


def _declaration(each: Token, root: bool) -> Iterator[Wrong]:
    name = each.name if each.name.startswith("--") else each.lower_name
    if name.startswith("--"):
        if name not in allowed.VARIABLES:
            hint = f"The page's own are {listed(allowed.VARIABLES, 'and')}."
            yield Wrong("refused", each.source_line, f"the variable {quoted(name)} may not be set", hint)
    elif root:
        hint = f":root may set {listed(allowed.VARIABLES, 'and')}, nothing else."
        yield Wrong("refused", each.source_line, f"{quoted(name)} is set on :root", hint)
    elif name not in allowed.PROPERTIES:
        near = nearest(name, allowed.PROPERTIES)
        hint = f"Did you mean {quoted(near)}?" if near else "Colours, borders, shadows, sizes and type may be set."
        yield Wrong("refused", each.source_line, f"the property {quoted(name)} is not allowed", hint)
    yield from _values(each.value, name, allowed.FUNCTIONS)


def _values(tokens: Iterable[Token], name: str, functions: Iterable[str]) -> Iterator[Wrong]:
    known = frozenset(functions)
    waiting = list(tokens)[::-1]
    while waiting:
        token = waiting.pop()
        kind = token.type
        if kind == "url" or (kind == "ident" and token.lower_value == "url"):
            yield Wrong("loads", token.source_line, '"url()" loads something', _NOTHING)
        elif kind == "function" and token.lower_name not in known:
            yield _function(token)
        elif kind == "function" and _holds_place(name):
            yield Wrong("refused", token.source_line, f"{quoted(name)} is computed", "Write a plain length.")
        elif kind == "error":
            yield _broken(token)
        elif kind in ("[] block", "{} block", "at-keyword", "unicode-range") or (
            kind == "literal" and token.value not in _LITERALS
        ):
            yield Wrong("refused", token.source_line, f"a value of {quoted(name)} cannot be read", "Write it plainly.")
        elif kind == "string" and not name.startswith("font"):
            yield Wrong(
                "refused", token.source_line, f"text in quotes stands in {quoted(name)}", "Only fonts have names."
            )
        elif kind in ("number", "dimension", "percentage") and token.value < 0 and _holds_place(name):
            words = f"{quoted(name)} is less than nothing"
            yield Wrong("refused", token.source_line, words, "Parts may not be moved over each other.")
        waiting.extend(_inside(token)[::-1])


def _holds_place(name: str) -> bool:
    return name.startswith(("margin", "text-indent"))


def _function(token: Token) -> Wrong:
    name = token.lower_name
    if name in allowed.LOADERS:
        return Wrong("loads", token.source_line, f"{quoted(name + '()')} loads something", _NOTHING)
    near = nearest(name, allowed.FUNCTIONS)
    hint = f"Did you mean {quoted(near + '()')}?" if near else "Colours, gradients, calc() and var() may be used."
    return Wrong("refused", token.source_line, f"the function {quoted(name + '()')} is not allowed", hint)


def _broken(token: Token) -> Wrong:
    return Wrong(
        "broken", token.source_line, "it cannot be read here", "Look for a bracket, a colon or a quote too few."
    )


_NOTHING = (
    "A page's css can load nothing, no picture and no font. Gradients, borders and shadows are drawn by the page."
)
