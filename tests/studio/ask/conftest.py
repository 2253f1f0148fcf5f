"""The Ask bar as a person meets it: over the API, worked on by a real worker, answered by the scripted model."""

from __future__ import annotations

import json
import time
import uuid
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import pytest
from django.test import Client

from flows import store
from flows.models import Flow, Workspace
from runtime import bell
from runtime.demo.testing import Scripted
from runtime.engine.worker import Worker
from runtime.models import ModelChoice, ModelEntry
from studio.models import Ask
from tests.runtime.engine.conftest import db, demo, engine, house, server, workspace

__all__ = ["db", "demo", "engine", "house", "server", "workspace"]

Json = Any
PATIENCE = 20.0
FLOW: dict[str, Json] = {
    "version": "1.0",
    "name": "Front desk",
    "description": "Answers questions, and places orders.",
    "conversation": True,
    "inputs": ["question"],
    "outputs": ["answer"],
    "start": "reply",
    "tools": [
        {
            "name": "placeOrder",
            "description": "Places an order. Calls services.http: POST `/orders`. RETURNS what was placed, an object.",
        }
    ],
    "state": {
        "question": {"type": "string", "description": "What was asked."},
        "answer": {"type": "string", "description": "The reply."},
        "placed": {"type": "object", "description": "What was placed."},
    },
    "nodes": [
        {"id": "reply", "type": "llm", "prompt": "{{history}}\nQuestion: {{question}}", "output": "answer"},
        {"id": "place", "type": "tool", "tool": "placeOrder", "args": {"words": "{{question}}"}, "output": "placed"},
    ],
    "edges": [{"from": "reply", "to": "place"}, {"from": "place", "to": "END"}],
}


@dataclass
class Bar:
    """The Ask bar of one flow, in the hands of one person."""

    flow: Flow
    client: Client
    demo: Scripted

    @property
    def path(self) -> str:
        return f"/api/flows/{self.flow.pk}/asks"

    def say(self, *turns: Json, to: str = "", **manner: Any) -> None:
        """What the model says to asks that hold these words, answer by answer."""
        asked = rf"(?is)<ask>(?:(?!</ask>).)*?{to}"
        self.demo.add({"when": {"tools": True, "regex": asked}, "turns": list(turns), **manner})

    def post(self, text: str, selection: list[str] | None = None) -> Any:
        body = {"text": text, "selection": selection or []}
        return self.client.post(self.path, json.dumps(body), content_type="application/json")

    def begin(self, text: str, selection: list[str] | None = None) -> str:
        reply = self.post(text, selection)
        assert reply.status_code == 202, reply.content
        return reply.json()["id"]

    def get(self, id: str) -> Json:
        reply = self.client.get(f"{self.path}/{id}")
        assert reply.status_code == 200, reply.content
        return reply.json()

    def ask(self, text: str, selection: list[str] | None = None) -> Json:
        """Ask, and wait until it has ended."""
        return self.ended(self.begin(text, selection))

    def ended(self, id: str) -> Json:
        return self.when(id, lambda ask: ask["state"] != "working")

    def when(self, id: str, true: Callable[[Json], object]) -> Json:
        until = time.monotonic() + PATIENCE
        while not true(ask := self.get(id)):
            assert time.monotonic() < until, ask
            time.sleep(0.02)
        return ask

    def act(self, id: str, act: str, **body: Json) -> Any:
        return self.client.post(f"{self.path}/{id}/{act}", json.dumps(body), content_type="application/json")

    def accept(self, id: str) -> Any:
        return self.act(id, "accept", revision=self.now.revision)

    def edit(self, *operations: Json) -> None:
        """An edit that somebody makes by hand meanwhile."""
        body = {"id": str(uuid.uuid4()), "revision": self.now.revision, "operations": operations}
        path = f"/api/flows/{self.flow.pk}/edits"
        reply = self.client.post(path, json.dumps(body), content_type="application/json")
        assert reply.status_code == 200, reply.content

    @property
    def now(self) -> Flow:
        return Flow.objects.get(pk=self.flow.pk)

    @property
    def document(self) -> Json:
        return json.loads(self.now.draft)


@pytest.fixture
def worker(engine: Worker, monkeypatch: pytest.MonkeyPatch) -> Worker:
    """The process's own worker; no Celery stands between it and the API."""
    monkeypatch.setattr(bell.ringer, "errand", engine.run_errand)
    return engine


@pytest.fixture
def model(workspace: Workspace, demo: Scripted) -> ModelEntry:
    entry = ModelEntry.objects.create(name="Scripted", base_url=demo.base_url, model="demo", demo=True)
    ModelChoice.objects.create(purpose="ask", entry=entry)
    return entry


@pytest.fixture
def make_bar(
    worker: Worker,
    model: ModelEntry,
    demo: Scripted,
    member_client: Callable[..., Client],
    user: Callable[..., Any],
) -> Iterator[Callable[..., Bar]]:
    """`make_bar(document, role="builder")`: a flow of this draft, and its Ask bar."""

    def make(document: Json = FLOW, role: str = "builder") -> Bar:
        flow = store.import_flow(json.dumps(document, indent=2), user(role), "Front desk")
        return Bar(flow, member_client(role), demo)

    yield make
    Ask.objects.filter(state="working").update(state="stopped")


@pytest.fixture
def bar(make_bar: Callable[..., Bar]) -> Bar:
    return make_bar()


def call(tool: str, /, **arguments: Json) -> dict[str, Json]:
    return {"name": tool, "arguments": arguments}


def calls(*made: Json, say: str = "") -> dict[str, Json]:
    return {"say": say, "calls": list(made)}


def says(text: str) -> dict[str, Json]:
    return {"say": text}
