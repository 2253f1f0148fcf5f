"""Asks as pages and the API meet them: begun, stopped, accepted, dropped, and shown. Everything here is scoped."""

from __future__ import annotations

import uuid
from collections.abc import Sequence
from typing import Any

from django.db import IntegrityError, transaction
from django.db.models import F
from django.db.models.functions import Now

from flows.check import check
from flows.edits.apply import EditRefused, apply, parse
from flows.edits.changes import Sketch
from flows.edits.difference import lines
from flows.edits.lines import ChangeLine
from flows.models import Flow
from runtime import bell
from runtime.services.endpoints import endpoint_for
from studio import editing
from studio.access import may
from studio.api import wire_asks as wire
from studio.ask.working import parsed
from studio.editing import Sent
from studio.models import Ask, User
from studio.refusal import Forbidden, Missing, Refusal
from studio.strings import t

Json = Any
KEPT = 20
"""So many asks a list shows."""
MOST = 200
"""So many that are over are kept of a flow, as many as edits."""
LABEL = 80


def begin(flow: Flow, by: User, text: str, selection: Sequence[str]) -> Ask:
    """A new ask, for a worker to take. Raises Refusal in words when it cannot even begin.

    An open proposal of the same person is what it goes on from; that stays until the new one is there.
    """
    text = text.strip()
    if not text:
        raise Refusal("ASK_EMPTY", t("ask.empty"), 422)
    if len(text) > wire.LONGEST:
        raise Refusal("ASK_TOO_LONG", t("ask.too_long", count=f"{wire.LONGEST:,}"), 422)
    problem = hindrance()
    if problem:
        raise Refusal("NO_ASK_MODEL", problem, 409)
    if parsed(flow.draft) is None:
        raise Refusal("DRAFT_UNREADABLE", t("ask.unreadable"), 409)
    open_one = Ask.objects.filter(flow=flow, by=by, state="proposed").order_by("-created_at").first()
    try:
        with transaction.atomic():
            ask = Ask.objects.create(
                flow=flow, by=by, text=text, selection=list(selection), base_revision=flow.revision, base=flow.draft,
                base_layout=flow.layout, continues=open_one,
            )  # fmt: skip
            _forget(flow)
            transaction.on_commit(lambda: bell.errand("ask", ask.id))
    except IntegrityError:
        raise Refusal("ASK_WORKING", t("ask.working"), 409) from None
    return ask


def _forget(flow: Flow) -> None:
    """Let the oldest go of the asks that are over, beyond the last MOST."""
    over = Ask.objects.filter(flow=flow).exclude(state__in=("working", "proposed"))
    last = over.order_by("-created_at").values_list("created_at", flat=True)[MOST : MOST + 1].first()
    if last is not None:
        over.filter(created_at__lte=last).delete()


def hindrance() -> str:
    """Why nobody can ask anything at the moment, in words; "" when they can."""
    endpoint = endpoint_for(None, "ask")
    return t("ask.no_model") if endpoint is None else endpoint.problem


def find(flow: Flow, id: uuid.UUID) -> Ask:
    """The flow's ask. Raises Missing."""
    found = Ask.objects.select_related("by").filter(flow=flow, id=id).first()
    if found is None:
        raise Missing(t("ask.gone"))
    return found


def own(flow: Flow, id: uuid.UUID, person: User) -> Ask:
    """As find, for whoever asked. Raises Forbidden for others."""
    found = find(flow, id)
    if found.by_id != person.pk:
        raise Forbidden(t("ask.not_yours"))
    return found


def stop(ask: Ask) -> None:
    """End it now. The worker sees it within a second and hangs up on the model. Nothing happens to one that is over."""
    _change(ask, "working", "stopped", finished_at=Now(), lease_until=None, base="", base_layout={})


def drop(ask: Ask) -> None:
    """Turn the proposal down. Nothing happens to one that is over."""
    _change(ask, "proposed", "dropped")


def _change(ask: Ask, old: str, new: str, **fields: Json) -> bool:
    changed = Ask.objects.filter(id=ask.id, state=old).update(state=new, rev=F("rev") + 1, **fields)
    if changed:
        poke(ask)
    return bool(changed)


def poke(ask: Ask) -> None:
    """Tell the flow's pages that the ask came further, once that is committed."""
    rev = Ask.objects.values_list("rev", flat=True).get(id=ask.id)
    bell.flow_after_commit(ask.flow_id, {"type": "ask", "id": str(ask.id), "rev": rev})


def accept(ask: Ask, flow: Flow, by: User, revision: int) -> editing.Outcome:
    """Put the proposal into the draft as one edit. revision: the draft's that the person saw it against.

    Raises Refusal when it is over, does not fit any more, or meets what somebody else changed since: then the person
    looks at it again, as it would be now.
    """
    with transaction.atomic():
        held = Ask.objects.select_for_update().get(id=ask.id)
        if held.state not in ("proposed", "accepted"):
            raise Refusal("ASK_OVER", t("ask.not_proposed"), 409)
        if held.state == "accepted":
            return editing.again(flow, held.id)
        label = t("ask.edit_label", text=" ".join(held.text.split())[:LABEL])
        try:
            # The ask's own id is the edit's key: a second yes is the same edit.
            outcome = editing.submit(flow, Sent(held.id, revision, held.operations, label, ask=held.id), by)
        except EditRefused as refused:
            raise Refusal("ASK_UNFIT", t("ask.moved"), 409) from refused
        if outcome.aside is not None:
            raise Refusal("ASK_MOVED", t("ask.met"), 409)
        Ask.objects.filter(id=ask.id).update(
            state="accepted", accepted_revision=outcome.flow.revision, rev=F("rev") + 1
        )
        poke(ask)
        return outcome


# Shown


def listed(flow: Flow, person: User, role: str | None) -> wire.Asks:
    """The flow's last asks, and the one of this person that works or waits."""
    rows = list(_light(flow).order_by("-created_at")[:KEPT])
    current = (
        Ask.objects.select_related("by")
        .filter(flow=flow, by=person, state__in=("working", "proposed"))
        .order_by("-state", "-created_at")
        .first()
    )
    endpoint = endpoint_for(None, "ask")
    return wire.Asks(
        asks=[wire.AskRow(**_row(each, person)) for each in rows],
        current=shown(current, flow, person) if current else None,
        problem=hindrance(),
        may_set=may(role, "models"),
        demo=endpoint is not None and endpoint.demo,
    )


def _light(flow: Flow) -> Any:
    return (
        Ask.objects.select_related("by")
        .defer("base", "base_layout", "operations", "steps", "refused")
        .filter(flow=flow)
    )


def shown(ask: Ask, flow: Flow, person: User) -> wire.Ask:
    """All of an ask. A proposal is shown against the draft as it is now."""
    fits, document, layout, errors = True, None, None, []
    changed = [ChangeLine.model_validate(line) for line in ask.lines]
    if ask.state == "proposed":
        applied = _applied(ask, flow)
        fits = applied is not None
        if applied is not None:
            before, after = applied
            document, layout = after.document, after.layout
            changed = lines(before.document, document)
            known = {(each.code, each.message) for each in check(before.document).errors}
            errors = [each.message for each in check(document).errors if (each.code, each.message) not in known]
    error = ask.error or {}
    return wire.Ask(
        **_row(ask, person),
        rev=ask.rev,
        began=bool(ask.owner),
        steps=ask.steps,
        lines=changed,
        refused=ask.refused,
        fits=fits,
        document=document,
        layout=layout,
        new_errors=errors[:20],
        base_revision=flow.revision if ask.state == "proposed" else ask.base_revision,
        accepted_revision=ask.accepted_revision,
        model=ask.model,
        demo=ask.demo,
        input_tokens=ask.input_tokens,
        output_tokens=ask.output_tokens,
        cost=None if ask.cost is None else float(ask.cost),
        code=error.get("code", ""),
    )


def _row(ask: Ask, person: User) -> dict[str, Json]:
    return {
        "id": ask.id,
        "state": ask.state,
        "text": ask.text,
        "by": ask.by.name if ask.by else t("flows.somebody"),
        "mine": ask.by_id == person.pk,
        "at": ask.created_at,
        "reply": ask.reply,
        "note": _note(ask),
        "count": len(ask.lines),
    }


def _note(ask: Ask) -> str:
    """What really happened, in our words beside the model's."""
    if ask.claims:
        return t("ask.claimed_nothing")
    if ask.state == "answered":
        return t("ask.nothing_changed")
    if ask.state == "failed":
        return (ask.error or {}).get("message", "")
    return t("ask.stopped") if ask.state == "stopped" else ""


def _applied(ask: Ask, flow: Flow) -> tuple[Sketch, Sketch] | None:
    """The draft without and with the proposal; None when it does not fit."""
    document = parsed(flow.draft)
    if document is None:
        return None
    before = Sketch(document, flow.layout)
    try:
        applied = apply(before, parse(ask.operations), id=flow.id)
    except EditRefused:
        return None
    return before, Sketch(applied.document, applied.layout)
