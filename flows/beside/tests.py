"""check_test(): what is wrong with a *.test.json, all of it before anything runs."""

from __future__ import annotations

from collections.abc import Iterator

from flows.beside import answers, expectations, mocks
from flows.beside.around import ENTERS, Around
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
from flows.problem import Finding, Problem, at, quoted, rule
from flows.words.base import Json, read
from flows.words.testfile import SINCE, THEN, FlowTest, FlowTests
from flows.words.versions import below

INSIDE_SINCE = "0.17"
"""The first version whose tests give sequences, and name the steps of a flow that is run."""


def check_test(raw: str | bytes | Json, around: Around | None = None, file: str = "") -> CheckedBeside[FlowTests]:
    """Check a file of tests, against its flow where that is given. Never raises.

    file: where it stands in the flow's tree; "" when nobody knows.
    """
    value, refused = loaded(raw)
    if refused:
        return CheckedBeside(None, refused)
    entries, problems = read_entries(value.get("tests") if isinstance(value, dict) else None, "tests", _read)
    word, wrong = read_head(FlowTests, value, "tests", "the file of tests", [test for _, test in entries])
    return CheckedBeside(word, collected([*wrong, *problems, *_problems(word, entries, around, file)]))


def _read(raw: Json, path: str) -> tuple[FlowTest | None, list[Problem]]:
    return read(FlowTest, raw, path, owner_of("test", raw, path))


def _problems(
    word: FlowTests | None, entries: list[tuple[str, FlowTest]], around: Around | None, file: str
) -> Iterator[Problem]:
    if word is None:
        return
    yield from addresses_are_relative(word)
    yield from flow_exists(word, around, file)
    yield from flow_is_new_enough(word, "", around, SINCE, "A file of tests")
    yield from names_are_different(entries)
    if around is not None:
        yield from mocks.settings_are_declared(word.settings, "This file", "", around)
    for path, test in entries:
        for each in expectations.ALONE:
            yield from each(test, path)
        yield from expectations.matchers_can_be_read(test, path)
        if around is None:
            continue
        owner = f"Test {quoted(test.name)}"
        yield from flow_is_new_enough(test, path, around, SINCE, "")
        yield from sequences_are_old_enough(test, path, around)
        yield from mocks.settings_are_declared(test.settings, owner, path, around)
        yield from mocks.inputs_are_declared(test.input, owner, path, around)
        for each in mocks.RULES:
            yield from each(test.mock.plain(), owner, at(path, "mock"), around)
        for each in answers.RULES:
            yield from each(test.mock.answers, owner, at(path, "mock"), around)
        for each in expectations.AGAINST:
            yield from each(test, path, around)


@rule("TEST_NAME_TWICE")
def names_are_different(entries: list[tuple[str, FlowTest]]) -> Iterator[Finding]:
    """A result is reported under its test's name."""
    yield from twice(entries, "name", "tests", "Say what is different about each.")


@rule("VERSION_TOO_LOW")
def sequences_are_old_enough(test: FlowTest, path: str, around: Around) -> Iterator[Finding]:
    """Answers in sequence and steps of flows that are run came together."""
    if not around.version or below(around.version, SINCE) or not below(around.version, INSIDE_SINCE):
        return
    for section in ("nodes", "tools"):
        for name, value in getattr(test.mock, section).items():
            what = "A step inside a flow that is run" if ENTERS in name else "A sequence of answers"
            if ENTERS in name or (isinstance(value, dict) and THEN in value):
                yield (
                    at(path, "mock", section, name),
                    f"{what} needs version {INSIDE_SINCE}, and the flow says {around.version}.",
                    f'Raise "version" in the flow to "{INSIDE_SINCE}" or later; raising it never breaks a flow.',
                )
