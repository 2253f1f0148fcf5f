"""What a step must ask before it runs, and the proof, just before it acts, that it does what was approved."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

from django.utils import timezone
from langgraph.types import Interrupt

from flows.kinds import kind_of
from flows.kinds.base import Json, NodeFailed
from flows.units import units_named
from flows.words.document import Document
from runtime import bell, cards, doubts, questions
from runtime.engine.calls import outcome_slot
from runtime.engine.lease import Lease
from runtime.engine.program import ANSWERS, CHANNEL, UNKNOWN
from runtime.engine.step import EngineStep
from runtime.events import ApprovalMismatch, QuestionAsked
from runtime.journal import append
from runtime.models import Question
from runtime.stepname import named


async def due(lease: Lease, flow: Document, node: Any, kind: Any, state: dict[str, Json], address: str) -> Json | None:
    """The next question of this visit, or None when the step may run.

    What is shown is kept with the lease until the pause is written; the interrupt itself carries {slot, kind, address}.
    """
    answers = (state.get(ANSWERS) or {}).get(address) or {}
    place = _place(lease, address)
    unknown = (state.get(UNKNOWN) or {}).get(address)
    if unknown:
        row = lease.tool_calls[unknown]
        slot, terms = outcome_slot(row), cards.Terms("reviewers")
        payload = doubts.payload(place, terms, row)
        return _kept(lease, slot, "outcome", payload, terms, address)
    step = EngineStep(lease, "", flow, node, state, address, 1)
    pause = kind.pause(node, step)
    if pause is not None:
        terms = cards.Terms("starter")
        if pause.kind == "ask":
            payload = cards.ask_payload(place, terms, text=pause.body["text"], show=list(pause.body.get("show", ())))
        else:
            payload = cards.form_payload(
                place, terms, title=pause.body.get("title", ""), fields=pause.body["fields"],
                values=pause.body.get("values", {}),
            )  # fmt: skip
        return _kept(lease, pause.slot, pause.kind, payload, terms, address)
    if node.approval is None or "approval" in answers or _closed(answers):
        return None
    deployment = lease.run.deployment
    reviewed = deployment.deciders == "reviewers"
    terms = cards.Terms(
        "reviewers" if reviewed else "starter",
        reviewed and deployment.not_starter,
        timezone.now() + timedelta(hours=deployment.approval_hours),
    )
    setting = await lease.resources.setting(flow)
    payload = _approval(lease, flow, node, state, place, terms, answers, setting)
    return _kept(lease, "approval", "approval", payload, terms, address)


async def recheck(lease: Lease, flow: Document, node: Any, state: dict[str, Json], address: str) -> None:
    """Just before an approved step acts: what it will do is what was approved, or NodeFailed and nothing is sent."""
    answers = (state.get(ANSWERS) or {}).get(address) or {}
    if node.approval is None or _closed(answers):
        return
    if "approval" not in answers:
        raise NodeFailed(f'"{node.id}" was not approved, so it did nothing.', "APPROVAL_MISSING")

    def find() -> Question | None:
        asked = Question.objects.filter(run_id=lease.id, address=address, slot="approval", state="approved")
        return asked.order_by("-decided_at").first()

    question = await lease.database.read(find)
    if question is not None:
        setting = await lease.resources.setting(flow)
        rest = {slot: one for slot, one in answers.items() if slot != "approval"}
        place = _place(lease, address)
        try:
            approved = questions.approved(question)
            now = _approval(lease, flow, node, state, place, cards.terms_of(approved), rest, setting)
            if not cards.differs(approved, now):
                return
        except ValueError:
            pass  # a card that does not fit its digest, or arguments that the tool refuses, is not what was approved
        lease.later("", ApprovalMismatch(question=str(question.id), address=address))
    raise NodeFailed(
        f'What "{node.id}" was about to do is not what was approved. Nothing was sent.', "APPROVAL_MISMATCH"
    )


def _closed(answers: dict[str, Json]) -> bool:
    """Somebody closed a form of this visit, so the step fails before it does anything: there is nothing to approve."""
    return any(answer.get("closed") for answer in answers.values())


def write_question(lease: Lease, interrupt: Interrupt) -> None:
    """Inside the transaction of the pause: the Question row and the event that says so. Once for each interrupt."""
    asked = interrupt.value
    found = lease.questions[(asked["address"], asked["slot"])]
    if Question.objects.filter(run_id=lease.id, interrupt_id=interrupt.id).exists():
        return
    terms: cards.Terms = found["terms"]
    sealed = cards.seal(found["payload"])
    question = Question.objects.create(
        conversation_id=lease.run.conversation_id, run_id=lease.id, kind=asked["kind"], node=found["node"],
        address=asked["address"], slot=asked["slot"], interrupt_id=interrupt.id, payload=sealed.payload,
        digest=sealed.digest, decider=terms.decider, not_starter=terms.not_starter, expires_at=terms.expires_at,
    )  # fmt: skip
    event = QuestionAsked(
        question=str(question.id), address=asked["address"], node=found["node"], kind=asked["kind"],
        decider=terms.decider,
    )  # fmt: skip
    append(lease.run.conversation_id, lease.id, [event])
    bell.inbox_after_commit(lease.run.workspace_id)


def _kept(
    lease: Lease, slot: str, kind: str, payload: cards.Payload, terms: cards.Terms, address: str
) -> dict[str, str]:
    lease.questions[(address, slot)] = {"payload": payload, "terms": terms, "node": named(address)}
    return {"slot": slot, "kind": kind, "address": address}


def _place(lease: Lease, address: str) -> cards.Place:
    run = lease.run
    ids = str(run.workspace_id), str(run.deployment_id), lease.program.sha, str(run.id)
    return cards.Place(*ids, address, named(address))


def _approval(
    lease: Lease,
    flow: Document,
    node: Any,
    state: dict[str, Json],
    place: cards.Place,
    terms: cards.Terms,
    answers: dict[str, Json],
    setting: str,
) -> cards.Payload:
    approval, part = node.approval, lease.program.of(flow)
    known = {name[len(CHANNEL) :]: value for name, value in state.items() if name.startswith(CHANNEL)}
    # The card of a second pass is about this pass: what an earlier card was answered is no part of it.
    known["__approval"] = None
    args, units = kind_of(node.type).acts_by(node), units_named(node)
    tool = next((name for kind, name in units if kind == "tool"), None)
    code = "".join(part.unit_sha(kind, name) for kind, name in units)
    inputs = {name: field.plain() for name, field in ((tool and flow.tool(tool).inputs) or {}).items()}
    given = (answers.get("args") or {}).get("value")
    deed = cards.Deed(node.type, tool, args, code, inputs, given, setting)
    return cards.approval_payload(
        place,
        cards.Approval(approval.ask, tuple(approval.show or ()), tuple(approval.edit or ()), approval.why),
        deed,
        terms,
        types=part.types,
        state=known,
    )
