"""What happens inside the product while it is attacked: order-desk runs are started, people answer, ledgers are read.

Called through the stack's desk; every function takes and returns JSON.
"""

from __future__ import annotations

import hashlib
import json
import urllib.request
import uuid
from typing import Any

from django.conf import settings
from django.db.models import Count

from flows import scope
from runtime import cards, questions, runs
from runtime.journal import since
from runtime.models import Conversation, Deployment, ModelCall, ModelChoice, ModelEntry, Question, Run, ToolCall
from runtime.runs import Actor
from studio import examples, publishing, terms
from studio.models import User
from tests.support.seed import the_workspace

MESSAGES = ("Order 12 jars of heather honey for Meridian Foods", "Place an order for Nordhavn Deli")
FORM = {"product": "Heather honey", "quantity": 3, "shipTo": "Sandkaj 31, 2150 Copenhagen", "deliverOn": "", "note": ""}


def prepare(host: str, idempotent: bool = False) -> None:
    """The order desk, live under the slug "desk", its writes approved by reviewers."""
    workspace = the_workspace()
    with scope.workspace(workspace.id):
        builder = User.objects.order_by("created_at")[0]
        entry = ModelEntry.objects.create(name="Demo", base_url=settings.DEMO_URL, model="demo", demo=True)
        ModelChoice.objects.create(purpose="answers", entry=entry)
        flow = examples.start_from("order-desk", builder)
        ready = publishing.readiness(flow)
        assert ready.ready, ready
        wanted = terms.Terms()
        wanted.deciders = "reviewers"
        deployment = publishing.publish(
            flow, ready, wanted, builder, deployment=None, slug="desk", name="Order desk", operate=True
        )
        deployment.deciders = "reviewers"
        deployment.allowed_hosts = [host]
        deployment.idempotent_hosts = [host] if idempotent else []
        deployment.settings = {"officeUrl": f"http://{host}/office"}
        deployment.save()


def begin(count: int) -> list[str]:
    """Start so many runs, each of a person of its own; half of them need the form."""
    with scope.workspace(the_workspace().id):
        deployment = Deployment.objects.get(slug="desk")
        started = []
        for number in range(count):
            text = MESSAGES[number % len(MESSAGES)]
            actor = Actor(name="Vera", visitor=uuid.uuid4().hex * 2)
            started.append(
                str(runs.start(deployment, actor, inputs={"question": text}, text=text, text_input="question").run)
            )
        return started


def tend(office: str) -> dict[str, int]:
    """Answer everything that waits, as the people concerned would. Returns how many of each kind."""
    done: dict[str, int] = {}
    with scope.workspace(the_workspace().id):
        waiting = Question.objects.filter(state="pending").select_related("conversation", "run")
        for question in waiting:
            decision, said = _decide(question, office)
            role = "owner" if question.decider == "reviewers" else None
            by = Actor(name="Rita") if role else Actor(name="Vera", visitor=question.conversation.visitor)
            try:
                questions.answer(question.id, by=by, role=role, digest=question.digest, decision=decision, **said)
            except questions.Conflict:
                continue
            done[question.kind] = done.get(question.kind, 0) + 1
    return done


def _decide(question: Question, office: str) -> tuple[Any, dict[str, Any]]:
    if question.kind == "form":
        return "answer", {"values": FORM}
    if question.kind == "approval":
        return "approve", {}
    if question.kind == "ask":
        return "answer", {"text": "MERID"}
    # A person looks at the office's own books before saying what became of the call.
    call = cards.read(question.payload)["call"]
    key = hashlib.sha256(f"{question.run_id}/{call['key']}".encode()).hexdigest()
    return ("happened", {"text": "It is in the books."}) if key in _placed(office) else ("again", {})


def _placed(office: str) -> set[str]:
    with urllib.request.urlopen(f"{office}/control/office/writes", timeout=10) as reply:
        return {write["key"] for write in json.load(reply)["writes"] if write["order"] is not None}


def statuses() -> dict[str, int]:
    """How many runs have which status."""
    with scope.workspace(the_workspace().id):
        rows = Run.objects.values_list("status").annotate(count=Count("id"))
        return dict(rows.order_by())


def in_flight() -> int:
    """Model calls that were asked and not answered, right now."""
    with scope.workspace(the_workspace().id):
        return ModelCall.objects.filter(state="started", run__status="running").count()


def books() -> dict[str, Any]:
    """What the ledgers and the journal say in the end."""
    with scope.workspace(the_workspace().id):
        gaps = 0
        for conversation in Conversation.objects.all():
            numbers = [entry.seq for entry in since(conversation.id, 0)]
            gaps += numbers != list(range(1, len(numbers) + 1))
        writes = ToolCall.objects.exclude(effect="read")
        return {
            "statuses": statuses(),
            "model_calls": ModelCall.objects.count(),
            "writes": writes.count(),
            "keys": {hashlib.sha256(f"{call.run_id}/{call.key}".encode()).hexdigest(): call.state for call in writes},
            "outcomes_asked": Question.objects.filter(kind="outcome").count(),
            "gaps": gaps,
            "errors": [run.error for run in Run.objects.filter(status__in=("failed", "lost"))],
            "answers": [run.outputs.get("answer", "") for run in Run.objects.filter(status="done")],
        }
