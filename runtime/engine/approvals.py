"""What a step must ask before it runs, and the proof, just before it acts, that it does what was approved."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import timedelta
from typing import Any

from django.utils import timezone
from langgraph.types import Interrupt

from flows.kinds import kind_of
from flows.kinds.base import Json, NodeFailed, Pause
from flows.units import units_named
from flows.words.callables import inputs_of, own_names
from flows.words.document import Document
from runtime import bell, cards, doubts, questions
from runtime.engine.calls import outcome_slot
from runtime.engine.lease import Lease
from runtime.engine.program import ANSWERS, CHANNEL, KEPT, UNKNOWN
from runtime.engine.step import EngineStep
from runtime.events import ApprovalMismatch, QuestionAsked
from runtime.files import exhibits
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
        row = lease.ledger.tools[unknown]
        await lease.ledger.whole(row)
        slot, terms = outcome_slot(row), cards.Terms("reviewers")
        payload = doubts.payload(place, terms, row)
        return _kept(lease, slot, "outcome", payload, terms, address)
    memory = (state.get(KEPT) or {}).get(address)
    if memory:
        # The step has begun: what stood before it was asked, and only it says what comes next.
        wanted = memory.get("pause")
        if wanted is None or wanted["slot"] in answers:
            return None
        return await _paused(lease, flow, node, state, place, Pause(**wanted))
    step = EngineStep(lease, "", flow, node, state, address, 1)
    await step.look()
    pause = kind.pause(node, step)
    if pause is not None:
        return await _paused(lease, flow, node, state, place, pause)
    if node.approval is None or "approval" in answers or _closed(answers) or kind.approves_nothing(node, step):
        return None
    terms = _terms(lease)
    setting = await lease.resources.setting(flow)
    off = await lease.resources.servers.off(flow)
    try:
        documents = await _documents(lease, node, state)
        payload = _approval(lease, flow, node, state, place, terms, answers, setting, off, documents)
    except cards.ArgumentsRefused as refused:
        raise _incomplete(node, step, refused) from None
    return _kept(lease, "approval", "approval", payload, terms, address)


def _incomplete(node: Any, step: EngineStep, refused: cards.ArgumentsRefused) -> NodeFailed:
    """There is no card for a call that could not be made; no form completes one whose tool is off."""
    off = next((words for kind, name in units_named(node) if kind == "tool" and (words := step.off(name))), "")
    if off:
        return NodeFailed(off, "TOOL_OFF")
    return NodeFailed(f'"{node.id}" was not asked about, and nothing was called. {refused}', "ARGS_REFUSED")


async def _paused(
    lease: Lease, flow: Document, node: Any, state: dict[str, Json], place: cards.Place, pause: Pause
) -> Json:
    """The question of a step's own pause."""
    body, terms = pause.body, cards.Terms("starter")
    if pause.kind == "ask":
        payload = cards.ask_payload(place, terms, text=body["text"], show=list(body.get("show", ())))
    elif pause.kind == "form":
        payload = cards.form_payload(
            place, terms, title=body.get("title", ""), fields=body["fields"], values=body.get("values", {}),
            why=body.get("why", ""),
        )  # fmt: skip
    else:
        terms = _terms(lease)
        payload = _call_card(lease, flow, state, place, terms, body, await lease.resources.setting(flow))
    return _kept(lease, pause.slot, pause.kind, payload, terms, place.address)


def _terms(lease: Lease) -> cards.Terms:
    deployment = lease.run.deployment
    reviewed = deployment.deciders == "reviewers"
    return cards.Terms(
        "reviewers" if reviewed else "starter",
        reviewed and deployment.not_starter,
        timezone.now() + timedelta(hours=deployment.approval_hours),
    )


def _call_card(
    lease: Lease, flow: Document, state: Mapping[str, Json], place: cards.Place, terms: cards.Terms,
    body: Mapping[str, Json], setting: str,
) -> cards.Payload:  # fmt: skip
    """The card of one call that a step is about to make: exactly these arguments, and nothing to correct."""
    part, tool = lease.program.of(flow), body["tool"]
    deed = cards.Deed("call", tool, dict(body["args"]), part.unit_sha("tool", tool), {}, None, setting, exact=True)
    return cards.approval_payload(
        place, cards.Approval(body["ask"], tuple(body["show"])), deed, terms, types=part.types, state=known(state)
    )


async def recheck_call(lease: Lease, flow: Document, state: Mapping[str, Json], address: str, pause: Pause) -> None:
    """As recheck, for one call that was approved by itself."""
    question = await lease.database.read(lambda: _approved(lease, address, pause.slot))
    if question is not None:
        place = _place(lease, address)
        try:
            approved = questions.approved(question)
            terms, setting = cards.terms_of(approved), await lease.resources.setting(flow)
            if not cards.differs(approved, _call_card(lease, flow, state, place, terms, pause.body, setting)):
                return
        except ValueError:
            pass
        lease.later("", ApprovalMismatch(question=str(question.id), address=address))
    raise NodeFailed(
        f'The call of "{pause.body["tool"]}" is not what was approved. Nothing was sent.', "APPROVAL_MISMATCH"
    )


def _approved(lease: Lease, address: str, slot: str) -> Question | None:
    asked = Question.objects.filter(run_id=lease.id, address=address, slot=slot, state="approved")
    return asked.order_by("-decided_at").first()


def known(state: Mapping[str, Json]) -> dict[str, Json]:
    """The channels among everything that the graph holds."""
    return {name[len(CHANNEL) :]: value for name, value in state.items() if name.startswith(CHANNEL)}


async def recheck(lease: Lease, flow: Document, node: Any, state: dict[str, Json], address: str) -> None:
    """Just before an approved step acts: what it will do is what was approved, or NodeFailed and nothing is sent."""
    answers = (state.get(ANSWERS) or {}).get(address) or {}
    begun = (state.get(KEPT) or {}).get(address)
    if node.approval is None or (_closed(answers) and not begun):
        return
    if "approval" not in answers:
        kind: Any = kind_of(node.type)
        if kind.approves_nothing(node, EngineStep(lease, "", flow, node, state, address, 1)):
            return
        raise NodeFailed(f'"{node.id}" was not approved, so it did nothing.', "APPROVAL_MISSING")

    question = await lease.database.read(lambda: _approved(lease, address, "approval"))
    if question is not None:
        setting = await lease.resources.setting(flow)
        rest = {slot: one for slot, one in answers.items() if slot != "approval"}
        place = _place(lease, address)
        try:
            approved = questions.approved(question)
            off = await lease.resources.servers.off(flow)
            documents, terms = await _documents(lease, node, state), cards.terms_of(approved)
            now = _approval(lease, flow, node, state, place, terms, rest, setting, off, documents)
            if not cards.differs(approved, now):
                return
        except ValueError:
            pass  # a card that does not fit its digest, or arguments that the tool refuses, is not what was approved
        lease.later("", ApprovalMismatch(question=str(question.id), address=address))
    raise NodeFailed(
        f'What "{node.id}" was about to do is not what was approved. Nothing was sent.', "APPROVAL_MISMATCH"
    )


async def _documents(lease: Lease, node: Any, state: Mapping[str, Json]) -> Sequence[Json]:
    """The exhibits of a step's approval, every byte of them read now."""
    names = tuple(node.approval.exhibits or ())
    if not names:
        return ()
    return await lease.database.read(lambda: exhibits.read(names, known(state), lease.resources.files.may_read))


def _queued(held: Json) -> list[str]:
    """The tools that a queue names, each once."""
    calls = held if isinstance(held, list) else []
    return sorted({call["name"] for call in calls if isinstance(call, dict) and isinstance(call.get("name"), str)})


def _closed(answers: dict[str, Json]) -> bool:
    """Somebody closed a form of this visit, so the step fails before it does anything: there is nothing to approve."""
    return any(answer.get("closed") for answer in answers.values())


def write_question(lease: Lease, interrupt: Interrupt) -> None:
    """Inside the transaction of the pause: the Question row and the event that says so. Once for each interrupt.

    What the end of a run withdrew is open again when the run, let go on, comes to wait for it; nothing else is.
    """
    known = Question.objects.filter(run_id=lease.id, interrupt_id=interrupt.id).first()
    if known is not None:
        if lease.run.continued and known.state == "withdrawn":
            known.state, known.decided_by, known.decided_name, known.decided_at = "pending", None, "", None
            known.save(update_fields=["state", "decided_by", "decided_name", "decided_at"])
            _tell(lease, known)
        return
    asked = interrupt.value
    found = lease.questions[(asked["address"], asked["slot"])]
    terms: cards.Terms = found["terms"]
    sealed = cards.seal(found["payload"])
    question = Question.objects.create(
        conversation_id=lease.run.conversation_id, run_id=lease.id, kind=asked["kind"], node=found["node"],
        address=asked["address"], slot=asked["slot"], interrupt_id=interrupt.id, payload=sealed.payload,
        digest=sealed.digest, decider=terms.decider, not_starter=terms.not_starter, expires_at=terms.expires_at,
    )  # fmt: skip
    _tell(lease, question)


def _tell(lease: Lease, question: Question) -> None:
    event = QuestionAsked(
        question=str(question.id), address=question.address, node=question.node, kind=question.kind,  # type: ignore[arg-type]
        decider=question.decider,  # type: ignore[arg-type]
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
    off: Mapping[str, str],
    documents: Sequence[Json],
) -> cards.Payload:
    """off: the tools that cannot be called, whose calls a batch answers with an error and no card shows.
    documents: the exhibits, as they are now."""
    approval, part = node.approval, lease.program.of(flow)
    # The card of a second pass is about this pass: what an earlier card was answered is no part of it.
    channels = {**known(state), "__approval": None}
    args, units = kind_of(node.type).acts_by(node), units_named(node)
    tool = next((name for kind, name in units if kind == "tool"), None)
    queue = kind_of(node.type).queue(node)
    if queue is not None:
        units = [("tool", name) for name in _queued(channels.get(queue))]
    code = "".join(part.unit_sha(kind, name) for kind, name in units)
    inputs = {name: field.plain() for name, field in (inputs_of(flow, tool) if tool else {}).items()}
    given = (answers.get("args") or {}).get("value")
    deed = cards.Deed(node.type, tool, args, code, inputs, given, setting)
    if queue is not None:
        fields = {name: {one: each.plain() for one, each in inputs_of(flow, name).items()} for _, name in units}
        shown = {name: each for name, each in fields.items() if name in own_names(flow) and name not in off}
        deed = replace(deed, tools=shown, queue=queue)
    return cards.approval_payload(
        place,
        cards.Approval(
            approval.ask,
            tuple(approval.show or ()),
            tuple(approval.edit or ()),
            approval.why,
            tuple(approval.exhibits or ()),
        ),
        deed,
        terms,
        types=part.types,
        state=channels,
        exhibits=documents,
    )
