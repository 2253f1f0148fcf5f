"""What a worker knows of a run's calls: every row by its key, and the large columns of one only where it is read.

A request is held by the call that made it. Another try of a flow in which it was made may make its calls in another
order: whichever call comes to the same write first holds it from then on, and no other call of that try does.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from typing import TYPE_CHECKING, Any

from runtime.models import ModelCall, Question, Run, RunEvent, ToolCall

if TYPE_CHECKING:
    from runtime.engine.database import Database

MODEL_HEAVY = ("messages", "reply", "calls")
TOOL_HEAVY = ("request", "response")


@dataclass(frozen=True)
class Holder:
    """A call: where it stands, and which try of each step around it this is, outermost first."""

    tried: tuple[int, ...]
    place: str

    def __str__(self) -> str:
        return f"{'.'.join(map(str, self.tried))} {self.place}"

    @staticmethod
    def read(text: str) -> Holder:
        tried, _, place = text.partition(" ")
        return Holder(tuple(int(number) for number in tried.split(".") if number), place)

    @property
    def again(self) -> bool:
        """Whether some step around the call is tried again, so that an earlier try may have made it."""
        return any(number > 1 for number in self.tried)

    def follows(self, other: Holder) -> bool:
        """Whether the other call was made in an earlier try of a step that both stand in."""
        mine, theirs = self.place.split("/"), other.place.split("/")
        for step, same, now, then in zip(mine, theirs, self.tried, other.tried, strict=False):
            if step != same:
                return False
            if now != then:
                return then < now
        return False


class Ledger:
    """The calls of one run, for as long as this process holds its lease."""

    def __init__(
        self, database: Database, models: Sequence[ModelCall] = (), tools: Sequence[ToolCall] = (), steps: int = 0,
        asked: Mapping[str, Mapping[str, str]] | None = None,
    ) -> None:  # fmt: skip
        self._database = database
        self.models = {row.key: row for row in models}
        self.tools: dict[str, ToolCall] = {}
        self.steps = steps
        """The steps of the whole run that are finished, wherever in it they stand."""
        self.asked = dict(asked or {})
        """What was asked before this worker had the run, by interrupt: {"slot", "kind", "address"}."""
        self._alike: dict[tuple[str, str], list[str]] = {}
        for row in tools:
            self.put(row)

    def put(self, row: ToolCall) -> None:
        """Know a request from here on, under its key."""
        self.tools[row.key] = row
        keys = self._alike.setdefault((row.unit, row.args_sha), [])
        if row.effect != "read" and row.key not in keys:
            keys.append(row.key)

    def alike(self, unit: str, sha: str) -> Iterator[ToolCall]:
        """The writes of this unit that are the same request."""
        for key in self._alike.get((unit, sha), ()):
            if self.tools[key].args_sha == sha:
                yield self.tools[key]

    async def whole(self, *rows: ModelCall | ToolCall) -> None:
        """Read the columns of these rows that were left out when the run was taken over, or let go since."""
        parts = [(row, missing) for row in rows if (missing := row.get_deferred_fields())]

        def read() -> None:
            for row, missing in parts:
                # Rows of this worker do not know the id that the database gave them.
                found: Any = type(row).objects.only(*missing).get(run_id=row.run_id, key=row.key)
                for name in missing:
                    setattr(row, name, getattr(found, name))

        if parts:
            await self._database.read(read)

    @staticmethod
    def let_go(row: ToolCall) -> None:
        """Of an answer that is written down, keep no large body: a run may hear thousands."""
        vars(row).pop("response", None)

    @property
    def cost(self) -> Decimal:
        """What the run's models have cost so far, as far as it is known."""
        return sum((Decimal(str(row.cost)) for row in self.models.values() if row.cost is not None), Decimal(0))

    @property
    def demo(self) -> bool:
        """Whether a scripted model answered in this run."""
        return any(row.demo for row in self.models.values())


def load(database: Database, run: Run) -> Ledger:
    """Inside the run's workspace: what earlier workers left."""
    models = list(ModelCall.objects.filter(run=run).defer(*MODEL_HEAVY))
    tools = list(ToolCall.objects.filter(run=run).defer(*TOOL_HEAVY).order_by("id"))
    # Conversations that were forked from the run's tell of its steps too.
    told = RunEvent.objects.filter(conversation_id=run.conversation_id, run=run)
    steps = told.filter(type="step_finished").count()
    rows = Question.objects.filter(run=run).values("interrupt_id", "slot", "kind", "address")
    return Ledger(database, models, tools, steps, {row.pop("interrupt_id"): row for row in rows})
