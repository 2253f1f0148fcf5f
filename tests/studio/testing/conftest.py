"""The tests of a flow as the Tests panel meets them: over the API, run by a real worker."""

from __future__ import annotations

import json
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import pytest
from django.test import Client

from flows import files, store
from flows.models import Flow, Unit, Workspace
from runtime import bell
from runtime.engine.worker import Worker
from tests.runtime.engine.conftest import db, demo, engine, house, server, workspace

__all__ = ["db", "demo", "engine", "house", "server", "workspace"]

Json = Any
PATIENCE = 90.0
FLOW: dict[str, Json] = {
    "version": "0.33",
    "name": "Greeter",
    "description": "Greets whoever says their name.",
    "inputs": ["name"],
    "outputs": ["greeting"],
    "start": "tidy",
    "state": {
        "name": {"type": "string", "description": "Who is greeted."},
        "greeting": {"type": "string", "description": "The words."},
    },
    "nodes": [
        {"id": "tidy", "handler": "tidy", "description": "Writes 'name' without white space around it."},
        {"id": "greet", "type": "llm", "prompt": "Greet {{name}}.", "output": "greeting"},
    ],
    "edges": [{"from": "tidy", "to": "greet"}, {"from": "greet", "to": "END"}],
}
CODE = 'async def tidy(state, *, services, settings, env):\n    return {"name": state["name"].strip()}\n'
TESTS: dict[str, Json] = {
    "flow": "../flow.json",
    "tests": [
        {
            "name": "Greets Ada",
            "input": {"name": " Ada "},
            "mock": {"nodes": {"greet": "Hello, Ada."}},
            "expect": {"path": ["tidy", "greet"], "state": {"name": "Ada"}, "output": {"greeting": "Hello, Ada."}},
        },
        {
            "name": "Shouts at Bob",
            "input": {"name": "Bob"},
            "mock": {"nodes": {"greet": "Hello, Bob."}},
            "expect": {"output": {"greeting": {"contains": "BOB"}}},
        },
    ],
}


@dataclass
class Desk:
    """A flow with tests beside it, in the hands of a builder."""

    flow: Flow
    client: Client

    @property
    def path(self) -> str:
        return f"/api/flows/{self.flow.pk}/tests"

    def put(self, path: str, value: Json) -> None:
        text = value if isinstance(value, str) else json.dumps(value, indent=2)
        kept = files.find(self.flow, path)
        files.keep(self.flow, path, text, kept.file.sha if kept else "")

    def code(self, name: str, code: str, kind: str = "handler") -> None:
        Unit.objects.create(flow=self.flow, kind=kind, name=name, key="", code=code, origin="edited")

    def post(self, **body: Json) -> Any:
        return self.client.post(f"{self.path}/runs", json.dumps(body), content_type="application/json")

    def begin(self, **body: Json) -> str:
        reply = self.post(**body)
        assert reply.status_code == 202, reply.content
        return reply.json()["id"]

    def seen(self, id: str) -> Json:
        reply = self.client.get(f"{self.path}/runs/{id}")
        assert reply.status_code == 200, reply.content
        return reply.json()

    def run(self, **body: Json) -> Json:
        """Run tests; what came out when they are over."""
        id = self.begin(**body)
        end = time.monotonic() + PATIENCE
        while (seen := self.seen(id))["state"] == "working":
            assert time.monotonic() < end, "The tests are still not over."
            time.sleep(0.05)
        return seen


@pytest.fixture
def bare(workspace: Workspace, member_client: Callable[..., Client]) -> Desk:
    """The flow without any file beside it."""
    return Desk(store.import_flow(json.dumps(FLOW)), member_client("builder"))


@pytest.fixture
def desk(bare: Desk, engine: Worker, monkeypatch: pytest.MonkeyPatch) -> Desk:
    """The flow with its code and tests, and a worker that hears its doorbells."""
    monkeypatch.setattr(bell.ringer, "errand", engine.run_errand)
    bare.code("tidy", CODE)
    bare.put("tests/greeting.test.json", TESTS)
    return bare
