"""Code of a flow's earlier versions: a description that comes back finds the code that was written from it."""

from __future__ import annotations

import threading
import uuid
from collections import OrderedDict
from collections.abc import Iterable, Mapping

from django.db.models import QuerySet

from flows.check import check
from flows.models import Flow, FlowVersion, Unit
from flows.units import UnitSpec, units_of

MOST = 30
"""So many versions are looked through, the newest first."""
KEPT = 500

_lock = threading.Lock()
_known: OrderedDict[uuid.UUID, Mapping[str, str]] = OrderedDict()


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
    versions = FlowVersion.objects.filter(flow=flow)
    ids = list(versions.order_by("-created_at").values_list("id", flat=True)[:MOST])
    keys = _keys(versions, ids)
    # Documents and code are large, and this is asked with every edit: only what is needed is read.
    for id in ids:
        if not any(keys[id].get(unit) == key for unit, key in left.items()):
            continue
        units = versions.values_list("units", flat=True).filter(pk=id).first() or {}
        for unit, key in list(left.items()):
            if units.get(unit) and keys[id].get(unit) == key:
                found[unit] = units[unit]
                del left[unit]
        if not left:
            break
    return found


def _keys(versions: QuerySet[FlowVersion], ids: list[uuid.UUID]) -> dict[uuid.UUID, Mapping[str, str]]:
    """By version what each unit was written from, found once: a version never changes."""
    with _lock:
        known = {id: _known[id] for id in ids if id in _known}
    new = [id for id in ids if id not in known]
    for id, document in versions.filter(pk__in=new).values_list("id", "document") if new else ():
        flow = check(document).flow
        known[id] = {spec.id: spec.key for spec in units_of(flow)} if flow is not None else {}
    with _lock:
        for id, keys in known.items():
            _known[id] = keys
            _known.move_to_end(id)
        while len(_known) > KEPT:
            _known.popitem(last=False)
    # One that is gone by now has nothing.
    return {id: known.get(id, {}) for id in ids}
