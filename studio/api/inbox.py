"""The inbox: what waits for the caller, what waits for others, what was decided."""

from __future__ import annotations

from collections.abc import Iterable

from django.db.models import Q, QuerySet
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from runtime import cards, events
from runtime.canonical import for_page
from runtime.files import keeping
from runtime.models import Question, RunEvent
from studio import presence, viewer
from studio.api.wire import Counts, InboxPage, InboxRow, QuestionDetail, SoFar, Tab
from studio.frames import Eyes, draw
from studio.models import User
from studio.strings import t
from studio.viewer import Caller, caller_of

TABS: tuple[Tab, ...] = ("mine", "others", "decided")
ROWS = 200
SUMMARY = 80


class Inbox(APIView):
    right = "inbox"

    def get(self, request: Request) -> Response:
        """One list and the numbers of all three, of the workspace that the session chose."""
        tab = tab_of(request.query_params.get("tab"))
        return Response(page(caller_of(request), tab).wire())


def tab_of(text: str | None) -> Tab:
    """The list that an address names; the first one when it names none."""
    known: dict[str, Tab] = {tab: tab for tab in TABS}
    return known.get(text or "", "mine")


def lists(user: User) -> dict[Tab, QuerySet[Question]]:
    """The three lists of a person who decides in this workspace. Scoped.

    Other people's own questions (an ask, a form, a card they decide themselves) are in none of them: they belong to
    conversations that are not this person's to read.
    """
    own = Q(conversation__user=user)
    started = own | Q(run__started_by=user)
    barred = Q(not_starter=True) & started
    mine = (Q(decider="starter") & own) | (Q(decider="reviewers") & ~barred)
    waiting = Question.objects.filter(state="pending")
    return {
        "mine": waiting.filter(mine).order_by("created_at"),
        "others": waiting.filter(Q(decider="reviewers") & barred).order_by("created_at"),
        "decided": Question.objects.exclude(state="pending")
        .filter(Q(decider="reviewers") | (Q(decider="starter") & own))
        .order_by("-decided_at"),
    }


def page(caller: Caller, tab: Tab) -> InboxPage:
    """For somebody who is signed in. In a locked session, what knows its people says that it waits and no more."""
    assert caller.user is not None
    found = lists(caller.user)
    counts = Counts(**{name: rows.count() for name, rows in found.items()})
    rows = list(found[tab].select_related("conversation__deployment", "conversation__user")[:ROWS])
    # Whoever cannot decide sees that something waits, and no figures.
    knowing = [viewer.knows_people(question.conversation.deployment) for question in rows]
    locked = any(knowing) and not presence.is_there(caller.session, caller.user)
    shown = [
        row(question, figures=tab != "others", locked=locked and knows)
        for question, knows in zip(rows, knowing, strict=True)
    ]
    return InboxPage(rows=shown, counts=counts)


def row(question: Question, *, figures: bool, locked: bool = False) -> InboxRow:
    """The question as one line of a list."""
    payload = cards.read(question.payload)
    talk = question.conversation
    if locked:
        title = t("conversation.locked_title")
    elif question.kind == "outcome":
        title = t("conversation.outcome_title", name=talk.deployment.name)
    else:
        title = payload["ask"]
    return InboxRow(
        question=str(question.id),
        kind=question.kind,  # type: ignore[arg-type]
        title=_first_line(title),
        agent=talk.deployment.name,
        summary=_summary(payload) if figures and not locked else "",
        state=question.state,  # type: ignore[arg-type]
        by=str(talk.user) if talk.user else t("conversation.visitor"),
        asked_at=question.created_at,
        expires_at=question.expires_at,
        decided_by=question.decided_name or None,
        decided_at=question.decided_at,
    )


def detail(question: Question, eyes: Eyes) -> QuestionDetail:
    """Everything the decision page draws. Scoped."""
    talk = question.conversation
    card = draw.question(draw.card_of(question), str(question.run_id), eyes, _closing(question))
    return QuestionDetail(
        row=row(question, figures=card.type != "waiting"),
        card=card,
        run=str(question.run_id),
        node=question.node,
        slug=talk.deployment.slug,
        conversation=str(talk.id) if eyes.starter else None,
        so_far=_so_far(question),
    )


def _closing(question: Question) -> events.QuestionClosed | None:
    """The event that closed it, None while it waits."""
    if question.state == "pending":
        return None
    rows = _log(question).filter(type="question_closed").order_by("-seq")
    for stored in rows.values_list("payload", flat=True):
        if stored.get("question") == str(question.id):
            event = events.read("question_closed", stored)
            assert isinstance(event, events.QuestionClosed)
            return event
    return events.QuestionClosed(question=str(question.id), state=question.state, by=question.decided_name)  # type: ignore[arg-type]


def _log(question: Question) -> QuerySet[RunEvent]:
    return RunEvent.objects.filter(conversation_id=question.conversation_id, run_id=question.run_id)


def _so_far(question: Question) -> list[SoFar]:
    """What the run did, step by step, and who decided what. Never the words of the conversation."""
    rows = _log(question).order_by("seq")
    facts: list[SoFar] = []
    for type, payload, at in rows.values_list("type", "payload", "at"):
        text = _fact(events.read(type, payload))
        if text:
            facts.append(SoFar(at=at, text=text))
    return facts


def _fact(event: events.AnyEvent) -> str | None:
    match event:
        case events.MessageSent():
            return t("conversation.fact_asked", name=event.by)
        case events.StepFinished():
            return event.title
        case events.StepFailed():
            return t("conversation.fact_failed", title=event.title)
        case events.QuestionAsked():
            return t(f"conversation.fact_{event.kind}")
        case events.QuestionClosed():
            return t(f"conversation.closed_{event.state}", name=event.by or t("conversation.somebody"))
        case events.RunFinished():
            return t("conversation.fact_finished")
        case events.RunFailed() | events.RunLost():
            return t("conversation.fact_ended")
        case events.RunCancelled():
            return t("conversation.cancelled_by", name=event.by or t("conversation.somebody"))
        case _:
            return None


def _first_line(text: str) -> str:
    line = next((line.strip() for line in text.splitlines() if line.strip()), "")
    return line if len(line) <= 160 else line[:159].rstrip() + "…"


def _summary(payload: cards.Payload) -> str:
    """The first plain figures of a card: `ALFKI · 2`."""
    rows = payload.get("show") or []
    words = [str(for_page(value)) for row in rows for value in _plain_values(row["value"])]
    shown = " · ".join(words[:3])
    return shown if len(shown) <= SUMMARY else shown[: SUMMARY - 1].rstrip() + "…"


def _plain_values(value: object) -> Iterable[object]:
    if isinstance(value, dict) and value.keys() == keeping.KEYS:
        # People know a file by its name.
        return [value["name"]]
    if isinstance(value, dict):
        return [found for one in value.values() for found in _plain_values(one)]
    if isinstance(value, list) or value is None or isinstance(value, bool):
        return []
    text = str(value).strip()
    return [value] if text and "\n" not in text and len(text) <= SUMMARY else []
