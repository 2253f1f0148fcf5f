"""Takes in what was sent: flows with their code, their layout and the files beside them, all or nothing."""

from __future__ import annotations

import uuid
from dataclasses import dataclass, field
from typing import Any, Literal

from django.db import IntegrityError, transaction

from flows import files, identity, saving, store
from flows.beside.names import CODE, LAYOUT
from flows.edits.apply import apply
from flows.edits.changes import Change, Sketch
from flows.edits.whole import SetDocument
from flows.models import Flow, FlowFile, Unit
from flows.placed import checked_in_place
from flows.saving import Edit
from flows.units import units_of
from runtime.units import shelf
from runtime.units.generate import judge
from runtime.units.handlerfile import FileRefused, parse_handlers
from studio import drafts, editing
from studio.models import User
from studio.refusal import Refusal
from studio.strings import t
from studio.transfer import plan
from studio.transfer.parts import Contents, Part

How = Literal["new", "copy", "update"]


@dataclass
class Taken:
    """flows: those that were made or changed, the top first. same: those that were just so already."""

    flows: list[Flow] = field(default_factory=list)
    same: int = 0
    stays: list[str] = field(default_factory=list)


def take(contents: Contents, how: How, by: User | None, seen: dict[str, int] | None = None) -> Taken:
    """Make or change every flow that was sent. seen: the revisions that the person decided on, by the flow's id.

    Raises Refusal; nothing is changed then.
    """
    found = plan.known(contents) if how == "update" else []
    with drafts.refusing(), transaction.atomic():
        if how == "update" and not found:
            raise Refusal("FLOW_GONE", t("transfer.gone"), 409)
        places = plan.places_of_update(contents, found) if found else plan.places_of_copy(contents)
        existing = {each.part.file: each.flow for each in found}
        rows: dict[str, Flow] = {}
        for part in contents.parts:
            flow = existing.get(part.file)
            if flow is None:
                rows[part.file] = _make(part, places[part.file], how, by)
            else:
                rows[part.file] = _change(flow, part, by, (seen or {}).get(str(flow.pk), flow.revision))
        taken = Taken(list(rows.values()))
        for part in contents.parts:
            _take_beside(rows[part.file], part, by, taken)
            _take_code(rows[part.file], part, by)
        for flow in rows.values():
            Flow.objects.filter(pk=flow.pk).update(**store.counted(flow.draft, checked_in_place(flow)))
    return taken


def _make(part: Part, place: str, how: How, by: User | None) -> Flow:
    store.judge(part.text)
    said = part.id
    free = said is not None and not store.is_taken(said)
    id = said if said is not None and free else uuid.uuid4()
    name = (part.name or t("flows.imported_name"))[:120]
    called = drafts.free_name(name) if how == "copy" and not free else None
    text = identity.identified(part.text, id, called)
    try:
        with transaction.atomic():
            return Flow.objects.create(
                id=id, path=place, name=called or name, draft=text, layout=part.layout or {"nodes": {}, "comments": []},
                created_by=by, updated_by=by, **store.counted(text),
            )  # fmt: skip
    except IntegrityError as met:
        raise Refusal("PATH_TAKEN", t("transfer.met"), 409) from met


def _change(flow: Flow, part: Part, by: User | None, revision: int) -> Flow:
    """Put what was sent in place of a draft, as one edit that can be undone."""
    store.judge(part.text)
    flow = saving.locked(flow)
    if flow.revision != revision:
        raise Refusal("DRAFT_CHANGED", t("transfer.changed", name=flow.name), 409)
    operation = SetDocument.model_validate({"op": "setDocument", "text": part.text})
    before = saving.sketch(flow)
    applied = apply(before, [operation], text=flow.draft, id=flow.pk)
    layout = before.layout if part.layout is None else part.layout
    changes = list(applied.changes)
    if layout != before.layout:
        changes.append(Change(doc="layout", path=[], old=before.layout, new=layout))
    if not changes and applied.text == flow.draft:
        return flow
    edit = Edit(uuid.uuid4(), t("transfer.edit"), by, [saving.stored(operation)])
    saving.keep(flow, applied.text, applied.text, Sketch(applied.document, layout), changes, applied.moves, edit)
    editing.tell(flow, by)
    return flow


def _take_beside(flow: Flow, part: Part, by: User | None, taken: Taken) -> None:
    """The files beside a flow. Those that were not sent stay: an import takes nothing away."""
    there = {row.path: row for row in FlowFile.objects.filter(flow=flow)}
    for path, text in part.beside.items():
        if path not in there or there[path].text != text:
            files.write(flow, path, text, by)
    taken.stays += [f"{flow.name}: {path}" for path in there if path not in part.beside and path not in (CODE, LAYOUT)]
    _keep_as_sent(flow, LAYOUT, part.layout_text if part.layout is not None else "", by)


def _take_code(flow: Flow, part: Part, by: User | None) -> None:
    """The code of the flow's units. What is the same already keeps its history."""
    _keep_as_sent(flow, CODE, part.code, by)
    document = drafts.checked(flow.draft).flow
    if document is None:
        return
    try:
        codes = parse_handlers(part.code) if part.code else {}
    except FileRefused:
        codes = {}
    rows = {f"{row.kind}:{row.name}": row for row in Unit.objects.filter(flow=flow)}
    for spec in units_of(document):
        code = part.units.get(spec.id) or codes.get(spec.name)
        row = rows.get(spec.id)
        if code is None or (row is not None and row.code == code):
            continue
        facts = part.facts_of(spec.id)
        true = facts is not None and facts.sha256 == files.sha_of(code)
        origin = facts.origin if facts is not None and true else "edited"
        problems = tuple(judge(spec, document, code))
        shelf.write(flow, spec, code, "edited", problems=problems, over_edited=True)
        if facts is not None and true:
            Unit.objects.filter(flow=flow, kind=spec.kind, name=spec.name).update(origin=origin, key=facts.key)
    shelf.write_regular(flow, document)


def _keep_as_sent(flow: Flow, path: str, text: str, by: Any) -> None:
    """The text of a file that is kept in another form too, so that it is given out as it came."""
    row = FlowFile.objects.filter(flow=flow, path=path).first()
    if text and (row is None or row.text != text):
        files.write(flow, path, text, by)
