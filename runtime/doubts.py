"""Writes of which nobody knows whether they happened: what a person is asked about them, also after the run."""

from __future__ import annotations

from typing import Any

from django.db import transaction

from runtime import bell, cards
from runtime.events import Event, QuestionAsked
from runtime.models import Question, Run, ToolCall
from runtime.outgoing import told
from runtime.stepname import named

ASK = "This may already have happened. Please look, and say what became of it."
STOPPED = "The worker stopped while the call was under way."


def payload(place: cards.Place, terms: cards.Terms, call: ToolCall) -> cards.Payload:
    """The card about one call: what was sent where, and what went wrong."""
    request: dict[str, Any] = call.request
    show = [
        {"label": "Call", "channel": None, "value": f"{request['method']} {request['url']}"},
        {"label": "Sent", "channel": None, "value": request.get("json", request.get("text"))},
        {"label": "What went wrong", "channel": None, "value": call.error or STOPPED},
    ]
    about = {
        "key": call.key,
        "unit": call.unit,
        "method": request["method"],
        "target": request["url"],
        "args_sha": call.args_sha,
    }
    return cards.outcome_payload(place, terms, ask=ASK, show=show, call=about)


def leave_open(run: Run) -> list[Event]:
    """In the transaction that ends a run: its writes of unknown outcome go to the inbox, where they stay until settled.

    Returns the events that say so.
    """
    under_way = ToolCall.objects.filter(run=run, state="started", effect="write")
    doubted = list(under_way.values_list("pk", flat=True))
    under_way.update(state="unknown")
    asked: list[Event] = [told(call) for call in ToolCall.objects.filter(pk__in=doubted).order_by("pk")]
    terms = cards.Terms("reviewers")
    for call in ToolCall.objects.filter(run=run, state="unknown"):
        last = _last(run, call.key)
        if last is not None and last.state == "pending":
            continue
        if last is not None and last.state == "answered" and last.answer["outcome"] != "again":
            # A person said it, and the run ended before it could hear them.
            settle(last, last.answer["outcome"], last.answer["note"], last.decided_name)
            continue
        node = named(call.address)
        place = cards.Place(
            str(run.workspace_id), str(run.deployment_id), run.version.sha, str(run.id), call.address, node
        )
        sealed = cards.seal(payload(place, terms, call))
        question = Question.objects.create(
            conversation_id=run.conversation_id, run=run, kind="outcome", node=node, address=call.address,
            slot="ended", interrupt_id=f"ended:{call.pk}:{run.fence}", payload=sealed.payload, digest=sealed.digest,
            decider=terms.decider,
        )  # fmt: skip
        asked.append(
            QuestionAsked(
                question=str(question.id), address=call.address, node=node, kind="outcome", decider="reviewers"
            )
        )
    if asked:
        workspace = run.workspace_id
        transaction.on_commit(lambda: bell.inbox(workspace))
    return asked


def settle(question: Question, outcome: str, note: str, by: str) -> None:
    """After the run: only the ledger learns what became of the call. "again" cannot be; nobody is left to call."""
    key = cards.read(question.payload)["call"]["key"]
    settled = {"outcome": outcome, "note": note, "by": by}
    ToolCall.objects.filter(run_id=question.run_id, key=key).update(state="settled", settled=settled)


def _last(run: Run, key: str) -> Question | None:
    """The newest question about the call: about its last sending, since it is sent again only after "again"."""
    asked = Question.objects.filter(run=run, kind="outcome").order_by("-created_at")
    return next((question for question in asked if cards.read(question.payload)["call"]["key"] == key), None)
