"""A run begun anew at one of its steps, over HTTP: what the flow held there, and a run on the flow's workbench."""

from __future__ import annotations

import json
import uuid

from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from flows.pinned import whole_version
from flows.words.document import Document
from flows.words.label import label
from runtime import anew
from runtime.anew import NotAnew, NotFitting
from runtime.canonical import for_page
from runtime.models import Run
from runtime.runs import Actor
from studio import tracing, workbench
from studio.api.json import read
from studio.api.wire_runs import AnewBody, AnewChannel, AnewForm, SingleRun
from studio.asked import person
from studio.drafts import checked, find
from studio.refusal import Refusal, Wrong
from studio.strings import t

LONGEST = 100_000
"""So many characters of a channel's value are given to be changed; a longer one stays as it is."""


class Anew(APIView):
    right = "flows.edit"

    def get(self, request: Request, id: uuid.UUID) -> Response:
        """What the flow held just before `?step=`, for somebody to change."""
        run = tracing.find(id, request)
        address = request.query_params.get("step", "")[:2000]
        found, document = _before(run, address), _document(run)
        channels = [
            AnewChannel(
                name=name, type=channel.type, description=channel.description,
                value=None if (cut := _is_long(found.state.get(name))) else for_page(found.state.get(name)), cut=cut,
            )
            for name, channel in document.state.items()
        ]  # fmt: skip
        draft = checked(run.deployment.flow.draft).flow
        in_draft = draft is not None and any(node.id == found.node for node in draft.nodes)
        form = AnewForm(
            address=address, title=label(found.node), channels=channels, version=run.version.number, in_draft=in_draft
        )
        return Response(form.wire())

    def post(self, request: Request, id: uuid.UUID) -> Response:
        """Begin there with these values, on the version that ran or on the newest draft."""
        run, user = tracing.find(id, request), person(request)
        body = read(AnewBody, request.data)
        found = _before(run, body.step)
        bench = workbench.of(find(run.deployment.flow_id))
        version = run.version
        if body.on == "draft":
            bench = workbench.refresh(bench, user)
            assert bench.version is not None
            version = bench.version
        document = whole_version(version)
        if document is None:
            raise Refusal("VERSION_BROKEN", t("trace.version_broken"), 409)
        try:
            started = anew.begin(
                run, found, body.values, document, version=version.pk, deployment=bench,
                by=Actor(name=str(user), user=user.pk), title=t("trace.anew_title", name=label(found.node)),
            )  # fmt: skip
        except NotFitting as unfit:
            raise Wrong(unfit.problems) from unfit
        except NotAnew as refused:
            raise Refusal(refused.code, refused.message, 409) from refused
        url = f"/a/{bench.slug}?c={started.conversation}"
        begun = SingleRun(run=str(started.run), conversation=str(started.conversation), url=url)
        return Response(begun.wire(), status=202)


def _before(run: Run, address: str) -> anew.Before:
    try:
        return anew.before(run, address)
    except NotAnew as refused:
        raise Refusal(refused.code, refused.message, 409) from refused


def _document(run: Run) -> Document:
    document = whole_version(run.version)
    if document is None:
        raise Refusal("VERSION_BROKEN", t("trace.version_broken"), 409)
    return document


def _is_long(value: object) -> bool:
    return len(json.dumps(value, ensure_ascii=False)) > LONGEST
