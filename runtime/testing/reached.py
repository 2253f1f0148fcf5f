"""What the steps of one run reached while something stood in for it: models asked, tools called."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import NamedTuple

from django.utils import timezone

from flows.kinds.base import Json
from runtime.services.toolcalls import ToolCall
from runtime.testing.results import TestCall
from runtime.testing.standing import Fails, StandIns
from runtime.testing.steps import plain


@dataclass
class Asked:
    """A question that a step put to its model, and what stood in for the answer."""

    messages: list[Json]
    reply: str
    calls: tuple[ToolCall, ...] = ()


class Touch(NamedTuple):
    """A call of a tool or a model: when, by the step of which address, and what."""

    at: datetime
    address: str
    what: Asked | TestCall


@dataclass
class Reached:
    """All of it, in order."""

    found: list[Touch] = field(default_factory=list)

    def add(self, address: str, what: Asked | TestCall) -> None:
        self.found.append(Touch(timezone.now(), address, what))

    def call(self, stand: StandIns, tool: str, args: Mapping[str, Json], address: str) -> Json:
        """What stands in for one call of a tool, or Fails. Raises RunFailure when nothing does."""
        answer = stand.tool(tool, address)
        why = answer.why if isinstance(answer, Fails) else ""
        self.add(address, TestCall(name=tool, args=dict(args), ok=not why, node=plain(address), error=why))
        return answer

    @property
    def tools(self) -> list[TestCall]:
        return [each.what for each in self.found if isinstance(each.what, TestCall)]

    @property
    def models(self) -> list[tuple[str, Asked]]:
        return [(each.address, each.what) for each in self.found if isinstance(each.what, Asked)]
