"""Importing and exporting: looking at what was sent before it is taken, and at what a flow needs here."""

from __future__ import annotations

import uuid
from collections import Counter
from dataclasses import dataclass
from urllib.parse import quote

from django.core.files.uploadedfile import UploadedFile
from django.http import HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from flows.beside.names import kind_of
from flows.models import Flow
from flows.words.strictjson import MAX_BYTES
from studio import drafts
from studio.access import may, page
from studio.asked import Asked, person
from studio.drafts import find
from studio.models import Parcel
from studio.pages.frame import flash
from studio.refusal import Refusal
from studio.strings import t
from studio.transfer import archive, lacks, parcels, plan
from studio.transfer.giving import give
from studio.transfer.lacks import Need
from studio.transfer.parts import Contents, Part, sort
from studio.transfer.plan import Known
from studio.transfer.sent import of_files
from studio.transfer.taking import How, take


@dataclass(frozen=True)
class PartRow:
    """A flow of what was sent, as the page shows it. beside: what stands beside it, a few words each."""

    part: Part
    name: str
    errors: int
    warnings: int
    beside: list[str]
    here: Flow | None
    same: bool


@page("flows.edit")
@require_POST
def send(request: Asked) -> HttpResponse:
    """A flow.json or a zip, as a file or pasted. A flow that nobody here knows is taken in at once."""
    file = request.FILES.get("file")
    if file is not None and (file.size or 0) > archive.MAX_ZIP:
        flash(request, t("transfer.too_large", size=f"{archive.MAX_ZIP // 1_000_000} MB"), bad=True)
        return redirect("/flows")
    raw = file.read() if file is not None else request.POST.get("text", "").encode("utf-8", "surrogatepass")
    try:
        if archive.is_zip(raw):
            return _to(parcels.keep(archive.unpack(raw, _named(file)), person(request)))
        text = readable(raw)
        sent = of_files("", [("flow.json", text.encode())])
        contents = sort(sent)
        if plan.known(contents):
            return _to(parcels.keep(sent, person(request)))
    except Refusal as refused:
        flash(request, refused.message, bad=True)
        return redirect("/flows")
    made = take(contents, "new", person(request)).flows[0]
    errors = len(contents.top.checked.errors)
    flash(request, t("flows.imported_broken", count=errors) if errors else t("flows.imported", name=made.name))
    return redirect(f"/flows/{made.pk}")


def _named(file: UploadedFile | None) -> str:
    return (file.name or "").removesuffix(".zip") if file is not None else ""


def readable(raw: bytes) -> str:
    """The bytes as text that can be kept. Raises Refusal."""
    if len(raw) > MAX_BYTES:
        raise Refusal("DRAFT_TOO_LARGE", t("flows.too_large"), 413)
    try:
        text = raw.decode("utf-8-sig")
    except UnicodeDecodeError:
        raise Refusal("DRAFT_UNSTORABLE", t("flows.not_text"), 422) from None
    if "\x00" in text:
        raise Refusal("DRAFT_UNSTORABLE", t("flows.not_text"), 422)
    if not text.strip():
        raise Refusal("IMPORT_EMPTY", t("flows.empty_import"), 422)
    return text


def _to(parcel: Parcel) -> HttpResponse:
    return redirect(f"/flows/imports/{parcel.pk}")


@page("flows.edit")
@require_http_methods(["GET", "HEAD", "POST"])
def parcel(request: Asked, parcel: uuid.UUID) -> HttpResponse:
    """What was sent, before anything of it is taken; then taking it, as the person decides."""
    sent = parcels.find(parcel, person(request))
    contents = parcels.contents_of(sent)
    known = plan.known(contents)
    if request.method == "POST" and request.POST.get("act") == "drop":
        sent.delete()
        return redirect("/flows")
    if request.method == "POST":
        how = _how(request.POST.get("how", ""), known)
        try:
            return _taken(request, sent, contents, how)
        except Refusal as refused:
            return _show(request, contents, known, how, refused)
    return _show(request, contents, known, "update" if known else "new")


def _how(asked: str, known: list[Known]) -> How:
    """What was chosen: without a flow that is known here, there is nothing to choose."""
    if not known:
        return "new"
    return "copy" if asked == "copy" else "update"


def _taken(request: Asked, sent: Parcel, contents: Contents, how: How) -> HttpResponse:
    seen = {
        name.removeprefix("seen:"): int(value)
        for name, value in request.POST.items()
        if name.startswith("seen:") and value.isascii() and value.isdigit() and len(value) < 11
    }
    taken = take(contents, how, person(request), seen)
    sent.delete()
    top = taken.flows[0]
    words = t(f"transfer.done_{how}", name=top.name, count=len(taken.flows) - 1)
    stays = t("transfer.stays", count=len(taken.stays)) if taken.stays else ""
    flash(request, f"{words} {stays}".strip())
    there = any(need.state != "there" for need in lacks.needs(top))
    return redirect(f"/flows/{top.pk}/needs" if there else f"/flows/{top.pk}")


def _show(
    request: Asked, contents: Contents, known: list[Known], how: How, refused: Refusal | None = None
) -> HttpResponse:
    here = {each.part.file: each for each in known}
    words = {
        "contents": contents,
        "name": contents.top.name or contents.name or t("flows.imported_name"),
        "rows": [_row(part, here.get(part.file)) for part in contents.parts],
        "known": known,
        "names": ", ".join(each.flow.name for each in known[:6]),
        "same": bool(known) and len(known) == len(contents.parts) and all(each.same for each in known),
        "changes": [(each.flow, lines) for each in known if (lines := plan.changes(each))],
        "moved": bool(known) and plan.moved(contents, known),
        "how": how,
        "problem": refused.message if refused else "",
    }
    return render(request, "flows/parcel.html", words, status=refused.status if refused else 200)


def _row(part: Part, known: Known | None) -> PartRow:
    checked = part.checked
    kinds = Counter(kind_of(path) for path in part.beside)
    steps = len(checked.flow.nodes) if checked.flow else 0
    beside = [t("transfer.has_steps", count=steps)] if steps else []
    beside += [t("transfer.has_code")] if part.code or part.units else []
    beside += [t("transfer.has_layout")] if part.layout is not None else []
    beside += [
        t(f"transfer.has_{kind}", count=kinds[kind]) for kind in ("triggers", "agents", "test", "eval") if kinds[kind]
    ]
    return PartRow(
        part, part.name or t("flows.imported_name"), len(checked.errors), len(checked.warnings), beside,
        known.flow if known else None, known is not None and known.same,
    )  # fmt: skip


@page("flows.view")
@require_safe
def export(request: Asked, id: uuid.UUID) -> HttpResponse:
    """The flow as a zip, with every flow that it runs and everything beside them."""
    found = find(id)
    response = HttpResponse(archive.pack(give(found).files), content_type="application/zip")
    plain = drafts.slug(found.name) or "flow"
    response["Content-Disposition"] = f"attachment; filename=\"{plain}.zip\"; filename*=UTF-8''{quote(found.name)}.zip"
    return response


@page("flows.view")
@require_safe
def needs(request: Asked, id: uuid.UUID) -> HttpResponse:
    """What the flow needs from this installation, with what is missing first."""
    found = find(id)
    rows = lacks.needs(found)
    groups = [(state, [need for need in rows if need.state == state]) for state in ("missing", "cannot", "there")]
    shown: list[tuple[str, list[tuple[Need, bool]]]] = [
        (state, [(need, bool(need.href) and may(request.role, need.right)) for need in group])
        for state, group in groups
        if group
    ]
    words = {
        "flow": found,
        "groups": shown,
        "all_there": all(need.state == "there" for need in rows),
        "any": bool(rows),
    }
    return render(request, "flows/needs.html", words)
