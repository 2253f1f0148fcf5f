"""What people do in tests: an answer for each step that stops, of the kind that the step takes."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from flows.beside.around import Around, Spot
from flows.kinds import BY_TYPE
from flows.problem import Finding, at, quoted, rule
from flows.words.base import Json, shape
from flows.words.callables import takes_inputs
from flows.words.form import check_values
from flows.words.node import Node

_WRITE = {
    "yes": "true or false for the approval",
    "text": "text for the question",
    "form": "an object for the form, or false to close it",
}


def takes(spot: Spot) -> list[str]:
    """What a step may be answered with, as keys of _WRITE; [] when it never stops."""
    node, draft = spot.node, spot.draft
    if node is None or draft is None or node.type not in BY_TYPE:
        return []
    found: list[str] = []
    if node.type == "ask":
        found.append("text")
    if node.type == "form" or getattr(node, "asks", False):
        found.append("form")
    if BY_TYPE[node.type].calls:
        called = BY_TYPE[node.type].may_call(node, draft.document)
        found += ["form"] if any(takes_inputs(draft.document, name) for name in called) else []
    if node.approval is not None or getattr(node, "approve", None):
        found.append("yes")
    return found


@rule("ANSWER_NEVER_ASKED")
def answers_are_asked_for(answers: Mapping[str, Json], owner: str, path: str, around: Around) -> Iterator[Finding]:
    """An answer for a step that asks nobody would never be given."""
    for address in answers:
        spot = around.step(address)
        if spot.node is None or takes(spot):
            continue
        inside = spot.node.type in ("flow", "agent")
        yield (
            at(path, "answers", address),
            f"{owner} speaks for a person at {quoted(address)}, which asks nobody.",
            f"Name the step inside it that asks: {address}/step."
            if inside
            else "Leave the answer out, or give the node an approval.",
        )


@rule("ANSWER_WRONG_KIND")
def answers_are_of_a_kind(answers: Mapping[str, Json], owner: str, path: str, around: Around) -> Iterator[Finding]:
    """An approval takes yes or no, a question text, a form its fields; anything else would stop the run for ever."""
    for address, value in answers.items():
        spot = around.step(address)
        wanted = takes(spot)
        if not wanted or spot.node is None:
            continue
        here = at(path, "answers", address)
        for index, each in enumerate(value if isinstance(value, list) else [value]):
            inner = at(here, index) if isinstance(value, list) else here
            fault = _fault(spot.node, each, wanted)
            if fault:
                yield (
                    inner,
                    f"{owner} answers {quoted(address)} with {fault}.",
                    f"Write {', or '.join(_WRITE[each] for each in wanted)}.",
                )


def _fault(node: Node, value: Json, wanted: list[str]) -> str:
    """What is wrong with one answer; "" when the step takes it."""
    if isinstance(value, bool):
        return "" if "yes" in wanted or ("form" in wanted and not value) else shape(value)
    if isinstance(value, str):
        return "" if "text" in wanted and value.strip() else "text" if value.strip() else "an empty text"
    if isinstance(value, dict) and "form" in wanted:
        fields = getattr(node, "fields", None)
        if isinstance(fields, dict):
            # A form that refuses what was typed asks again, and nobody would answer.
            wrong = next(iter(check_values(fields, value)[1].items()), None)
            return f"what its form refuses: {wrong[1].rstrip('.')}" if wrong else ""
        return ""
    return shape(value)


RULES = (answers_are_asked_for, answers_are_of_a_kind)
