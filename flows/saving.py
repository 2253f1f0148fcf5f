"""Saving edits: the draft and a row that says what changed, in one transaction; taking one back; letting old ones go.

Undo reaches back over the rows that are kept, KEPT of them and no more than MOST characters in all.
"""

from __future__ import annotations

import hashlib
import json
import uuid
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal

from django.utils import timezone

from flows import identity, store
from flows.edits.apply import Applied, apply, sketch_of, written
from flows.edits.changes import Change, DoesNotFit, Sketch, make, reverse
from flows.edits.code import reaching, renamed
from flows.edits.operation import Operation
from flows.edits.places import refit
from flows.edits.references import references
from flows.edits.whole import SetDocument
from flows.edits.work import UnitMove, Work
from flows.models import Flow, FlowAside, FlowEdit, Unit
from flows.placed import checked_in_place
from flows.recent import checked
from flows.units import units_of
from flows.words import template
from flows.words.base import Ref
from flows.words.names import END, SKIP
from flows.words.when import regular_reads

Json = Any
KEPT = 200
MOST = 8_000_000


@dataclass(frozen=True)
class Edit:
    """Who edits, and what they call it. of: the edit that is undone or redone. ask: whose proposal it is."""

    key: uuid.UUID
    label: str
    by: Any = None
    operations: Sequence[Json] = ()
    act: Literal["edit", "undo", "redo"] = "edit"
    of: FlowEdit | None = None
    ask: uuid.UUID | None = None
    renamed: dict[str, str] = field(default_factory=dict)


class TooOld(Exception):
    """The edits since that revision are not all kept any more."""


def locked(flow: Flow) -> Flow:
    """The flow as it is now, until the transaction at hand ends nobody else's to change. Raises StoreRefused."""
    found = Flow.objects.select_for_update().filter(pk=flow.pk, deleted_at=None).first()
    if found is None:
        raise store.StoreRefused("FLOW_GONE", "This flow was deleted. Restore it, or keep your text in a new flow.")
    return found


def sketch(flow: Flow) -> Sketch:
    """The draft as edits see it."""
    return sketch_of(flow.draft, flow.layout)


def keep_applied(flow: Flow, applied: Applied, edit: Edit) -> FlowEdit:
    """Save what operations made of a locked flow's draft."""
    after = _verbatim(applied.text, applied.document) if applied.typed else None
    sketch = Sketch(applied.document, applied.layout)
    return keep(flow, applied.text, after, sketch, applied.changes, applied.moves, edit)


def keep(
    flow: Flow,
    text: str,
    after: str | None,
    sketch: Sketch,
    changes: list[Change],
    moves: Sequence[UnitMove],
    edit: Edit,
) -> FlowEdit:
    """Save a locked flow's new draft with the row that can take it back. The flow is changed in place.

    after: the text, where writing the document would not give it.
    """
    document, layout = sketch.document, sketch.layout
    old_text, before_sha = flow.draft, mark(flow.draft, flow.layout)
    last = FlowEdit.objects.filter(flow=flow, revision=flow.revision).first()
    known = last is not None and last.after_sha == before_sha
    before = last.after if last is not None and known else _verbatim(flow.draft, identity.read(flow.draft))
    if edit.act == "edit":
        FlowEdit.objects.filter(flow=flow, by=edit.by, state="undone").update(state="dropped")
    said = document.get("name") if isinstance(document, dict) else None
    flow.draft, flow.layout, flow.revision = text, layout, flow.revision + 1
    flow.name = (said.strip()[:120] if isinstance(said, str) else "") or flow.name
    flow.updated_by, flow.updated_at = edit.by, timezone.now()
    if text != old_text:
        for name, value in store.counted(text, checked_in_place(flow)).items():
            setattr(flow, name, value)
    flow.save()
    move_code(flow, old_text, moves)
    row = FlowEdit(
        flow=flow, key=edit.key, revision=flow.revision, act=edit.act, of=edit.of, label=edit.label[:200],
        operations=list(edit.operations), changes=changes, renamed=edit.renamed, moves=[list(each) for each in moves],
        before=before, after=after, before_sha=before_sha, after_sha=mark(text, layout), ask=edit.ask, by=edit.by,
    )  # fmt: skip
    row.size = len(json.dumps([row.changes, row.operations])) + len(before or "") + len(after or "")
    row.save()
    if flow.revision % 10 == 0 or row.size > MOST // 20:
        prune(flow)
    return row


def keep_text(flow: Flow, text: str, by: Any) -> FlowEdit:
    """Save a text that a person typed in place of a locked flow's draft."""
    operation = SetDocument.model_validate({"op": "setDocument", "text": text})
    applied = apply(sketch(flow), [operation], text=flow.draft, id=flow.pk)
    return keep_applied(flow, applied, Edit(uuid.uuid4(), operation.words(), by, [stored(operation)]))


def stored(operation: Operation) -> Json:
    """An operation as its row keeps it: a whole text is in the changes already."""
    return {"op": "setDocument"} if isinstance(operation, SetDocument) else operation.plain()


def _verbatim(text: str, document: Json) -> str | None:
    """The text, when writing its document out would not give it back."""
    return None if document is not None and written(document) == text else text


def mark(text: str, layout: Json) -> str:
    """Tells whether a draft and its layout are still what an edit left behind."""
    return hashlib.sha256(f"{text}\0{json.dumps(layout)}".encode("utf-8", "surrogatepass")).hexdigest()


def prune(flow: Flow) -> None:
    """Let the oldest edits go: beyond the last KEPT, and beyond MOST characters; the last one always stays.

    Each may be undone and redone, which are rows too, so there are four times as many rows at the most.
    """
    left, edits, gone = MOST, 0, 0
    rows = FlowEdit.objects.filter(flow=flow).order_by("-revision").values_list("revision", "size", "act")
    for position, (revision, size, act) in enumerate(rows):
        left -= size
        edits += act == "edit"
        if position and (edits > KEPT or position >= 4 * KEPT or left < 0):
            gone = revision
            break
    decided = FlowAside.objects.filter(flow=flow).exclude(state="open").order_by("-pk")[KEPT : KEPT + 1].first()
    if decided is not None:
        FlowAside.objects.filter(flow=flow, pk__lte=decided.pk).exclude(state="open").delete()
    if gone:
        FlowEdit.objects.filter(flow=flow, revision__lte=gone).delete()


def since(flow: Flow, revision: int) -> list[FlowEdit]:
    """The edits after a revision, oldest first. Raises TooOld when some of them are gone."""
    if revision >= flow.revision:
        return []
    rows = list(FlowEdit.objects.filter(flow=flow, revision__gt=revision).select_related("by").order_by("revision"))
    if [row.revision for row in rows] != list(range(revision + 1, flow.revision + 1)):
        raise TooOld
    return rows


def rewind(flow: Flow, revision: int) -> Sketch:
    """The draft as it was at a revision. Raises TooOld."""
    here = sketch(flow)
    for row in reversed(since(flow, revision)):
        make(here, reverse(row.changes))
    return here


def last_application(edit: FlowEdit) -> FlowEdit:
    """The row by which an edit stands, or stopped standing: itself, or the last time it was undone or redone."""
    return FlowEdit.objects.filter(of=edit).order_by("-revision").first() or edit


def take_back(flow: Flow, row: FlowEdit) -> tuple[str | None, Sketch, list[Change]]:
    """(text, draft, changes): the locked flow's draft without what the row did; the text is None when it is the
    document as written. Raises DoesNotFit when a later edit stands on it, and TooOld.
    """
    here = sketch(flow)
    back = reverse(row.changes)
    if mark(flow.draft, flow.layout) == row.after_sha:
        make(here, back)
        return row.before, here, back
    if here.document is None:
        raise DoesNotFit
    after = rewind(flow, row.revision)
    before = Sketch(after.document, after.layout)
    loose = _loose(here.document)
    moved = refit(here, after, back)
    make(before, back)
    _judge_names([loose, _loose(before.document)], here.document)
    changed = any(change["doc"] == "flow" for change in moved)
    return None if changed else _verbatim(flow.draft, here.document), here, moved


def _judge_names(allowed: Sequence[Mapping[tuple[str, str], int]], now: Json) -> None:
    """Raises DoesNotFit when something names what is not there any more: it was added since.

    allowed: how often which names were said in vain before, be it that somebody else left them so.
    """
    for name, count in _loose(now).items():
        if all(count > known.get(name, 0) for known in allowed):
            raise DoesNotFit


_NAMING: tuple[Ref, ...] = ("node", "next", "channel", "tool")


def _loose(document: Json) -> Mapping[tuple[str, str], int]:
    """How often each name of a node, a channel or a tool is said that is not there."""
    if not isinstance(document, dict):
        return {}
    work = Work(Sketch(document, {}))
    there = {
        "node": {*work.node_ids, END, SKIP},
        "channel": set(work.mapped("state")),
        "tool": set(work.tool_names),
    }
    said = [("node" if each.ref == "next" else each.ref, each.text) for each in references(document, *_NAMING)]
    said += [("channel", name) for each in references(document, "template") for name in template.reads(each.text)]
    for _, _, edge in work.edges():
        sentences = edge.get("when")
        for sentence in sentences.values() if isinstance(sentences, dict) else ():
            paths = regular_reads(sentence) if isinstance(sentence, str) else ()
            said += [("channel", path.partition(".")[0]) for path in paths]
    return Counter((kind, name) for kind, name in said if name not in there[kind])


def move_code(flow: Flow, old_text: str, moves: Sequence[UnitMove]) -> None:
    """Let units' code go to its new names. Code that was under the new name goes to the old one: nothing is lost.

    What calls a service calls it by its new name.
    """
    if not moves:
        return
    keys = {move: (_key(old_text, move.kind, move.old), _key(flow.draft, move.kind, move.new)) for move in moves}
    for move in moves:
        if move.kind == "service":
            _reach(flow, move)
        rows = {row.name: row for row in Unit.objects.filter(flow=flow, kind=move.kind, name__in=[move.old, move.new])}
        row, other = rows.get(move.old), rows.get(move.new)
        if row is None:
            continue
        if other is not None:
            Unit.objects.filter(pk=other.pk).update(name=f"~{move.new}"[:64])
        was, now = keys[move]
        row.name, row.code = move.new, renamed(row.code, move.old, move.new)
        if row.key == was and now:
            row.key = now
        row.save()
        if other is not None:
            Unit.objects.filter(pk=other.pk).update(name=move.old, code=renamed(other.code, move.new, move.old))


def _reach(flow: Flow, move: UnitMove) -> None:
    for row in Unit.objects.filter(flow=flow, code__contains="services"):
        code = reaching(row.code, move.old, move.new)
        if code != row.code:
            Unit.objects.filter(pk=row.pk).update(code=code)


def _key(text: str, kind: str, name: str) -> str:
    document = checked(text).flow
    specs = units_of(document) if document is not None else []
    return next((spec.key for spec in specs if (spec.kind, spec.name) == (kind, name)), "")
