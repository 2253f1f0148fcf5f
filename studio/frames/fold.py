"""Events folded into page items for one viewer. Pure: the same events and cards give the same page."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable
from typing import Any

from runtime.canonical import for_page
from runtime.events import (
    AnswerBegun,
    AnswerWithdrawn,
    AnyEvent,
    MessageRemoved,
    MessageSent,
    ModelCalled,
    OutputWritten,
    QuestionAsked,
    QuestionClosed,
    RunCancelled,
    RunContinued,
    RunFailed,
    RunFinished,
    RunLost,
    RunStarted,
    StepFailed,
    StepFinished,
    StepStarted,
)
from runtime.journal import Entry
from runtime.questions import decides
from runtime.stepname import gathered
from studio.frames import draw
from studio.frames.draw import Card, Eyes
from studio.frames.items import AnswerItem, EndItem, Frame, Given, MessageItem, StatusItem, StepLine, StepsItem
from studio.strings import t

Item = Any
IDLE = StatusItem(type="status", id="status", state="idle", run=None, question=None, kind=None)


class _Copies:
    """The copies of one fan-out's target, as one line shows them."""

    def __init__(self) -> None:
        self.states: dict[str, str] = {}
        self.ms = 0.0
        self._counts: Counter[str] = Counter()

    def put(self, address: str, state: str, ms: float | None) -> None:
        if address in self.states:
            self._counts[self.states[address]] -= 1
        self._counts[state] += 1
        self.states[address] = state
        self.ms += ms or 0.0

    @property
    def state(self) -> str:
        """The one that matters most."""
        return next((state for state in ("waiting", "running", "failed") if self._counts[state]), "done")


class Page:
    """One conversation as one viewer sees it, as far as its log was folded.

    items: by id, in the order of their first put. seq: the last event folded. runs: those whose events are folded.
    """

    def __init__(self, eyes: Eyes, card: Callable[[str], Card]) -> None:
        self.eyes = eyes
        self.card = card
        self.seq = 0
        self.items: dict[str, Item] = {}
        self._changed: dict[str, int] = {}
        self._known: set[str] = set()
        self._removed: set[str] = set()
        self._asked: dict[str, tuple[Card, str]] = {}
        self._turn: tuple[str, dict[str, Card]] | None = None
        self._held: list[str] = []
        self._streams: dict[str, str] = {}
        self._written: dict[str, AnswerItem] = {}
        self._copies: dict[str, _Copies] = {}
        self.runs: set[str] = set()
        self._ended: set[str] = set()
        self._fallen: dict[str, set[str]] = {}

    def apply(self, entries: Iterable[Entry]) -> None:
        """Fold the events that follow the last one folded."""
        for entry in entries:
            self.seq = entry.seq
            self._fold(entry)
            self._judge_status()

    def frames(self) -> list[Frame]:
        """The frames since the last call; the first call gives the whole page."""
        # An item that was taken away and came back stands at the end now, so it is taken away first.
        gone = [id for id in self._removed if id in self._known]
        frames = [Frame(seq=self._changed[id], op="remove", id=id, item=None) for id in gone]
        frames += [
            Frame(seq=self._changed[id], op="put", id=id, item=item)
            for id, item in self.items.items()
            if id in self._changed
        ]
        self._known = set(self.items)
        self._changed = {}
        self._removed = set()
        return frames

    def forget_ended(self) -> None:
        """Keep nothing of the runs that ended: a socket that lives for days follows only what still changes."""
        for run in self._ended:
            for id in [id for id, item in self.items.items() if item.type != "status" and item.run == run]:
                del self.items[id]
                self._known.discard(id)
                self._written.pop(id, None)
            self._copies = {line: copies for line, copies in self._copies.items() if not line.startswith(run)}
        self.runs -= self._ended
        self._ended = set()

    def _put(self, item: Item) -> None:
        if self.items.get(item.id) != item:
            self.items[item.id] = item
            self._changed[item.id] = self.seq

    def _remove(self, id: str) -> None:
        if self.items.pop(id, None) is not None:
            self._changed[id] = self.seq
            self._removed.add(id)

    def _change(self, id: str, **values: Any) -> None:
        item = self.items.get(id)
        if item is not None:
            self._put(item.model_copy(update=values))

    def _fold(self, entry: Entry) -> None:
        run, event = str(entry.run), entry.event
        self.runs.add(run)
        match event:
            case MessageSent():
                self._put(
                    MessageItem(
                        type="message",
                        id=f"msg:{run}",
                        run=run,
                        text=event.text,
                        values=[
                            Given(label=one.label, value=for_page(one.value), channel=one.channel)
                            for one in event.values
                        ],
                        by=event.by,
                        state="queued" if event.queued else "sent",
                        can_remove=event.queued and self.eyes.starter,
                        at=entry.at,
                    )
                )
                if event.queued:
                    self._held.append(run)
                else:
                    self._turn = (run, {})
            case MessageRemoved():
                self._remove(f"msg:{run}")
                self._begin(run, None)
                self._ended.add(run)
            case RunStarted():
                self._change(f"msg:{run}", state="sent", can_remove=False)
                self._begin(run, (run, {}))
            case QuestionAsked():
                card = self.card(event.question)
                self._asked[event.question] = (card, event.address)
                self._put(draw.question(card, run, self.eyes, None))
                self._mark(run, event.address, "running", "waiting")
                if self._turn and self._turn[0] == run:
                    self._turn[1][event.question] = card
            case QuestionClosed():
                self._close(run, event)
            case OutputWritten():
                self._answer(run, event.channel, event.label, event.value, event.demo)
            case RunFinished():
                for channel, value in event.outputs.items():
                    if (held := self.items.get(f"out:{run}:{channel}")) is not None:
                        self._answer(run, channel, held.label, value, held.demo)
                self._end(run)
            case RunFailed():
                self._end(run, "failed", event.code, event.message, can_retry=True)
            case RunCancelled():
                by = event.by or t("conversation.somebody")
                self._end(run, "cancelled", "RUN_CANCELLED", t("conversation.cancelled_by", name=by))
            case RunLost():
                self._end(run, "lost", "RUN_LOST", event.message, can_retry=True)
            case RunContinued():
                self._go_on(run)
            case _:
                self._fold_step(run, event)

    def _fold_step(self, run: str, event: AnyEvent) -> None:
        """The facts of one step. Routes, tool calls and mismatches draw nothing of their own."""
        match event:
            case StepStarted():
                self._step(run, event.address, event.title, event.kind, "running")
                if event.streams:
                    self._stream(run, event.address, event.streams, event.attempt)
                else:
                    self._drop_streams(run, event.address)
            case AnswerBegun():
                self._stream(run, event.address, event.channel, event.attempt)
            case AnswerWithdrawn():
                self._drop_streams(run, event.address)
            case StepFinished():
                self._step(run, event.address, event.title, event.kind, "done", event.ms)
            case StepFailed():
                line = gathered(event.address)
                kind = next((step.kind for step in self._steps(run).steps if step.address == line), "")
                state = {"retry": "running", "skip": "done"}.get(event.next, "failed")
                self._step(run, event.address, event.title, kind, state)
                if event.next == "end":
                    self._fallen.setdefault(run, set()).add(line)
                self._drop_streams(run, event.address)
            case ModelCalled():
                if event.demo and (steps := self.items.get(f"steps:{run}")):
                    self._put(steps.model_copy(update={"demo": True}))

    def _steps(self, run: str) -> StepsItem:
        held = self.items.get(f"steps:{run}")
        return held or StepsItem(type="steps", id=f"steps:{run}", run=run, steps=[], ms=0, demo=False)

    def _step(self, run: str, address: str, title: str, kind: str, state: Any, ms: float | None = None) -> None:
        held = self._steps(run)
        if "[" in address:
            address, title, state, ms = self._gather(run, address, title, state, ms)
        line = StepLine(address=address, title=title, kind=kind, state=state, ms=ms)
        if any(step.address == address for step in held.steps):
            steps = [line if step.address == address else step for step in held.steps]
        else:
            steps = [*held.steps, line]
        self._put(held.model_copy(update={"steps": steps, "ms": sum(step.ms or 0 for step in steps)}))

    def _gather(self, run: str, address: str, title: str, state: Any, ms: float | None) -> tuple[str, str, Any, float]:
        """The copies of a fan-out are one line, however many there are: how many began, and the state that matters."""
        line = gathered(address)
        copies = self._copies.setdefault(f"{run} {line}", _Copies())
        copies.put(address, state, ms)
        return line, f"{title} × {len(copies.states)}", copies.state, copies.ms

    def _mark(self, run: str, address: str, old: str, new: str) -> None:
        if "[" in address:
            line = gathered(address)
            copies = self._copies.get(f"{run} {line}")
            if copies is not None and copies.states.get(address) == old:
                title = next((step.title for step in self._steps(run).steps if step.address == line), "")
                kind = next((step.kind for step in self._steps(run).steps if step.address == line), "")
                self._step(run, address, title.rpartition(" × ")[0], kind, new)
            return
        held = self.items.get(f"steps:{run}")
        if held is not None:
            steps = [
                step.model_copy(update={"state": new}) if step.address == address and step.state == old else step
                for step in held.steps
            ]
            self._put(held.model_copy(update={"steps": steps}))

    def _stream(self, run: str, address: str, channel: str, attempt: int) -> None:
        id = f"out:{run}:{channel}"
        held = self.items.get(id)
        self._streams[id] = address
        self._put(
            AnswerItem(
                type="answer",
                id=id,
                run=run,
                channel=channel,
                label=held.label if held else draw.label(channel),
                value="",
                streaming=True,
                attempt=attempt,
                demo=held.demo if held else False,
            )
        )

    def _answer(self, run: str, channel: str, label: str, value: Any, demo: bool) -> None:
        id = f"out:{run}:{channel}"
        held = self.items.get(id)
        item = AnswerItem(
            type="answer",
            id=id,
            run=run,
            channel=channel,
            label=label,
            value=for_page(value),
            streaming=False,
            attempt=held.attempt if held else 1,
            demo=demo,
        )
        self._streams.pop(id, None)
        self._written[id] = item
        self._put(item)

    def _drop_streams(self, run: str, address: str | None = None) -> None:
        """Take away an answer that broke off: its text was never written, and a refresh would not find it.

        What the channel held before stands again. address: only that step's; None for the whole run's.
        """
        for id, of in list(self._streams.items()):
            if id.startswith(f"out:{run}:") and address in (None, of):
                del self._streams[id]
                if id in self._written:
                    self._put(self._written[id])
                else:
                    self._remove(id)

    def _begin(self, run: str, turn: tuple[str, dict[str, Card]] | None) -> None:
        """A held message's turn has come, or it was taken back."""
        if run in self._held:
            self._held.remove(run)
        if turn is not None:
            self._turn = turn

    def _close(self, run: str, event: QuestionClosed) -> None:
        if event.question not in self._asked:
            return
        card, address = self._asked.pop(event.question)
        self._put(draw.question(card, run, self.eyes, event))
        self._mark(run, address, "waiting", "running")
        if self._turn and self._turn[0] == run:
            self._turn[1].pop(event.question, None)

    def _end(self, run: str, state: Any = None, code: str = "", message: str = "", can_retry: bool = False) -> None:
        self._drop_streams(run)
        held = self.items.get(f"steps:{run}")
        if held is not None:
            last = "done" if state is None else "failed"
            if state is not None:
                fallen = {step.address for step in held.steps if step.state in ("running", "waiting")}
                self._fallen.setdefault(run, set()).update(fallen)
            steps = [
                step.model_copy(update={"state": last}) if step.state in ("running", "waiting") else step
                for step in held.steps
            ]
            self._put(held.model_copy(update={"steps": steps}))
        if state is not None:
            self._change(f"msg:{run}", state="sent", can_remove=False)
            self._put(
                EndItem(
                    type="end",
                    id=f"end:{run}",
                    run=run,
                    state=state,
                    code=code,
                    message=message,
                    can_retry=can_retry and self.eyes.starter,
                )
            )
        self._ended.add(run)
        if self._turn and self._turn[0] == run:
            # The next held message follows at once, though no worker has begun it yet.
            self._turn = (self._held[0], {}) if self._held else None

    def _go_on(self, run: str) -> None:
        """A run that had ended is at work again, at the steps that it ended in."""
        self._remove(f"end:{run}")
        self._ended.discard(run)
        self._turn = (run, {})
        fallen, held = self._fallen.pop(run, set()), self.items.get(f"steps:{run}")
        if held is not None:
            steps = [
                step.model_copy(update={"state": "running"}) if step.address in fallen else step for step in held.steps
            ]
            self._put(held.model_copy(update={"steps": steps}))

    def _judge_status(self) -> None:
        if self._turn is None:
            status = IDLE
        else:
            run, waiting = self._turn
            mine = [card for card in waiting.values() if self._decides(card)]
            if waiting:
                card = (mine or list(waiting.values()))[0]
                status = StatusItem(
                    type="status",
                    id="status",
                    state="waiting_you" if mine else "waiting_others",
                    run=run,
                    question=card.id,
                    kind=card.kind,  # type: ignore[arg-type]
                )
            else:
                status = StatusItem(type="status", id="status", state="working", run=run, question=None, kind=None)
        if self.items.get("status", IDLE) != status:
            self._put(status)

    def _decides(self, card: Card) -> bool:
        return decides(card.decider, card.not_starter, self.eyes.starter, self.eyes.role)
