"""Sorts what was sent: which of the files are flows, and what else belongs to each."""

from __future__ import annotations

import uuid
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from pydantic import ValidationError

from flows import identity
from flows.beside.names import CODE, LAYOUT, MANIFEST, SECRETS, fault_of_path, kind_of
from flows.check import Checked
from flows.edits.layout import Layout
from flows.stored import folder_of
from flows.tree import TOP, check_tree, read_tree
from flows.words.strictjson import JsonRefused, loads
from runtime.units.handlerfile import FileRefused, parse_handlers
from studio.refusal import Refusal
from studio.strings import t
from studio.transfer.manifest import FlowFacts, Manifest, UnitFacts, read
from studio.transfer.sent import Left, Sent

UNITS = "code"
"""The folder of units whose code cannot stand in one file together."""


@dataclass
class Part:
    """One flow of what was sent. file: its own. place: the same as a flow's path, from the top of what was sent.

    code_file and layout_file: as they stand beside it; "" when there is none. units: code by unit, from files of its
    own. beside: path from its folder → text.
    """

    file: str
    text: str
    checked: Checked
    facts: FlowFacts | None = None
    code_file: str = ""
    code: str = ""
    layout_file: str = ""
    layout_text: str = ""
    layout: Any = None
    units: dict[str, str] = field(default_factory=dict)
    beside: dict[str, str] = field(default_factory=dict)

    @property
    def place(self) -> str:
        return "" if self.file == TOP else self.file.removesuffix(f"/{TOP}")

    @property
    def folder(self) -> str:
        return self.file.rpartition("/")[0]

    @property
    def id(self) -> uuid.UUID | None:
        """Who the flow says that it is; before a flow could say so, the manifest says it."""
        return identity.id_of(self.text) or (self.facts.id if self.facts else None)

    @property
    def name(self) -> str:
        return identity.name_of(self.text) or (self.facts.name if self.facts else "")

    def facts_of(self, unit: str) -> UnitFacts | None:
        return self.facts.units.get(unit) if self.facts else None


@dataclass
class Contents:
    """name: of what was sent. parts: the flows in it, the one that people talk to first. left: what is not taken."""

    name: str
    parts: list[Part]
    left: list[Left]
    manifest: Manifest | None = None

    @property
    def top(self) -> Part:
        return self.parts[0]


def sort(sent: Sent) -> Contents:
    """What was sent, flow by flow. Raises Refusal when there is no flow in it."""
    files = dict(sent.files)
    manifest = read(files.pop(MANIFEST, None))
    files.pop(SECRETS, None)
    found = _flows(files, manifest)
    if not found:
        raise Refusal("IMPORT_EMPTY", t("transfer.no_flow"), 422)
    facts = {each.file: each for each in manifest.flows} if manifest else {}
    parts = [Part(file, files.pop(file), checked, facts.get(file)) for file, checked in found.items()]
    left = [*sent.left, *_share(parts, files)]
    return Contents(sent.name, parts, sorted(left, key=lambda each: each.path), manifest)


def _flows(files: Mapping[str, str], manifest: Manifest | None) -> dict[str, Checked]:
    """Every file that is a flow, with what is wrong with it in its place: the first top first, with all it runs."""
    tops = sorted((path for path in files if path.rpartition("/")[2] == TOP), key=lambda path: (path.count("/"), path))
    if manifest is not None:
        tops = [*dict.fromkeys(each for each in (manifest.flow, *tops) if each in files)]
    # Whatever another flow runs is no top: the flow that people talk to comes first.
    below = {file for top in tops for file in list(read_tree(files, top).flows)[1:]}
    first = manifest.flow if manifest and manifest.flow in files else ""
    ordered = sorted(tops, key=lambda top: (top != first, top in below))
    found: dict[str, Checked] = {}
    for top in ordered:
        if top not in found:
            for file, checked in check_tree(files, top).items():
                if (file in files and checked.flow is not None) or file in tops:
                    found.setdefault(file, checked)
    return found


def _share(parts: list[Part], files: dict[str, str]) -> Iterator[Left]:
    """Give each file to the flow that it stands beside, and say which belong to none."""
    for part in parts:
        _take_own(part, files)
    for part in parts:
        # What several flows of a folder share belongs to each.
        files.pop(part.code_file, None)
        files.pop(part.layout_file, None)
    by_folder: dict[str, Part] = {}
    for part in sorted(parts, key=lambda each: not each.file.endswith(TOP)):
        by_folder.setdefault(part.folder, part)
    for path, text in files.items():
        folder = path.rpartition("/")[0]
        while folder not in by_folder and folder:
            folder = folder.rpartition("/")[0]
        part = by_folder.get(folder)
        rest = path[len(folder) + 1 :] if folder else path
        if part is None:
            yield Left(path, t("transfer.left_beside_none"))
        elif not _take_unit(part, rest, text):
            fault = fault_of_path(rest)
            if fault or (kind_of(rest) == "dataset" and not _is_cases(text)):
                yield Left(path, t("transfer.left_unread"))
            else:
                part.beside[rest] = text
    for part in parts:
        yield from _read_layout(part)
        yield from _read_code(part)


def _take_own(part: Part, files: dict[str, str]) -> None:
    """Its code and its layout: named after it where it is not the flow.json of its folder."""
    before = f"{part.folder}/" if part.folder else ""
    stem = part.file[len(before) :].removesuffix(".json")
    for name in (CODE,) if stem == "flow" else (f"{stem}.{CODE}", CODE):
        if before + name in files:
            part.code_file, part.code = before + name, files[before + name]
            break
    layout = before + (LAYOUT if stem == "flow" else f"{stem}.{LAYOUT}")
    if layout in files:
        part.layout_file, part.layout_text = layout, files[layout]


def _take_unit(part: Part, path: str, text: str) -> bool:
    """code/handler.plan.py: the code of one unit."""
    folder, _, name = path.rpartition("/")
    kind, _, unit = name.removesuffix(".py").partition(".")
    if folder != UNITS or not name.endswith(".py") or kind not in ("handler", "router", "tool", "service") or not unit:
        return False
    part.units[f"{kind}:{unit}"] = text
    return True


def _is_cases(text: str) -> bool:
    """May this be a list of cases that evals name? What cannot be read is kept: somebody meant it."""
    try:
        return isinstance(loads(text), list)
    except JsonRefused:
        return True


def _read_layout(part: Part) -> Iterator[Left]:
    if not part.layout_file:
        return
    try:
        raw = loads(part.layout_text)
        Layout.model_validate({"nodes": {}, "comments": [], **raw} if isinstance(raw, dict) else raw)
        part.layout = raw
    except (JsonRefused, ValidationError, TypeError):
        yield Left(part.layout_file, t("transfer.left_layout"))


def _read_code(part: Part) -> Iterator[Left]:
    if not part.code:
        return
    if part.checked.flow is None:
        yield Left(part.code_file, t("transfer.left_code_waits"))
        return
    try:
        parse_handlers(part.code)
    except FileRefused as refused:
        yield Left(part.code_file, t("transfer.left_code", why=refused.message))


def folder_in(place: str) -> str:
    """The folder that a flow's files go into in a workspace, "" at its top."""
    return folder_of(place) if place else ""
