"""Editing a draft together: every edit is applied whole or refused, none overwrites another, and each can be undone."""

from __future__ import annotations

import uuid
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from django.db import transaction

from flows import saving, store
from flows.edits.apply import Applied, EditRefused, apply, parse, written
from flows.edits.changes import DoesNotFit, Sketch, make
from flows.edits.difference import layout_lines, lines
from flows.edits.lines import ChangeLine
from flows.edits.operation import Operation
from flows.edits.places import Place, meet, touched, value_at, words
from flows.edits.whole import SetDocument
from flows.edits.work import UnitMove
from flows.models import Flow, FlowAside, FlowEdit
from flows.saving import Edit, TooOld
from runtime import bell
from studio.models import User
from studio.refusal import Missing, Refusal
from studio.strings import t

Json = Any
MOST_PLACES = 20
MOST_ASIDES = 50


@dataclass(frozen=True)
class Sent:
    """An edit as a page, or the Ask bar, sends it. ask: the request whose proposal it is."""

    key: uuid.UUID
    revision: int
    operations: Sequence[Operation | Json]
    label: str = ""
    ask: uuid.UUID | None = None


@dataclass(frozen=True)
class Outcome:
    """flow: as it is now. aside: the edit, when it was set aside. lines: what it did, in words."""

    flow: Flow
    lines: list[ChangeLine] = field(default_factory=list)
    renamed: dict[str, str] = field(default_factory=dict)
    aside: FlowAside | None = None


def submit(flow: Flow, sent: Sent, by: User) -> Outcome:
    """Apply an edit to the draft as it is now; set it aside where somebody else changed the same place since.

    The same key twice is one edit. Raises EditRefused when it cannot be done at all, and StoreRefused.
    """
    operations = [each for each in sent.operations if isinstance(each, Operation)]
    if len(operations) != len(sent.operations):
        operations = parse([each.plain() if isinstance(each, Operation) else each for each in sent.operations])
    with transaction.atomic():
        flow = saving.locked(flow)
        known = _known(flow, sent.key)
        if known is not None:
            return known
        label = sent.label.strip() or _label(operations)
        before = saving.sketch(flow)
        try:
            applied = apply(before, operations, text=flow.draft, id=flow.pk)
        except EditRefused as refused:
            return _late(flow, sent, operations, label, by, refused)
        met = _met(flow, sent.revision, before, applied, by)
        if met is not None:
            row, places = met
            message = t("draft.met_long")
            if row is not None:
                message = t("draft.met", by=_name(row.by), place=words(places[0]))
            return _set_aside(flow, sent, operations, label, by, _yours(flow, applied, places), message)
        return _keep(flow, before, applied, Edit(sent.key, label, by, _stored(operations), ask=sent.ask))


def save_text(flow: Flow, text: str, revision: int, by: User) -> Flow:
    """Save a text typed in place of the draft, which undo takes back like any edit. Raises StoreRefused."""
    with transaction.atomic():
        saved = store.save_draft(flow, text, revision, by)
        if saved.revision == revision + 1:
            tell(saved, by)
        return saved


def again(flow: Flow, key: uuid.UUID) -> Outcome:
    """What came of an edit that was made before, whether its row is still kept or not. Nothing is done twice."""
    flow = saving.locked(flow)
    return _known(flow, key) or Outcome(flow)


def _known(flow: Flow, key: uuid.UUID) -> Outcome | None:
    """What came of this edit when it was sent before."""
    aside = FlowAside.objects.select_related("by").filter(flow=flow, key=key).first()
    if aside is not None:
        return Outcome(flow, aside=aside if aside.state == "open" else None)
    row = FlowEdit.objects.filter(flow=flow, key=key).first()
    if row is None:
        return None
    try:
        before, after = saving.rewind(flow, row.revision - 1), saving.rewind(flow, row.revision)
    except TooOld:
        return Outcome(flow, renamed=row.renamed)
    return Outcome(flow, _lines(before, after), row.renamed)


def _keep(flow: Flow, before: Sketch, applied: Applied, edit: Edit) -> Outcome:
    if not applied.changes and applied.text == flow.draft:
        return Outcome(flow)
    saving.keep_applied(flow, applied, edit)
    tell(flow, edit.by)
    return Outcome(flow, _lines(before, Sketch(applied.document, applied.layout)), applied.renamed)


def tell(flow: Flow, by: User | None) -> None:
    """Let open pages know, after the commit."""
    bell.flow_after_commit(flow.pk, {"type": "draft", "revision": flow.revision, "by": _name(by)})


def _lines(before: Sketch, after: Sketch) -> list[ChangeLine]:
    return lines(before.document, after.document) + layout_lines(before.layout, after.layout)


def _label(operations: Sequence[Operation]) -> str:
    first = operations[0].words()
    return first if len(operations) == 1 else t("draft.more", label=first, count=len(operations) - 1)


def _stored(operations: Sequence[Operation]) -> list[Json]:
    return [saving.stored(each) for each in operations]


def _name(person: Any) -> str:
    return person.name if person is not None else t("draft.somebody")


# Meeting somebody else's edit


def _met(
    flow: Flow, revision: int, now: Sketch, applied: Applied, by: User
) -> tuple[FlowEdit | None, list[Place]] | None:
    """The edit of somebody else that touched a place which this one touches too, since the page saw the draft.

    No edit with the places: the page saw the draft so long ago that it is not known any more.
    """
    try:
        rows = saving.since(flow, revision)
    except TooOld:
        # Nobody knows any more what was changed since: nothing is overwritten on a guess.
        places = [place for place, _ in touched(now, applied.changes) if place[0] == "flow"]
        return (None, places) if places else None
    # A whole text says everything anew: it is compared with the person's own edits from another page too.
    whole = any(isinstance(each, SetDocument) for each in applied.operations)
    if all(row.by_id == by.pk for row in rows) and not whole:
        return None
    mine = [place for place, _ in touched(now, applied.changes)]
    here = saving.rewind(flow, revision)
    for row in rows:
        theirs = [place for place, _ in touched(here, row.changes)]
        places = [place for place in mine if any(meet(place, other) for other in theirs)]
        if places and (whole or row.by_id != by.pk):
            return row, places
        make(here, row.changes)
    return None


def _late(flow: Flow, sent: Sent, operations: list[Operation], label: str, by: User, refused: EditRefused) -> Outcome:
    """An edit that cannot be done now. Raises EditRefused when it never could; else somebody else made it so."""
    moved = any(each.code == "FIELD_CHANGED" for each in refused.problems)
    try:
        base = saving.rewind(flow, sent.revision) if sent.revision < flow.revision else saving.sketch(flow)
        rows = saving.since(flow, sent.revision)
    except TooOld:
        message = t("draft.met_long_unfit", why=refused.problems[0].message)
        return _set_aside(flow, sent, operations, label, by, [], message)
    # Raises what could not be done then either.
    wished = apply(base, operations, id=flow.pk, forced=True)
    places = [place for place, _ in touched(base, wished.changes)]
    others = [row for row in rows if row.by_id != by.pk] or rows
    if moved:
        message = t("draft.field_changed", place=words(places[0])) if places else t("draft.field_changed_plain")
    else:
        message = t("draft.met_other", by=_name(others[-1].by), why=refused.problems[0].message)
    return _set_aside(flow, sent, operations, label, by, _yours_of(flow, base, wished, places), message)


def _yours(flow: Flow, applied: Applied, places: list[Place]) -> list[dict[str, Json]]:
    return _yours_of(flow, saving.sketch(flow), applied, places)


def _yours_of(flow: Flow, base: Sketch, applied: Applied, places: list[Place]) -> list[dict[str, Json]]:
    now, mine = saving.sketch(flow), Sketch(applied.document, applied.layout)
    found = [
        {"words": words(place), "yours": value_at(mine, place), "theirs": value_at(now, place)}
        for place in dict.fromkeys(places)
        if place[:2] != ("layout", "nodes")
    ]
    return found[:MOST_PLACES]


def _set_aside(
    flow: Flow, sent: Sent, operations: list[Operation], label: str, by: User, places: list[Json], message: str
) -> Outcome:
    if FlowAside.objects.filter(flow=flow, state="open").count() >= MOST_ASIDES:
        raise Refusal("ASIDES_FULL", t("draft.asides_full", count=MOST_ASIDES), 409)
    aside = FlowAside.objects.create(
        flow=flow, key=sent.key, label=label[:200], operations=[each.plain() for each in operations], places=places,
        message=message[:600], revision=sent.revision, ask=sent.ask, by=by,
    )  # fmt: skip
    tell(flow, by)
    return Outcome(flow, aside=aside)


def decide_aside(flow: Flow, key: uuid.UUID, act: str, by: User) -> Outcome:
    """Apply what was set aside to the draft as it is now, or let it go. Raises EditRefused where it does not fit."""
    with transaction.atomic():
        flow = saving.locked(flow)
        aside = FlowAside.objects.select_related("by").filter(flow=flow, key=key).first()
        if aside is None:
            raise Missing(t("draft.no_aside"))
        if aside.state != "open":
            return Outcome(flow)
        if act == "drop":
            if aside.by_id not in (None, by.pk):
                raise Refusal("ASIDE_NOT_YOURS", t("draft.aside_not_yours", by=_name(aside.by)), 403)
            outcome = Outcome(flow)
            tell(flow, by)
        else:
            before = saving.sketch(flow)
            applied = apply(before, parse(aside.operations), text=flow.draft, id=flow.pk, forced=True)
            edit = Edit(uuid.uuid4(), aside.label, by, _stored(applied.operations), ask=aside.ask)
            outcome = _keep(flow, before, applied, edit)
        state = "dropped" if act == "drop" else "applied"
        # The row stays, so that the same edit sent again is known; what it held is in the draft, or nobody's any more.
        FlowAside.objects.filter(pk=aside.pk).update(state=state, operations=[], places=[])
        return outcome


def asides(flow: Flow) -> list[FlowAside]:
    """The edits that wait for a person, oldest first."""
    return list(FlowAside.objects.select_related("by").filter(flow=flow, state="open").order_by("at"))


# Undo and redo


def next_undo(flow: Flow, by: User) -> FlowEdit | None:
    """The edit that undo would take back: the person's latest."""
    mine = FlowEdit.objects.filter(flow=flow, by=by, act="edit", state="done")
    return mine.order_by("-revision").first()


def next_redo(flow: Flow, by: User) -> FlowEdit | None:
    """The edit that redo would bring back: the one undone last."""
    mine = FlowEdit.objects.filter(flow=flow, by=by, act="edit", state="undone")
    return mine.order_by("revision").first()


def undo(flow: Flow, by: User) -> Outcome:
    """Take back the person's latest edit. Raises Refusal when somebody else's later one stands on it."""
    return _turn(flow, by, "undo")


def redo(flow: Flow, by: User) -> Outcome:
    """Do again what was undone last. Raises Refusal when somebody else's later edit stands on it."""
    return _turn(flow, by, "redo")


def _turn(flow: Flow, by: User, act: Any) -> Outcome:
    with transaction.atomic():
        flow = saving.locked(flow)
        edit = next_undo(flow, by) if act == "undo" else next_redo(flow, by)
        if edit is None:
            raise Refusal(f"NOTHING_TO_{act.upper()}", t(f"draft.nothing_to_{act}"), 409)
        row, before = saving.last_application(edit), saving.sketch(flow)
        try:
            text, after, changes = saving.take_back(flow, row)
        except TooOld:
            raise Refusal("UNDO_TOO_OLD", t("draft.undo_too_old", label=edit.label), 409) from None
        except DoesNotFit:
            raise _blocked(flow, row, edit, by, act) from None
        moves = [UnitMove(kind, new, old) for kind, old, new in reversed(row.moves)]
        kept = Edit(uuid.uuid4(), edit.label, by, act=act, of=edit)
        saving.keep(flow, written(after.document) if text is None else text, text, after, changes, moves, kept)
        FlowEdit.objects.filter(pk=edit.pk).update(state="undone" if act == "undo" else "done")
        tell(flow, by)
        return Outcome(flow, _lines(before, after))


def _blocked(flow: Flow, row: FlowEdit, edit: FlowEdit, by: User, act: str) -> Refusal:
    """Why an edit cannot be taken back: whose later edit stands on it."""
    later = [each for each in saving.since(flow, row.revision) if each.by_id != by.pk]
    other = later[-1] if later else row
    said = t(f"draft.{act}_blocked", label=edit.label, by=_name(other.by), later=other.label)
    return Refusal(f"{act.upper()}_BLOCKED", said, 409)
