"""A run's log as spans: the run, its steps inside it, and the calls and questions of each step inside that.

They are made of what is stored, when the run has ended: a worker that was killed loses none, and no step waits for
them. Ids are made of the run's and of a span's place in its log, so that one sent twice is the same one.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Any

from runtime import events
from runtime.events import (
    AnyEvent,
    FlowEntered,
    ModelCalled,
    QuestionAsked,
    QuestionClosed,
    RouteTaken,
    RunCancelled,
    RunFailed,
    RunLost,
    StepFailed,
    StepFinished,
    StepStarted,
    ToolCalled,
)
from runtime.models import ModelCall, Run, RunEvent, ToolCall
from runtime.services.secrets import mask
from runtime.stepname import named

LONGEST = 20_000
Value = str | int | float | bool


@dataclass
class Span:
    """One span. kind: "run", "step", "model", "tool" or "person"; error: the code of what went wrong."""

    id: bytes
    parent: bytes
    kind: str
    name: str
    start: datetime
    end: datetime | None = None
    error: str = ""
    message: str = ""
    values: dict[str, Value] = field(default_factory=dict)


@dataclass(frozen=True)
class Trace:
    """The spans of one run, as far as its log came after `seq`; last: the number of the last event in them."""

    id: bytes
    spans: list[Span]
    last: int


def of(run: Run, seq: int = 0, *, says_all: bool = False) -> Trace:
    """A run's spans from the events after seq on. says_all: with what was asked and answered. Scoped."""
    # Conversations that were forked from the run's hold copies of its log.
    own = RunEvent.objects.filter(conversation_id=run.conversation_id, run=run, seq__gt=seq)
    rows = own.order_by("seq").values_list("seq", "type", "payload", "at")
    fold = _Fold(run, seq, _Said(run) if says_all else None)
    for number, type, payload, at in rows.iterator():
        fold.take(events.read(type, payload), at)
        fold.last = number
    return fold.close()


class _Said:
    """What the calls of a run said and heard, by key."""

    def __init__(self, run: Run) -> None:
        models = ModelCall.objects.filter(run=run).values_list("key", "messages", "reply")
        self.models = {key: (messages, reply) for key, messages, reply in models}
        calls = ToolCall.objects.filter(run=run).values_list("key", "request", "response")
        self.calls = {key: (request, response) for key, request, response in calls}


class _Fold:
    def __init__(self, run: Run, seq: int, said: _Said | None) -> None:
        self.run, self.last, self._seq, self._said = run, seq, seq, said
        self._spans: list[Span] = []
        self._steps: dict[str, Span] = {}
        self._visits: dict[str, str] = {}
        self._asked: dict[str, Span] = {}
        start = run.created_at if seq == 0 else run.finished_at or run.created_at
        self._root = self._add(b"", "run", f"run {run.deployment.name}", start, {
            "lgstudio.run": str(run.pk), "lgstudio.workspace": str(run.workspace_id),
            "lgstudio.agent": run.deployment.slug, "lgstudio.agent.name": run.deployment.name,
            "lgstudio.flow.version": run.version.number or 0, "lgstudio.status": run.status,
            "gen_ai.conversation.id": str(run.conversation_id),
        })  # fmt: skip
        self._begun = seq == 0
        if said is not None:
            self._root.values["lgstudio.inputs"] = _text(run.inputs)

    def take(self, event: AnyEvent, at: datetime) -> None:
        """Fold the next event in."""
        root = self._root
        if not self._begun:
            root.start, self._begun = at, True
        root.end = at
        match event:
            case StepStarted():
                self._start(event, at)
            case StepFinished():
                span = self._step(event.address, event.node, at)
                _end(span, at, event.ms)
                if self._said is not None:
                    span.values["lgstudio.written"] = _text(event.written)
            case StepFailed():
                span = self._step(event.address, event.node, at)
                span.values["lgstudio.next"] = event.next
                self._fail(span, at, event.code, event.message)
                if event.next == "retry":
                    # The next attempt is a span of its own.
                    self._steps.pop(event.address)
            case FlowEntered():
                span = self._step(event.address, event.node, at)
                span.values["lgstudio.flow"] = event.flow
                if event.agent:
                    span.values["gen_ai.agent.name"] = event.agent
            case RouteTaken():
                span = self._steps.get(self._visits.get(event.node, ""))
                if span is not None:
                    span.values |= {"lgstudio.route": event.route, "lgstudio.goto": event.goto}
            case ModelCalled():
                self._model(event, at)
            case ToolCalled():
                self._tool(event, at)
            case QuestionAsked():
                values: dict[str, Value] = {"lgstudio.address": event.address, "lgstudio.node": event.node,
                                            "lgstudio.decider": event.decider}  # fmt: skip
                span = self._add(self._above(event.address), "person", f"person {event.kind}", at, values)
                self._asked[event.question] = span
            case QuestionClosed():
                if (span := self._asked.get(event.question)) is not None:
                    span.end, span.values["lgstudio.state"] = at, event.state
            case RunFailed():
                self._fail(root, at, event.code, event.message)
            case RunLost():
                self._fail(root, at, "RUN_LOST", event.message)
            case RunCancelled():
                root.error = "RUN_CANCELLED"
            case _:
                pass

    def close(self) -> Trace:
        """Nothing follows: what is still open ends with the run."""
        end = self._root.end or self._root.start
        if self._said is not None and self.run.outputs:
            self._root.values["lgstudio.outputs"] = _text(self.run.outputs)
        for span in self._spans:
            if span.end is None:
                span.end = end
                span.error = span.error or self._root.error
        return Trace(self.run.pk.bytes, self._spans, self.last)

    def _add(self, parent: bytes, kind: str, name: str, start: datetime, values: Mapping[str, Value]) -> Span:
        place = f"{self.run.pk}/{self._seq}/{len(self._spans)}"
        span = Span(hashlib.sha256(place.encode()).digest()[:8], parent, kind, name, start, values=dict(values))
        self._spans.append(span)
        return span

    def _start(self, event: StepStarted, at: datetime) -> None:
        values: dict[str, Value] = {
            "lgstudio.address": event.address, "lgstudio.node": event.node, "lgstudio.kind": event.kind,
            "lgstudio.attempt": event.attempt,
        }  # fmt: skip
        if self._said is not None:
            values["lgstudio.read"] = _text(event.read)
        self._steps[event.address] = self._add(self._above(event.address), "step", event.node, at, values)
        self._visits[event.node] = event.address

    def _step(self, address: str, node: str, at: datetime) -> Span:
        """The step's span. One whose beginning is not in this part of the log begins here."""
        if address not in self._steps:
            values: dict[str, Value] = {"lgstudio.address": address, "lgstudio.node": node}
            self._steps[address] = self._add(self._above(address), "step", node, at, values)
            self._visits[node] = address
        return self._steps[address]

    def _above(self, address: str) -> bytes:
        """The step that runs the flow in which this address is, or the run."""
        while "/" in address:
            address = address.rpartition("/")[0]
            if (span := self._steps.get(address)) is not None:
                return span.id
        return self._root.id

    def _within(self, address: str) -> bytes:
        """The step that made a call; a router's calls are those of the step before it."""
        found = self._steps.get(address) or self._steps.get(self._visits.get(named(address).removesuffix(".route"), ""))
        return found.id if found is not None else self._above(address)

    def _model(self, event: ModelCalled, at: datetime) -> None:
        values: dict[str, Value] = {
            "gen_ai.operation.name": "chat", "gen_ai.request.model": event.model, "lgstudio.model.entry": event.entry,
            "lgstudio.address": event.address, "lgstudio.node": named(event.address), "lgstudio.key": event.key,
            "lgstudio.demo": event.demo,
        }  # fmt: skip
        for name, value in (
            ("gen_ai.usage.input_tokens", event.input_tokens), ("gen_ai.usage.output_tokens", event.output_tokens),
            ("lgstudio.cost.usd", event.cost), ("lgstudio.first_token_ms", event.first_token_ms),
        ):  # fmt: skip
            if value is not None:
                values[name] = value
        if self._said is not None:
            messages, reply = self._said.models.get(event.key, ([], ""))
            values |= {"gen_ai.input.messages": _text(messages), "gen_ai.output.messages": _text(reply)}
        span = self._add(self._within(event.address), "model", f"chat {event.model}", at, values)
        _end(span, at, event.ms)
        if event.code:
            span.error = event.code

    def _tool(self, event: ToolCalled, at: datetime) -> None:
        values: dict[str, Value] = {
            "gen_ai.operation.name": "execute_tool", "gen_ai.tool.name": event.unit, "lgstudio.effect": event.effect,
            "lgstudio.state": event.state, "lgstudio.address": event.address, "lgstudio.node": named(event.address),
            "lgstudio.key": event.key, "http.request.method": event.method,
            # Paths may hold names of people, and now and then a token.
            "server.address": event.target.partition("/")[0],
        }  # fmt: skip
        if event.status is not None:
            values["http.response.status_code"] = event.status
        if self._said is not None:
            request, response = self._said.calls.get(event.key, (None, None))
            values |= {"lgstudio.request": _text(request), "lgstudio.response": _text(response)}
        span = self._add(self._within(event.address), "tool", f"execute_tool {event.unit}", at, values)
        _end(span, at, event.ms or 0)
        if event.state in ("failed", "unknown"):
            span.error = f"CALL_{event.state.upper()}"

    def _fail(self, span: Span, at: datetime, code: str, message: str) -> None:
        span.end, span.error = at, code
        if self._said is not None:
            span.message = mask(message)[:LONGEST]


def _end(span: Span, at: datetime, ms: float) -> None:
    """A span that took so long. Its beginning may have been written down only with its end."""
    span.end = at
    span.start = min(span.start, at - timedelta(milliseconds=max(0.0, ms)))


def _text(value: Any) -> str:
    text = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False, default=str)
    return mask(text)[:LONGEST]
