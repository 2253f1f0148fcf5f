"""The kinds of nodes, in palette order. A new kind is one module and one line here."""

from __future__ import annotations

from flows.kinds.agent import Agent
from flows.kinds.ask import Ask
from flows.kinds.base import Kind
from flows.kinds.database import Database
from flows.kinds.fanout import Fanout
from flows.kinds.flow import Flow
from flows.kinds.form import Form
from flows.kinds.handler import Handler
from flows.kinds.index import Index
from flows.kinds.knowledge import Knowledge
from flows.kinds.llm import Llm
from flows.kinds.read import Read
from flows.kinds.tool import Tool
from flows.kinds.tools import Tools
from flows.kinds.work import Work

KINDS: tuple[Kind, ...] = (
    *(Llm(), Work(), Agent()),
    *(Ask(), Form()),
    *(Handler(),),
    *(Tool(), Tools()),
    *(Read(), Knowledge(), Index(), Database()),
    *(Fanout(), Flow()),
)

BY_TYPE: dict[str, Kind] = {kind.type: kind for kind in KINDS}


def kind_of(type: str) -> Kind:
    """The kind of a checked node. Raises KeyError."""
    return BY_TYPE[type]
