"""A step or a tool tried by itself, over HTTP: what it asks for, and a run of it."""

from __future__ import annotations

import uuid

from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from flows.words.label import label
from studio import single, workbench
from studio.api.json import read
from studio.api.wire_runs import SingleAsk, SingleBody, SingleForm, SingleRun
from studio.asked import person
from studio.drafts import find
from studio.strings import t


class SingleView(APIView):
    right = "flows.edit"

    def get(self, request: Request, id: uuid.UUID) -> Response:
        """What `?step=` or `?tool=` reads: the values that somebody gives it."""
        asked = request.query_params
        found = single.of(find(id), asked.get("step", ""), asked.get("tool", ""))
        asks = [
            SingleAsk(
                name=name, type=each.get("type", "any"), description=each.get("description", ""),
                default=each.get("default"),
            )
            for name, each in found.asks.items()
        ]  # fmt: skip
        return Response(SingleForm(asks=asks).wire())

    def post(self, request: Request, id: uuid.UUID) -> Response:
        """Run it with these values; what is not given starts as the flow says."""
        flow = find(id)
        body = read(SingleBody, request.data)
        found = single.of(flow, body.step, body.tool)
        title = t("single.title", name=body.tool or label(body.step))
        started = single.run(flow, found, body.values, person(request), title)
        url = f"/a/{workbench.of(flow).slug}?c={started.conversation}"
        begun = SingleRun(run=str(started.run), conversation=str(started.conversation), url=url)
        return Response(begun.wire(), status=202)
