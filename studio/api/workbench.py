"""Trying a draft: put it on the flow's workbench, and the settings that drafts run with."""

from __future__ import annotations

import uuid

from django.db import transaction
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from flows.models import Flow
from flows.pinned import whole_draft, whole_version
from flows.words.document import Document
from runtime.models import Deployment, ModelEntry, Secret
from studio import drafts, entries, terms, workbench
from studio.access import may
from studio.api.json import read
from studio.api.wire_runs import (
    AnswerModel,
    Barrier,
    DraftSecret,
    DraftSettings,
    DraftSettingsBody,
    DraftValue,
    ModelOption,
    Tried,
)
from studio.asked import person
from studio.drafts import find
from studio.refusal import Wrong
from studio.terms import Terms


class Try(APIView):
    """The newest draft onto the workbench. What is not ready is said; what ran there last can still be seen."""

    right = "flows.edit"

    def post(self, request: Request, id: uuid.UUID) -> Response:
        flow = find(id)
        bench = workbench.of(flow)
        barriers: list[Barrier] = []
        try:
            bench = workbench.refresh(bench, person(request))
        except workbench.NotReady:
            barriers = [Barrier(**one) for one in workbench.problems(flow)]
        model = workbench.answering(bench)
        role = getattr(request, "role", None)
        tried = Tried(
            ready=not barriers,
            empty=bench.version_id is None,
            slug=bench.slug,
            url=f"/a/{bench.slug}?pane=1",
            page=workbench.drawn(bench),
            revision=flow.revision,
            barriers=barriers,
            model=AnswerModel(needed=model.needed, name=model.name, demo=model.demo, may_set=may(role, "models")),
            unset=_unset(bench),
        )
        return Response(tried.wire())


def _unset(bench: Deployment) -> list[str]:
    """The secrets that the flow names and nobody gave a value."""
    document = whole_version(bench.version) if bench.version else None
    named = document.requires.env if document else []
    kept = set(Secret.objects.filter(deployment=bench, name__in=named).values_list("name", flat=True))
    return [name for name in named if name not in kept]


def _whole(flow: Flow) -> Document | None:
    """The draft with what the flows that it runs need."""
    document = drafts.checked(flow.draft).flow
    return document and whole_draft(flow, document)


class Demo(APIView):
    """The scripted model, for a workspace that has none yet."""

    right = "models"

    def post(self, request: Request) -> Response:
        entries.add_demo()
        return Response({})


class Settings(APIView):
    """What drafts run with. Whoever may not operate agents sees it, without what is secret."""

    right = {"GET": "flows.edit", "PUT": "operate"}

    def get(self, request: Request, id: uuid.UUID) -> Response:
        flow = find(id)
        bench = workbench.of(flow)
        shown = terms.of(bench, _whole(flow))
        return Response(_shown(shown, may(getattr(request, "role", None), "operate")).wire())

    def put(self, request: Request, id: uuid.UUID) -> Response:
        flow = find(id)
        body = read(DraftSettingsBody, request.data)
        bench = workbench.of(flow)
        wanted = terms.of(bench, _whole(flow))
        terms.read_operated(_sent(body), wanted)
        if wanted.problems:
            raise Wrong(wanted.problems)
        with transaction.atomic():
            terms.write_operated(wanted, bench)
        return Response(_shown(terms.of(bench, _whole(flow)), True).wire())


def _sent(body: DraftSettingsBody) -> dict[str, str]:
    """The body as a form would send it: both are read in one place."""
    sent = {
        "model": body.model, "allowed_hosts": body.allowed_hosts, "idempotent_hosts": body.idempotent_hosts,
        **{f"setting:{name}": text for name, text in body.values.items()},
    }  # fmt: skip
    for name, secret in body.secrets.items():
        sent |= {f"secret:{name}": secret.value, f"hosts:{name}": secret.hosts}
    return sent


def _shown(shown: Terms, may_change: bool) -> DraftSettings:
    return DraftSettings(
        may_change=may_change,
        model=shown.model,
        models=[
            ModelOption(id=str(entry.pk), name=entry.name, demo=entry.demo)
            for entry in ModelEntry.objects.order_by("demo", "name")
        ],
        values=[
            DraftValue(name=one.name, about=one.about, kind=one.kind, text=one.text, default=one.shown_default)  # type: ignore[arg-type]
            for one in shown.values
        ],
        secrets=[
            DraftSecret(name=one.name, stored=one.stored, hosts=one.hosts, help=one.help) for one in shown.secrets
        ],
        allowed_hosts=shown.allowed_hosts,
        idempotent_hosts=shown.idempotent_hosts,
    )
