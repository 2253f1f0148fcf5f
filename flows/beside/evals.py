"""check_eval(): what is wrong with a *.eval.json; check_dataset(): the same of its cases in a file of their own."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping

from flows.beside import mocks
from flows.beside.around import Around
from flows.beside.reading import (
    CheckedBeside,
    addresses_are_relative,
    collected,
    flow_exists,
    flow_is_new_enough,
    loaded,
    owner_of,
    read_entries,
    read_head,
    twice,
)
from flows.problem import Finding, Problem, at, listed, quoted, rule, suggestion
from flows.words.address import fault_of, resolve
from flows.words.base import Json, read, shape
from flows.words.evalfile import MAX_CASES, SINCE, Criterion, EvalCase, FlowEvals

_CLOSE = 1e-6


def check_eval(raw: str | bytes | Json, around: Around | None = None, file: str = "") -> CheckedBeside[FlowEvals]:
    """Check a file of cases that are scored, against its flow where that is given. Never raises.

    file: where it stands in the flow's tree; "" when nobody knows.
    """
    value, refused = loaded(raw)
    if refused:
        return CheckedBeside(None, refused)
    entries, problems = read_entries(value.get("evals") if isinstance(value, dict) else None, "evals", read_case)
    word, wrong = read_head(FlowEvals, value, "evals", "the file of evals", [case for _, case in entries])
    if word is not None and isinstance(value, dict) and "evals" not in value:
        object.__setattr__(word, "evals", None)
    return CheckedBeside(word, collected([*wrong, *problems, *_problems(word, entries, around, file)]))


def check_dataset(raw: str | bytes | Json, evals: FlowEvals, around: Around | None = None) -> list[Problem]:
    """Check a file of cases for the file of evals that names it. Never raises."""
    value, refused = loaded(raw)
    if refused:
        return refused
    if not isinstance(value, list) or len(value) > MAX_CASES:
        what = shape(value) if not isinstance(value, list) else f"a list of {len(value):,}"
        message = f"A dataset is a list of at most {MAX_CASES:,} cases, and this is {what}."
        return [Problem("WRONG_TYPE", "error", "", message, 'Write [ { "name": "…", "input": { … } } ].')]
    entries, problems = read_entries(value, "", read_case)
    return collected([*problems, *_of_cases(evals, entries, around)])


def read_case(raw: Json, path: str) -> tuple[EvalCase | None, list[Problem]]:
    """Read one case. A mock of the model is told by itself, since tests, which cases are copied from, have one."""
    owner = owner_of("case", raw, path)
    mock = raw.get("mock") if isinstance(raw, dict) else None
    found = list(models_are_real(mock, owner, path)) if isinstance(mock, dict) else []
    if found and isinstance(mock, dict):
        raw = {**raw, "mock": {key: each for key, each in mock.items() if key != "nodes"}}
    case, problems = read(EvalCase, raw, path, owner)
    return case, [*found, *problems]


def _problems(
    word: FlowEvals | None, entries: list[tuple[str, EvalCase]], around: Around | None, file: str
) -> Iterator[Problem]:
    if word is None:
        return
    yield from addresses_are_relative(word)
    yield from flow_exists(word, around, file)
    yield from flow_is_new_enough(word, "", around, SINCE, "A file of evals")
    yield from cases_are_in_one_place(word)
    yield from dataset_exists(word, around, file)
    yield from weights_add_up(word.criteria, "This file", "criteria")
    if around is not None:
        yield from mocks.settings_are_declared(word.settings, "This file", "", around)
    if word.dataset is None:
        yield from thresholds_are_reached(word, entries)
    yield from _of_cases(word, entries, around)


def _of_cases(word: FlowEvals, entries: list[tuple[str, EvalCase]], around: Around | None) -> Iterator[Problem]:
    yield from names_are_different(entries)
    for path, case in entries:
        owner = f"Case {quoted(case.name)}"
        judged = {**word.criteria, **case.criteria}
        yield from something_is_judged(judged, owner, path)
        yield from references_say_something(case, path)
        if case.criteria:
            yield from weights_add_up(judged, owner, at(path, "criteria"))
        if around is None:
            continue
        yield from mocks.settings_are_declared(case.settings, owner, path, around)
        yield from mocks.inputs_are_declared(case.input, owner, path, around)
        for each in mocks.RULES:
            yield from each(case.mock.plain(), owner, at(path, "mock"), around)


@rule("MOCK_OF_MODEL")
def models_are_real(mock: Mapping[str, Json], owner: str, path: str) -> Iterator[Finding]:
    """An eval of a mocked answer measures the mock."""
    if "nodes" in mock:
        yield (
            at(path, "mock", "nodes"),
            f"{owner[:1].upper() + owner[1:]} stands in for the model, whose answer is what an eval scores.",
            'Remove "nodes". Tools and documents may be stood in for; a test stands in for models.',
        )


@rule("EVALS_OR_DATASET")
def cases_are_in_one_place(word: FlowEvals) -> Iterator[Finding]:
    """Two lists of cases would be run in an order that nobody could guess."""
    if word.evals is not None and word.dataset is not None:
        yield "dataset", 'This file has both "evals" and "dataset".', "Keep one of them."
    elif word.evals is None and word.dataset is None:
        yield "", "This file has no cases.", 'Write them in "evals", or name a file of them in "dataset".'


@rule("DATASET_NOT_FOUND")
def dataset_exists(word: FlowEvals, around: Around | None, file: str) -> Iterator[Finding]:
    """A dataset is a file beside the evals."""
    if word.dataset is None or around is None or not file or fault_of(word.dataset):
        return
    whole = resolve(word.dataset, file)
    if whole is None or whole not in around.tree.files:
        where = f"there is no file {quoted(whole)}" if whole else "that lies outside of this project"
        yield (
            "dataset",
            f"This file takes its cases from {quoted(word.dataset)}, and {where}.",
            suggestion(whole or "", around.tree.files, "The address is relative to the file that says it."),
        )


@rule("WEIGHTS_NOT_ONE")
def weights_add_up(criteria: Mapping[str, Criterion], owner: str, path: str) -> Iterator[Finding]:
    """A score is the sum of its parts: all have a weight or none has, and together they are 1."""
    weights = {name: each.weight for name, each in criteria.items() if each.weight is not None}
    if not weights:
        return
    bare = [name for name in criteria if name not in weights]
    if bare:
        verb = "has" if len(bare) == 1 else "have"
        yield (
            path,
            f"{owner} gives weights to some criteria, and {listed(bare, 'and')} {verb} none.",
            "Give every criterion a weight, or none.",
        )
    elif abs(math.fsum(weights.values()) - 1) > _CLOSE:
        total = round(math.fsum(weights.values()), 6)
        yield (
            path,
            f"The weights of the criteria add up to {total:g}, and not to 1 ({owner[:1].lower() + owner[1:]}).",
            ("Change them so that they add up to 1."),
        )


@rule("EVAL_NAME_TWICE")
def names_are_different(entries: list[tuple[str, EvalCase]]) -> Iterator[Finding]:
    """A score is reported under its case's name, never its position."""
    yield from twice(entries, "name", "cases", "Give each a name of its own.")


@rule("NOTHING_JUDGED")
def something_is_judged(criteria: Mapping[str, Criterion], owner: str, path: str) -> Iterator[Finding]:
    """A case without a criterion has no score."""
    if not criteria:
        yield (
            path,
            f"{owner} has no criteria, so there is nothing to judge.",
            'Add one: "criteria": { "correctness": { "description": "…" } }, for the file or for the case.',
        )


@rule("REFERENCE_EMPTY")
def references_say_something(case: EvalCase, path: str) -> Iterator[Finding]:
    """A reference is what is taken as true; nothing at all is none."""
    if case.reference is not None and not case.reference.facts and case.reference.answer is None:
        yield (
            at(path, "reference"),
            f"The reference of case {quoted(case.name)} says nothing.",
            'Write "facts" or "answer", or leave the reference out.',
        )


@rule("THRESHOLD_UNKNOWN")
def thresholds_are_reached(word: FlowEvals, entries: list[tuple[str, EvalCase]]) -> Iterator[Finding]:
    """A threshold for a criterion that no case has can be neither reached nor missed."""
    known = {*word.criteria, *(name for _, case in entries for name in case.criteria)}
    for name in word.thresholds.criteria:
        if name not in known:
            yield (
                at("thresholds", "criteria", name),
                f"There is a threshold for {quoted(name)}, and no case is judged by that.",
                suggestion(name, known, f"The criteria are {listed(sorted(known), 'and')}." if known else "Remove it."),
            )
