"""What happens inside the product while it is attacked: people answer what waits, and the ledgers are read.

Called through the stack's desk; every function takes and returns JSON.
"""

from __future__ import annotations

import hashlib
import json
import urllib.request
from pathlib import Path
from typing import Any

from django.conf import settings
from django.db.models import Count, F
from django.db.models.functions import Now

from flows import scope
from runtime import cards, questions
from runtime.canonical import for_page
from runtime.journal import since
from runtime.models import (
    Conversation,
    Deployment,
    Leader,
    ModelCall,
    ModelChoice,
    ModelEntry,
    Outbox,
    Question,
    Run,
    RunStream,
    ToolCall,
)
from runtime.runs import Actor
from studio import examples, frames, publishing, terms
from studio.frames import Eyes
from studio.frames.items import AnswerItem
from studio.models import User
from tests.support import offices
from tests.support.seed import the_workspace

FORM = {
    "product": "Heather honey", "quantity": 3, "shipTo": "Sandkaj 31, 2150 Copenhagen", "deliverOn": "", "note": "",
    "city": "Oslo",
}  # fmt: skip
"""What a person types, whichever form asks for it."""
TEXTS = ("Order 12 jars of heather honey for Meridian Foods", "Place an order for Nordhavn Deli")


def prepare(host: str) -> None:
    """The order desk, live under the slug "desk", its writes approved by reviewers."""
    workspace = the_workspace()
    with scope.workspace(workspace.id):
        builder = User.objects.order_by("created_at")[0]
        if not ModelEntry.objects.exists():
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
        deployment.settings = {"officeUrl": f"http://{host}/office"}
        deployment.save()


def knows_repeats(host: str, really: bool) -> None:
    """Whether the operator says of the order desk's office that it knows a repeated call."""
    with scope.workspace(the_workspace().id):
        Deployment.objects.filter(slug="desk").update(idempotent_hosts=[host] if really else [])


def clear() -> None:
    """End what an earlier test left unfinished."""
    with scope.workspace(the_workspace().id):
        Run.objects.exclude(status__in=Run.ENDED).update(status="cancelled", fence=F("fence") + 1)
        Question.objects.filter(state="pending").update(state="withdrawn")
        Outbox.objects.all().delete()


def tend(office: str, notes: str) -> dict[str, int]:
    """Answer everything that waits, as the people concerned would. Returns how many of each kind.

    notes: the file in which the other office, the one behind an MCP server, notes what it is asked.
    """
    done: dict[str, int] = {}
    with scope.workspace(the_workspace().id):
        waiting = Question.objects.filter(state="pending").select_related("conversation", "run")
        for question in waiting:
            assert question.run.status not in Run.ENDED, (
                f"{question.run_id} ended as {question.run.status}, asking: {question.run.error}"
            )
            decision, said = _decide(question, office, Path(notes))
            role = "owner" if question.decider == "reviewers" else None
            by = Actor(name="Rita") if role else Actor(name="Vera", visitor=question.conversation.visitor)
            try:
                questions.answer(question.id, by=by, role=role, digest=question.digest, decision=decision, **said)
            except questions.Conflict:
                continue
            done[question.kind] = done.get(question.kind, 0) + 1
    return done


def _decide(question: Question, office: str, notes: Path) -> tuple[Any, dict[str, Any]]:
    payload = cards.read(question.payload)
    if question.kind == "form":
        return "answer", {"values": {name: FORM[name] for name in payload["fields"]}}
    if question.kind == "approval":
        return "approve", {}
    if question.kind == "ask":
        return "answer", {"text": "MERID"}
    # A person looks at the books of the office concerned before saying what became of the call.
    key = payload["call"]["key"]
    if payload["call"]["target"].startswith("mcp://"):
        sent = ToolCall.objects.get(run=question.run_id, key=key).request["json"]["note_text"]
        happened = sent in [one.get("note") for one in offices.noted(notes)]
    else:
        happened = hashlib.sha256(f"{question.run_id}/{key}".encode()).hexdigest() in _placed(office)
    return ("happened", {"text": "It is in the books."}) if happened else ("again", {})


def _placed(office: str) -> set[str]:
    with urllib.request.urlopen(f"{office}/control/office/writes", timeout=10) as reply:
        return {write["key"] for write in json.load(reply)["writes"] if write["order"] is not None}


def leader(loop: str) -> int:
    """The process that leads a loop of the workers; 0 while none does."""
    found = Leader.objects.filter(name=loop, until__gt=Now()).first()
    return int(found.owner.split(":")[1]) if found else 0


def statuses(runs: list[str]) -> dict[str, int]:
    """How many of these runs have which status."""
    with scope.workspace(the_workspace().id):
        rows = Run.objects.filter(id__in=runs).values_list("status").annotate(count=Count("id"))
        return dict(rows.order_by())


def in_flight() -> int:
    """Model calls that were asked and not answered, right now."""
    with scope.workspace(the_workspace().id):
        return ModelCall.objects.filter(state="started", run__status="running").count()


def books(runs: list[str]) -> dict[str, Any]:
    """What the ledgers and the journal say of these runs in the end."""
    with scope.workspace(the_workspace().id):
        gaps, drawn = 0, []
        for conversation in Conversation.objects.filter(runs__in=runs).distinct():
            numbers = [entry.seq for entry in since(conversation.id, 0)]
            gaps += numbers != list(range(1, len(numbers) + 1))
            drawn += _drawn(conversation)
        found = Run.objects.filter(id__in=runs)
        return {
            "statuses": statuses(runs),
            "model_calls": ModelCall.objects.filter(run__in=runs).count(),
            "outcomes_asked": Question.objects.filter(kind="outcome", run__in=runs).count(),
            "questions": Question.objects.filter(run__in=runs).count(),
            "gaps": gaps,
            "drawn": drawn,
            "half_said": RunStream.objects.filter(run__in=found).count(),
            "errors": [[str(run.id), run.error] for run in found.filter(status__in=("failed", "lost"))],
            "answers": [run.outputs.get("answer", "") for run in found.filter(status="done")],
        }


def _drawn(conversation: Conversation) -> list[Any]:
    """What the page of a conversation shows as answers, where that is not what its finished runs gave."""
    page = frames.compact(conversation.id, Eyes(starter=True)).frames
    shown = [frame.item for frame in page if isinstance(frame.item, AnswerItem)]
    wrong: list[Any] = []
    for run in conversation.runs.filter(status="done"):
        here = {item.channel: (item.value, item.streaming) for item in shown if item.run == str(run.id)}
        if here != {name: (for_page(value), False) for name, value in run.outputs.items()}:
            wrong.append([str(run.id), run.outputs, here])
    return wrong
