"""What stands in for the outside in one test: what each thing answers, each time it is asked."""

from __future__ import annotations

import copy
import json
from dataclasses import dataclass, field

from flows.problem import quoted
from flows.words.base import Json, shape
from flows.words.testfile import FAILS, THEN, Mock
from runtime.engine.ways import RunFailure
from runtime.services.toolcalls import ToolCall
from runtime.testing.steps import plain

MISSING, USED_UP = "MOCK_MISSING", "MOCK_USED_UP"
LEAVES = "LEAVES_THE_MACHINE"
UNANSWERED, WRONG_KIND, FORM_REFUSED = "ANSWER_MISSING", "ANSWER_WRONG_KIND", "FORM_REFUSED"
TOO_SLOW = "TEST_TOO_SLOW"
OF_THE_TEST = (MISSING, USED_UP, LEAVES, UNANSWERED, WRONG_KIND, FORM_REFUSED, TOO_SLOW)
"""How a run ends because of its test, and not because of the flow: no test can expect it."""


class Times:
    """What comes each time: the same always, or one after another where the test says { "then": [ … ] }."""

    def __init__(self, said: Json) -> None:
        self.in_turn = isinstance(said, dict) and THEN in said
        self._said: list[Json] = said[THEN] if isinstance(said, dict) and THEN in said else [said]
        self.asked = 0

    def next(self) -> Json:
        """What comes this time. Raises IndexError when it was asked once more than there are answers."""
        self.asked += 1
        given = self._said[self.asked - 1] if self.in_turn else self._said[0]
        # Whoever gets it may change it, and the next one must not.
        return copy.deepcopy(given)

    @property
    def count(self) -> int:
        return len(self._said)


@dataclass
class Fails:
    """A call that goes wrong, and why."""

    why: str


@dataclass
class StandIns:
    """Those of one test, used up as its run goes."""

    mock: Mock
    _nodes: dict[str, Times] = field(default_factory=dict)
    _tools: dict[str, Times] = field(default_factory=dict)
    _reads: dict[str, Times] = field(default_factory=dict)
    _answers: dict[str, list[Json]] = field(default_factory=dict)

    def model(self, address: str) -> Json:
        """What the model answers at this step: text for its own words, anything else for the JSON that it wrote.

        Raises RunFailure when nothing stands in for it, or no more.
        """
        name = plain(address)
        if name not in self.mock.nodes:
            raise RunFailure(
                MISSING,
                f"{quoted(name)} asks a model, and nothing stands in for it: no test asks a real one. Say what it "
                f'answers: "mock": {{ "nodes": {{ {quoted(name)}: "…" }} }}.',
                name, address,
            )  # fmt: skip
        times = self._nodes.setdefault(name, Times(self.mock.nodes[name]))
        return _next(times, f"{quoted(name)} asked its model", "what it answers", name, address)

    def tool(self, tool: str, address: str) -> Json:
        """What a call of the tool returns, or Fails. Raises RunFailure when nothing stands in for it, or no more."""
        name = plain(address)
        if tool not in self.mock.tools:
            raise RunFailure(
                MISSING,
                f"{quoted(name)} calls the tool {quoted(tool)}, and nothing stands in for it: no test makes a real "
                f'call. Say what it returns: "mock": {{ "tools": {{ {quoted(tool)}: … }} }}.',
                name, address,
            )  # fmt: skip
        times = self._tools.setdefault(tool, Times(self.mock.tools[tool]))
        return _failing(_next(times, f"The tool {quoted(tool)} was called", "what it returns", name, address))

    def reads(self, address: str) -> bool:
        """Does something stand in for the document of this step?"""
        return plain(address) in self.mock.reads

    def document(self, address: str) -> Json:
        """The document that a step reads: its text, the whole of it as an object, or Fails. Raises RunFailure."""
        name = plain(address)
        times = self._reads.setdefault(name, Times(self.mock.reads[name]))
        return _failing(_next(times, f"{quoted(name)} read", "what is read", name, address))

    def person(self, address: str, kind: str) -> Json:
        """What the person does at this question; None when nobody speaks for them. Raises RunFailure."""
        name = plain(address)
        if name not in self.mock.answers:
            return None
        said = self.mock.answers[name]
        if not isinstance(said, list):
            # One answer for a step that stops twice speaks for the question that it fits.
            return said if _fits(kind, said) else None
        left = self._answers.setdefault(name, list(said))
        if not left:
            return None
        answer = left.pop(0)
        if not _fits(kind, answer):
            raise RunFailure(
                WRONG_KIND,
                f"{quoted(name)} asks for {_WANTS[kind]}, and the next answer in the test's list is {shape(answer)}. A "
                "step that has all it needs shows no form, and wants one answer then, not a list.",
                name, address,
            )  # fmt: skip
        return answer


_WANTS = {"approval": "a yes or a no", "ask": "words", "form": "the fields of a form", "outcome": "a decision"}


def _fits(kind: str, answer: Json) -> bool:
    if kind == "approval":
        return isinstance(answer, bool)
    return isinstance(answer, str) if kind == "ask" else isinstance(answer, dict) or answer is False


def _next(times: Times, did: str, gives: str, node: str, address: str) -> Json:
    try:
        return times.next()
    except IndexError:
        some = "once" if times.count == 1 else f"the first {times.count} times"
        raise RunFailure(
            USED_UP,
            f"{did} {times.asked} times, and the test says {gives} {some}. Add what comes next to its "
            f'"then", or find out why the flow goes round once more.',
            node, address,
        ) from None  # fmt: skip


def _failing(value: Json) -> Json:
    if isinstance(value, dict) and list(value) == [FAILS] and isinstance(value[FAILS], str):
        return Fails(value[FAILS])
    return value


def as_words(answer: Json) -> str:
    """What a model sends for an answer: its words as they are, data as JSON."""
    return answer if isinstance(answer, str) else json.dumps(answer, ensure_ascii=False)


def calls_of(answer: Json) -> tuple[ToolCall, ...]:
    """The calls of a model's turn; none when the turn is an answer."""
    if not isinstance(answer, dict) or list(answer) != ["calls"]:
        return ()
    return tuple(
        ToolCall(f"call_{number}", call["name"], json.dumps(call.get("args", {}), ensure_ascii=False))
        for number, call in enumerate(answer["calls"], 1)
    )
