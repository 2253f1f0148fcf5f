"""A flow's code as its pages show it: each unit that the draft needs, with its state and what was written for it."""

from __future__ import annotations

import ast
from dataclasses import dataclass
from typing import Literal

from flows.models import Flow, Unit
from flows.units import UnitSpec, units_of
from flows.words.document import Document
from flows.words.when import compile_router
from studio import drafts
from studio.refusal import Missing
from studio.strings import t

State = Literal["current", "stale", "edited", "missing", "refused"]


@dataclass(frozen=True)
class Shelved:
    """One unit. reason: why its code was refused, else "". origin: "" while nothing was written."""

    spec: UnitSpec
    state: State
    code: str = ""
    origin: str = ""
    reason: str = ""

    @property
    def kind(self) -> str:
        return self.spec.kind

    @property
    def name(self) -> str:
        return self.spec.name


def shelved(flow: Flow, document: Document | None) -> list[Shelved]:
    """Every unit that the document needs, in its order."""
    if document is None:
        return []
    rows = {f"{row.kind}:{row.name}": row for row in Unit.objects.filter(flow=flow)}
    return [_shelved(spec, rows.get(spec.id)) for spec in units_of(document)]


def _shelved(spec: UnitSpec, row: Unit | None) -> Shelved:
    if spec.kind == "router" and (row is None or row.origin != "edited"):
        # Regular sentences become code when the version is made; nobody has to write it first.
        regular = compile_router(spec.name, spec.routes, spec.when)
        if regular is not None:
            return Shelved(spec, "current", regular, "regular")
    if row is None:
        return Shelved(spec, "missing")
    return Shelved(spec, _state(spec, row), row.code, row.origin, row.refused)


def _state(spec: UnitSpec, row: Unit) -> State:
    if row.refused:
        return "refused"
    if not row.code:
        return "missing"
    if row.origin == "edited":
        return "edited"
    return "current" if row.key == spec.key else "stale"


def fill(flow: Flow, document: Document | None, source: str) -> None:
    """Puts the functions of a handlers.py onto the flow's shelf, each under the unit it is named after."""
    functions = {
        part.name: ast.get_source_segment(source, part) or ""
        for part in ast.parse(source).body
        if isinstance(part, ast.AsyncFunctionDef | ast.FunctionDef)
    }
    for spec in units_of(document) if document else ():
        if spec.name in functions:
            Unit.objects.update_or_create(
                flow=flow, kind=spec.kind, name=spec.name,
                defaults={"key": spec.key, "code": functions[spec.name], "origin": "generated", "refused": ""},
                create_defaults={
                    "key": spec.key, "code": functions[spec.name], "origin": "generated",
                    "workspace_id": flow.workspace_id,
                },
            )  # fmt: skip


def unit_of(flow: Flow, kind: str, name: str) -> Shelved:
    """The unit that the draft names so. Raises Missing."""
    document = drafts.checked(flow.draft).flow
    for unit in shelved(flow, document):
        if (unit.kind, unit.name) == (kind, name):
            return unit
    raise Missing(t("units.gone"))
