"""Reading a conversation's log as frames: the whole page, what is new since a number, and following it live.

All scoped: enter the conversation's workspace first.
"""

from __future__ import annotations

import uuid
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from django.db.models import QuerySet

from runtime import events
from runtime.events import MessageSent, QuestionAsked
from runtime.journal import Entry
from runtime.models import Conversation, Run, RunEvent
from runtime.prepared import Prepared
from studio.frames import draw
from studio.frames.draw import Card, Eyes
from studio.frames.fold import Page
from studio.frames.items import Frame, FramesMessage

_COLUMNS = ("seq", "run_id", "at", "type", "payload")


def _after_seq(talk: uuid.UUID, seq: int) -> QuerySet[RunEvent]:
    found: Any = RunEvent.objects.filter(conversation_id=talk, seq__gt=seq).order_by("seq")
    return found.values_list(*_COLUMNS)


_after: Prepared[Any] = Prepared(_after_seq, uuid.UUID, int)


@dataclass
class Read:
    """frames: what to draw. seq: how far the page is then. ahead: the page said a number the log has not reached."""

    frames: list[Frame]
    seq: int
    ahead: bool = False

    def message(self) -> FramesMessage:
        return FramesMessage(type="frames", frames=self.frames, seq=self.seq)


def compact(conversation: uuid.UUID, eyes: Eyes) -> Read:
    """The page as it stands: every item once."""
    return since(conversation, eyes, 0)


def since(conversation: uuid.UUID, eyes: Eyes, seq: int) -> Read:
    """What changed after seq."""
    return Follower(conversation, eyes, seq).read()


class Follower:
    """A page's place in a log. Each read folds only what is new; runs that ended are forgotten.

    Not safe for two readers at once: a socket reads one after the other.
    """

    def __init__(self, conversation: uuid.UUID, eyes: Eyes, seq: int) -> None:
        self.conversation = conversation
        self.eyes = eyes
        self.seq = seq
        self._page: Page | None = None
        self._cards: dict[str, Card] = {}

    def read(self) -> Read:
        fresh = _entries(_after(self.conversation, self.seq))
        if not fresh:
            last = Conversation.objects.values_list("next_seq", flat=True).get(id=self.conversation) - 1
            return Read([], self.seq, ahead=last < self.seq)
        page = self._page
        if page is None or not self._follows(page, fresh):
            page = self._page = self._before(fresh)
        self._fold(page, fresh)
        frames = page.frames()
        page.forget_ended()
        self.seq = page.seq
        return Read(frames, self.seq)

    def _follows(self, page: Page, fresh: Iterable[Entry]) -> bool:
        """Whether the page has folded what came before these events in their runs."""
        known = set(page.runs)
        for entry in fresh:
            if isinstance(entry.event, MessageSent):
                known.add(str(entry.run))
            elif str(entry.run) not in known:
                return False
        return True

    def _before(self, fresh: list[Entry]) -> Page:
        """The page at self.seq, of the runs that still change: those with new events, and those unfinished."""
        page = Page(self.eyes, self._cards.__getitem__)
        if self.seq:
            unfinished = Run.objects.filter(conversation_id=self.conversation).exclude(status__in=Run.ENDED)
            runs = {entry.run for entry in fresh} | set(unfinished.values_list("id", flat=True))
            before = RunEvent.objects.filter(conversation_id=self.conversation, seq__lte=self.seq, run_id__in=runs)
            self._fold(page, _entries(before.order_by("seq").values_list(*_COLUMNS)))
            page.frames()
        return page

    def _fold(self, page: Page, entries: list[Entry]) -> None:
        asked = [entry.event.question for entry in entries if isinstance(entry.event, QuestionAsked)]
        self._cards |= draw.load(id for id in asked if id not in self._cards)
        page.apply(entries)


def _entries(rows: Iterable[tuple[Any, ...]]) -> list[Entry]:
    return [Entry(seq, run, at, events.read(type, payload)) for seq, run, at, type, payload in rows]
