"""Conversations for tests: an agent somebody published, runs in a given state, and questions that wait."""

from __future__ import annotations

import uuid
from datetime import datetime
from typing import Any

from django.db import transaction
from django.utils import timezone

from flows.models import Flow, FlowVersion
from flows.scope import current
from runtime import cards
from runtime.events import Event, MessageSent, QuestionAsked
from runtime.journal import append
from runtime.models import Conversation, Deployment, Question, Run

DOCUMENT: dict[str, Any] = {
    "version": "0.33",
    "name": "Order desk",
    "description": "Looks up, orders, and asks before it writes.",
    "conversation": True,
    "suggestions": ["Where is ALFKI based?"],
    "inputs": ["question"],
    "outputs": ["answer"],
    "start": "reply",
    "state": {"question": {"type": "string"}, "answer": {"type": "string"}},
    "nodes": [{"id": "reply", "type": "llm", "prompt": "{{question}}", "output": "answer"}],
    "edges": [{"from": "reply", "to": "END"}],
}
ORDER = {"customerId": "ALFKI", "quantity": 2}
FIELDS = {
    "customerId": {"type": "string", "required": True, "maxLength": 5, "label": "Customer id"},
    "since": {"type": "date", "required": True},
}


def agent(slug: str = "", document: dict[str, Any] | None = None, **fields: Any) -> Deployment:
    """A deployment in the entered workspace, live unless `version=None`."""
    slug = slug or f"desk-{uuid.uuid4().hex[:8]}"
    flow = Flow.objects.create(path=slug, name="Order desk", draft="{}")
    version = FlowVersion.objects.create(
        flow=flow, number=1, sha=uuid.uuid4().hex * 2, document=document or DOCUMENT, units_sha="0" * 64, engine=1
    )
    return Deployment.objects.create(**{"flow": flow, "version": version, "slug": slug, "name": "Order desk", **fields})


def conversation(deployment: Deployment, user: Any = None, visitor: str = "") -> Conversation:
    return Conversation.objects.create(deployment=deployment, user=user, visitor=visitor, title="What did ALFKI order?")


def run(talk: Conversation, status: str = "waiting", **fields: Any) -> Run:
    if status in Run.ENDED:
        fields.setdefault("finished_at", timezone.now())
    made = Run.objects.create(
        conversation=talk,
        deployment=talk.deployment,
        version=talk.deployment.version,
        status=status,
        started_by=talk.user,
        **fields,
    )
    log(made, MessageSent(text="What did ALFKI order?", by="Dana", queued=status == "held"))
    return made


def log(of: Run, *events: Event) -> int:
    with transaction.atomic():
        return append(of.conversation_id, of.id, events)


def place(of: Run, address: str) -> cards.Place:
    return cards.Place(current().hex, of.deployment.slug, of.version.sha, of.id.hex, address, address.partition("#")[0])


def approval(of: Run, address: str, terms: cards.Terms) -> cards.Payload:
    return cards.approval_payload(
        place(of, address),
        cards.Approval("Place this order for {{order.customerId}}?", ("order",), ("order",), "why"),
        cards.Deed(
            "tool", "placeOrder", {"customer": "{{order.customerId}}", "quantity": "{{order.quantity}}"}, "b" * 64
        ),
        terms,
        types={"order": "object", "why": "string"},
        state={"order": ORDER, "why": "Asked for chai twice this year."},
    )


def ask(
    of: Run,
    kind: str = "approval",
    *,
    decider: str = "starter",
    not_starter: bool = False,
    expires_at: datetime | None = None,
    address: str = "place#1",
) -> Question:
    """A question that waits, with its event, as the engine writes them."""
    terms = cards.Terms(decider, not_starter, expires_at)  # type: ignore[arg-type]
    at = place(of, address)
    figures = [{"label": "Order", "channel": "order", "value": ORDER}]
    payload = {
        "ask": lambda: cards.ask_payload(at, terms, text="Which order?", show=figures),
        "form": lambda: cards.form_payload(
            at, terms, title="Which customer?", fields=FIELDS, values={"customerId": "ALFKI"}
        ),
        "approval": lambda: approval(of, address, terms),
        "outcome": lambda: cards.outcome_payload(
            at, terms, ask="Did this order go through?", show=figures, call={"key": "place#1/placeOrder/0"}
        ),
    }[kind]()
    sealed = cards.seal(payload)
    with transaction.atomic():
        made = Question.objects.create(
            conversation=of.conversation,
            run=of,
            kind=kind,
            node=at.node,
            address=address,
            slot=kind,
            interrupt_id=uuid.uuid4().hex,
            payload=sealed.payload,
            digest=sealed.digest,
            decider=decider,
            not_starter=not_starter,
            expires_at=expires_at,
        )
        event = QuestionAsked(
            question=str(made.id),
            address=address,
            node=at.node,
            kind=kind,
            decider=decider,  # type: ignore[arg-type]
        )
        append(of.conversation_id, of.id, [event])
    return made
