"""How a run went, as its result tells it: the path it took, and everything that happened, in order."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator

from flows.blocks.base import Beside
from flows.problem import listed, quoted
from flows.words.base import Json
from flows.words.document import Document
from runtime.engine.excerpts import excerpt
from runtime.events import (
    AnyEvent,
    QuestionAsked,
    RouteTaken,
    RunFailed,
    RunFinished,
    StepFailed,
    StepFinished,
    StepStarted,
)
from runtime.testing.bench import Seen
from runtime.testing.matching import told
from runtime.testing.reached import Asked, Touch
from runtime.testing.results import TestCall, TestEvent, TestPrompt, TestResult
from runtime.testing.standing import OF_THE_TEST
from runtime.testing.steps import path_of, plain, visit

LONGEST_PROMPT = 8_000
LONGEST_WORDS = 300
MOST_EVENTS = 2_000


def result_of(file: str, name: str, document: Document, seen: Seen) -> TestResult:
    """Everything of a result but whether it is as expected."""
    values, cut = excerpt({key: value for key, value in seen.values.items() if value is not None})
    finished = [event for event in seen.events if isinstance(event, StepFinished)]
    return TestResult(
        file=file,
        test=name,
        state="passed",
        ms=seen.ms,
        path=path_of(finished),
        visits=_counted(plain(event.address) for event in finished),
        tools=[_shortened(call) for call in seen.reached.tools],
        asked=[question for _, question in seen.asked],
        prompts=[_prompt(address, asked) for address, asked in seen.reached.models],
        events=list(_events(seen))[:MOST_EVENTS],
        views=views_of(document, seen),
        values=values,
        cut=cut,
        output=excerpt(seen.output)[0],
        error=seen.error,
    )


def started(seen: Seen) -> set[str]:
    """The nodes that began to run."""
    return {plain(event.address) for event in seen.events if isinstance(event, StepStarted)}


def views_of(document: Document, seen: Seen) -> list[str]:
    """The views that were shown: pinned ones, those after a node that finished, those with a question that was put."""
    done = {plain(event.address) for event in seen.events if isinstance(event, StepFinished)}
    asked = {plain(address) for address, _ in seen.asked}
    return [
        view.id
        for view in document.views
        if not isinstance(view.place, Beside) or view.place.after in done or view.place.with_ in asked
    ]


def _counted(names: Iterator[str]) -> dict[str, int]:
    found: dict[str, int] = {}
    for name in names:
        found[name] = found.get(name, 0) + 1
    return found


def _shortened(call: TestCall) -> TestCall:
    args: Json = excerpt({"args": call.args})[0]["args"]
    return call.model_copy(update={"args": args})


def _prompt(address: str, asked: Asked) -> TestPrompt:
    text = prompt_text(asked.messages)
    return TestPrompt(
        node=plain(address), visit=visit(address), text=text[:LONGEST_PROMPT], length=len(text),
        reply=asked.reply[:LONGEST_PROMPT],
    )  # fmt: skip


def prompt_text(messages: list[Json]) -> str:
    """What a model was sent, as one text."""
    parts = [message.get("content") for message in messages]
    return "\n\n".join(part for part in parts if isinstance(part, str) and part)


def _events(seen: Seen) -> Iterator[TestEvent]:
    """The run's own facts, and between them what its steps reached, each before the end of its step."""
    left: dict[str, deque[Touch]] = {}
    for touch in seen.reached.found:
        left.setdefault(touch.address, deque()).append(touch)
    questions = list(seen.asked)
    for entry in seen.entries:
        event = entry.event
        if isinstance(event, StepFinished | StepFailed | RunFinished | RunFailed):
            ended = [event.address] if isinstance(event, StepFinished | StepFailed) else list(left)
            for touches in (left.get(address) for address in ended):
                # A step that is tried again has one address: what came after this belongs to a later try.
                while touches and touches[0].at <= entry.at:
                    yield _reached(touches.popleft())
        if isinstance(event, QuestionAsked) and questions:
            address, question = questions.pop(0)
            node, turn = plain(address), visit(address)
            yield TestEvent(type="asked", node=node, visit=turn, words=f"Asked the person: {_short(question.words)}")
            if question.answer:
                yield TestEvent(type="answered", node=node, visit=turn, words=f"The person: {_short(question.answer)}")
            continue
        yield from _told(event)


def _reached(touch: Touch) -> TestEvent:
    node, turn, what = plain(touch.address), visit(touch.address), touch.what
    if isinstance(what, Asked):
        calls = f"It called {listed(call.name for call in what.calls)}." if what.calls else ""
        length = len(prompt_text(what.messages))
        words = f"Asked the model, in {length:,} characters. {calls or f'It answered: {_short(what.reply)}'}"
        return TestEvent(type="model", node=node, visit=turn, words=words)
    words = f"Called {what.name} with {told(what.args)}."
    words = f"{words} It went wrong: {_short(what.error)}" if not what.ok else words
    return TestEvent(type="tool", node=node, visit=turn, words=words, ok=what.ok)


def _told(event: AnyEvent) -> Iterator[TestEvent]:
    if isinstance(event, StepFinished):
        written = listed(event.written, "and")
        words = f"Finished, and wrote {written}." if written else "Finished."
        yield TestEvent(type="step", node=plain(event.address), visit=visit(event.address), words=words, ms=event.ms)
    elif isinstance(event, StepFailed):
        then = {"retry": "It is tried again.", "onError": f"On to {quoted(event.goto)}.", "end": ""}[event.next]
        yield TestEvent(
            type="failed", node=plain(event.address), visit=visit(event.address), ok=False,
            words=f"Failed: {_short(event.message)} {then}".strip(),
        )  # fmt: skip
    elif isinstance(event, RouteTaken):
        limit = " A limit sent it elsewhere than the router chose." if event.limited else ""
        words = f'{event.router} took "{event.route}", to {event.goto}.{limit}'
        yield TestEvent(type="route", node=event.node, visit=1, words=words)
    elif isinstance(event, RunFinished):
        given = listed(event.outputs, "and")
        yield TestEvent(
            type="end", node="", visit=1, words=f"The run gave back {given}." if given else "The run ended."
        )
    elif isinstance(event, RunFailed):
        node = plain(event.address or event.node or "")
        by = "The test ended the run" if event.code in OF_THE_TEST else "The run failed"
        yield TestEvent(type="end", node=node, visit=1, words=f"{by}: {_short(event.message)}", ok=False)


def _short(text: str) -> str:
    return text if len(text) <= LONGEST_WORDS else f"{text[:LONGEST_WORDS]}…"
