"""The flow list and a flow's own page."""

from __future__ import annotations

import uuid
from dataclasses import dataclass

from django.http import HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from flows import store
from flows.models import Flow
from flows.words.strictjson import MAX_BYTES
from runtime.models import Deployment, ModelChoice
from studio import drafts, examples, publishing, versions
from studio.access import may, page
from studio.api.edits import editor_boot
from studio.asked import Asked, person
from studio.drafts import find
from studio.pages.frame import flash
from studio.strings import t


@dataclass(frozen=True)
class Row:
    """A flow in the list. live: the agents that run it now, with their versions' numbers."""

    flow: Flow
    about: str
    errors: int
    warnings: int
    live: list[Deployment]
    system: bool


@page("flows.view")
@require_safe
def flows(request: Asked) -> HttpResponse:
    known = list(drafts.live_flows().select_related("updated_by").defer("draft").order_by("-updated_at"))
    live: dict[uuid.UUID, list[Deployment]] = {}
    for deployment in (
        Deployment.objects.filter(workbench=False)
        .select_related("version")
        .defer("version__document", "version__units")
        .order_by("-created_at")
    ):
        live.setdefault(deployment.flow_id, []).append(deployment)
    rows = [_row(flow, live.get(flow.pk, [])) for flow in known]
    has_model = ModelChoice.objects.filter(purpose="answers").exists()
    largest = f"{MAX_BYTES // 1_000_000} MB"
    words = {"rows": rows, "examples": examples.examples(), "has_model": has_model, "largest": largest}
    return render(request, "flows/list.html", words)


def _row(flow: Flow, live: list[Deployment]) -> Row:
    if flow.errors is None:
        _count(flow)
    return Row(flow, flow.about, flow.errors or 0, flow.warnings or 0, live, flow.system)


def _count(flow: Flow) -> None:
    """Keeps what lists show of a draft that was saved before it was kept."""
    facts = store.counted(flow.draft, drafts.checked_in_place(flow))
    Flow.objects.filter(pk=flow.pk, errors=None).update(**facts)
    for name, value in facts.items():
        setattr(flow, name, value)


@page("flows.edit")
@require_POST
def new(request: Asked) -> HttpResponse:
    name = request.POST.get("name", "").strip()[:120] or t("flows.new_name")
    flow = store.create(drafts.free_name(name), person(request))
    return redirect(f"/flows/{flow.pk}")


@page("flows.edit")
@require_POST
def example(request: Asked) -> HttpResponse:
    flow = examples.start_from(request.POST.get("name", ""), person(request))
    flash(request, t("flows.example_made", name=flow.name))
    return redirect(f"/flows/{flow.pk}")


@page("flows.view")
@require_safe
def flow(request: Asked, id: uuid.UUID) -> HttpResponse:
    """The editor. What it draws comes with the page; what people change goes over the API."""
    found = find(id)
    live = publishing.deployments(found)
    edits = may(request.role, "flows.edit")
    boot = editor_boot(found, person(request), request.role)
    version = next((one.version for one in live if one.version), None)
    around = {
        "person": str(person(request).pk),
        "live": version.number if version else None,
        "changes": len(versions.since(version, found)),
        "operates": may(request.role, "operate"),
    }
    words = {"flow": found, "deployments": live, "boot": boot, "around": around, "edits": edits}
    return render(request, "flows/flow.html", {**words, "system": store.is_system(found)})


@page("flows.edit")
@require_POST
def duplicate(request: Asked, id: uuid.UUID) -> HttpResponse:
    copy = store.duplicate(find(id), person(request))
    flash(request, t("flows.duplicated", name=copy.name))
    return redirect(f"/flows/{copy.pk}")


@page("flows.edit")
@require_POST
def delete(request: Asked, id: uuid.UUID) -> HttpResponse:
    gone = find(id)
    with drafts.refusing():
        store.delete(gone)
    flash(request, t("flows.deleted", name=gone.name), undo=f"/flows/{gone.pk}/restore")
    return redirect("/flows")


@page("flows.edit")
@require_POST
def restore(request: Asked, id: uuid.UUID) -> HttpResponse:
    back = find(id, deleted=True)
    store.restore(back)
    flash(request, t("flows.restored", name=back.name))
    return redirect("/flows")


@page("flows.view")
@require_http_methods(["GET"])
def download(request: Asked, id: uuid.UUID) -> HttpResponse:
    found = find(id)
    response = HttpResponse(found.draft, content_type="application/json; charset=utf-8")
    response["Content-Disposition"] = 'attachment; filename="flow.json"'
    return response
