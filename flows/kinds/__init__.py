"""The kinds of nodes, in palette order. A new kind is one module and one line here."""

from __future__ import annotations

from flows.kinds.ask import Ask
from flows.kinds.base import Kind
from flows.kinds.form import Form
from flows.kinds.handler import Handler
from flows.kinds.llm import Llm
from flows.kinds.tool import Tool

KINDS: tuple[Kind, ...] = (Llm(), Ask(), Form(), Handler(), Tool())

BY_TYPE: dict[str, Kind] = {kind.type: kind for kind in KINDS}


def kind_of(type: str) -> Kind:
    """The kind of a checked node. Raises KeyError."""
    return BY_TYPE[type]
