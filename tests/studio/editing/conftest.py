"""Editors of one flow, over HTTP."""

from __future__ import annotations

import json
import uuid
from collections.abc import Callable
from typing import Any

import pytest
from django.test import Client

from flows.edits.apply import written
from flows.models import Flow, Workspace
from flows.store import import_flow
from tests.flows.flow_of import every_kind

Json = Any


class Editor:
    """A page that edits a flow: it knows the revision that it shows, and follows each reply."""

    def __init__(self, client: Client, flow: Flow) -> None:
        self.client = client
        self.flow = flow
        self.revision = flow.revision
        self.status = 0

    def post(self, path: str, body: Json, *, follow: bool = True) -> Json:
        answer = self.client.post(
            f"/api/flows/{self.flow.pk}/{path}", json.dumps(body), content_type="application/json"
        )
        self.status = answer.status_code
        reply = answer.json()
        if follow and "revision" in reply:
            self.revision = reply["revision"]
        return reply

    def edit(self, *operations: Json, label: str = "", id: str = "", follow: bool = True) -> Json:
        body = {"id": id or str(uuid.uuid4()), "revision": self.revision, "label": label, "operations": operations}
        return self.post("edits", body, follow=follow)

    def set(self, node: str, field: str, value: Json, **given: Json) -> Json:
        """Set a field of a node. was: what was seen there."""
        operation = {"op": "setField", "on": {"node": node}, "path": [field], "value": value, **given}
        return self.edit(operation)

    def undo(self) -> Json:
        return self.post("undo", {"revision": self.revision})

    def redo(self) -> Json:
        return self.post("redo", {"revision": self.revision})

    def read(self) -> Json:
        return self.client.get(f"/api/flows/{self.flow.pk}/editor").json()

    def document(self) -> Json:
        return json.loads(self.read()["text"])

    def node(self, id: str) -> Json:
        return next((node for node in self.document()["nodes"] if node["id"] == id), None)


@pytest.fixture
def flow(workspace: Workspace) -> Flow:
    """One node of each kind, with an approval, a limit and a conditional edge."""
    return import_flow(written(every_kind()))


@pytest.fixture
def editor(flow: Flow, member_client: Callable[..., Client]) -> Callable[[str], Editor]:
    """`editor("Ann")`: Ann's page, open on the flow."""

    def open_page(name: str, role: str = "builder") -> Editor:
        return Editor(member_client(role, name), Flow.objects.get(pk=flow.pk))

    return open_page
