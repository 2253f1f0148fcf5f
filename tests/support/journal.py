"""Is a run's journal whole? Everything that is kept of it is told in it, and named the same everywhere."""

from __future__ import annotations

from runtime import events
from runtime.events import (
    FlowEntered,
    FlowLeft,
    ModelCalled,
    QuestionAsked,
    QuestionClosed,
    StepFailed,
    StepFinished,
    StepStarted,
    ToolCalled,
)
from runtime.models import ModelCall, Question, Run, RunEvent, ToolCall
from runtime.stepname import named

ENDINGS = {"done": "run_finished", "failed": "run_failed", "cancelled": "run_cancelled", "lost": "run_lost"}
AFTERWARDS = ("question_closed", "question_asked", "tool_called")
"""What a doubt about a write leaves behind once its run has ended."""


def gaps(run: Run) -> list[str]:
    """What is missing in the run's journal, or named otherwise there. Scoped."""
    rows = RunEvent.objects.filter(run=run).order_by("seq").values_list("type", "payload")
    told = [events.read(type, payload) for type, payload in rows]
    return [*_names(told), *_calls(run, told), *_questions(run, told), *_ends(run, told)]


def _names(told: list[events.AnyEvent]) -> list[str]:
    placed = (StepStarted, StepFinished, StepFailed, FlowEntered, FlowLeft, QuestionAsked)
    return [
        f"{event.type} names {event.address} as {event.node}"
        for event in told
        if isinstance(event, placed) and event.node != named(event.address)
    ]


def _calls(run: Run, told: list[events.AnyEvent]) -> list[str]:
    begun = {event.address for event in told if isinstance(event, StepStarted)}
    found: list[str] = []
    for model, kind in ((ModelCall, ModelCalled), (ToolCall, ToolCalled)):
        said = {event.key: event for event in told if isinstance(event, kind)}
        kept = dict(model.objects.filter(run=run).exclude(state="started").values_list("key", "address"))
        found += [f"no {kind.__name__} tells of {key}" for key in kept.keys() - said.keys()]
        found += [f"{key} is told and not kept" for key in said if not model.objects.filter(run=run, key=key).exists()]
        found += [f"{key} is told as of {said[key].address}" for key in kept.keys() & said.keys()
                  if said[key].address != kept[key]]  # fmt: skip
        found += [f"{key} is of {address}, which never began" for key, address in kept.items()
                  if address and ".route#" not in address and address not in begun]  # fmt: skip
    return found


def _questions(run: Run, told: list[events.AnyEvent]) -> list[str]:
    asked = {event.question: event.address for event in told if isinstance(event, QuestionAsked)}
    closed = {event.question: event.state for event in told if isinstance(event, QuestionClosed)}
    found: list[str] = []
    for row in Question.objects.filter(run=run):
        if asked.get(str(row.pk)) != row.address:
            found.append(f"the question at {row.address} is not told there")
        if row.state != "pending" and closed.get(str(row.pk)) != row.state:
            found.append(f"the question at {row.address} is {row.state}, and told as {closed.get(str(row.pk))}")
    return found


def _ends(run: Run, told: list[events.AnyEvent]) -> list[str]:
    if run.status not in ENDINGS:
        return []
    last = next((event.type for event in reversed(told) if event.type not in AFTERWARDS), "nothing")
    found = [] if last in (ENDINGS[run.status], "message_removed") else [f"it is {run.status}, and ends with {last}"]
    if run.status == "done":
        begun = {event.address for event in told if isinstance(event, StepStarted)}
        over = {event.address for event in told if isinstance(event, StepFinished | StepFailed)}
        found += [f"{address} began and has no end" for address in begun - over]
    return found
