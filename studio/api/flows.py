"""Drafts over HTTP: saving with a revision, checking as one types, and the code of units."""

from __future__ import annotations

import uuid
from typing import Any

from pydantic import BaseModel, ConfigDict, Field
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from flows.check import Checked, check
from flows.models import Flow
from runtime.units.shelf import Shelved
from studio import drafts, editing
from studio.api.json import StrictJSONParser, read
from studio.asked import person
from studio.drafts import find
from studio.shelving import shelved


class Wire(BaseModel):
    """A request's body: unknown words are refused, numbers are not guessed from text."""

    model_config = ConfigDict(extra="forbid", strict=True)


class DraftBody(Wire):
    text: str
    revision: int = Field(ge=1, le=2_000_000_000)


class CheckBody(Wire):
    text: str


class DraftParser(StrictJSONParser):
    """A draft of 1 MB is up to three times that as a JSON string."""

    max_bytes = 4_000_000


def shown_problems(checked: Checked) -> list[dict[str, str]]:
    return [
        {"code": one.code, "level": one.level, "path": one.path, "message": one.message, "hint": one.hint}
        for one in checked.problems
    ]


def shown_units(units: list[Shelved]) -> list[dict[str, Any]]:
    return [
        {
            "kind": one.kind,
            "name": one.name,
            "state": one.state,
            "origin": one.origin,
            "reason": one.reason,
            "description": described(one),
            "code": one.code,
        }
        for one in units
    ]


def described(one: Shelved) -> str:
    """What the unit is written from, in its author's words."""
    return one.spec.description or "\n".join(f"{route}: {words}" for route, words in one.spec.when.items())


def state_of(flow: Flow) -> dict[str, Any]:
    """What the flow's page shows beside the text."""
    checked = drafts.checked_in_place(flow)
    units = shelved(flow, checked.flow)
    return {
        "revision": flow.revision,
        "name": flow.name,
        "problems": shown_problems(checked),
        "units": shown_units(units),
    }


class Draft(APIView):
    """The draft of one flow, as its author left it. A save names the revision it began from."""

    right = {"GET": "flows.view", "PUT": "flows.edit"}
    parser_classes = [DraftParser]

    def get(self, request: Request, id: uuid.UUID) -> Response:
        flow = find(id)
        return Response({"text": flow.draft, **state_of(flow)})

    def put(self, request: Request, id: uuid.UUID) -> Response:
        flow = find(id)
        body = read(DraftBody, request.data)
        with drafts.refusing():
            saved = editing.save_text(flow, body.text, body.revision, person(request))
        # The store writes the flow's own id into the text; the editor takes it over then.
        rewritten = saved.draft if saved.draft != body.text else None
        return Response({"text": rewritten, **state_of(saved)})


class Check(APIView):
    """Every problem of a text, without saving it."""

    right = "flows.view"
    parser_classes = [DraftParser]

    def post(self, request: Request) -> Response:
        body = read(CheckBody, request.data)
        return Response({"problems": shown_problems(check(body.text))})
