"""How a question looks to one viewer: the card for those who may decide, and for the others only that it waits."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from flows.words.label import label
from runtime import cards
from runtime.canonical import for_page
from runtime.events import QuestionClosed
from runtime.files import exhibits
from runtime.models import Question
from runtime.questions import decides
from studio.frames.items import (
    ApprovalItem,
    AskItem,
    Does,
    Edit,
    Exhibit,
    Figure,
    FormItem,
    OutcomeItem,
    QuestionItem,
    Shown,
    WaitingItem,
)
from studio.strings import t


@dataclass(frozen=True)
class Eyes:
    """What a viewer may see. starter: the conversation is theirs. role: theirs in the workspace, None without one."""

    starter: bool
    role: str | None = None


@dataclass(frozen=True)
class Card:
    """The parts of a Question row that never change, its payload read. gone: the exhibits that are here no more."""

    id: str
    kind: str
    digest: str
    decider: str
    not_starter: bool
    expires_at: datetime | None
    payload: Mapping[str, Any]
    gone: frozenset[str] = frozenset()


def card_of(question: Question) -> Card:
    """Scoped."""
    payload = cards.read(question.payload)
    return Card(
        str(question.id),
        question.kind,
        question.digest,
        question.decider,
        question.not_starter,
        question.expires_at,
        payload,
        exhibits.gone(payload.get("exhibits", ())),
    )


def load(ids: Iterable[str]) -> dict[str, Card]:
    """The cards of these questions, by id. Scoped."""
    wanted = list(ids)
    return {str(row.id): card_of(row) for row in Question.objects.filter(id__in=wanted)} if wanted else {}


def question(card: Card, run: str, eyes: Eyes, closed: QuestionClosed | None) -> QuestionItem:
    """The item of a question. closed: how it ended, None while it waits."""
    if not decides(card.decider, card.not_starter, eyes.starter, eyes.role):
        return _waiting(card, run, eyes, closed)
    draw = {"ask": _ask, "form": _form, "approval": _approval, "outcome": _outcome}[card.kind]
    return draw(card, run, eyes, closed)


def who(card: Card) -> str:
    """For whom a question waits, in words."""
    return t("conversation.for_starter" if card.decider == "starter" else "conversation.for_reviewers")


def figures(rows: Iterable[Mapping[str, Any]], editable: Iterable[str] = ()) -> list[Figure]:
    return [
        Figure(
            label=row["label"],
            channel=row.get("channel") or "",
            value=for_page(row["value"]),
            editable=(row.get("channel") or "") in editable,
        )
        for row in rows
    ]


def _common(card: Card, run: str, closed: QuestionClosed | None) -> dict[str, Any]:
    return {
        "id": f"q:{card.id}",
        "run": run,
        "question": card.id,
        "digest": card.digest,
        "state": closed.state if closed else "pending",
    }


def _said(closed: QuestionClosed | None) -> dict[str, Any]:
    return closed.shown if closed and isinstance(closed.shown, dict) else {}


def _decided(closed: QuestionClosed | None) -> dict[str, Any]:
    return {"decided_by": (closed.by or None) if closed else None, "reason": _said(closed).get("reason") or None}


def _ask(card: Card, run: str, eyes: Eyes, closed: QuestionClosed | None) -> AskItem:
    return AskItem(
        type="ask",
        **_common(card, run, closed),
        text=card.payload["ask"],
        show=figures(card.payload["show"]),
        answer=closed.shown if closed and isinstance(closed.shown, str) else None,
        by=(closed.by or None) if closed else None,
    )


def _form(card: Card, run: str, eyes: Eyes, closed: QuestionClosed | None) -> FormItem:
    rows = closed.shown if closed and isinstance(closed.shown, list) else []
    return FormItem(
        type="form",
        **_common(card, run, closed),
        title=card.payload["ask"],
        why=card.payload.get("why", ""),
        fields=for_page(card.payload["fields"]),
        values=for_page(card.payload["values"]),
        answer_shown=[Shown(label=row["label"], value=for_page(row["value"])) for row in rows],
        by=(closed.by or None) if closed else None,
    )


def _approval(card: Card, run: str, eyes: Eyes, closed: QuestionClosed | None) -> ApprovalItem:
    payload, said = card.payload, _said(closed)
    does, edit, why = payload["does"], payload["edit"], payload["why"]
    # After a correction the card shows what was approved, which is what was sent.
    args = said.get("args", does["args"])
    return ApprovalItem(
        type="approval",
        **_common(card, run, closed),
        ask=payload["ask"],
        figures=figures(said.get("show", payload["show"]), {path[0] for path in edit["paths"].values()}),
        exhibits=[_exhibit(one, card.gone) for one in payload.get("exhibits", ())],
        why="\n".join(why["lines"]) if why else None,
        does=Does(
            kind=does["kind"],
            tool=does["tool"],
            args=[Shown(label=label(name), value=for_page(value)) for name, value in args.items()],
        ),
        edit=Edit(fields=for_page(edit["fields"]), values=for_page(edit["values"])) if edit["fields"] else None,
        decider=card.decider,  # type: ignore[arg-type]
        can_decide=closed is None,
        can_withdraw=closed is None and eyes.starter,
        expires_at=card.expires_at,
        **_decided(closed),
    )


def _exhibit(one: Mapping[str, Any], gone: frozenset[str]) -> Exhibit:
    return Exhibit(
        label=one["label"],
        channel=one["channel"],
        id=one["id"],
        name=one["name"],
        media_type=one["type"],
        bytes=one["size"],
        sha256=one["sha256"],
        opens=one["readable"] and one["id"] not in gone,
        lost=one["readable"] and one["id"] in gone,
    )


def _outcome(card: Card, run: str, eyes: Eyes, closed: QuestionClosed | None) -> OutcomeItem:
    return OutcomeItem(
        type="outcome",
        **_common(card, run, closed),
        ask=card.payload["ask"],
        figures=figures(card.payload["show"]),
        can_decide=closed is None,
        answer=_said(closed).get("outcome"),
        **_decided(closed),
    )


def _waiting(card: Card, run: str, eyes: Eyes, closed: QuestionClosed | None) -> WaitingItem:
    return WaitingItem(
        type="waiting",
        **_common(card, run, closed),
        ask=t("conversation.checking") if card.kind == "outcome" else card.payload["ask"],
        kind=card.kind,  # type: ignore[arg-type]
        for_whom=who(card),
        expires_at=card.expires_at,
        can_withdraw=closed is None and eyes.starter,
        **_decided(closed if card.kind == "approval" else None),
    )
