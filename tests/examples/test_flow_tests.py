"""The tests that ship beside the examples: they hold, and together they go through every step and call every tool."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from flows import files
from flows.models import Workspace
from runtime.processes import ROOT
from runtime.testing.gathering import gather
from runtime.testing.job import Wanted
from runtime.testing.process import Process
from runtime.testing.results import TestResult
from studio import examples
from studio.commandline.disk import Folder
from tests.examples.conftest import FOLDER, NAMES, document
from tests.support.people import person


@pytest.fixture(scope="module")
def results() -> Iterator[dict[str, list[TestResult]]]:
    found: dict[str, list[TestResult]] = {}
    with Process() as process:
        for name in NAMES:
            beside = sorted((FOLDER / name / "tests").glob("*.test.json"))
            wanted = [Wanted(path=file.relative_to(ROOT).as_posix()) for file in beside]
            found[name] = list(process.run(gather(Folder(ROOT), wanted)))
    yield found


@pytest.mark.parametrize("name", NAMES)
def test_they_hold(name: str, results: dict[str, list[TestResult]]) -> None:
    wrong = {one.test: [each.message for each in one.failures] for one in results[name] if one.state != "passed"}
    assert not wrong and results[name]


@pytest.mark.parametrize("name", NAMES)
def test_they_go_everywhere(name: str, results: dict[str, list[TestResult]]) -> None:
    flow = document(name)
    assert {node for one in results[name] for node in one.path} == {node.id for node in flow.nodes}
    assert {call.name for one in results[name] for call in one.tools} == {tool.name for tool in flow.tools}


@pytest.mark.parametrize("name", NAMES)
def test_a_flow_made_from_an_example_has_them(name: str, workspace: Workspace) -> None:
    flow = examples.start_from(name, person(workspace, "builder"))
    there = {file.relative_to(FOLDER / name).as_posix() for file in (FOLDER / name / "tests").iterdir()}
    rows = files.files_of(flow)
    assert {row.path for row in rows} == there
    assert not [problem for kept in files.checked(flow, rows) for problem in kept.problems]
