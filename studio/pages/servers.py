"""Settings → Tool servers, and what each agent may do with them."""

from __future__ import annotations

import uuid
from datetime import timedelta

from django.http import HttpResponse
from django.shortcuts import redirect, render
from django.utils import timezone
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from flows.pinned import whole_draft, whole_version
from flows.recent import checked
from flows.words.document import Document
from runtime import looking
from runtime.models import Deployment, McpServer
from studio import drafts, toolservers, workbench
from studio.access import page
from studio.asked import Asked, person
from studio.pages import agents
from studio.pages.frame import flash
from studio.refusal import Missing
from studio.strings import t
from studio.toolservers import ServerForm

LOOK = timedelta(seconds=60)


@page("operate")
@require_safe
def servers(request: Asked) -> HttpResponse:
    known = list(McpServer.objects.order_by("name"))
    # Without a worker a look may take for ever; the page looks for its end for as long as one takes.
    late = timezone.now() - LOOK
    looked = any(server.look_wanted_at and server.look_wanted_at > late for server in known)
    return render(request, "settings/servers.html", {"servers": known, "looking": looked})


@page("operate")
@require_http_methods(["GET", "POST"])
def new(request: Asked) -> HttpResponse:
    if request.method == "POST":
        return _save(request, None)
    return _form(request, ServerForm(), None)


@page("operate")
@require_http_methods(["GET", "POST"])
def edit(request: Asked, id: uuid.UUID) -> HttpResponse:
    server = _server(id)
    if request.method == "POST":
        return _save(request, server)
    return _form(request, ServerForm.of(server), server)


@page("operate")
@require_POST
def look(request: Asked, id: uuid.UUID) -> HttpResponse:
    looking.want(_server(id))
    return redirect("/settings/servers")


@page("operate")
@require_POST
def delete(request: Asked, id: uuid.UUID) -> HttpResponse:
    server = _server(id)
    used = toolservers.delete(server)
    flash(request, t("servers.deleted_used" if used else "servers.deleted", name=server.name, agents=", ".join(used)))
    return redirect("/settings/servers")


@page("operate")
@require_http_methods(["GET", "POST"])
def agent(request: Asked, slug: str) -> HttpResponse:
    """The tools of servers that an agent may call."""
    found = agents.find(slug)
    document = whole_version(found.version) if found.version else None
    return _tools(request, found, document, f"/agents/{slug}/servers", f"/agents/{slug}/settings")


@page("operate")
@require_http_methods(["GET", "POST"])
def draft(request: Asked, id: uuid.UUID) -> HttpResponse:
    """The same for the deployment on which a flow's draft runs."""
    flow = drafts.find(id)
    document = checked(flow.draft).flow
    whole = whole_draft(flow, document) if document else None
    return _tools(request, workbench.of(flow), whole, f"/flows/{id}/servers", f"/flows/{id}")


def _tools(request: Asked, deployment: Deployment, document: Document | None, here: str, back: str) -> HttpResponse:
    if request.method == "POST":
        name = request.POST.get("server_name", "")
        by = person(request).name
        named = {row.name for row in toolservers.rows(deployment, document)} if name else set()
        if name and not (name in named and toolservers.connect(deployment, name, request.POST.get("server", ""), by)):
            raise Missing(t("servers.gone"))
        if not name:
            toolservers.decide(deployment, {name: request.POST.get(name, "") for name in request.POST}, by)
        flash(request, t("page.saved"))
        return redirect(here)
    words = {
        "agent": deployment, "rows": toolservers.rows(deployment, document), "back": back, "here": here,
        "servers": list(McpServer.objects.order_by("name")),
        "effects": [(effect, t(f"servers.effect.{effect}")) for effect in toolservers.EFFECTS],
    }  # fmt: skip
    return render(request, "agents/servers.html", words)


def _form(request: Asked, form: ServerForm, server: McpServer | None, status: int = 200) -> HttpResponse:
    listed, wrong = toolservers.programs()
    words = {
        "form": form, "server": server, "programs": listed, "wrong": wrong, "stored": toolservers.stored(server),
        "transports": [(name, t(f"servers.transport.{name}")) for name in toolservers.TRANSPORTS
                       if name != "stdio" or listed or form.transport == "stdio"],
    }  # fmt: skip
    return render(request, "settings/server.html", words, status=status)


def _save(request: Asked, server: McpServer | None) -> HttpResponse:
    form = ServerForm.read(request.POST)
    saved = toolservers.save(form, server)
    if saved is None:
        # Secrets are typed again rather than sent back in the page.
        form.secrets = ""
        return _form(request, form, server, status=422)
    flash(request, t("servers.saved", name=saved.name))
    return redirect("/settings/servers")


def _server(id: uuid.UUID) -> McpServer:
    found = McpServer.objects.filter(pk=id).first()
    if found is None:
        raise Missing(t("servers.gone"))
    return found
