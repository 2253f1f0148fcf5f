"""What tests expect: names that are there, and values or matchers that can be understood."""

from __future__ import annotations

import re
from collections.abc import Iterator

from flows.beside.answers import takes
from flows.beside.around import Around
from flows.beside.mocks import missing
from flows.beside.reading import described
from flows.problem import Finding, Problem, at, listed, nearest, quoted, rule, suggestion
from flows.words.base import Json, read, shape
from flows.words.matcher import MATCHERS, Matcher, is_matcher
from flows.words.names import END, GIVEN
from flows.words.testfile import FAILS, Expect, FlowTest, SentCall


@rule("TEST_NODE_NOT_FOUND")
def expected_nodes_exist(test: FlowTest, path: str, around: Around) -> Iterator[Finding]:
    """A path through a step that is not there can never be taken; a step that is not there is never visited."""
    named: list[tuple[str, str]] = []
    expect = test.expect
    for key, names in (
        ("path", expect.path), ("notVisited", expect.not_visited), ("approvalBefore", expect.approval_before),
    ):  # fmt: skip
        named += [(name, at(path, "expect", key, index)) for index, name in enumerate(names)]
    for key, given in (("visits", expect.visits), ("asked", expect.asked)):
        named += [(name, at(path, "expect", key, name)) for name in given]
    for name, here in named:
        spot = around.step(name)
        if spot.missing:
            yield missing(f"Test {quoted(test.name)} expects", spot, name, here, around)


@rule("APPROVAL_NOT_THERE")
def approvals_are_there(test: FlowTest, path: str, around: Around) -> Iterator[Finding]:
    """Nobody is asked before a step without an approval."""
    for index, name in enumerate(test.expect.approval_before):
        spot = around.step(name)
        if spot.node is not None and "yes" not in takes(spot):
            yield (
                at(path, "expect", "approvalBefore", index),
                f"Test {quoted(test.name)} expects an approval before {quoted(name)}, which has none.",
                "Give the node an approval, or take it out of the list.",
            )


@rule("TEST_TOOL_NOT_FOUND")
def expected_tools_exist(test: FlowTest, path: str, around: Around) -> Iterator[Finding]:
    """A tool that the flow does not declare is never called."""
    tools = around.tools
    for index, each in enumerate(test.expect.tools if tools is not None else ()):
        name = each.name if isinstance(each, SentCall) else each
        if name not in (tools or ()):
            own = described(sorted(tools or ()), "It declares", "It declares no tools.")
            yield (
                at(path, "expect", "tools", index),
                f"Test {quoted(test.name)} expects a call of {quoted(name)}, which the flow does not declare.",
                suggestion(name, tools or (), own),
            )


@rule("TEST_CHANNEL_NOT_FOUND")
def expected_channels_exist(test: FlowTest, path: str, around: Around) -> Iterator[Finding]:
    """What is not in the state, or not given back, can never be as expected."""
    draft, outputs = around.draft, around.outputs
    if draft is None or outputs is None:
        return
    known = {*draft.channel_names, *(each.name for each in GIVEN)}
    for key, given, names, where in (
        ("state", test.expect.state, known, "which the flow does not declare in its state"),
        ("output", test.expect.output, set(outputs), "which the flow does not give back"),
    ):
        for written in given:
            name = written.partition(".")[0]
            if name not in names:
                own = described(sorted(names & {*draft.channel_names}), "There is", 'Add it to "outputs" in the flow.')
                yield (
                    at(path, "expect", key, written),
                    f"Test {quoted(test.name)} expects something of {quoted(name)}, {where}.",
                    suggestion(name, names, own),
                )


@rule("TEST_VIEW_NOT_FOUND")
def expected_views_exist(test: FlowTest, path: str, around: Around) -> Iterator[Finding]:
    """A view that the flow does not have is never shown."""
    draft = around.draft
    views = draft.raw.get("views", []) if draft else None
    if not isinstance(views, list):
        return
    known = [view["id"] for view in views if isinstance(view, dict) and isinstance(view.get("id"), str)]
    for index, name in enumerate(test.expect.views):
        if name not in known:
            yield (
                at(path, "expect", "views", index),
                f"Test {quoted(test.name)} expects the view {quoted(name)}, which the flow does not have.",
                suggestion(name, known, described(known, "It has", "It has no views.")),
            )


@rule("MATCHER_UNKNOWN")
def matchers_are_known(test: FlowTest, path: str) -> Iterator[Finding]:
    """An expectation that nobody understands would hold of everything."""
    for value, here in _expected(test, path):
        if not isinstance(value, dict):
            continue
        if not value:
            yield here, f"Test {quoted(test.name)} expects {{}}, which says nothing.", 'Write { "empty": true }.'
        elif is_matcher(value):
            for word in value:
                if word not in MATCHERS:
                    yield at(here, word), f"{quoted(word)} is no expectation.", _expectations(word)
        elif len(value) == 1:
            (word,) = value
            near = nearest(word, MATCHERS)
            if near:
                yield at(here, word), f"{quoted(word)} is no expectation.", _expectations(word)


def _expectations(word: str) -> str:
    return suggestion(
        word, MATCHERS, f'Use {listed(MATCHERS)}. For an object with such a key, write {{ "oneOf": [ … ] }}.'
    )


def matchers_can_be_read(test: FlowTest, path: str) -> Iterator[Problem]:
    """Matchers read as words: notEmpty is true, length a number, matches a regular expression."""
    for value, here in _expected(test, path):
        if is_matcher(value):
            known = {word: each for word, each in value.items() if word in MATCHERS}
            _word, problems = read(Matcher, known, here, f"test {quoted(test.name)}")
            yield from problems


@rule("MATCHER_PATTERN")
def patterns_are_regular(test: FlowTest, path: str) -> Iterator[Finding]:
    """A pattern that cannot be read matches nothing."""
    for value, here in _expected(test, path):
        pattern = value.get("matches") if is_matcher(value) else None
        if isinstance(pattern, str):
            try:
                re.compile(pattern)
            except (re.error, OverflowError, RecursionError):
                yield (
                    at(here, "matches"),
                    f"The pattern {quoted(pattern)} of test {quoted(test.name)} is no regular expression.",
                    'Put \\\\ before a bracket that is meant as it stands, or use "contains".',
                )


@rule("WORDS_EXPECTED")
def questions_are_words(test: FlowTest, path: str) -> Iterator[Finding]:
    """What a person is asked is text."""
    for name, value in test.expect.asked.items():
        if not isinstance(value, str | dict):
            yield (
                at(path, "expect", "asked", name),
                f"A question is words, and test {quoted(test.name)} expects {shape(value)} of the one at "
                f"{quoted(name)}.",
                "Write words that are in it, or a matcher.",
            )


@rule("FAILS_FROM_TOOLS")
def tools_nodes_do_not_fail(test: FlowTest, path: str, around: Around) -> Iterator[Finding]:
    """A tools node writes an error beside the call that went wrong and goes on, so the run does not fail by it."""
    if test.expect.fails is None:
        return
    failing = [name for name, value in test.mock.tools.items() if _fails(value)]
    if not failing or any(
        _fails(value) for section in (test.mock.reads, test.mock.database) for value in section.values()
    ):
        return
    nodes = [node for draft in around.drafts if draft is not None for _, node in draft.nodes]
    # Anything else that might fail in this test makes the expectation possible.
    if None in around.drafts or any(node.type in ("tool", "work", "handler") for node in nodes):
        return
    callers = [node for node in nodes if node.type == "tools"]
    if callers and not test.mock.nodes:
        output = getattr(callers[0], "output", "results")
        yield (
            at(path, "expect", "fails"),
            f"Test {quoted(test.name)} expects the run to fail because {quoted(failing[0])} does, and a tools node "
            "never fails: it writes the error beside the call.",
            f'Expect it there: "state": {{ "{output}.0.error": "…" }}.',
        )


def _fails(value: Json) -> bool:
    if isinstance(value, dict):
        then = value.get("then")
        return FAILS in value or (isinstance(then, list) and any(_fails(each) for each in then))
    return False


_OUTSIDE = {
    "llm": ("nodes", "asks a model", '"…"'),
    "work": ("nodes", "asks a model", '"…"'),
    "knowledge": ("knowledge", "asks a collection", '[{ "text": "…", "source": "…" }]'),
    "index": ("index", "builds a collection", '{ "passages": 12 }'),
    "database": ("database", "reads a database", "[{ … }]"),
}
"""Kind of node → the part of a mock that stands in for it, what it does outside, and how that is written."""


@rule("MOCK_NEEDED")
def last_answer_is_mocked(test: FlowTest, path: str, around: Around) -> Iterator[Finding]:
    """Where every way through a flow ends at one answer from outside, a run that finishes has asked for it, which no
    test does."""
    draft = around.draft
    if draft is None or test.expect.fails is not None or not draft.whole or draft.lost:
        return
    if any(value is False or (isinstance(value, list) and False in value) for value in test.mock.answers.values()):
        return
    last = [id for id, ways in draft.ways.items() if END in ways]
    node = around.step(last[0]).node if len(last) == 1 else None
    section, does, answers = _OUTSIDE.get(node.type, ("", "", "")) if node is not None else ("", "", "")
    if node is not None and section and node.id not in getattr(test.mock, section):
        yield (
            at(path, "mock"),
            f"Test {quoted(test.name)} expects the run to finish, and every way through the flow ends at "
            f"{quoted(node.id)}, which {does}. Nothing stands in for it.",
            f'Say what it answers: "mock": {{ "{section}": {{ "{node.id}": {answers} }} }}.',
        )


def _expected(test: FlowTest, path: str) -> Iterator[tuple[Json, str]]:
    """Every place where a value or a matcher is expected."""
    here = at(path, "expect")
    expect: Expect = test.expect
    for key, given in (("state", expect.state), ("output", expect.output), ("asked", expect.asked)):
        for name, value in given.items():
            yield value, at(here, key, name)
    for index, each in enumerate(expect.tools):
        if isinstance(each, SentCall):
            for name, value in each.args.items():
                yield value, at(here, "tools", index, "args", name)


ALONE = (matchers_are_known, patterns_are_regular, questions_are_words)
"""Called with (test, path)."""

AGAINST = (
    expected_nodes_exist,
    approvals_are_there,
    expected_tools_exist,
    expected_channels_exist,
    expected_views_exist,
    tools_nodes_do_not_fail,
    last_answer_is_mocked,
)
"""Called with (test, path, around)."""
