"""The working copy of an ask: the draft with the operations applied so far, and what may be read of it.

Nothing here touches the stored draft.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any

from flows import reference
from flows.check import Checked, check
from flows.edits.apply import EditRefused, apply, parse
from flows.edits.changes import Sketch
from flows.edits.difference import lines
from flows.edits.lines import ChangeLine
from flows.edits.operation import Operation
from flows.kinds import KINDS
from flows.kinds.base import CANNOT_RUN
from flows.problem import Problem
from flows.runnable import WORD_CANNOT_RUN, added, cannot_run
from flows.words import strictjson
from studio.ask import prompt
from studio.ask.tools import Wanted
from studio.strings import t

Json = Any

MOST_PROBLEMS = 20


@dataclass
class Result:
    """What came of a call, for the model. words: for the person, one for each thing done.

    progress: it brought something that was not there before. edited: it changed the working copy.
    """

    ok: bool
    words: list[str] = field(default_factory=list)
    code: str = ""
    message: str = ""
    hint: str = ""
    given: Json = None
    progress: bool = False
    edited: bool = False
    problems: list[Problem] = field(default_factory=list)

    def text(self) -> str:
        said: dict[str, Json] = {"ok": self.ok}
        if self.code:
            said["error"] = {"code": self.code, "message": self.message}
            if self.hint:
                said["error"]["hint"] = self.hint
        if self.given is not None:
            said["result"] = self.given
        if self.problems:
            said["newProblems"] = [shown(each) for each in self.problems[:MOST_PROBLEMS]]
            if len(self.problems) > MOST_PROBLEMS:
                said["moreProblems"] = len(self.problems) - MOST_PROBLEMS
        return json.dumps(said, ensure_ascii=False)


class Working:
    """A copy of a draft under edit. people: names and addresses that must not get into it."""

    def __init__(self, document: dict[str, Json], layout: Json, people: Iterable[str] = ()) -> None:
        self.base = self.draft = Sketch(document, layout)
        self.operations: list[Operation] = []
        self._begun = 0
        self.checked = self._base_checked = check(document)
        self._told = _counted(_found(self.checked))
        standing = json.dumps(document, ensure_ascii=False).casefold()
        self._people = [name for name in people if name and name.casefold() not in standing]

    def go_on(self, operations: Sequence[Json]) -> bool:
        """Begin from an open proposal instead of from the draft. False when it does not fit any more."""
        try:
            before = parse(operations)
            applied = apply(self.draft, before)
        except EditRefused:
            return False
        self.draft = Sketch(applied.document, applied.layout)
        self.operations, self._begun = before, len(before)
        self.new_problems()
        return True

    def wire(self) -> tuple[list[Json], list[Json]]:
        """The operations, and what they change, as they are stored."""
        return [each.plain() for each in self.operations], [each.wire() for each in self.lines()]

    @property
    def edited(self) -> bool:
        """Did this ask edit anything, beside what an open proposal had brought along?"""
        return len(self.operations) > self._begun

    @property
    def changed(self) -> bool:
        """Is the copy another than what it began from? Edits that take each other back change nothing."""
        return bool(self.operations) and bool(self.lines())

    def lines(self) -> list[ChangeLine]:
        return lines(self.base.document, self.draft.document)

    def do(self, wanted: Wanted) -> Result:
        """Carry a call out."""
        if wanted.operations:
            return self._edit(wanted.operations)
        match wanted.tool:
            case "read_reference":
                return _topic(wanted.arguments["topic"])
            case "read_flow":
                return self._part(wanted.arguments.get("part", ""))
            case _:
                return self._readiness()

    def new_problems(self) -> list[Problem]:
        """What is wrong now and was not when this was asked last."""
        self.checked = check(self.draft.document)
        found = _added(_found(self.checked), self._told)
        self._told = _counted(_found(self.checked))
        return found

    def new_errors(self) -> list[Problem]:
        """The errors that the draft did not have before the ask."""
        self.checked = check(self.draft.document)
        errors = [each for each in _found(self.checked) if each.level == "error"]
        return _added(errors, _counted(_found(self._base_checked)))

    def _edit(self, operations: Sequence[Operation]) -> Result:
        named = self._names_somebody(operations)
        if named:
            return Result(ok=False, code="NAMES_A_PERSON", message=t("ask.names_a_person", name=named))
        try:
            applied = apply(self.draft, operations)
        except EditRefused as refused:
            first = refused.problems[0]
            return Result(ok=False, code=first.code, message=refused.message, hint=first.hint)
        barred = added(self.draft.document, applied.document)
        if barred:
            return Result(
                ok=False, code=CANNOT_RUN, message=f"Steps of the kind {barred!r} cannot run in this installation.",
                hint=f"Do it with kinds that can: {', '.join(kind.type for kind in KINDS if kind.runs)}.",
            )  # fmt: skip
        if not applied.changes:
            return Result(ok=True, words=[], given="It is so already; nothing changed.")
        self.draft = Sketch(applied.document, applied.layout)
        self.operations += operations
        return Result(ok=True, words=[each.words() for each in operations], progress=True, edited=True)

    def _names_somebody(self, operations: Sequence[Operation]) -> str:
        """The name of a person that an edit would put into the flow; "" when it names nobody."""
        if not self._people:
            return ""
        text = "\n".join(json.dumps(each.plain(), ensure_ascii=False) for each in operations).casefold()
        return next((name for name in self._people if name.casefold() in text), "")

    def _part(self, part: str) -> Result:
        document = self.draft.document
        if not part:
            whole = json.dumps(document, ensure_ascii=False)
            given = document if len(whole) <= prompt.WHOLE else prompt.outline(document)
            return Result(ok=True, words=[t("ask.step_read_flow")], given=given, progress=True)
        found = _named(document, part)
        if found is None:
            return Result(
                ok=False, code="PART_UNKNOWN", message=f"The flow has no node, channel or tool {part[:80]!r}.",
                hint="Call read_flow without a part to see all of them.",
            )  # fmt: skip
        return Result(ok=True, words=[t("ask.step_read_part", part=part)], given=found, progress=True)

    def _readiness(self) -> Result:
        self.checked = check(self.draft.document)
        problems = _found(self.checked)
        self._told = _counted(problems)
        given = [shown(each) for each in problems[: 2 * MOST_PROBLEMS]] or "Nothing is wrong."
        return Result(ok=True, words=[t("ask.step_checked", count=len(problems))], given=given, progress=True)


def parsed(text: str) -> dict[str, Json] | None:
    """The draft as an object; None when it is none."""
    try:
        found = strictjson.loads(text)
    except strictjson.JsonRefused:
        return None
    return found if isinstance(found, dict) else None


def shown(problem: Problem) -> dict[str, str]:
    """A problem as the model gets it."""
    said = {"code": problem.code, "level": problem.level, "path": problem.path, "message": problem.message}
    return {**said, "hint": problem.hint} if problem.hint else said


def _topic(name: str) -> Result:
    try:
        found = reference.topic(name)
    except reference.TopicUnknown as unknown:
        return Result(ok=False, code="TOPIC_UNKNOWN", message=str(unknown))
    return Result(ok=True, words=[t("ask.step_read_topic", topic=found.title)], given=found.text, progress=True)


def _named(document: dict[str, Json], name: str) -> Json:
    """The node with the edges that leave it, or the channel or tool, of this name."""
    for node in _listed(document, "nodes"):
        if node.get("id") == name:
            leaving = [edge for edge in _listed(document, "edges") if edge.get("from") == name]
            return {"node": node, "edges": leaving}
    state = document.get("state")
    if isinstance(state, dict) and name in state:
        return {"channel": {name: state[name]}}
    found = next((tool for tool in _listed(document, "tools") if tool.get("name") == name), None)
    return None if found is None else {"tool": found}


def _listed(document: dict[str, Json], key: str) -> list[dict[str, Json]]:
    found = document.get(key)
    return [each for each in found if isinstance(each, dict)] if isinstance(found, list) else []


def _found(checked: Checked) -> list[Problem]:
    """What is wrong with a draft, and which of its words this installation cannot run."""
    return [*checked.problems, *(each for each in cannot_run(checked) if each.code == WORD_CANNOT_RUN)]


def _counted(problems: Iterable[Problem]) -> Counter[tuple[str, str]]:
    return Counter((each.code, each.message) for each in problems)


def _added(problems: Iterable[Problem], before: Counter[tuple[str, str]]) -> list[Problem]:
    left = Counter(before)
    found = []
    for each in problems:
        key = (each.code, each.message)
        if left[key] > 0:
            left[key] -= 1
        else:
            found.append(each)
    return found
