"""The turns of a conversation as its flow reads them in `history`: what was asked, and what was answered."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from runtime.models import Run

KEPT_TURNS = 20


def turn(run: Run, outputs: Mapping[str, Any]) -> dict[str, Any]:
    """A finished run as an entry of `history`."""
    return {"at": run.created_at.isoformat(), "asked": _asked(run.inputs), "answered": _answered(outputs)}


def with_turn(history: list[Any], entry: dict[str, Any]) -> list[Any]:
    """The history with one more turn; a turn that it holds already is not there twice."""
    return [*(one for one in history if one["at"] != entry["at"]), entry][-KEPT_TURNS:]


def _asked(inputs: Mapping[str, Any]) -> str:
    texts = [value if isinstance(value, str) else json.dumps(value, ensure_ascii=False) for value in inputs.values()]
    return "\n".join(texts)


def _answered(outputs: Mapping[str, Any]) -> Any:
    """What the person was answered: words as words, data as data."""
    values = [value for value in outputs.values() if value not in (None, "", [], {})]
    return values[0] if len(values) == 1 else {name: value for name, value in outputs.items() if value in values}
