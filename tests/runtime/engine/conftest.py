"""A real engine in this process, on a real database, with the scripted model over HTTP."""

from __future__ import annotations

import contextvars
import time
import uuid
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import Any, Protocol, TypeVar

import pytest
from django.core.management import call_command
from django.db import connection, connections
from django.db.models import F
from pytest_django.plugin import DjangoDbBlocker

from flows import scope
from flows.models import Flow, FlowVersion, Workspace
from runtime import bell, crash, questions, runs
from runtime.demo.testing import Scripted, scripted
from runtime.engine import lease as leases
from runtime.engine.lease import Fenced
from runtime.engine.worker import Worker
from runtime.events import AnyEvent
from runtime.journal import since
from runtime.models import Conversation, Deployment, ModelChoice, ModelEntry, Outbox, Question, Run
from runtime.runs import Actor
from tests.support import journal

PATIENCE = 20.0
VISITOR = Actor(name="Vera", visitor="v" * 64)
REVIEWER = Actor(name="Rita")
T = TypeVar("T")


class At(Protocol):
    def __call__(self, name: str, act: Callable[[], None], times: int = 1) -> None: ...


def aside(act: Callable[[], T]) -> T:
    """Do this in a thread and on a connection of its own, as another process would."""

    def work() -> T:
        try:
            return act()
        finally:
            connections.close_all()

    with ThreadPoolExecutor(1) as pool:
        return pool.submit(contextvars.copy_context().run, work).result(PATIENCE)


def until(true: Callable[[], object]) -> None:
    """Wait until it is so."""
    end = time.monotonic() + PATIENCE
    while not true():
        assert time.monotonic() < end, "It did not become so in time."
        time.sleep(0.01)


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
        """Send a message; this process's engine takes its run."""
        run = self.start(**inputs)
        self.engine.submit(run)
        return run

    def start(self, **inputs: Any) -> uuid.UUID:
        """Send a message, and only ring for it."""
        said = next((name for name, value in inputs.items() if isinstance(value, str)), None)
        started = runs.start(
            self.deployment, VISITOR, inputs=inputs, text=inputs[said] if said else "", text_input=said,
            conversation=self.conversation,
        )  # fmt: skip
        self.conversation = Conversation.objects.get(id=started.conversation)
        return started.run

    def settle(self, run_id: uuid.UUID) -> Run:
        end = time.monotonic() + PATIENCE
        while time.monotonic() < end:
            run = Run.objects.get(id=run_id)
            if run.status in (*Run.ENDED, "waiting"):
                return run
            time.sleep(0.01)
        raise AssertionError(f"The run is still {run.status}; {self.events(run_id)[-3:]}")

    def left(self, run_id: uuid.UUID, claims: int = 1) -> Run:
        """The run, once it was claimed so many times and no worker of this process has it any more."""
        end = time.monotonic() + PATIENCE
        while time.monotonic() < end:
            run = Run.objects.get(id=run_id)
            if run.fence >= claims and run_id not in self.engine._running:
                return run
            time.sleep(0.01)
        raise AssertionError("The worker still has the run.")

    def claim_again(self, run_id: uuid.UUID) -> None:
        """The worker that had the run is gone and its lease over: this process's engine claims it anew."""
        fence = self.left(run_id).fence
        Run.objects.filter(id=run_id).update(lease_until=None)
        self.engine.submit(run_id)
        until(lambda: Run.objects.get(id=run_id).fence > fence)

    def take_over(self, run_id: uuid.UUID) -> Run:
        """As claim_again; the run, once it pauses or has ended."""
        self.claim_again(run_id)
        return self.settle(run_id)

    def question(self, run: Run) -> Question:
        return Question.objects.get(run=run, state="pending")

    def answer(self, run: Run, decision: str, **said: Any) -> Run:
        """Decide the run's open question, as whoever may; the run, once it pauses again or has ended."""
        self.decide(run, decision, **said)
        self.engine.submit(run.id)
        return self.settle(run.id)

    def answer_one(self, run: Run, question: Question, text: str, decision: str = "answer") -> Run:
        """As answer, for one of several questions that the run asks at the same time."""
        self._decide(question, decision, text=text)
        self.engine.submit(run.id)
        until(lambda: Run.objects.get(id=run.id).status not in ("resumable", "running"))
        return self.settle(run.id)

    def decide(self, run: Run, decision: str, **said: Any) -> None:
        self._decide(self.question(run), decision, **said)

    def _decide(self, question: Question, decision: str, **said: Any) -> None:
        role = "owner" if question.decider == "reviewers" else None
        by = REVIEWER if role else VISITOR
        questions.answer(
            question.id,
            by=by,
            role=role,
            digest=question.digest,
            decision=decision,
            **said,  # type: ignore[arg-type]
        )

    def events(self, run_id: uuid.UUID) -> list[AnyEvent]:
        assert self.conversation is not None
        return [entry.event for entry in since(self.conversation.id, 0) if entry.run == run_id]

    def types(self, run: Run) -> list[str]:
        return [event.type for event in self.events(run.id)]


@pytest.fixture(scope="module")
def server() -> Iterator[Scripted]:
    """The scripted model and office that the tests of a module share."""
    with scripted() as found:
        yield found


@pytest.fixture
def demo(server: Scripted) -> Scripted:
    server.reset()
    return server


@pytest.fixture(scope="module")
def house(django_db_setup: None, django_db_blocker: DjangoDbBlocker) -> Iterator[Worker]:
    """The engine that the tests of a module share, on a database that is emptied behind the last of them.

    Each test has a workspace of its own; emptying the database under a working engine would only test the emptying.
    """
    with django_db_blocker.unblock():
        ringer = bell.ringer
        worker = Worker()
        worker.start()
        # No Celery stands between this process and its own engine; everything else rings as in production.
        bell.ringer.run = worker.submit  # type: ignore[method-assign]
        yield worker
        worker.stop()
        bell.install(ringer)
        call_command("flush", interactive=False, verbosity=0)
        connections.close_all()


@pytest.fixture
def db(house: Worker) -> None:
    """Under this name pytest-django sees that these tests need the test database."""


@pytest.fixture
def workspace(db: None) -> Iterator[Workspace]:
    row = Workspace.objects.create(name="Acme")
    with scope.workspace(row.id):
        yield row
        settled = Run.objects.filter(status__in=(*Run.ENDED, "waiting"))
        assert not [gap for run in settled for gap in journal.gaps(run)], "The journal is not whole."
        # What a test left unfinished must not meet the next one.
        Run.objects.filter(status__in=(*Run.ACTIVE, "held")).update(status="cancelled", fence=F("fence") + 1)
        Question.objects.filter(state="pending").update(state="withdrawn")
        Outbox.objects.all().delete()


@pytest.fixture
def engine(workspace: Workspace, house: Worker) -> Worker:
    return house


@pytest.fixture
def at(monkeypatch: pytest.MonkeyPatch) -> At:
    """`at("tool.sent", act)`: do this when a run comes to that named point; the first time, or so many times."""
    plans: dict[str, tuple[Callable[[], None], list[int]]] = {}

    def point(name: str) -> None:
        act, left = plans.get(name, (None, [0]))
        if act is not None and left[0]:
            left[0] -= 1
            act()

    def plan(name: str, act: Callable[[], None], times: int = 1) -> None:
        assert name in (*crash.POINTS, *crash.NESTED)
        plans[name] = (act, [times])

    monkeypatch.setattr(crash, "point", point)
    return plan


@pytest.fixture
def power_cut(at: At) -> Callable[..., None]:
    """`power_cut("tool.sent")`: at that point the run's worker is gone; nothing that it still holds gets written."""

    def cut() -> None:
        if (mine := leases._current.get(None)) is not None:
            mine.lost = True
        raise Fenced

    return lambda name, times=1: at(name, cut, times)


@pytest.fixture
def slow_rows(workspace: Workspace) -> Iterator[Callable[..., None]]:
    """`slow_rows("runtime_run")`: PostgreSQL takes so long over each row of that table, so that others overtake it.

    SQLite has one writer, whom nobody overtakes; there it does nothing.
    """
    slowed: list[str] = []

    def slow(
        table: str, seconds: float = 0.4, when: str = "BEFORE INSERT", each: str = "ROW", only: str = "TRUE"
    ) -> None:
        if connection.vendor != "postgresql":
            return
        slowed.append(table)
        with connection.cursor() as cursor:
            cursor.execute(
                f"CREATE FUNCTION slow_{table}() RETURNS trigger LANGUAGE plpgsql AS "
                f"$$ BEGIN IF {only} THEN PERFORM pg_sleep({seconds}); END IF; RETURN NEW; END $$"
            )
            cursor.execute(f"CREATE TRIGGER slow {when} ON {table} FOR EACH {each} EXECUTE FUNCTION slow_{table}()")

    yield slow
    for table in slowed:
        with connection.cursor() as cursor:
            cursor.execute(f"DROP FUNCTION slow_{table}() CASCADE")


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
