"""Drafts in their place: a flow is checked with the flows that it runs, wherever they stand in the workspace."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from flows import files, store
from flows.models import Flow, Workspace
from flows.placed import checked_in_place, tree_of
from flows.scope import workspace as entered
from flows.store import VersionRefused
from flows.stored import WorkspaceFiles, file_of

Json = Any


def parent(address: str = "../find/flow.json", **changed: Json) -> Json:
    """A flow that runs another one."""
    node = {
        "id": "look",
        "type": "flow",
        "flow": address,
        "input": {"name": "{{question}}"},
        "output": {"answer": "answer"},
    }
    return {
        "version": "0.33", "name": "Desk", "description": "Answers.", "inputs": ["question"], "outputs": ["answer"],
        "start": "look", "nodes": [node | changed], "edges": [{"from": "look", "to": "END"}],
        "state": {
            "question": {"type": "string", "description": "What was asked."},
            "answer": {"type": "string", "description": "The answer."},
        },
    }  # fmt: skip


def child(input: str = "name") -> Json:
    """A flow with one input and one output."""
    return {
        "version": "0.33", "name": "Find", "description": "Finds a customer.", "inputs": [input], "outputs": ["answer"],
        "start": "reply", "nodes": [{"id": "reply", "type": "llm", "prompt": f"{{{{{input}}}}}", "output": "answer"}],
        "edges": [{"from": "reply", "to": "END"}],
        "state": {
            input: {"type": "string", "description": "Whom to find."},
            "answer": {"type": "string", "description": "Who it is."},
        },
    }  # fmt: skip


def codes(flow: Flow) -> list[str]:
    return [problem.code for problem in checked_in_place(flow).errors]


@pytest.fixture
def put(workspace: Workspace) -> Callable[[str, Json], Flow]:
    """`put(path, document)`: a flow at that place."""

    def make(path: str, document: Json) -> Flow:
        flow = store.import_flow(json.dumps(document))
        Flow.objects.filter(pk=flow.pk).update(path=path)
        flow.refresh_from_db()
        return flow

    return make


def test_a_flow_is_checked_with_the_one_that_it_runs(put: Callable[[str, Json], Flow]) -> None:
    # LG-subflows-04: the address is relative to the file that names it. LG-subflows-05: every input is given.
    desk, find = put("desk", parent()), put("find", child())
    assert codes(desk) == []
    assert list(tree_of(desk).flows) == ["desk/flow.json", "find/flow.json"]
    store.save_draft(find, json.dumps(child("customer")), find.revision)
    assert codes(desk) == ["FLOW_INPUT_MISSING", "FLOW_INPUT_UNKNOWN"]
    assert (find.errors, store.counted(desk.draft, checked_in_place(desk))["errors"]) == (0, 2)
    with pytest.raises(VersionRefused, match="customer"):
        store.make_version(desk)
    store.delete(find)
    assert codes(desk) == ["FLOW_NOT_FOUND"]


@pytest.mark.parametrize(
    ("path", "address"),
    [
        ("desk/find", "find/flow.json"), ("desk/find", "./find"), ("desk/find.json", "find.json"),
        ("shared/lookups/find", "../shared/lookups/find/flow.json"), ("find.json", "../find.json"),
    ],
)  # fmt: skip
def test_a_flow_may_stand_anywhere(put: Callable[[str, Json], Flow], path: str, address: str) -> None:
    desk = put("desk", parent(address))
    assert codes(desk) == ["FLOW_NOT_FOUND"]
    put(path, child())
    assert codes(desk) == []


def test_a_name_that_leads_nowhere_gets_the_nearest_one(put: Callable[[str, Json], Flow]) -> None:
    desk = put("desk", parent("../fnd/flow.json"))
    put("find", child())
    assert "find/flow.json" in checked_in_place(desk).errors[0].hint


def test_agents_are_those_of_the_registry_beside_the_flow(put: Callable[[str, Json], Flow]) -> None:
    # LG-agents-10: the registry beside the project says which flow a name means.
    document = parent()
    document["nodes"] = [
        {"id": "look", "type": "agent", "agents": ["finder"], "agent": "finder",
         "input": {"name": "{{question}}"}, "output": "found"}
    ]  # fmt: skip
    document["state"]["found"] = {"type": "object", "description": "What the agent gave back."}
    document["outputs"] = ["found"]
    desk = put("desk", document)
    put("find", child())
    assert codes(desk) != []
    files.keep(desk, "agents.json", json.dumps({"agents": {"finder": {"flow": "../find/flow.json"}}}), "")
    assert codes(desk) == []
    assert tree_of(desk).agents == {"finder": "find/flow.json"}


def test_another_workspace_is_another_tree(put: Callable[[str, Json], Flow]) -> None:
    desk = put("desk", parent())
    with entered(Workspace.objects.create(name="Elsewhere").pk):
        put("find", child())
        assert list(WorkspaceFiles()) == ["find/flow.json"]
    assert codes(desk) == ["FLOW_NOT_FOUND"]


def test_what_is_known_is_not_read_again_until_it_changes(put: Callable[[str, Json], Flow]) -> None:
    desk, find = put("desk", parent()), put("find", child())
    first = checked_in_place(desk)
    assert checked_in_place(desk) is first
    store.save_draft(find, find.draft + "\n", find.revision)
    assert checked_in_place(desk) is not first


def test_a_flow_that_runs_none_asks_the_database_nothing(put: Callable[[str, Json], Flow]) -> None:
    find = put("find", child())
    with CaptureQueriesContext(connection) as queries:
        checked_in_place(find)
    assert len(queries) == 0


def test_every_file_is_found_where_it_is_listed(put: Callable[[str, Json], Flow]) -> None:
    desk = put("desk", parent())
    for path in ("desk/find", "desk/lookup.json", "find.json"):
        put(path, child())
    inner = Flow.objects.get(path="desk/find")
    files.keep(desk, "tests/a.test.json", "1", "")
    files.keep(inner, "tests/a.test.json", "2", "")
    files.keep(Flow.objects.get(path="find.json"), "triggers.json", "3", "")
    listed = list(WorkspaceFiles())
    assert sorted(listed) == [
        "desk/find/flow.json", "desk/find/tests/a.test.json", "desk/flow.json", "desk/lookup.json",
        "desk/tests/a.test.json", "find.json", "triggers.json",
    ]  # fmt: skip
    read = WorkspaceFiles()
    assert all(path in read for path in listed)
    assert (read["desk/tests/a.test.json"], read["desk/find/tests/a.test.json"]) == ("1", "2")
    assert read["triggers.json"] == "3"
    assert "desk" not in read
    assert "desk/find" not in read
    assert file_of("desk") in read
