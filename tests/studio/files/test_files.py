"""Files beside a flow over HTTP: kept as typed, checked beside the draft, and never over somebody else's."""

from __future__ import annotations

import json
from collections.abc import Callable

import pytest

from flows import store
from flows.files import MAX_FILES
from flows.models import Flow, FlowFile, Workspace
from flows.scope import workspace as entered
from tests.studio.files.conftest import TEST, Beside

Page = Callable[..., Beside]


def test_a_test_is_kept_and_checked_beside_its_flow(page: Page, flow: Flow) -> None:
    ann = page()
    kept = ann.put("tests/first.test.json", TEST)
    assert (ann.status, kept["problems"], kept["kind"], kept["by"]) == (200, [], "test", "Ann")
    assert ann.list()["path"] == "answer-desk/flow.json"
    assert [each["path"] for each in ann.list()["files"]] == ["tests/first.test.json"]
    # The flow's draft changed: what the test says no longer fits it, and the list says so.
    store.save_draft(flow, flow.draft.replace('"reply"', '"answerer"'), flow.revision)
    again = ann.get("tests/first.test.json")
    assert {each["code"] for each in again["problems"]} == {"MOCK_NEEDED", "TEST_NODE_NOT_FOUND"}
    assert ann.list()["files"][0]["errors"] == 2


def test_a_broken_text_is_kept_as_it_was_typed(page: Page) -> None:
    ann = page()
    kept = ann.put("triggers.json", '{ "flow": ')
    assert ann.status == 200
    assert kept["text"] == '{ "flow": '
    assert [each["code"] for each in kept["problems"]] == ["JSON_INVALID"]


def test_nobody_saves_over_somebody_else(page: Page) -> None:
    ann, ben = page("Ann"), page("Ben")
    first = ann.put("triggers.json", {"flow": "flow.json", "triggers": []})
    theirs = ben.put("triggers.json", {"flow": "./flow.json", "triggers": []}, was=first["sha"])
    late = ann.put("triggers.json", "mine", was=first["sha"])
    assert ann.status == 409
    assert (late["code"], late["text"], late["sha"], late["by"]) == (
        "FILE_CHANGED", theirs["text"], theirs["sha"], "Ben",
    )  # fmt: skip
    assert ann.put("triggers.json", "mine")["code"] == "FILE_CHANGED"
    # A reply that got lost: the same save again is no conflict.
    assert ben.put("triggers.json", json.loads(theirs["text"]), was=first["sha"])["sha"] == theirs["sha"]
    assert ben.status == 200
    assert ann.remove("triggers.json", first["sha"])["code"] == "FILE_CHANGED"
    assert ann.status == 409
    ann.remove("triggers.json", theirs["sha"])
    assert ann.status == 200
    assert ann.remove("triggers.json", theirs["sha"]) == {}
    gone = ben.put("triggers.json", "mine", was=theirs["sha"])
    assert (ben.status, gone["code"], gone["text"]) == (409, "FILE_CHANGED", None)


@pytest.mark.parametrize(
    "path",
    [
        "flow.json", "layout.json", "manifest.json", "child/flow.json", "notes.txt", "handlers.py", ".hidden.json",
        "tests/../../x.test.json", "tests//x.test.json", "a/b/c/d/e/f/g/h/i.json", "tests/con?.test.json",
        f"tests/{'x' * 200}.test.json", "tests/\u202etxet.json", "tests/e\u0301.json", "tests /a.json",
    ],
)  # fmt: skip
def test_a_path_that_leads_nowhere_is_refused(page: Page, path: str) -> None:
    ann = page()
    refused = ann.put(path.replace("?", "%3F"), "[]")
    assert ann.status in (404, 422), refused
    assert not FlowFile.objects.exists()
    if ann.status == 422:
        assert refused["code"] == "FILE_PATH_INVALID"
        assert "Write a path such as tests/first.test.json." in refused["message"]


def test_two_names_that_a_disk_confuses_are_refused(page: Page) -> None:
    ann = page()
    ann.put("tests/a.test.json", TEST)
    assert ann.put("Tests/A.test.json", TEST)["code"] == "FILE_PATH_TAKEN"
    assert ann.status == 409


def test_there_is_an_end_to_it(page: Page, flow: Flow) -> None:
    FlowFile.objects.bulk_create(
        FlowFile(flow=flow, workspace=flow.workspace, path=f"evals/{number}.json", text="[]", sha="0", size=2)
        for number in range(MAX_FILES)
    )
    ann = page()
    assert ann.put("tests/a.test.json", TEST)["code"] == "FILES_FULL"
    assert ann.put("evals/1.json", "[1]", was="0")["size"] == 3
    assert ann.put("evals/1.json", "x" * 1_000_001, was="")["code"] == "INVALID"
    assert ann.put("evals/1.json", '"\x00"', was="")["code"] in ("JSON_NUL", "DRAFT_UNSTORABLE")


def test_cases_are_checked_for_the_evals_that_name_them(page: Page) -> None:
    ann = page()
    judged = {"kind": {"description": "Is it kind?"}}
    ann.put("evals/desk.eval.json", {"flow": "../flow.json", "criteria": judged, "dataset": "./cases.json"})
    assert ann.put("evals/cases.json", [{"name": "One", "input": {"question": "Hi?"}}])["kind"] == "dataset"
    assert [each["errors"] for each in ann.list()["files"]] == [0, 0]
    kept = ann.get("evals/cases.json")
    ann.put("evals/cases.json", [{"name": "One", "input": {"qestion": "Hi?"}}], was=kept["sha"])
    assert {each["path"]: each["errors"] for each in ann.list()["files"]}["evals/cases.json"] == 1
    assert ann.get("evals/cases.json")["problems"][0]["path"] == "[0].input.qestion"


def test_the_registry_is_checked_against_the_flows_of_the_workspace(page: Page) -> None:
    # LG-agents-03: an agent that does not say what it gives back is no agent.
    ann = page()
    kept = ann.put("agents.json", {"agents": {"sql": {"flow": "../sql/flow.json"}}})
    assert [each["path"] for each in kept["problems"]] == ["agents.sql.flow"]
    store.create("SQL")
    assert ann.get("agents.json")["problems"] == []


def test_another_workspace_has_no_part_in_it(page: Page, flow: Flow) -> None:
    ann = page()
    ann.put("tests/first.test.json", TEST)
    other = Workspace.objects.create(name="Elsewhere")
    with entered(other.pk):
        assert not FlowFile.objects.exists()
        mine = store.create("Answer desk")
        assert mine.path == flow.path


def test_whoever_may_only_look_changes_nothing(page: Page) -> None:
    page().put("tests/first.test.json", TEST)
    looker = page("Olga", "operator")
    assert looker.get("tests/first.test.json")["text"] == json.dumps(TEST)
    assert looker.put("tests/first.test.json", "x")["code"] == "FORBIDDEN"
    assert looker.remove("tests/first.test.json", "x")["code"] == "FORBIDDEN"


def test_a_copy_of_a_flow_has_its_files(page: Page, flow: Flow) -> None:
    page().put("tests/first.test.json", TEST)
    copy = store.duplicate(flow)
    assert [file.path for file in FlowFile.objects.filter(flow=copy)] == ["tests/first.test.json"]
