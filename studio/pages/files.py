"""The pages of the files beside a flow: which there are, and the text of one with what is wrong with it."""

from __future__ import annotations

import json
import uuid
from typing import Any
from urllib.parse import quote

from django.http import HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from flows import files
from flows.beside.names import FileKind, fault_of_path, kind_of
from flows.files import Kept
from flows.models import Flow
from flows.stored import file_of
from studio import beside, placing
from studio.access import may, page
from studio.api.wire_files import LARGEST_TEXT
from studio.asked import Asked, person
from studio.drafts import find
from studio.pages.frame import flash
from studio.refusal import Missing, Refusal
from studio.strings import t

ICONS: dict[FileKind, str] = {
    "test": "flask-conical", "eval": "circle-check", "triggers": "play", "agents": "bot", "dataset": "file-json",
}  # fmt: skip
FIRST: dict[FileKind, str] = {
    "test": "tests/first.test.json", "eval": "evals/first.eval.json", "triggers": "triggers.json",
    "agents": "agents.json", "dataset": "evals/cases.json",
}  # fmt: skip


@page("flows.view")
@require_safe
def list_files(request: Asked, id: uuid.UUID) -> HttpResponse:
    flow = find(id)
    kept = files.checked(flow, files.files_of(flow))
    return _list(request, flow, kept)


def _list(request: Asked, flow: Flow, kept: list[Kept], status: int = 200, **typed: str) -> HttpResponse:
    rows = [(each, ICONS[each.kind], _count(each, "error"), _count(each, "warning")) for each in kept]
    there = {each.file.path for each in kept}
    first = [(kind, path) for kind, path in FIRST.items() if path not in there]
    words = {"flow": flow, "rows": rows, "first": first, "place": file_of(flow.path), **typed}
    return render(request, "flows/files.html", {**words, "edits": may(request.role, "flows.edit")}, status=status)


def _count(kept: Kept, level: str) -> int:
    return sum(problem.level == level for problem in kept.problems)


@page("flows.edit")
@require_POST
def new(request: Asked, id: uuid.UUID) -> HttpResponse:
    """A file with what every file of its kind begins with."""
    flow = find(id)
    path = request.POST.get("path", "").strip()
    try:
        if not fault_of_path(path) and files.find(flow, path) is not None:
            raise Refusal("FILE_PATH_TAKEN", t("files.there", path=path), 409)
        beside.save(flow, path, _first_text(flow, path), "", person(request))
    except Refusal as refused:
        kept = files.checked(flow, files.files_of(flow))
        return _list(request, flow, kept, refused.status, path=path, path_problem=refused.message)
    return redirect(f"/flows/{flow.pk}/files/{quote(path)}")


def _first_text(flow: Flow, path: str) -> str:
    address = placing.address(flow, path)
    first: dict[FileKind, Any] = {
        "test": {"flow": address, "tests": []},
        "eval": {"flow": address, "criteria": {}, "evals": []},
        "triggers": {"flow": address, "triggers": []},
        "agents": {"agents": {}},
        "dataset": [],
    }
    return json.dumps(first[kind_of(path)], indent=2) + "\n"


@page("flows.view", POST="flows.edit")
@require_http_methods(["GET", "HEAD", "POST"])
def file(request: Asked, id: uuid.UUID, path: str) -> HttpResponse:
    flow = find(id)
    if request.method != "POST":
        return _show(request, flow, beside.find(flow, path))
    was, text = request.POST.get("was", ""), request.POST.get("code", "").replace("\r\n", "\n")
    try:
        if request.POST.get("act") == "remove":
            beside.remove(flow, path, was, person(request))
            flash(request, t("files.removed", path=path))
            return redirect(f"/flows/{flow.pk}/files")
        if len(text) > LARGEST_TEXT:
            raise Refusal("DRAFT_TOO_LARGE", t("field.too_long", count=f"{LARGEST_TEXT:,}"), 413)
        saved = beside.save(flow, path, text, was, person(request))
    except Missing:
        raise
    except Refusal as refused:
        now = files.find(flow, path)
        if now is None:
            return _show_gone(request, flow, path, text, refused)
        # Whoever removes has written nothing: they are shown what is there now.
        typed = None if request.POST.get("act") == "remove" else text
        return _show(request, flow, now, text=typed, problem=refused.message, status=refused.status)
    flash(request, t("files.saved_wrong", count=len(saved.problems)) if saved.problems else t("files.saved"))
    return redirect(f"/flows/{flow.pk}/files/{quote(path)}")


def _show(
    request: Asked, flow: Flow, kept: Kept, *, text: str | None = None, problem: str = "", status: int = 200
) -> HttpResponse:
    met = text is not None and text != kept.file.text
    words = {
        "flow": flow, "path": kept.file.path, "kind": kept.kind, "problems": kept.problems, "was": kept.file.sha,
        "text": kept.file.text if text is None else text, "theirs": kept.file.text if met else "", "met": met,
        "problem": problem, "by": beside.name_of(kept.file), "at": kept.file.updated_at,
        "edits": may(request.role, "flows.edit"),
    }  # fmt: skip
    return render(request, "flows/file.html", words, status=status)


def _show_gone(request: Asked, flow: Flow, path: str, text: str, refused: Refusal) -> HttpResponse:
    """The file was removed while somebody wrote in it: what they wrote is still theirs to save anew."""
    words = {
        "flow": flow, "path": path, "kind": kind_of(path), "problems": [], "was": "", "text": text,
        "problem": refused.message, "edits": True,
    }  # fmt: skip
    return render(request, "flows/file.html", words, status=refused.status)


@page("flows.edit")
@require_POST
def move(request: Asked, id: uuid.UUID) -> HttpResponse:
    """Let the flow stand elsewhere in its workspace."""
    flow = find(id)
    place = request.POST.get("place", "")
    try:
        moved = placing.move(flow, place)
    except Refusal as refused:
        kept = files.checked(flow, files.files_of(flow))
        return _list(request, flow, kept, refused.status, typed_place=place, place_problem=refused.message)
    flash(request, t("files.moved", place=file_of(moved.path)))
    return redirect(f"/flows/{flow.pk}/files")
