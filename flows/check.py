"""The only door: check(raw) reads a flow and says everything that is wrong with it, at once."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from itertools import islice

from flows.checks import problems_of
from flows.draft import Draft
from flows.problem import Problem, guessing
from flows.reading import NotAFlow, read_draft
from flows.words import strictjson
from flows.words.base import Json
from flows.words.document import Document
from flows.words.strictjson import JsonRefused

MAX_PROBLEMS = 500
MAX_GUESSES = 40


@dataclass(frozen=True)
class Checked:
    """flow: the typed flow, or as much of it as could be read; None when the JSON or its top could not be.

    problems: in the order in which a reader of the JSON meets them, errors and warnings alike.
    """

    flow: Document | None
    problems: list[Problem]

    @property
    def ok(self) -> bool:
        """May this flow become a version?"""
        return self.flow is not None and not any(problem.level == "error" for problem in self.problems)

    @property
    def errors(self) -> list[Problem]:
        return [problem for problem in self.problems if problem.level == "error"]

    @property
    def warnings(self) -> list[Problem]:
        return [problem for problem in self.problems if problem.level == "warning"]


def check(raw: str | bytes | Json) -> Checked:
    """Check a flow given as JSON text or as an object. Never raises; at most 500 problems are named."""
    return examine(raw)[0]


def examine(raw: str | bytes | Json) -> tuple[Checked, Draft | None]:
    """As check, with the draft that the rules looked at; None when there is none."""
    try:
        if isinstance(raw, str | bytes):
            value = strictjson.loads(raw)
        else:
            strictjson.judge(raw)
            value = raw
    except JsonRefused as refused:
        said = Problem(refused.code, "error", "", refused.message, "Nothing else was checked.")
        return Checked(None, [said]), None
    with guessing(MAX_GUESSES):
        try:
            draft, reading = read_draft(value)
        except NotAFlow as refused:
            return Checked(None, [refused.problem]), None
        # Reading is consumed whole: it fills the draft that the rules look at.
        found = list(reading)
        found.extend(islice(problems_of(draft), max(0, MAX_PROBLEMS - len(found))))
    return Checked(draft.document, in_order(found)), draft


def in_order(found: Iterable[Problem]) -> list[Problem]:
    """Problems as a reader of the JSON meets them, each once, and no more than anybody reads."""
    return sorted(dict.fromkeys(islice(found, MAX_PROBLEMS)), key=_place)


def _place(problem: Problem) -> tuple[int, int, str]:
    """Sorts by section as a flow is usually written, then by position, errors first."""
    section = problem.path.partition(".")[0].partition("[")[0]
    number = problem.path.partition("[")[2].partition("]")[0]
    return (_SECTIONS.get(section, 0), int(number) if number.isdigit() else -1, problem.path)


_SECTIONS = {"tools": 1, "state": 2, "nodes": 3, "edges": 4, "views": 5, "page": 6, "shell": 7}
