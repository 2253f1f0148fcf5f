"""Storing flows: drafts that may be broken and are never lost, and versions that may not and never change."""

from __future__ import annotations

import hashlib
import json
import uuid
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from django.db import IntegrityError, transaction
from django.db.models import Max
from django.utils import timezone
from django.utils.text import slugify

from flows import identity, scope
from flows.check import Checked
from flows.earlier import code_of, needs_code
from flows.models import Flow, FlowFile, FlowVersion, Unit
from flows.pinned import Unpinned, parts, pinned
from flows.placed import checked_in_place
from flows.problem import Problem, quoted
from flows.recent import checked
from flows.runnable import cannot_run
from flows.units import UnitSpec, units_of
from flows.words.base import Json
from flows.words.canonical import canonical, order, sha
from flows.words.document import Document
from flows.words.strictjson import MAX_BYTES
from flows.words.versions import NEWEST
from flows.words.when import compile_router

ENGINE = 1
"""The compiler that new versions are made for. A version keeps its number for as long as a run waits on it."""

UNNAMED = "Untitled flow"


class StoreRefused(Exception):
    """The flow was not changed. code names why; message is a sentence for the person."""

    def __init__(self, code: str, message: str) -> None:
        super().__init__(message)
        self.code = code
        self.message = message


class DraftChanged(StoreRefused):
    """Somebody saved in between. `flow` holds what they saved; the text that was not saved is still the caller's."""

    def __init__(self, flow: Flow) -> None:
        super().__init__("DRAFT_CHANGED", "Somebody else saved this flow after you opened it. Look at both texts.")
        self.flow = flow


@dataclass(frozen=True)
class Seen:
    """What somebody looked at before they asked for a version of it: the draft's revision, and its code's hash."""

    revision: int
    units_sha: str


class VersionChanged(StoreRefused):
    """The draft or its code is no longer what was seen."""

    def __init__(self) -> None:
        super().__init__(
            "VERSION_CHANGED", "The flow or its code changed after this page was opened. Look at what changes now."
        )


class VersionRefused(StoreRefused):
    """The draft cannot become a version; problems say what stands in the way."""

    def __init__(self, problems: list[Problem]) -> None:
        count = len(problems)
        things = "1 thing stands" if count == 1 else f"{count} things stand"
        super().__init__("VERSION_REFUSED", f"{things} in the way of a version. First: {problems[0].message}")
        self.problems = problems


def blank(id: uuid.UUID, name: str) -> dict[str, Json]:
    """A flow that runs as it is: a question, a model that answers it, and the conversation remembered."""
    return {
        "version": NEWEST,
        "id": str(id),
        "name": name,
        "description": "Answers questions.",
        "conversation": True,
        "inputs": ["question"],
        "outputs": ["answer"],
        "start": "reply",
        "state": {
            "question": {"type": "string", "description": "What the person asked, as text."},
            "answer": {"type": "string", "description": "The reply, as Markdown text."},
        },
        "nodes": [
            {
                "id": "reply",
                "type": "llm",
                "prompt": "Answer the question.\n\nConversation so far:\n{{history}}\n\nQuestion: {{question}}",
                "output": "answer",
            }
        ],
        "edges": [{"from": "reply", "to": "END"}],
    }


def create(name: str, by: Any = None) -> Flow:
    """A new flow: question, model, answer. by: the person, or None."""
    id = uuid.uuid4()
    name = name.strip()[:120] or UNNAMED
    return _insert(id, name, _written(blank(id, name)), by)


def import_flow(text: str, by: Any = None, name: str = "") -> Flow:
    """Keep a flow.json, valid or not. It keeps its id unless a flow here has it already; then it is a copy.

    name: what to call it when the file does not say. Raises StoreRefused when the text cannot be stored.
    """
    judge(text)
    said = identity.id_of(text)
    id = said if said and not is_taken(said) else uuid.uuid4()
    called = identity.name_of(text) or name.strip()[:120] or UNNAMED
    return _insert(id, called, identity.identified(text, id), by)


def duplicate(flow: Flow, by: Any = None) -> Flow:
    """A copy with an id, a name and a path of its own, its code and the files beside it."""
    id = uuid.uuid4()
    name = f"Copy of {flow.name}"[:120]
    with transaction.atomic():
        copy = _insert(id, name, identity.identified(flow.draft, id, name), by)
        copy.layout = flow.layout
        copy.save(update_fields=["layout"])
        for unit in Unit.objects.filter(flow=flow):
            Unit.objects.create(
                flow=copy, kind=unit.kind, name=unit.name, key=unit.key, code=unit.code, origin=unit.origin,
                refused=unit.refused, turned_down=unit.turned_down,
            )  # fmt: skip
        for file in FlowFile.objects.filter(flow=flow):
            FlowFile.objects.create(
                flow=copy, path=file.path, text=file.text, sha=file.sha, size=file.size, updated_by=by
            )
    return copy


def save_draft(flow: Flow, text: str, revision: int, by: Any = None) -> Flow:
    """Keep a draft as it was typed, valid or not; only its id is the store's to write.

    revision: the one that the editor began from. Raises DraftChanged when somebody saved since, and StoreRefused when
    the flow is gone or the text cannot be stored.
    """
    from flows import saving

    judge(text)
    with transaction.atomic():
        now = saving.locked(flow)
        if now.draft != identity.identified(text, flow.pk):
            if now.revision != revision:
                raise DraftChanged(now)
            saving.keep_text(now, text, by)
    return now


def delete(flow: Flow) -> None:
    """Put a flow away; restore() brings it back. Raises StoreRefused for a system flow."""
    if is_system(flow):
        raise StoreRefused("FLOW_IS_SYSTEM", f"{quoted(flow.name)} is a system flow: something reads it, so it stays.")
    Flow.objects.filter(pk=flow.pk, deleted_at=None).update(deleted_at=timezone.now())
    flow.refresh_from_db()


def restore(flow: Flow) -> None:
    """Undo delete()."""
    Flow.objects.filter(pk=flow.pk).update(deleted_at=None)
    flow.refresh_from_db()


def is_system(flow: Flow) -> bool:
    """May nobody delete it? Said by the draft, or by the newest version when the draft cannot be read."""
    top = identity.read(flow.draft)
    if top is None:
        newest = FlowVersion.objects.filter(flow=flow).exclude(number=None).order_by("-number").first()
        top = newest.document if newest else {}
    return top.get("kind") == "system"


def make_version(flow: Flow, by: Any = None, note: str = "", seen: Seen | None = None) -> FlowVersion:
    """The draft as an immutable version, numbered within the flow; the same draft and code twice is one version.

    seen: what the person looked at; nothing else becomes the version. Raises VersionChanged, or VersionRefused with
    every error of the draft, or every unit whose code may not run. Routers with regular when sentences need no code
    beforehand: theirs is written here.
    """
    with transaction.atomic():
        flow = Flow.objects.select_for_update().get(pk=flow.pk)
        version = _of_draft(flow, by, seen)
        if version.number is None:
            # It was only tried so far. Runs that tried it go on with what is now the numbered version.
            last = FlowVersion.objects.filter(flow=flow).aggregate(last=Max("number"))["last"] or 0
            version.number, version.note, version.created_by = last + 1, note[:200], by
            version.created_at = timezone.now()
            version.save(update_fields=["number", "note", "created_by", "created_at"])
        return version


def try_version(flow: Flow, by: Any = None) -> FlowVersion:
    """The draft as a version without a number, for runs that only try it; the numbered one when there is one already.

    Raises VersionRefused as make_version.
    """
    with transaction.atomic():
        return _of_draft(Flow.objects.select_for_update().get(pk=flow.pk), by, None)


def try_part(flow: Flow, text: str, by: Any = None) -> FlowVersion:
    """A part of the draft, a flow of its own by its text, as a version without a number. Raises VersionRefused."""
    with transaction.atomic():
        flow = Flow.objects.select_for_update().get(pk=flow.pk)
        return _version(flow, _usable(checked(text)), by, None)


def _of_draft(flow: Flow, by: Any, seen: Seen | None) -> FlowVersion:
    """The version that the draft and its code are, new ones without a number."""
    return _version(flow, _usable(checked_in_place(flow)), by, seen)


def _version(flow: Flow, document: Document, by: Any, seen: Seen | None) -> FlowVersion:
    units = _code(flow, document)
    units_sha, tree = sha(units), tree_of(flow, document)
    if seen is not None and seen != Seen(flow.revision, seen_sha(units, tree)):
        raise VersionChanged
    name = version_sha(document, units_sha, tree)
    found = FlowVersion.objects.filter(flow=flow, sha=name).first()
    return found or FlowVersion.objects.create(
        flow=flow, number=None, sha=name, document=document.as_json(), units=units, units_sha=units_sha, tree=tree,
        engine=ENGINE, created_by=by,
    )  # fmt: skip


def tree_of(flow: Flow, document: Document) -> dict[str, Json]:
    """What a version of the draft keeps of the flows that it runs; {} where it runs none. Raises VersionRefused."""

    def code(inner: Flow, found: Document) -> dict[str, str]:
        try:
            return _code(inner, found)
        except VersionRefused as refused:
            raise Unpinned(refused.problems) from None

    try:
        return pinned(flow, document, code)
    except Unpinned as missing:
        raise VersionRefused(missing.problems) from None


def seen_sha(units: Mapping[str, str], tree: Mapping[str, Json]) -> str:
    """The hash of all that runs beside the draft's own text: its code, and the flows that it runs."""
    return sha([dict(units), parts(tree), tree["agents"]] if tree else dict(units))


def version_sha(document: Document, units_sha: str, tree: Mapping[str, Json] | None = None) -> str:
    """SHA-256 of a version: the document whatever the order of its keys, the order of its fields, and its code.

    tree: what it runs, which decides too.
    """
    own: list[Json] = [document.as_json(), order(document.as_json()), units_sha]
    inner: list[Json] = [tree["top"], parts(tree), tree["agents"]] if tree else []
    return hashlib.sha256(canonical([*own, *inner])).hexdigest()


def _usable(found: Checked) -> Document:
    if found.flow is None or not found.ok:
        raise VersionRefused(found.errors)
    barred = cannot_run(found)
    if barred:
        raise VersionRefused(barred)
    return found.flow


def _code(flow: Flow, document: Document) -> dict[str, str]:
    """The code of every unit, by its id. Raises VersionRefused naming each that has none."""
    kept = {f"{unit.kind}:{unit.name}": unit for unit in Unit.objects.filter(flow=flow)}
    code: dict[str, str] = {}
    missing: list[Problem] = []
    specs = units_of(document)
    earlier = code_of(flow, [spec for spec in specs if needs_code(spec, kept.get(spec.id))])
    for spec in specs:
        unit = kept.get(spec.id)
        regular = compile_router(spec.name, spec.routes, spec.when) if spec.kind == "router" else None
        if regular is not None and (unit is None or unit.origin != "edited"):
            _keep_regular(flow, spec, regular)
            code[spec.id] = regular
        elif spec.id in earlier:
            code[spec.id] = earlier[spec.id]
        elif unit is None or not unit.code.strip():
            missing.append(_without_code(spec, unit))
        elif unit.refused:
            missing.append(
                _problem(spec, "UNIT_REFUSED", f"The code of the {_called(spec)} is refused: {unit.refused}")
            )
        elif unit.origin != "edited" and unit.key != spec.key:
            missing.append(_problem(spec, "UNIT_STALE", f"The {_called(spec)} was written from an older description."))
        else:
            code[spec.id] = unit.code
    if missing:
        raise VersionRefused(missing)
    return code


def _without_code(spec: UnitSpec, unit: Unit | None) -> Problem:
    why = f" It was refused: {unit.refused}" if unit is not None and unit.refused else ""
    return _problem(spec, "UNIT_MISSING", f"The {_called(spec)} has no code.{why}")


def _problem(spec: UnitSpec, code: str, message: str) -> Problem:
    return Problem(code, "error", "", message, "Write its code from the description, or by hand.")


def _called(spec: UnitSpec) -> str:
    return f"{spec.kind} {quoted(spec.name)}"


def _keep_regular(flow: Flow, spec: UnitSpec, code: str) -> None:
    Unit.objects.update_or_create(
        flow=flow, kind=spec.kind, name=spec.name,
        defaults={"key": spec.key, "code": code, "origin": "regular", "refused": "", "turned_down": ""},
    )  # fmt: skip


def _written(document: Mapping[str, Json]) -> str:
    return json.dumps(document, ensure_ascii=False, indent=2) + "\n"


def counted(text: str, found: Checked | None = None) -> dict[str, Any]:
    """What a flow's row keeps for lists: its description, its problems by number, whether it is a system flow.

    found: what its check says in its place. A text that cannot be read says nothing about the last; the row keeps what
    it had.
    """
    found = found or checked(text)
    facts: dict[str, Any] = {"errors": len(found.errors), "warnings": len(found.warnings)}
    if found.flow is None:
        return facts
    return {**facts, "about": getattr(found.flow, "description", "") or "", "system": found.flow.kind == "system"}


def judge(text: str) -> None:
    """Refuse what cannot be stored at all; everything else is kept, however broken."""
    try:
        size = len(text.encode())
    except UnicodeEncodeError:
        raise StoreRefused("DRAFT_UNSTORABLE", "The text holds half of a character. Remove it.") from None
    if size > MAX_BYTES:
        raise StoreRefused(
            "DRAFT_TOO_LARGE", f"The text is {size:,} bytes; at most {MAX_BYTES:,} are kept. Make it shorter."
        )
    if "\x00" in text:
        raise StoreRefused("DRAFT_UNSTORABLE", "The text holds the NUL character, which cannot be stored. Remove it.")


def is_taken(id: uuid.UUID) -> bool:
    """Has a flow here or elsewhere this id, deleted ones included?"""
    # Ids are unique over all workspaces: two flows that claim one could not be told apart on a board.
    return Flow.everywhere.filter(pk=id).exists()


def _insert(id: uuid.UUID, name: str, text: str, by: Any) -> Flow:
    """A new row with a free path. Two people who choose one name at once both get a path."""
    base = slugify(name)[:60].strip("-") or "flow"
    for attempt in range(20):
        path = _free_path(base, attempt)
        try:
            with transaction.atomic():
                return Flow.objects.create(
                    id=id, workspace_id=scope.current(), path=path, name=name, draft=text, created_by=by, updated_by=by,
                    **counted(text),
                )  # fmt: skip
        except IntegrityError:
            if is_taken(id):
                raise
    raise StoreRefused("PATH_TAKEN", f"No address is free for {quoted(name)}. Choose another name.")


def _free_path(base: str, skip: int) -> str:
    """The base, or base-2, base-3 …: the first that no flow of the workspace has, deleted ones included."""
    taken = set(Flow.objects.filter(path__startswith=base).values_list("path", flat=True))
    path, number = base, 1
    while path in taken or number <= skip:
        number += 1
        path = f"{base}-{number}"
    return path
