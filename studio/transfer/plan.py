"""What an import would do, before it does it: which flows are known here, and where the others would stand."""

from __future__ import annotations

import posixpath
from dataclasses import dataclass

from flows import identity
from flows.beside.names import fault_of_path
from flows.edits.difference import lines
from flows.edits.lines import ChangeLine
from flows.models import Flow
from flows.stored import file_of
from flows.tree import TOP
from studio import drafts, placing
from studio.refusal import Refusal
from studio.strings import t
from studio.transfer.parts import Contents, Part

_TRIES = 200


@dataclass(frozen=True)
class Known:
    """A flow here that has the id of one that was sent."""

    part: Part
    flow: Flow

    @property
    def same(self) -> bool:
        return self.part.text == self.flow.draft


def known(contents: Contents) -> list[Known]:
    """The flows of this workspace that what was sent is a later, or an earlier, state of."""
    ids = {part.id: part for part in reversed(contents.parts) if part.id is not None}
    rows = drafts.live_flows().select_related("updated_by").filter(pk__in=ids)
    found = [Known(ids[flow.pk], flow) for flow in rows]
    return sorted(found, key=lambda each: contents.parts.index(each.part))


def places_of_copy(contents: Contents) -> dict[str, str]:
    """Where each flow of a copy will stand, by its file: all of them together, as they stand to one another."""
    taken = set(Flow.objects.values_list("path", flat=True))
    for before in _folders(contents):
        places = {part.file: _joined(before, part.place) for part in contents.parts}
        if all(places.values()) and not taken & set(places.values()):
            for place in places.values():
                placing.judge(place)
            return places
    raise Refusal("PATH_TAKEN", t("transfer.no_place"), 409)


def places_of_update(contents: Contents, found: list[Known]) -> dict[str, str]:
    """Where each flow will stand when the known ones stay where they are: the others as they stand to the first.

    Raises Refusal when another flow stands there.
    """
    places = {each.part.file: each.flow.path for each in found}
    anchor = found[0]
    here = file_of(anchor.flow.path).rpartition("/")[0]
    for part in contents.parts:
        if part.file in places:
            continue
        near = posixpath.relpath(part.file, anchor.part.folder or ".")
        whole = posixpath.normpath(posixpath.join(here, near))
        place = whole.removesuffix(f"/{TOP}")
        if whole.startswith("../") or whole == TOP:
            raise Refusal("PATH_TAKEN", t("transfer.no_place_outside", file=part.file), 409)
        placing.judge(place)
        other = Flow.objects.filter(path=place).first()
        if other is not None or place in places.values():
            gone = other is not None and other.deleted_at is not None
            words = "transfer.place_kept" if gone else "transfer.place_taken"
            raise Refusal("PATH_TAKEN", t(words, file=part.file, place=place, name=other.name if other else ""), 409)
        places[part.file] = place
    return places


def moved(contents: Contents, found: list[Known]) -> bool:
    """Do the known flows stand to one another otherwise than in what was sent? Then addresses may lead elsewhere."""
    first, *rest = found
    here = file_of(first.flow.path).rpartition("/")[0] or "."
    there = first.part.folder or "."
    return any(
        posixpath.relpath(file_of(each.flow.path), here) != posixpath.relpath(each.part.file, there) for each in rest
    )


def changes(known: Known) -> list[ChangeLine]:
    """What an update changes of a draft, in words; nothing where one of the two cannot be read."""
    old, new = identity.read(known.flow.draft), identity.read(known.part.text)
    return lines(old, new) if old is not None and new is not None else []


def _folders(contents: Contents) -> list[str]:
    """The folders to put a copy into, in the order in which they are tried; "" is the workspace itself."""
    manifest = contents.manifest
    base = drafts.slug(contents.top.name) or drafts.slug(contents.name) or "flow"
    first = [manifest.place] if manifest and manifest.place and not fault_of_path(f"{manifest.place}/x.json") else []
    alone = all(part.place for part in contents.parts)
    named = drafts.slug(contents.name)
    near = first or [*([""] if alone else []), *([named] if named else []), base]
    last = near[-1]
    return [*near, *(f"{last}-{number}" for number in range(2, _TRIES))]


def _joined(folder: str, place: str) -> str:
    return "/".join(each for each in (folder, place) if each)
