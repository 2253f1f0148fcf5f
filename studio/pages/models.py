"""Settings → Models: which endpoints answer, with which key, for which purpose."""

from __future__ import annotations

import uuid

from django.http import HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from runtime.models import Deployment, ModelChoice, ModelEntry
from runtime.services.endpoints import from_environment
from studio import entries
from studio.access import page
from studio.asked import Asked
from studio.entries import EntryForm
from studio.pages.frame import flash
from studio.refusal import Missing, Wrong
from studio.strings import t


@page("models")
@require_safe
def models(request: Asked) -> HttpResponse:
    known = list(ModelEntry.objects.order_by("demo", "created_at"))
    chosen = {choice.purpose: choice.entry_id for choice in ModelChoice.objects.all()}
    purposes = [
        {"name": name, "label": t(f"models.for.{name}"), "help": t(f"models.for.{name}.help"), "now": chosen.get(name)}
        for name in entries.PURPOSES
    ]
    serves: dict[uuid.UUID, list[str]] = {}
    for purpose, entry_id in chosen.items():
        serves.setdefault(entry_id, []).append(t(f"models.for.{purpose}"))
    words = {"entries": known, "purposes": purposes, "serves": serves, "has_demo": any(entry.demo for entry in known)}
    words["environment"] = from_environment()
    return render(request, "settings/models.html", words)


@page("models")
@require_http_methods(["GET", "POST"])
def new(request: Asked) -> HttpResponse:
    if request.method == "GET":
        form = EntryForm.read(request.GET)
        form.key = ""
        return render(request, "settings/model.html", {"form": form})
    return _save(request, None)


@page("models")
@require_http_methods(["GET", "POST"])
def edit(request: Asked, id: uuid.UUID) -> HttpResponse:
    entry = _entry(id)
    if request.method == "GET":
        return render(request, "settings/model.html", {"form": EntryForm.of(entry), "entry": entry})
    return _save(request, entry)


def _save(request: Asked, entry: ModelEntry | None) -> HttpResponse:
    form = EntryForm.read(request.POST)
    saved = entries.save(form, entry)
    if saved is None:
        # The key is asked again rather than sent back in the page.
        form.key = ""
        return render(request, "settings/model.html", {"form": form, "entry": entry}, status=422)
    flash(request, t("models.saved", name=saved.name))
    return redirect("/settings/models")


@page("models")
@require_POST
def demo(request: Asked) -> HttpResponse:
    entries.add_demo()
    flash(request, t("models.demo_added"))
    return redirect("/flows" if request.POST.get("then") == "flows" else "/settings/models")


@page("models")
@require_POST
def choices(request: Asked) -> HttpResponse:
    known = {str(entry.pk): entry for entry in ModelEntry.objects.all()}
    wanted = {purpose: request.POST.get(purpose, "") for purpose in entries.PURPOSES}
    wrong = {purpose: t("field.choose") for purpose, id in wanted.items() if id and id not in known}
    if wrong:
        raise Wrong(wrong)
    for purpose, id in wanted.items():
        if id:
            entries.choose(purpose, known[id])
    flash(request, t("page.saved"))
    return redirect("/settings/models")


@page("models")
@require_POST
def delete(request: Asked, id: uuid.UUID) -> HttpResponse:
    entry = _entry(id)
    used = list(Deployment.objects.filter(model_entry=entry, workbench=False).values_list("name", flat=True))
    entries.delete(entry)
    key = "models.deleted_used" if used else "models.deleted"
    flash(request, t(key, name=entry.name, agents=", ".join(used)))
    return redirect("/settings/models")


def _entry(id: uuid.UUID) -> ModelEntry:
    found = ModelEntry.objects.filter(pk=id).first()
    if found is None:
        raise Missing(t("models.gone"))
    return found
