"""A real engine in this process, on a real database, with the scripted model over HTTP."""

from __future__ import annotations

import time
import uuid
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import pytest
from django.db import close_old_connections

from flows import scope
from flows.models import Flow, FlowVersion, Workspace
from runtime import bell, questions, runs
from runtime.demo.testing import Scripted
from runtime.engine.worker import Worker
from runtime.events import AnyEvent
from runtime.journal import since
from runtime.models import Conversation, Deployment, ModelChoice, ModelEntry, Question, Run
from runtime.runs import Actor

PATIENCE = 20.0
VISITOR = Actor(name="Vera", visitor="v" * 64)


@dataclass
class Desk:
    """A deployed flow, and what a person can do with it."""

    engine: Worker
    deployment: Deployment
    conversation: Conversation | None = None

    def say(self, **inputs: Any) -> Run:
        """Send a message and wait until its run pauses or ends."""
        return self.settle(self.send(**inputs))

    def send(self, **inputs: Any) -> uuid.UUID:
        text = next((value for value in inputs.values() if isinstance(value, str)), "")
        started = runs.start(self.deployment, VISITOR, inputs=inputs, text=text, conversation=self.conversation)
        self.conversation = Conversation.objects.get(id=started.conversation)
        self.engine.submit(started.run)
        return started.run

    def settle(self, run_id: uuid.UUID) -> Run:
        end = time.monotonic() + PATIENCE
        while time.monotonic() < end:
            run = Run.objects.get(id=run_id)
            if run.status in (*Run.ENDED, "waiting"):
                return run
            time.sleep(0.01)
        raise AssertionError(f"The run is still {run.status}; {self.events(run_id)[-3:]}")

    def question(self, run: Run) -> Question:
        return Question.objects.get(run=run, state="pending")

    def answer(self, run: Run, decision: str, **said: Any) -> Run:
        question = self.question(run)
        role = "owner" if question.decider == "reviewers" else None
        by = Actor(name="Rita", user=None) if role else VISITOR
        questions.answer(
            question.id,
            by=by,
            role=role,
            digest=question.digest,
            decision=decision,
            **said,  # type: ignore[arg-type]
        )
        self.engine.submit(run.id)
        return self.settle(run.id)

    def events(self, run_id: uuid.UUID) -> list[AnyEvent]:
        assert self.conversation is not None
        return [entry.event for entry in since(self.conversation.id, 0) if entry.run == run_id]

    def types(self, run: Run) -> list[str]:
        return [event.type for event in self.events(run.id)]


@pytest.fixture
def workspace(transactional_db: None) -> Iterator[Workspace]:
    row = Workspace.objects.create(name="Acme")
    with scope.workspace(row.id):
        yield row


@pytest.fixture
def engine(workspace: Workspace) -> Iterator[Worker]:
    ringer = bell.ringer
    worker = Worker()
    worker.start()
    # No Celery stands between this process and its own engine; everything else rings as in production.
    bell.ringer.run = worker.submit  # type: ignore[method-assign]
    yield worker
    worker.stop()
    bell.install(ringer)
    close_old_connections()


@pytest.fixture
def deploy(engine: Worker, workspace: Workspace, demo: Scripted) -> Callable[..., Desk]:
    """`deploy(document, units)`: the flow live, answered by the scripted model, the demo's host allowed."""
    entry = ModelEntry.objects.create(name="Scripted", base_url=demo.base_url, model="demo", demo=True)
    ModelChoice.objects.create(purpose="answers", entry=entry)

    def make(document: dict[str, Any], units: dict[str, str] | None = None, **fields: Any) -> Desk:
        flow = Flow.objects.create(path=f"f-{uuid.uuid4().hex[:8]}", name="Flow", draft="{}")
        version = FlowVersion.objects.create(
            flow=flow, number=1, sha=uuid.uuid4().hex * 2, document=document, units=units or {}, units_sha="", engine=1
        )
        deployment = Deployment.objects.create(
            flow=flow, version=version, slug=flow.path, name="Flow", allowed_hosts=[demo.host], **fields
        )
        return Desk(engine, deployment)

    return make


def flow(nodes: list[dict[str, Any]], edges: list[dict[str, Any]] | None = None, **keys: Any) -> dict[str, Any]:
    """A flow document of these nodes; a straight line to END unless edges are given."""
    if edges is None:
        ids = [node["id"] for node in nodes]
        edges = [{"from": a, "to": b} for a, b in zip(ids, [*ids[1:], "END"], strict=True)]
    base = {
        "version": "0.33",
        "name": "Flow",
        "description": "Answers what it is asked.",
        "conversation": True,
        "inputs": ["question"],
        "outputs": ["answer"],
        "start": nodes[0]["id"],
        "state": {
            "question": {"type": "string", "description": "What was asked."},
            "answer": {"type": "string", "description": "The reply."},
        },
        "nodes": nodes,
        "edges": edges,
    }
    base["state"] = {**base["state"], **keys.pop("state", {})}
    return {**base, **keys}
