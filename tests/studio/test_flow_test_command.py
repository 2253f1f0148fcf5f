"""`manage.py flow test` and `flow run`: what they say, and how they end."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from runtime.testing.results import TestResult
from tests.runtime.testing.flows import CALLS, CODED, coded
from tests.studio.test_flow_command import Ran, put

GREETS = 'async def work(state, *, services, settings, env):\n    return {"a": "Hello, " + state["q"]}\n'


@pytest.fixture
def desk(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with a flow, its code and two tests, one of which does not hold."""
    monkeypatch.chdir(tmp_path)
    folder = tmp_path / "desk"
    put(folder / "flow.json", CODED)
    (folder / "handlers.py").write_text(GREETS)
    tests = [
        {"name": "Greets", "input": {"q": "Ada"}, "expect": {"output": {"a": "Hello, Ada"}}},
        {"name": "Shouts", "input": {"q": "Ada"}, "expect": {"output": {"a": "HELLO, ADA"}}},
    ]
    put(folder / "tests/greet.test.json", {"flow": "../flow.json", "tests": tests})
    return folder


# LG-tests-34
def test_one_that_does_not_hold_is_said_and_the_command_ends_with_1(desk: Path) -> None:
    ran = Ran("test", desk)
    assert ran.code == 1 and ran.err == ""
    lines = ran.out.splitlines()
    assert lines[0].startswith("✓ Greets  ") and lines[1].startswith("✗ Shouts  ")
    assert '    "a" is "Hello, Ada", and "HELLO, ADA" is expected.' in lines
    assert '      · work: Finished, and wrote "a".' in lines
    assert lines[-1] == "1 of 2 tests holds, 1 does not." or lines[-1] == "1 of 2 tests hold, 1 does not."


# LG-tests-34
def test_all_that_hold_end_with_0(desk: Path) -> None:
    ran = Ran("test", desk / "flow.json", "--name", "Greets")
    assert (ran.code, ran.err) == (0, "")
    assert ran.out.splitlines()[-1].startswith("The test holds, in ")


# LG-tests-34: programs get the results as they are.
def test_programs_read_the_results(desk: Path) -> None:
    ran = Ran("test", desk / "tests/greet.test.json", "--json")
    results = [TestResult.model_validate(one) for one in json.loads(ran.out)]
    assert (ran.code, [(one.test, one.state) for one in results]) == (1, [("Greets", "passed"), ("Shouts", "failed")])
    assert {one.file for one in results} == {"desk/tests/greet.test.json"}
    assert results[1].failures[0].wanted == "HELLO, ADA"


# LG-tests-34
@pytest.mark.parametrize("text", ["{", "\xff", '{"flow": "../flow.json"}', '{"flow": "../gone.json", "tests": []}'])
def test_a_file_that_cannot_be_read_ends_with_1_and_the_others_run(desk: Path, text: str) -> None:
    (desk / "tests/broken.test.json").write_bytes(text.encode("latin-1"))
    ran = Ran("test", desk / "tests", "--name", "Greets")
    assert ran.code == 1
    assert "✗ desk/tests/broken.test.json  refused" in ran.out and "✓ Greets" in ran.out


# LG-tests-03
def test_code_is_looked_for_beside_the_flow_and_else_must_be_named(desk: Path) -> None:
    (desk / "handlers.py").rename(desk.parent / "elsewhere.py")
    ran = Ran("test", desk)
    assert ran.code == 1
    assert "The flow needs code that is not beside it: work." in ran.out
    assert '"handlers": "../code/handlers.py"' in ran.out
    named = {
        "flow": "../flow.json",
        "handlers": "../../elsewhere.py",
        "tests": [{"name": "Finds", "input": {"q": "x"}}],
    }
    put(desk / "tests/greet.test.json", named)
    assert Ran("test", desk).code == 0
    put(desk / "tests/greet.test.json", {**named, "handlers": "../../gone.py"})
    assert 'There is no file "../../gone.py" with the flow\'s code.' in Ran("test", desk).out


def test_code_that_is_no_python_is_said(desk: Path) -> None:
    (desk / "handlers.py").write_text("async def work(")
    ran = Ran("test", desk)
    assert (ran.code, "handlers.py, line 1: this is not Python" in ran.out) == (1, True)


def test_a_flow_that_cannot_run_is_said(desk: Path) -> None:
    put(desk / "flow.json", {**CODED, "start": "nowhere"})
    ran = Ran("test", desk)
    assert ran.code == 1 and ran.out.count("The flow cannot run (flow.json, start): There is no node") == 2


def test_nothing_to_run_is_a_misuse(desk: Path) -> None:
    assert Ran("test", desk, "--name", "Sings").code == 2
    put(desk.parent / "bare/flow.json", CODED)
    ran = Ran("test", desk.parent / "bare")
    assert (ran.code, "no file beside it ends with .test.json" in ran.err) == (2, True)
    assert Ran("test", desk.parent / "gone").code == 2


def test_a_flow_is_run_once(desk: Path) -> None:
    ran = Ran("run", desk, "--input", "q=Ada")
    assert (ran.code, ran.err) == (0, "")
    assert ran.out.splitlines() == [
        'work: Finished, and wrote "a".', 'The run gave back "a".', "", "a", "Hello, Ada"
    ]  # fmt: skip
    assert json.loads(Ran("run", desk, "--input", "q=Ada", "--json").out)["output"] == {"a": "Hello, Ada"}


def test_a_run_says_what_it_lacks(desk: Path) -> None:
    put(desk / "flow.json", CALLS)
    put(desk / "mock.json", {"nodes": {"reply": "Here."}})
    ran = Ran("run", desk, "--input", "q=tea", "--mock", desk / "mock.json")
    assert ran.code == 1 and 'calls the tool "fetch", and nothing stands in for it' in ran.out
    put(desk / "mock.json", {"tools": {"fetch": {"said": "yes"}}, "nodes": {"reply": "Here."}})
    ran = Ran("run", desk, "--input", "q=tea", "--mock", desk / "mock.json")
    assert ran.code == 0 and ran.out.endswith("\na\nHere.\n")
    assert "no input" in Ran("run", desk, "--input", "tea").err
    assert Ran("run", desk, "--input", "tee=1").code == 1


def test_a_run_of_code_that_fails_ends_with_1(desk: Path) -> None:
    (desk / "handlers.py").write_text(coded('raise ValueError("No.")'))
    ran = Ran("run", desk)
    assert ran.code == 1 and "The run failed: " in ran.out
