"""Code of a flow's earlier versions: a description that comes back finds the code that was written from it."""

from __future__ import annotations

import threading
import uuid
from collections import OrderedDict
from collections.abc import Iterable, Mapping

from flows.check import check
from flows.models import Flow, FlowVersion, Unit
from flows.units import UnitSpec, units_of
from flows.words.base import Json

MOST = 30
"""So many versions are looked through, the newest first."""
KEPT = 500

_lock = threading.Lock()
_keys: OrderedDict[uuid.UUID, Mapping[str, str]] = OrderedDict()


def needs_code(spec: UnitSpec, unit: Unit | None) -> bool:
    """Whether a unit of the draft has no code, or generated code that was written from another description."""
    if unit is None or not (unit.code.strip() or unit.refused):
        return True
    return not unit.refused and unit.origin != "edited" and unit.key != spec.key


def code_of(flow: Flow, wanted: Iterable[UnitSpec]) -> dict[str, str]:
    """By unit, the code that the newest version has for that very description. Nothing is written anywhere."""
    left = {spec.id: spec.key for spec in wanted}
    found: dict[str, str] = {}
    if not left:
        return found
    rows = FlowVersion.objects.filter(flow=flow).order_by("-created_at").values_list("id", "document", "units")
    for id, document, units in rows[:MOST]:
        keys = _keys_of(id, document)
        for unit, key in list(left.items()):
            if units.get(unit) and keys.get(unit) == key:
                found[unit] = units[unit]
                del left[unit]
        if not left:
            break
    return found


def _keys_of(id: uuid.UUID, document: Json) -> Mapping[str, str]:
    """What each unit of a version was written from, found once: a version never changes."""
    with _lock:
        known = _keys.get(id)
        if known is not None:
            _keys.move_to_end(id)
            return known
    flow = check(document).flow
    keys = {spec.id: spec.key for spec in units_of(flow)} if flow is not None else {}
    with _lock:
        _keys[id] = keys
        while len(_keys) > KEPT:
            _keys.popitem(last=False)
    return keys
