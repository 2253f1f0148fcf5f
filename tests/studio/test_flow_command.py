"""`manage.py flow …`: what it says, what it writes and how it ends, without a server or a database."""

from __future__ import annotations

import io
import json
from pathlib import Path
from typing import Any

import pytest
from django.core.management import call_command

from flows.check import check
from flows.tidy import tidy, written
from flows.words.document import Document
from runtime.processes import ROOT
from studio.commandline.screen import Screen
from tests.flows.flow_of import every_kind, question

Json = Any


class Ran:
    """code: how the command ended. out, err: what it said."""

    def __init__(self, *argv: str | Path) -> None:
        out, err = io.StringIO(), io.StringIO()
        self.code = 0
        try:
            call_command("flow", *map(str, argv), stdout=out, stderr=err)
        except SystemExit as ended:
            self.code = int(ended.code or 0)
        self.out, self.err = out.getvalue(), err.getvalue()


@pytest.fixture
def desk(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with a flow and a test, where the person stands."""
    monkeypatch.chdir(tmp_path)
    folder = tmp_path / "desk"
    (folder / "tests").mkdir(parents=True)
    put(folder / "flow.json", question())
    test = {"name": "Answers", "input": {"question": "Where?"}, "mock": {"nodes": {"reply": "There."}}}
    put(folder / "tests/answers.test.json", {"flow": "../flow.json", "tests": [test]})
    return folder


def put(file: Path, value: Json) -> None:
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(json.dumps(value), encoding="utf-8")


def test_a_folder_that_is_right(desk: Path) -> None:
    ran = Ran("check", desk)
    assert (ran.code, ran.out, ran.err) == (0, "✓ 2 files checked, nothing wrong.\n", "")


def test_a_flow_with_mistakes(desk: Path) -> None:
    flow = question()
    flow["nodes"][0]["prompt"] = "{{history}} {{questoin}}"
    flow["state"]["question"].pop("description")
    put(desk / "flow.json", flow)
    ran = Ran("check", desk / "flow.json")
    assert ran.code == 1
    assert ran.out == (
        "desk/flow.json\n"
        "  warning CHANNEL_UNDESCRIBED  desk/flow.json:state.question\n"
        '    Channel "question" is not described.\n'
        "    → Say what it holds, in the shape code will see it.\n"
        "  error CHANNEL_NOT_DECLARED  desk/flow.json:nodes[0].prompt\n"
        '    The channel "questoin", read as "{{questoin}}", is not declared.\n'
        '    → Did you mean "question"?\n'
        "\n"
        "1 file checked: 1 error and 1 warning.\n"
    )


def test_problems_for_programs(desk: Path) -> None:
    put(desk / "flow.json", {**question(), "start": "replly"})
    put(desk / "tests/answers.test.json", {"flow": "../flow.json", "tests": [{"nam": "x"}]})
    ran = Ran("check", desk, "--json")
    found = json.loads(ran.out)
    assert ran.code == 1
    assert all(list(each) == ["file", "code", "level", "path", "message", "hint"] for each in found)
    assert {"file": "desk/flow.json", "code": "NODE_NOT_FOUND", "path": "start"}.items() <= found[0].items()
    assert {each["code"] for each in found if each["file"] == "desk/tests/answers.test.json"} == {
        "UNKNOWN_KEY", "MISSING_KEY",
    }  # fmt: skip
    put(desk / "flow.json", question())
    assert json.loads(Ran("check", desk / "flow.json", "--json").out) == []


def test_warnings_are_no_errors(desk: Path) -> None:
    flow = question()
    flow["state"]["question"].pop("description")
    put(desk / "flow.json", flow)
    ran = Ran("check", desk)
    assert ran.code == 0 and "2 files checked: 1 warning." in ran.out


def test_a_tree_and_several_paths(desk: Path) -> None:
    node = {"id": "find", "type": "flow", "flow": "./flows/find.json", "input": {"question": "{{question}}"}}
    parent = {**question(), "nodes": [{**node, "output": {"answer": "answer"}}], "start": "find"}
    put(desk / "flow.json", {**parent, "edges": [{"from": "find", "to": "END"}], "conversation": False})
    child = {**question(), "conversation": False, "name": "Finder"}
    child["nodes"][0]["prompt"] = "{{question}}"
    put(desk / "flows/find.json", child)
    test = {"name": "Finds", "input": {"question": "?"}, "mock": {"nodes": {"find/reply": "x"}}}
    put(desk / "tests/answers.test.json", {"flow": "../flow.json", "tests": [test]})
    other = desk.parent / "other/flow.json"
    put(other, question())
    ran = Ran("check", desk, other)
    assert (ran.code, ran.out) == (0, "✓ 4 files checked, nothing wrong.\n")
    ran = Ran("tree", desk)
    assert ran.out == "desk/flow.json\n└─ find runs desk/flows/find.json “Finder”\n" and ran.code == 0
    (desk / "flows/find.json").unlink()
    ran = Ran("tree", desk)
    assert ran.code == 1 and 'find runs "./flows/find.json", which is not there' in ran.out
    assert "FLOW_NOT_FOUND" in Ran("check", desk).out


def test_a_test_is_checked_by_itself(desk: Path) -> None:
    file = desk / "tests/answers.test.json"
    assert Ran("check", file).code == 0
    put(file, {"flow": "../flow.json", "tests": [{"name": "x", "mock": {"nodes": {"replly": "x"}}}]})
    assert 'Did you mean "reply"?' in Ran("check", file).out
    put(file, {"flow": "../flw.json", "tests": []})
    ran = Ran("check", file)
    assert ran.code == 1 and "FLOW_NOT_FOUND" in ran.out


def test_a_dataset_is_checked_as_its_own_file(desk: Path) -> None:
    put(desk / "evals/a.eval.json", {
        "flow": "../flow.json", "criteria": {"short": {"description": "It is short."}}, "dataset": "./cases.json",
    })  # fmt: skip
    put(desk / "evals/cases.json", [{"name": "A", "input": {"qestion": "x"}}])
    found = json.loads(Ran("check", desk, "--json").out)
    assert [(each["file"], each["path"]) for each in found] == [("desk/evals/cases.json", "[0].input.qestion")]


@pytest.mark.parametrize("argv", [("check", "nowhere"), ("check", "."), ("fmt", "."), ("tree", "nowhere")])
def test_a_path_that_leads_to_nothing(argv: tuple[str, ...], tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    ran = Ran(*argv)
    assert ran.code == 2 and ran.out == "" and "There is no " in ran.err


@pytest.mark.parametrize("raw", [b"", b"\xff\xfe", b"[" * 5000, b"{" + b" " * 1_100_000 + b"}", b"[]"])
def test_what_is_no_flow(raw: bytes, desk: Path) -> None:
    (desk / "flow.json").write_bytes(raw)
    ran = Ran("check", desk)
    assert ran.code == 1 and "desk/flow.json" in ran.out


def test_a_new_flow_is_right_and_can_be_run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    # LG-overview-04, LG-conversation-06, LG-versions-01
    monkeypatch.chdir(tmp_path)
    ran = Ran("new", "Order desk")
    assert ran.code == 0 and (tmp_path / "order-desk/flow.json").is_file()
    assert check((tmp_path / "order-desk/flow.json").read_bytes()).problems == []
    assert Ran("check", "order-desk").code == 0 and Ran("fmt", "--check", "order-desk").code == 0
    again = Ran("new", "Order desk")
    assert again.code == 2 and "Name another folder with --dir." in again.err
    assert Ran("new", "Order desk", "--dir", "elsewhere/desk").code == 0
    assert (tmp_path / "elsewhere/desk/flow.json").is_file()
    assert Ran("new", "  ").code == 2


def test_keys_in_order(desk: Path) -> None:
    flow = every_kind()
    shuffled = {key: flow[key] for key in reversed(flow)}
    shuffled["nodes"] = [{key: node[key] for key in reversed(node)} for node in flow["nodes"]]
    put(desk / "flow.json", shuffled)
    ran = Ran("fmt", "--check", desk)
    assert ran.code == 1 and "would change desk/flow.json" in ran.out
    assert json.loads((desk / "flow.json").read_text()) == shuffled
    ran = Ran("fmt", desk)
    assert ran.code == 0 and "changed desk/flow.json" in ran.out
    text = (desk / "flow.json").read_text(encoding="utf-8")
    assert json.loads(text) == flow and list(json.loads(text))[:3] == ["version", "id", "name"]
    assert all(next(iter(node)) == "id" for node in json.loads(text)["nodes"])
    assert Ran("fmt", "--check", desk).code == 0 and Ran("check", desk / "flow.json").code == 0


def test_the_order_of_names_is_their_authors() -> None:
    flow = question()
    flow["state"] = {"z": {"type": "string"}, "a": {"description": "x", "type": "string"}}
    flow["more"] = {"b": 1, "a": 2}
    again = tidy(flow, Document)
    assert list(again["state"]) == ["z", "a"] and list(again["state"]["a"]) == ["type", "description"]
    assert list(again)[-1] == "more" and list(again["more"]) == ["b", "a"] and again == flow
    assert tidy(again, Document) == again and written(tidy(again, Document)) == written(again)
    assert tidy([1], Document) == [1]


def test_a_file_that_cannot_be_read_is_left_alone(desk: Path) -> None:
    (desk / "flow.json").write_text("{", encoding="utf-8")
    ran = Ran("fmt", desk)
    assert ran.code == 2 and "desk/flow.json: This is no JSON." in ran.err
    assert (desk / "flow.json").read_text(encoding="utf-8") == "{"


@pytest.mark.parametrize("name", ["flow", "triggers", "test", "eval"])
def test_the_schema_that_is_printed_is_the_published_one(name: str) -> None:
    assert Ran("schema", name).out == (ROOT / f"docs/schema/{name}.schema.json").read_text(encoding="utf-8")


def test_colours_are_for_terminals() -> None:
    sink = io.StringIO()
    plain, colored = Screen(sink, sink), Screen(sink, sink, True)  # pyright: ignore[reportArgumentType]
    assert plain.paint("x", "red") == "x" and colored.paint("x", "red") == "\x1b[31mx\x1b[0m"
    assert plain.wrap("word " * 60, "  ", "  ") == ["  " + "word " * 60]
    assert len(colored.wrap("word " * 60, "  ", "    ")) > 1
