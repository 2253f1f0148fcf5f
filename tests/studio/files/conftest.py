"""A flow with files beside it, over HTTP."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import pytest
from django.test import Client

from flows import store
from flows.models import Flow, Workspace

Json = Any

TEST: Json = {
    "flow": "../flow.json",
    "tests": [{"name": "Answers", "input": {"question": "Hi?"}, "mock": {"nodes": {"reply": "Yes."}}}],
}


class Beside:
    """A page that shows the files beside a flow."""

    def __init__(self, client: Client, flow: Flow) -> None:
        self.client = client
        self.base = f"/api/flows/{flow.pk}/files"
        self.status = 0

    def _read(self, reply: Any) -> Json:
        self.status = reply.status_code
        return reply.json()

    def list(self) -> Json:
        return self._read(self.client.get(self.base))

    def get(self, path: str) -> Json:
        return self._read(self.client.get(f"{self.base}/{path}"))

    def put(self, path: str, value: Json, was: str = "") -> Json:
        text = value if isinstance(value, str) else json.dumps(value)
        body = json.dumps({"text": text, "was": was})
        return self._read(self.client.put(f"{self.base}/{path}", body, content_type="application/json"))

    def remove(self, path: str, was: str) -> Json:
        return self._read(self.client.delete(f"{self.base}/{path}?was={was}"))


@pytest.fixture
def flow(workspace: Workspace) -> Flow:
    """Question, model, answer."""
    return store.create("Answer desk")


@pytest.fixture
def page(flow: Flow, member_client: Callable[..., Client]) -> Callable[..., Beside]:
    """`page("Ann")`: Ann's page of the flow's files."""
    return lambda name="Ann", role="builder": Beside(member_client(role, name), flow)
