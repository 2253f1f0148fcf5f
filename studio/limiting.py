"""The limits of an agent's runs as the form of its terms shows and takes them."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from decimal import ROUND_DOWN, Decimal, InvalidOperation

from runtime import limits
from runtime.limits import Limits
from runtime.models import Deployment
from studio.strings import t

COUNTS = {"minutes": limits.MINUTES, "steps": limits.STEPS, "rounds": limits.ROUNDS}
"""What is counted, each with the product's own limit."""
SMALLEST = Decimal("0.01")
SMALLEST_RUN = Decimal("0.0001")
MOST_DAY = Decimal(100_000)


@dataclass
class Limit:
    """A limit as it is typed; empty where the product's own holds. most: that one, "" where there is none."""

    name: str
    text: str
    most: str
    error: str = ""

    @property
    def field(self) -> str:
        return f"limit_{self.name}"

    @property
    def label(self) -> str:
        return t(f"terms.limit.{self.name}")

    @property
    def help(self) -> str:
        return t(f"terms.limit.{self.name}.about", most=self.most)


@dataclass
class Typed:
    """All of them. day: US dollars that the agent may cost in a day, of an agent without an open link."""

    all: list[Limit] = field(default_factory=list)
    day: str = ""

    def read(self, sent: Mapping[str, str], *, day: bool) -> dict[str, str]:
        """Takes what was sent; gives what is wrong, by field. day: whether the cost of a day stands among them."""
        wrong: dict[str, str] = {}
        for one in self.all:
            one.text = sent.get(one.field, one.text).strip()
            one.error = _wrong(one)
            if one.error:
                wrong[one.field] = one.error
        self.day = sent.get("day_cost", self.day).strip()
        if day and self.day and amount(self.day, SMALLEST, MOST_DAY) is None:
            wrong["day_cost"] = t("terms.day_cost_wrong")
        return wrong

    def limits(self) -> Limits:
        """What was typed without a mistake."""
        found = {one.name: one.text for one in self.all if one.text}
        counts = {name: int(text) for name, text in found.items() if name in COUNTS}
        return Limits(**counts, cost=amount(found.get("cost", ""), SMALLEST_RUN, limits.MOST_COST))

    def write(self, deployment: Deployment) -> None:
        deployment.limits = limits.kept(self.limits())

    def ceiling(self) -> Decimal | None:
        """The cost of a day; None for any."""
        found = amount(self.day, SMALLEST, MOST_DAY)
        return found and found.quantize(SMALLEST, ROUND_DOWN)


def of(deployment: Deployment | None) -> Typed:
    """As they stand."""
    now = limits.of(deployment.limits if deployment is not None else {})
    counts = [
        Limit(name, "" if getattr(now, name) == most else str(getattr(now, name)), f"{most:,}")
        for name, most in COUNTS.items()
    ]
    day = deployment.cost_ceiling if deployment is not None and deployment.access != "link" else None
    return Typed([*counts, Limit("cost", _plain(now.cost), "")], _plain(day))


def amount(text: str, low: Decimal, high: Decimal) -> Decimal | None:
    """An amount of dollars in these bounds, None where the text is none."""
    try:
        found = Decimal(text.replace(",", "."))
    except InvalidOperation:
        return None
    return found if found.is_finite() and low <= found <= high else None


def _wrong(one: Limit) -> str:
    if not one.text:
        return ""
    if one.name == "cost":
        return "" if amount(one.text, SMALLEST_RUN, limits.MOST_COST) is not None else t("terms.limit.cost_wrong")
    most = COUNTS[one.name]
    if re.fullmatch(r"[0-9]{1,12}", one.text) and 1 <= int(one.text) <= most:
        return ""
    return t("field.whole", low="1", high=f"{most:,}")


def _plain(amount: Decimal | None) -> str:
    return "" if amount is None else f"{amount.normalize():f}"
