"""A job from beginning to end: each file is checked before it runs, then its tests run one after another."""

from __future__ import annotations

import hashlib
from collections.abc import AsyncIterator, Iterator, Mapping
from dataclasses import dataclass

from flows.beside.around import Around
from flows.beside.tests import check_test
from flows.calls import Tree
from flows.check import Checked
from flows.models import FlowVersion
from flows.problem import Problem, quoted
from flows.runnable import cannot_run
from flows.tree import check_tree
from flows.units import units_of
from flows.words.address import resolve
from flows.words.base import Json
from flows.words.document import Document
from flows.words.testfile import FlowTests
from flows.words.when import compile_router
from runtime.engine.program import Broken
from runtime.testing.bench import Bench, Stage
from runtime.testing.files import HANDLERS, beside, flow_of, names_in
from runtime.testing.job import Job, Wanted
from runtime.testing.judging import failures_of
from runtime.testing.results import TestFailure, TestResult
from runtime.testing.telling import result_of
from runtime.units.handlerfile import FileRefused, parse_handlers

STOOD_IN_FOR = "# In a test, an answer stands in for this tool.\n"
MOST_SAID = 20
NOBODY = (
    'The flow answers only people whom it knows ("users": true in requires), and here is nobody to ask who they are: '
    "it is not run at all."
)
NAME_ONE = "On the command line, say who runs it: --as EMAIL, the address of a person of the workspace."


class Refused(Exception):
    """A file of tests cannot run. problems: why, all of them."""

    def __init__(self, problems: list[Problem]) -> None:
        super().__init__(problems[0].message)
        self.problems = problems


@dataclass(frozen=True)
class Ready:
    """A file of tests that can run."""

    word: FlowTests
    document: Document
    units: dict[str, str]
    tree: dict[str, Json]
    """The flows that it runs, as a version keeps them; {} where it runs none."""


async def run_job(bench: Bench, job: Job) -> AsyncIterator[TestResult]:
    """Run what is wanted. Gives one result for each test; one without a name for a file that holds none to name."""
    stages: dict[str, Stage] = {}
    person = await bench.known(job.person) if job.person is not None else None
    for wanted in job.wanted:
        raw = job.files.get(wanted.path, "")
        try:
            if wanted.path not in job.files:
                raise Refused([_problem("FILE_UNREADABLE", "The file cannot be read: it is not there, or not UTF-8.")])
            ready = prepare(job, wanted.path, raw)
            stage = await _stage(bench, stages, ready)
        except Refused as refused:
            for result in _refused(wanted, raw, refused.problems):
                yield result
            continue
        for test in ready.word.tests:
            if wanted.names and test.name not in wanted.names:
                continue
            seen = await bench.run(stage, test, {**ready.word.settings, **test.settings}, person)
            result = result_of(wanted.path, test.name, ready.document, seen)
            failures = failures_of(test, result, seen)
            yield result.model_copy(update={"failures": failures, "state": "failed" if failures else "passed"})


def prepare(job: Job, path: str, raw: str) -> Ready:
    """Check a file of tests against its flow, and the flow itself. Raises Refused."""
    flow = flow_of(raw, path)
    around = Around.of(job.files, flow) if flow in job.files else Around(Tree("", job.files, ""), "")
    checked = check_test(raw, around, path)
    errors = [problem for problem in checked.problems if problem.level == "error"]
    if checked.word is None or errors:
        raise Refused(errors)
    found = check_tree(job.files, flow)
    for file, each in found.items():
        barred = each.errors or cannot_run(each)
        if barred:
            raise Refused([_of_flow(file, problem) for problem in barred])
    document = _document(found, flow)
    units = code_of(job, flow, document, path, checked.word.handlers)
    inside = _inside(job, flow, found, around.tree)
    if job.person is None and FlowVersion(document=document.as_json(), tree=inside).for_known_people:
        raise Refused([_problem("PERSON_REQUIRED", NOBODY, NAME_ONE)])
    return Ready(checked.word, document, units, inside)


def _inside(job: Job, flow: str, found: Mapping[str, Checked], tree: Tree) -> dict[str, Json]:
    """What the flow runs, however deep. Raises Refused."""
    reached: dict[str, None] = {}
    waiting = [flow]
    while waiting:
        inner = [call.to for call in tree.calls.get(waiting.pop(), ()) if call.to is not None]
        waiting += [file for file in inner if file not in reached and file != flow]
        reached |= dict.fromkeys(inner)
    documents = {file: _document(found, file) for file in reached if file != flow}
    if not documents:
        return {}
    flows = {
        file: {"document": document.as_json(), "units": code_of(job, file, document, file, None)}
        for file, document in documents.items()
    }
    agents = {name: file for name, file in tree.agents.items() if file in flows}
    return {"top": flow, "flows": flows, "agents": agents}


def code_of(job: Job, flow: str, document: Document, file: str, handlers: str | None) -> dict[str, str]:
    """The code of the flow: what the job says, else the file that the tests name, else the one beside the flow.

    Routers with regular sentences need none, and tools are stood in for. Raises Refused.
    """
    specs = units_of(document)
    functions: dict[str, str] = {}
    given = job.units.get(flow)
    if given is None:
        where = resolve(handlers, file) if handlers else beside(flow, HANDLERS)
        if where is not None and where in job.files:
            functions = _functions(where, job.files[where])
        elif handlers:
            raise Refused(
                [_problem("HANDLERS_NOT_FOUND", f"There is no file {quoted(handlers)} with the flow's code.")]
            )
        given = {spec.id: functions[spec.name] for spec in specs if spec.name in functions}
    units = dict(given)
    for spec in specs:
        if spec.kind == "tool":
            units[spec.id] = STOOD_IN_FOR
        elif spec.kind == "router" and spec.id not in units:
            regular = compile_router(spec.name, spec.routes, spec.when)
            if regular is not None:
                units[spec.id] = regular
    # Tools are stood in for, and they are what calls services; a handler that calls one without code says so itself.
    missing = [spec for spec in specs if spec.id not in units and spec.kind != "service"]
    if missing and not functions and flow not in job.units:
        names = ", ".join(spec.name for spec in missing[:MOST_SAID])
        raise Refused(
            [
                _problem(
                    "HANDLERS_NOT_FOUND",
                    f"The flow needs code that is not beside it: {names}.",
                    'Put it into handlers.py beside the flow, or say where it is: "handlers": "../code/handlers.py".',
                )
            ]
        )
    return units


def _functions(where: str, text: str) -> dict[str, str]:
    try:
        return parse_handlers(text)
    except FileRefused as refused:
        message = refused.message.replace(HANDLERS, where, 1)
        raise Refused([_problem("HANDLERS_REFUSED", message)]) from None


async def _stage(bench: Bench, stages: dict[str, Stage], ready: Ready) -> Stage:
    """The flow on the bench; files of tests of one flow share it."""
    parts = (ready.document.as_json(), sorted(ready.units.items()), ready.tree)
    key = hashlib.sha256(repr(parts).encode()).hexdigest()
    if key not in stages:
        try:
            stages[key] = await bench.set_up(ready.document, ready.units, ready.tree, key)
        except Broken as broken:
            raise Refused([_problem("VERSION_BROKEN", str(broken))]) from None
    return stages[key]


def _document(tree: Mapping[str, Checked], flow: str) -> Document:
    found = tree[flow].flow
    if found is None:
        raise AssertionError("A flow without errors is no flow.")
    return found


def _refused(wanted: Wanted, raw: str, problems: list[Problem]) -> Iterator[TestResult]:
    """Every test of a file that was refused; each with what is wrong in it, and all with what is wrong around them."""
    names = names_in(raw)
    chosen = {index: name for index, name in enumerate(names) if not wanted.names or name in wanted.names}
    if not chosen:
        yield _one(wanted.path, "", problems)
        return
    own: dict[int, list[Problem]] = {index: [] for index in range(len(names))}
    around: list[Problem] = []
    for problem in problems:
        index = next((each for each in own if problem.path.startswith(f"tests[{each}]")), None)
        (around if index is None else own[index]).append(problem)
    for index, name in chosen.items():
        yield _one(wanted.path, name, [*own[index], *around] or problems)


def _one(file: str, name: str, problems: list[Problem]) -> TestResult:
    failures = [
        TestFailure(what="file", at=problem.path, message=problem.message, hint=problem.hint)
        for problem in problems[:MOST_SAID]
    ]
    return TestResult(file=file, test=name, state="refused", failures=failures)


def _of_flow(file: str, problem: Problem) -> Problem:
    where = f"{file}, {problem.path}" if problem.path else file
    return Problem(problem.code, "error", "", f"The flow cannot run ({where}): {problem.message}", problem.hint)


def _problem(code: str, message: str, hint: str = "") -> Problem:
    return Problem(code, "error", "", message, hint)
