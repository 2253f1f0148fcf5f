"""What of a run is not as its test expects, each thing in words."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from flows.problem import listed, quoted
from flows.words import template
from flows.words.base import Json
from flows.words.matcher import is_matcher
from flows.words.testfile import FlowTest, SentCall
from runtime.testing.bench import Seen
from runtime.testing.matching import complaint
from runtime.testing.results import TestFailure, TestResult, What
from runtime.testing.standing import OF_THE_TEST
from runtime.testing.telling import started

Judge = Callable[[FlowTest, TestResult, Seen], Iterator[TestFailure]]


def failures_of(test: FlowTest, result: TestResult, seen: Seen) -> list[TestFailure]:
    """Everything that is not as expected. A run that failed where it was not to says why, and nothing else."""
    ended = list(_ended(test, seen))
    if ended:
        return ended
    return [failure for judge in _JUDGES for failure in judge(test, result, seen)]


def _ended(test: FlowTest, seen: Seen) -> Iterator[TestFailure]:
    wanted, error = test.expect.fails, seen.error
    if error is not None and (wanted is None or error.code in OF_THE_TEST):
        where = f" at {quoted(error.node)}" if error.node and error.code not in OF_THE_TEST else ""
        message = error.message if error.code in OF_THE_TEST else f"The run failed{where}: {error.message}"
        yield TestFailure(what="run", at=error.node, message=message)
    elif error is None and wanted is not None:
        yield TestFailure(
            what="fails", message=f"The run came to its end, and is expected to fail, saying {quoted(wanted)}.",
            compared=True, wanted=wanted, got=None,
        )  # fmt: skip
    elif error is not None and wanted is not None and wanted.lower() not in error.message.lower():
        yield TestFailure(
            what="fails", message=f"The run failed with other words: {error.message}", compared=True, wanted=wanted,
            got=error.message,
        )  # fmt: skip


def _state(test: FlowTest, result: TestResult, seen: Seen) -> Iterator[TestFailure]:
    yield from _values("state", test.expect.state, seen.values)


def _output(test: FlowTest, result: TestResult, seen: Seen) -> Iterator[TestFailure]:
    yield from _values("output", test.expect.output, seen.output)


def _values(what: What, expected: dict[str, Json], values: dict[str, Json]) -> Iterator[TestFailure]:
    for path, wanted in expected.items():
        got = template.look_up(path, values)
        message = complaint(quoted(path), wanted, got)
        if message:
            yield TestFailure(what=what, at=path, message=message, compared=True, wanted=wanted, got=got)


def _path(test: FlowTest, result: TestResult, seen: Seen) -> Iterator[TestFailure]:
    if test.expect.says("path") and test.expect.path != result.path:
        message = f"The run took the path {_way(result.path)}, and {_way(test.expect.path)} is expected."
        yield TestFailure(what="path", message=message, compared=True, wanted=test.expect.path, got=result.path)


def _visits(test: FlowTest, result: TestResult, seen: Seen) -> Iterator[TestFailure]:
    for node, wanted in test.expect.visits.items():
        got = result.visits.get(node, 0)
        if got != wanted:
            message = f"{quoted(node)} finished {_times(got)}, and {_times(wanted)} is expected."
            yield TestFailure(what="visits", at=node, message=message, compared=True, wanted=wanted, got=got)


def _not_visited(test: FlowTest, result: TestResult, seen: Seen) -> Iterator[TestFailure]:
    ran = started(seen)
    for node in test.expect.not_visited:
        if node in ran:
            yield TestFailure(what="notVisited", at=node, message=f"{quoted(node)} ran, and must not.")


def _tools(test: FlowTest, result: TestResult, seen: Seen) -> Iterator[TestFailure]:
    if not test.expect.says("tools"):
        return
    calls = seen.reached.tools
    names = [each.name if isinstance(each, SentCall) else each for each in test.expect.tools]
    called = [call.name for call in calls]
    if names != called:
        message = f"The tools called are {_all(called)}, and {_all(names)} are expected, in this order."
        yield TestFailure(what="tools", message=message, compared=True, wanted=names, got=called)
        return
    for number, (wanted, call) in enumerate(zip(test.expect.tools, calls, strict=True), 1):
        for path, value in wanted.args.items() if isinstance(wanted, SentCall) else ():
            got = template.look_up(f"args.{path}", {"args": call.args})
            message = complaint(f"{quoted(path)} of call {number}, of {quoted(call.name)},", value, got)
            if message:
                yield TestFailure(
                    what="tools", at=f"{call.name}.{path}", message=message, compared=True, wanted=value, got=got
                )


def _asked(test: FlowTest, result: TestResult, seen: Seen) -> Iterator[TestFailure]:
    for node, wanted in test.expect.asked.items():
        put = [question.words for question in result.asked if question.node == node]
        if not put:
            yield TestFailure(
                what="asked", at=node, message=f"Nobody was asked anything at {quoted(node)}.", compared=True,
                wanted=wanted, got=None,
            )  # fmt: skip
            continue
        looked_for = wanted if is_matcher(wanted) else {"contains": wanted}
        found = [complaint(f"What was asked at {quoted(node)}", looked_for, words) for words in put]
        if all(found):
            yield TestFailure(what="asked", at=node, message=found[-1], compared=True, wanted=wanted, got=put[-1])


def _approvals(test: FlowTest, result: TestResult, seen: Seen) -> Iterator[TestFailure]:
    asked = {question.node for question in result.asked if question.kind == "approval"}
    for node in test.expect.approval_before:
        if node not in asked:
            message = f"Nobody was asked for a yes before {quoted(node)}."
            yield TestFailure(what="approvalBefore", at=node, message=message)


def _views(test: FlowTest, result: TestResult, seen: Seen) -> Iterator[TestFailure]:
    for name in test.expect.views:
        if name not in result.views:
            yield TestFailure(
                what="views", at=name, message=f"The view {quoted(name)} was not shown.", compared=True,
                wanted=test.expect.views, got=result.views,
            )  # fmt: skip


_JUDGES: tuple[Judge, ...] = (_path, _state, _output, _visits, _not_visited, _tools, _asked, _approvals, _views)


def _way(path: list[str]) -> str:
    return " → ".join(path) if path else "of no node"


def _all(names: list[str]) -> str:
    return listed(names, "and") if names else "none"


def _times(count: int) -> str:
    return "never" if count == 0 else "once" if count == 1 else f"{count} times"
