"""How far a run may go: the product's own limits, and an agent's where its settings lower them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from decimal import Decimal
from typing import Any

STEPS = 20_000
ROUNDS = 100
MINUTES = 240
MOST_COST = Decimal(100_000)


@dataclass(frozen=True)
class Limits:
    """Of one run. rounds: how often one work node asks its model. minutes: of work; waiting for people and for a free
    worker does not count. cost: US dollars, None for any; without prices nothing is known to cost anything."""

    steps: int = STEPS
    rounds: int = ROUNDS
    minutes: int = MINUTES
    cost: Decimal | None = None

    @property
    def seconds(self) -> float:
        return self.minutes * 60.0


def of(kept: Mapping[str, Any]) -> Limits:
    """What a deployment's `limits` mean."""
    cost = kept.get("cost")
    return Limits(
        steps=min(int(kept.get("steps", STEPS)), STEPS),
        rounds=min(int(kept.get("rounds", ROUNDS)), ROUNDS),
        minutes=min(int(kept.get("minutes", MINUTES)), MINUTES),
        cost=None if cost is None else Decimal(str(cost)),
    )


def kept(limits: Limits) -> dict[str, Any]:
    """What is stored of them: only what is lower than the product's own, so that a later product's own holds."""
    own = Limits()
    found: dict[str, Any] = {
        name: getattr(limits, name)
        for name in ("steps", "rounds", "minutes")
        if getattr(limits, name) < getattr(own, name)
    }
    return found if limits.cost is None else {**found, "cost": f"{limits.cost.normalize():f}"}
