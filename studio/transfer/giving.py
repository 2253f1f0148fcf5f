"""Gives a flow out whole: the flows that it runs, their code and layout and what stands beside them, and no secret."""

from __future__ import annotations

import json
import posixpath
from dataclasses import dataclass, field
from typing import Any

from flows import identity
from flows.beside.names import CODE, LAYOUT, MANIFEST, SECRETS, fault_of_path
from flows.files import sha_of
from flows.models import Flow, FlowFile, Unit
from flows.placed import tree_of
from flows.recent import checked
from flows.stored import file_of
from flows.tree import TOP
from flows.units import units_of
from flows.words.canonical import canonical
from flows.words.document import Document
from flows.words.strictjson import JsonRefused, loads
from runtime.units.handlerfile import FileRefused, parse_handlers, render_handlers
from studio.transfer.environment import environment
from studio.transfer.manifest import FlowFacts, Manifest, UnitFacts
from studio.transfer.parts import UNITS

EMPTY: dict[str, Any] = {"nodes": {}, "comments": []}


@dataclass
class Given:
    """files: path → text. top: the file of the flow itself. flows: those in it, the top first."""

    name: str
    top: str = ""
    files: dict[str, str] = field(default_factory=dict)
    flows: list[Flow] = field(default_factory=list)


def give(flow: Flow) -> Given:
    """The flow with all that it runs, as files of one folder."""
    flows = flows_of(flow)
    folders = [file_of(each.path).rpartition("/")[0] for each in flows]
    root = _common(folders)
    given = Given(flow.name, flows=flows)
    facts: list[FlowFacts] = []
    for each in flows:
        file = file_of(each.path)[len(root) + 1 :] if root else file_of(each.path)
        given.top = given.top or file
        facts.append(_give(given, each, file))
    documents = [checked(each.draft).flow for each in flows]
    words = environment([each for each in documents if each is not None], given.files)
    if words:
        given.files[SECRETS] = words
    sums = {path: sha_of(text) for path, text in sorted(given.files.items())}
    manifest = Manifest(flow=given.top, place=root, flows=facts, files=sums)
    given.files[MANIFEST] = manifest.text()
    return given


def flows_of(flow: Flow) -> list[Flow]:
    """The flow and every one that it runs or may call."""
    places = [file for file in tree_of(flow).flows if file != file_of(flow.path)]
    paths = [path for file in places for path in (file, file.removesuffix(f"/{TOP}"))]
    rows = {file_of(each.path): each for each in Flow.objects.filter(path__in=paths, deleted_at=None)}
    return [flow, *(rows[file] for file in places if file in rows)]


def _common(folders: list[str]) -> str:
    return posixpath.commonpath(folders) if all(folders) else ""


def _give(given: Given, flow: Flow, file: str) -> FlowFacts:
    """Put one flow among the files, with what stands beside it."""
    given.files[file] = flow.draft
    folder = file.rpartition("/")[0]
    before = f"{folder}/" if folder else ""
    stem = file[len(before) :].removesuffix(".json")
    rows = {row.path: row.text for row in FlowFile.objects.filter(flow=flow)}
    for path, text in sorted(rows.items()):
        if not fault_of_path(path):
            # Two flows of one folder may have a file of one name; the one named flow.json comes first.
            given.files.setdefault(before + path, text)
    layout = _layout(flow, rows.get(LAYOUT))
    if layout:
        given.files[before + (LAYOUT if stem == "flow" else f"{stem}.{LAYOUT}")] = layout
    document = checked(flow.draft).flow
    units = _units(flow, document)
    for path, text in _code(units, rows.get(CODE)).items():
        own = (
            path if stem == "flow" or path != CODE or given.files.get(before + CODE, text) == text else f"{stem}.{CODE}"
        )
        given.files[before + own] = text
    return _facts(flow, file, document, units)


def _layout(flow: Flow, sent: str | None) -> str:
    """Where the nodes stand, as text; as it was sent where that says the same."""
    now = {**EMPTY, **flow.layout}
    if sent is not None:
        try:
            raw = loads(sent)
            if isinstance(raw, dict) and {**EMPTY, **raw} == now:
                return sent
        except JsonRefused:
            pass
    return "" if now == EMPTY else json.dumps(now, ensure_ascii=False, indent=2) + "\n"


def _units(flow: Flow, document: Document | None) -> dict[str, Unit]:
    """The code that is kept, by unit, in the flow's order. Routers written from their sentences need no keeping."""
    rows = {f"{row.kind}:{row.name}": row for row in Unit.objects.filter(flow=flow).order_by("kind", "name")}
    names = [spec.id for spec in units_of(document)] if document is not None else list(rows)
    return {name: rows[name] for name in names if name in rows and rows[name].code and rows[name].origin != "regular"}


def _code(units: dict[str, Unit], sent: str | None) -> dict[str, str]:
    """The code as files: handlers.py, and beside it each unit that cannot stand in it with the others."""
    if sent is not None and _holds(sent, units):
        return {CODE: sent}
    alone: dict[str, str] = {}
    together: dict[str, str] = {}
    for name, unit in units.items():
        try:
            render_handlers([*together.values(), unit.code])
            fits = parse_handlers(unit.code).get(unit.name) == unit.code
        except (FileRefused, SyntaxError, ValueError):
            fits = False
        (together if fits else alone)[name] = unit.code
    found = {f"{UNITS}/{name.replace(':', '.')}.py": code for name, code in alone.items()}
    if together:
        text = render_handlers(together.values())
        codes = parse_handlers(text)
        for name in [name for name in together if codes.get(units[name].name) != together[name]]:
            found[f"{UNITS}/{name.replace(':', '.')}.py"] = together[name]
        found[CODE] = text
    return found


def _holds(text: str, units: dict[str, Unit]) -> bool:
    """Is what was sent still the code of these units?"""
    try:
        codes = parse_handlers(text)
    except FileRefused:
        return not units
    return all(codes.get(unit.name) == unit.code for unit in units.values())


def _facts(flow: Flow, file: str, document: Document | None, units: dict[str, Unit]) -> FlowFacts:
    top = identity.read(flow.draft) or {}
    version = top.get("version")
    return FlowFacts(
        file=file,
        id=flow.pk,
        name=flow.name,
        kind="system" if flow.system else "user",
        version=version if isinstance(version, str) else "",
        sha256=sha_of(canonical(document.as_json()).decode() if document is not None else flow.draft),
        units={
            name: UnitFacts(
                origin="edited" if unit.origin == "edited" else "generated", key=unit.key, sha256=sha_of(unit.code)
            )
            for name, unit in units.items()
        },
    )
