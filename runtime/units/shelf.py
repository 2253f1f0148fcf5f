"""The code of a flow's draft, unit by unit: what each one's state is, whether all may run, and who wrote it.

A unit is `current`, `stale` (its description changed since it was generated), `edited` (a person wrote it, and its
description changed since: ask before it is used or replaced), `missing`, or `refused` (what was written may not run).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Literal

from asgiref.sync import sync_to_async
from django.db import transaction
from django.utils import timezone

from flows.check import check
from flows.earlier import code_of, needs_code
from flows.models import Flow, Unit
from flows.units import UnitKind, UnitSpec, units_of
from flows.words.document import Document
from runtime.units.generate import Ask, Generated, generate, judge, regular_router
from runtime.units.handlerfile import FileRefused, parse_handlers, render_handlers
from runtime.units.lint import Ground, declarations

__all__ = [
    "EditedByHand",
    "FileRefused",
    "Ready",
    "Shelved",
    "edit",
    "export",
    "fill",
    "find",
    "parse_handlers",
    "ready",
    "render_handlers",
    "services",
    "units",
    "write",
    "write_regular",
    "write_with_model",
]

State = Literal["current", "stale", "edited", "missing", "refused"]
Origin = Literal["generated", "regular", "edited", ""]


class EditedByHand(Exception):
    """Generated code would replace code that a person wrote. Ask, then write with over_edited."""

    def __init__(self, name: str) -> None:
        self.message = f"{name} was written or changed by a person. Replacing it needs your yes."
        super().__init__(self.message)


@dataclass(frozen=True)
class Shelved:
    """One unit of the draft. reason: why it is not current, in a sentence; empty when it is.

    turned_down: why the code generated last was not taken in place of this.
    """

    spec: UnitSpec
    state: State
    code: str = ""
    origin: Origin = ""
    reason: str = ""
    turned_down: str = ""

    @property
    def id(self) -> str:
        return self.spec.id

    @property
    def kind(self) -> UnitKind:
        return self.spec.kind

    @property
    def name(self) -> str:
        return self.spec.name

    @property
    def runs(self) -> bool:
        return self.state in ("current", "edited")


@dataclass(frozen=True)
class Ready:
    """units: id → code of those that may run. problems: what stops the rest. asks: edited units to ask about."""

    units: Mapping[str, str]
    problems: tuple[str, ...]
    asks: tuple[Shelved, ...]

    @property
    def ok(self) -> bool:
        return not self.problems


def units(flow: Flow, document: Document, *, uncalled: bool = False) -> list[Shelved]:
    """Every unit that the document needs, with its state, in the document's order; uncalled: tools that it only has.

    One without code whose description an earlier version had is current: that version's code is its own.
    """
    rows = {f"{row.kind}:{row.name}": row for row in Unit.objects.filter(flow=flow)}
    specs = units_of(document, uncalled=uncalled)
    earlier = code_of(flow, [spec for spec in specs if needs_code(spec, rows.get(spec.id))])
    return [
        Shelved(spec, "current", earlier[spec.id], "generated")
        if spec.id in earlier
        else _shelved(spec, rows.get(spec.id))
        for spec in specs
    ]


def find(flow: Flow, document: Document, kind: str, name: str) -> Shelved | None:
    """One of them, a tool's also where no node calls it; None where the document names no such unit."""
    return next((one for one in units(flow, document, uncalled=True) if (one.kind, one.name) == (kind, name)), None)


def services(flow: Flow, document: Document) -> dict[str, str]:
    """The code of the flow's own services that may run, by name."""
    return {one.name: one.code for one in units(flow, document) if one.kind == "service" and one.runs}


def ready(flow: Flow, document: Document) -> Ready:
    """Whether the draft's code may run. Regular routers are written on the way: they need no model and nobody's yes."""
    write_regular(flow, document)
    found = units(flow, document)
    return Ready(
        {one.id: one.code for one in found if one.runs},
        tuple(one.reason for one in found if not one.runs),
        tuple(one for one in found if one.state == "edited"),
    )


def write_regular(flow: Flow, document: Document) -> list[str]:
    """Write each missing or stale router whose sentences are regular; their ids."""
    written = []
    for one in units(flow, document):
        if one.state in ("missing", "stale", "refused") and one.origin != "edited":
            code = regular_router(one.spec)
            if code is not None:
                write(flow, one.spec, code, "regular")
                written.append(one.id)
    return written


def write(
    flow: Flow,
    spec: UnitSpec,
    code: str,
    origin: Literal["generated", "regular", "edited"],
    *,
    problems: tuple[str, ...] = (),
    over_edited: bool = False,
) -> None:
    """Keep a unit's code; with problems it is kept as refused. What a model wrote badly replaces neither code that was
    accepted nor a person's: that stays as it was, and the reasons stand beside it.

    Raises EditedByHand where it would replace a person's code and over_edited is not given.
    """
    with transaction.atomic():
        row = Unit.objects.filter(flow=flow, kind=spec.kind, name=spec.name).first()
        if row is not None and row.origin == "edited" and origin != "edited" and not over_edited:
            raise EditedByHand(spec.name)
        row = row or Unit(flow=flow, kind=spec.kind, name=spec.name)
        reasons = "\n".join(problems)
        if problems and origin != "edited" and row.code and (not row.refused or row.origin == "edited"):
            row.turned_down = reasons
        else:
            row.code, row.origin, row.key = code, origin, spec.key
            row.refused, row.turned_down = reasons, ""
        row.updated_at = timezone.now()
        row.save()


def edit(flow: Flow, document: Document, kind: str, name: str, code: str) -> Shelved | None:
    """Keep what a person typed, good or not; the unit's new state. None where the document names no such unit."""
    one = find(flow, document, kind, name)
    if one is None:
        return None
    write(flow, one.spec, code, "edited", problems=tuple(judge(one.spec, document, code)))
    return find(flow, document, kind, name)


async def write_with_model(flow: Flow, document: Document, one: Shelved, ask: Ask, *, yes: bool = False) -> Generated:
    """Generate one unit and keep it, accepted or refused. yes: a person agreed to replace code written by hand.

    Raises EditedByHand before the model is asked, and whatever ask raises.
    """
    if one.origin == "edited" and not yes:
        raise EditedByHand(one.name)
    made = await generate(one.spec, document, ask, await sync_to_async(services)(flow, document))
    origin: Literal["generated", "regular"] = "generated" if made.by_model else "regular"

    def keep() -> None:
        write(flow, one.spec, made.code, origin, problems=made.problems, over_edited=yes)

    await sync_to_async(keep)()
    return made


def fill(flow: Flow, text: str) -> list[str]:
    """Take a handlers.py file into the draft's units, as written by a person; the ids that it held code for.

    Each function keeps its own text. Routers that the file does not hold are written where they are regular. Raises
    FileRefused for a file that cannot be read, or whose draft cannot.
    """
    document = check(flow.draft).flow
    if document is None:
        raise FileRefused("The flow itself cannot be read. Repair it first, then take its code in.")
    codes = parse_handlers(text)
    taken = []
    with transaction.atomic():
        for spec in units_of(document):
            code = codes.get(spec.name)
            if code is not None:
                write(flow, spec, code, "edited", problems=tuple(judge(spec, document, code)))
                taken.append(spec.id)
        write_regular(flow, document)
    return taken


def export(flow: Flow, document: Document) -> str:
    """The draft's code as one handlers.py. Raises FileRefused where two units define one name differently."""
    return render_handlers(one.code for one in units(flow, document) if one.code and one.origin != "regular")


def _shelved(spec: UnitSpec, row: Unit | None) -> Shelved:
    if row is None or not (row.code or row.refused):
        return Shelved(spec, "missing", reason=f"{_called(spec)} has no code. Generate it, or write it.")
    return replace(_state(spec, row), turned_down=row.turned_down)


def _state(spec: UnitSpec, row: Unit) -> Shelved:
    origin: Origin = row.origin  # type: ignore[assignment]
    undeclared = "" if row.refused else "\n".join(declarations(Ground.of(spec), row.code))
    if undeclared:
        called = _called(spec, "the")
        return Shelved(spec, "refused", row.code, origin, f"The code of {called} no longer fits the flow: {undeclared}")
    if row.refused:
        return Shelved(
            spec, "refused", row.code, origin, f"The code of {_called(spec, 'the')} is refused: {row.refused}"
        )
    if row.key == spec.key:
        return Shelved(spec, "current", row.code, origin)
    if origin == "edited":
        reason = (
            f"{_called(spec)} was written by a person, and its description changed since. Check that it still fits."
        )
        return Shelved(spec, "edited", row.code, origin, reason)
    reason = f"{_called(spec)} was generated from an older description. Generate it again."
    return Shelved(spec, "stale", row.code, origin, reason)


def _called(spec: UnitSpec, article: str = "The") -> str:
    return f'{article} {spec.kind} "{spec.name}"'
