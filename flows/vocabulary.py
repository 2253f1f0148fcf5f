"""Every word that the files of a flow begin with: the flow, what stands beside it, and what their lists hold."""

from __future__ import annotations

from collections.abc import Iterable
from typing import get_args

from flows.blocks import PIECES, VIEWS
from flows.blocks.base import View
from flows.kinds.base import Kind
from flows.words.agents import Registry
from flows.words.base import Word, declared
from flows.words.document import Document
from flows.words.edge import ConditionalEdge, PlainEdge
from flows.words.evalfile import SINCE as EVALS_SINCE
from flows.words.evalfile import FlowEvals
from flows.words.matcher import Matcher
from flows.words.node import Node
from flows.words.testfile import SINCE as TESTS_SINCE
from flows.words.testfile import FlowTests
from flows.words.trigger import SINCE as TRIGGERS_SINCE
from flows.words.trigger import TYPES, Trigger, Triggers

_FIRST = "0.1"

FAMILIES: tuple[type[Word], ...] = (Node, View, Trigger)
"""Words whose fields every word of their kind has too; one table has them for all."""


WITHOUT_DEFAULTS: tuple[type[Word], ...] = (Matcher,)
"""Words that say only what is written: a field that is left out has no value."""


def family_of(word: type[Word]) -> type[Word] | None:
    """The word whose fields this one has beside its own."""
    return next((each for each in FAMILIES if word is not each and issubclass(word, each)), None)


def types_in(family: type[Word], words: Iterable[type[Word]]) -> list[str]:
    """What the `type` of a word of the family may be, in the order of the words."""
    found = [word.model_fields["type"].annotation for word in words if family_of(word) is family]
    return [str(each) for literal in found for each in get_args(literal)]


def roots(kinds: tuple[Kind, ...]) -> dict[type[Word], str]:
    """Word → the first version in which it can stand."""
    first = {key: dsl.since for key, dsl in declared(Document).values()}
    return {
        Document: _FIRST,
        PlainEdge: _FIRST,
        ConditionalEdge: _FIRST,
        Node: _FIRST,
        **dict.fromkeys((View, *VIEWS.values()), first["views"]),
        **dict.fromkeys(PIECES.values(), first["shell"]),
        **{kind.fields: kind.since for kind in kinds},
        Registry: next((kind.since for kind in kinds if kind.type == "agent"), _FIRST),
        **dict.fromkeys((Triggers, Trigger, *TYPES.values()), TRIGGERS_SINCE),
        FlowTests: TESTS_SINCE,
        Matcher: TESTS_SINCE,
        FlowEvals: EVALS_SINCE,
    }
