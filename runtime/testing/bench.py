"""The bench: a worker of its own that takes one run after another, and stands in for the outside and for people."""

from __future__ import annotations

import asyncio
import time
import uuid
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from django.contrib.auth import get_user_model

from flows import scope
from flows.models import Flow, FlowVersion, Workspace
from flows.problem import quoted
from flows.words.base import Json
from flows.words.document import Document
from flows.words.testfile import FlowTest
from runtime import bell, cards, journal, questions, runs
from runtime.engine import execution
from runtime.engine.program import CHANNEL, Program
from runtime.engine.ways import RunFailure
from runtime.engine.worker import Worker
from runtime.events import AnyEvent
from runtime.journal import Entry
from runtime.models import Deployment, Question, Run
from runtime.runs import Actor
from runtime.testing.given import files_in
from runtime.testing.job import Person
from runtime.testing.reached import Reached
from runtime.testing.resources import StandingResources
from runtime.testing.results import TestError, TestQuestion
from runtime.testing.standing import FORM_REFUSED, TOO_SLOW, UNANSWERED, StandIns
from runtime.testing.steps import plain

if TYPE_CHECKING:
    from runtime.engine.lease import Lease

SECONDS = 60.0
"""So long may one test take."""
MOST_QUESTIONS = 200
PERSON = Actor(name="The test", visitor="test")


class Silence:
    """Doorbells of a process that nobody looks into."""

    def send(self, group: str, message: dict[str, Any]) -> None:
        return

    def run(self, run: uuid.UUID) -> None:
        return

    def errand(self, name: str, id: uuid.UUID) -> None:
        return


@dataclass
class Seen:
    """How one run went."""

    entries: list[Entry]
    reached: Reached
    asked: list[tuple[str, TestQuestion]]
    values: dict[str, Json]
    output: dict[str, Json]
    error: TestError | None
    ms: float

    @property
    def events(self) -> list[AnyEvent]:
        return [entry.event for entry in self.entries]


@dataclass
class Stage:
    """A flow on the bench, ready to be run."""

    workspace: uuid.UUID
    version: FlowVersion
    program: Program

    @property
    def document(self) -> Document:
        return self.program.document


class Bench(Worker):
    """A worker without the loops that look for work: it does what it is told, on the loop of whoever tells it."""

    def __init__(self) -> None:
        super().__init__()
        bell.install(Silence())
        self._standing: dict[uuid.UUID, tuple[StandIns, Reached]] = {}

    def resources(self, lease: Lease) -> StandingResources:
        stand, reached = self._standing[lease.id]
        return StandingResources(lease, self.sandbox, self.clients, stand, reached)

    async def set_up(self, document: Document, units: dict[str, str], tree: Json, sha: str) -> Stage:
        """Put a checked flow on the bench, with what it runs. Raises Broken."""

        def write() -> FlowVersion:
            workspace = Workspace.objects.create(name="Tests")
            with scope.workspace(workspace.id):
                flow = Flow.objects.create(path=sha, name=document.name or "", draft="")
                return FlowVersion.objects.create(
                    flow=flow, number=1, sha=sha, document=document.as_json(), units=units, units_sha="", tree=tree,
                    engine=1,
                )  # fmt: skip

        version = await self.database.write(write)
        return Stage(version.workspace_id, version, self.shelf.load(version))

    async def known(self, person: Person) -> Actor:
        """A person whom the flows on this bench know, with the account that their runs are recorded under."""

        def write() -> Actor:
            accounts: Any = get_user_model().objects
            row, _ = accounts.get_or_create(email=person.address, defaults={"name": person.name})
            return Actor(name=person.name, user=row.pk)

        return await self.database.write(write)

    async def run(self, stage: Stage, test: FlowTest, settings: dict[str, Json], person: Actor | None = None) -> Seen:
        """Run one test to its end, or to where it can go no further. person: for flows that know their people."""
        actor = person if person is not None and stage.version.for_known_people else PERSON
        scope.enter(stage.workspace)
        reached, stand = Reached(), StandIns(test.mock)
        asked: list[tuple[str, TestQuestion]] = []
        began = time.perf_counter()
        id = await self.database.write(lambda: _start(stage, test, settings, actor))
        self._standing[id] = (stand, reached)
        error: TestError | None = None
        try:
            async with asyncio.timeout(SECONDS):
                await self._to_the_end(id, actor, stand, asked)
        except RunFailure as failure:
            error = TestError(code=failure.code, message=failure.message, node=failure.node or "")
        except TimeoutError:
            error = TestError(code=TOO_SLOW, message=f"The run took longer than {SECONDS:g} seconds, so it was ended.")
        finally:
            del self._standing[id]
        ms = (time.perf_counter() - began) * 1000
        run = await self.database.read(lambda: Run.objects.get(id=id))
        return Seen(
            entries=await self.database.read(lambda: journal.since(run.conversation_id, 0, limit=100_000)),
            reached=reached,
            asked=asked,
            values=await self._values(stage, run),
            output=run.outputs,
            error=error or _error(run),
            ms=round(ms, 2),
        )

    async def _to_the_end(
        self, id: uuid.UUID, actor: Actor, stand: StandIns, asked: list[tuple[str, TestQuestion]]
    ) -> None:
        """Work on the run, and answer what it asks, until it has ended. Raises RunFailure when nobody answers."""
        for _ in range(MOST_QUESTIONS):
            await execution.execute(self, id)
            open_ones = await self.database.read(lambda: _open(id))
            if open_ones is None:
                return
            for question in open_ones:
                await self.database.write(lambda question=question: _answer(question, actor, stand, asked))
        raise RunFailure(UNANSWERED, f"The run asked a person {MOST_QUESTIONS} times, so it was ended.")

    async def _values(self, stage: Stage, run: Run) -> dict[str, Json]:
        """What the channels held last."""
        config: Any = {"configurable": {"thread_id": str(run.id)}}
        snapshot = await stage.program.graph.aget_state(config)
        names = [*stage.document.state, "history", "__error", "__approval"]
        return {name: snapshot.values.get(CHANNEL + name) for name in names}


def _start(stage: Stage, test: FlowTest, settings: dict[str, Json], actor: Actor) -> uuid.UUID:
    deployment = Deployment.objects.create(
        flow_id=stage.version.flow_id, version=stage.version, slug=f"test-{uuid.uuid4().hex}", name="Test",
        settings=settings,
    )  # fmt: skip
    files = {name for name, channel in stage.document.state.items() if channel.type == "file"}
    return runs.start(deployment, actor, inputs=files_in(test.input, files, deployment.id, actor)).run


def _open(id: uuid.UUID) -> list[Question] | None:
    """What the run asks now; None when it has ended. An empty list: it was answered, and is to go on."""
    if Run.objects.get(id=id).status in Run.ENDED:
        return None
    return list(Question.objects.select_related("conversation", "run").filter(run_id=id, state="pending"))


def _answer(question: Question, actor: Actor, stand: StandIns, asked: list[tuple[str, TestQuestion]]) -> None:
    """Do what the test says that the person does. Raises RunFailure."""
    payload = cards.read(question.payload)
    node, words = plain(question.address), str(payload.get("ask", ""))
    said = TestQuestion.model_validate({"node": node, "kind": question.kind, "words": words})
    try:
        answer = stand.person(question.address, question.kind)
    except RunFailure:
        asked.append((question.address, said))
        raise
    if answer is None and question.kind == "approval":
        answer = True
    elif answer is None:
        asked.append((question.address, said))
        raise RunFailure(
            UNANSWERED,
            f"The run waits at {quoted(node)}, which asks {quoted(words)}, and nobody answers. Say what is "
            f'done: "mock": {{ "answers": {{ {quoted(node)}: {_EXAMPLES.get(question.kind, "…")} }} }}.',
            node, question.address,
        )  # fmt: skip
    asked.append((question.address, said.model_copy(update={"answer": _told(answer)})))
    if isinstance(answer, dict):
        fields = payload.get("fields") or {}
        files = {name for name, field in fields.items() if field.get("type") == "file"}
        answer = files_in(answer, files, question.conversation.deployment_id, actor)
    decision: questions.Decision = "answer"
    if isinstance(answer, bool):
        decision = "close" if question.kind == "form" else "approve" if answer else "decline"
    try:
        questions.answer(
            question.id, by=actor, role="owner", digest=question.digest, decision=decision,
            text=answer if isinstance(answer, str) else None, values=answer if isinstance(answer, dict) else None,
        )  # fmt: skip
    except questions.Refused as refused:
        wrong = "; ".join(f"{quoted(name)}: {message}" for name, message in refused.fields.items()) or refused.message
        raise RunFailure(
            FORM_REFUSED, f"The form at {quoted(node)} takes not what the test types into it. {wrong}", node,
            question.address,
        ) from None  # fmt: skip


_EXAMPLES = {"ask": '"…"', "form": '{ "field": "…" }'}


def _told(answer: Json) -> str:
    if isinstance(answer, bool):
        return "yes" if answer else "no"
    if isinstance(answer, str):
        return answer
    return ", ".join(f"{name}: {value}" for name, value in answer.items())


def _error(run: Run) -> TestError | None:
    if run.status == "done":
        return None
    found = run.error or {}
    return TestError(
        code=found.get("code", "RUN_ENDED"),
        message=found.get("message", "The run was ended before it came to its end."),
        node=plain(found.get("address") or found.get("node") or ""),
    )
