"""What the Tests panel is told: which tests there are, how they went, and why they could not be run."""

from __future__ import annotations

import json
import uuid
from collections.abc import Callable

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext

from flows import store
from flows.models import Unit
from runtime.engine.worker import Worker
from studio.models import LatestTests
from tests.studio.testing.conftest import CODE, FLOW, TESTS, Desk


def test_files_are_listed_with_their_tests_and_problems(bare: Desk) -> None:
    wrong = {"flow": "../flow.json", "tests": [{"name": "Off", "expect": {"path": ["gone"]}}]}
    bare.put("tests/greeting.test.json", TESTS)
    bare.put("tests/wrong.test.json", wrong)
    bare.put("triggers.json", {"flow": "flow.json", "triggers": []})
    files = bare.client.get(bare.path).json()["files"]
    assert [file["path"] for file in files] == ["tests/greeting.test.json", "tests/wrong.test.json"]
    names = files[0]["tests"]
    assert [test["name"] for test in names] == ["Greets Ada", "Shouts at Bob"]
    lines = files[0]["text"].splitlines()
    assert all(json.dumps(test["name"]) in lines[test["line"] - 1] for test in names)
    assert files[0]["problems"] == []
    assert files[1]["problems"][0]["code"] == "TEST_NODE_NOT_FOUND"


# LG-tests-33
def test_tests_run_in_the_worker_on_the_draft(desk: Desk) -> None:
    seen = desk.run()
    assert (seen["state"], seen["message"]) == ("done", "")
    assert (seen["total"], seen["passed"], seen["failed"], seen["revision"]) == (2, 1, 1, desk.flow.revision)
    first, second = seen["results"]
    assert (first["file"], first["test"], first["state"]) == ("tests/greeting.test.json", "Greets Ada", "passed")
    assert first["path"] == ["tidy", "greet"]
    assert first["prompts"][0]["text"] == "Greet Ada."
    assert second["failures"][0]["at"] == "greeting"
    assert second["failures"][0]["got"] == "Hello, Bob."
    assert desk.client.get(desk.path).json()["latest"] == seen["id"]


def test_one_test_of_one_file_can_be_run(desk: Desk) -> None:
    desk.put("tests/other.test.json", {"flow": "../flow.json", "tests": [{"name": "Other", "expect": {"fails": "x"}}]})
    seen = desk.run(paths=["tests/greeting.test.json"], names=["Greets Ada"])
    assert [result["test"] for result in seen["results"]] == ["Greets Ada"]
    assert seen["total"] == 1


def test_missing_code_is_said(desk: Desk) -> None:
    desk.flow.units.all().delete()
    seen = desk.run(names=["Greets Ada"])
    assert seen["failed"] == 1
    assert 'The code of handler "tidy" is missing' in seen["results"][0]["failures"][0]["message"]


def test_a_file_that_is_wrong_is_refused_and_the_others_run(desk: Desk) -> None:
    desk.put("tests/a.test.json", {"flow": "../flow.json", "tests": [{"name": "Off", "expect": {"path": ["gone"]}}]})
    seen = desk.run()
    assert [result["state"] for result in seen["results"]] == ["refused", "passed", "failed"]
    assert "gone" in seen["results"][0]["failures"][0]["message"]


def test_nothing_to_run_is_said(bare: Desk) -> None:
    reply = bare.post()
    assert (reply.status_code, reply.json()["code"]) == (409, "NO_TESTS")
    bare.put("tests/greeting.test.json", TESTS)
    assert bare.post(names=["No such test"]).status_code == 409
    assert bare.post(paths=["tests/none.test.json"]).status_code == 404
    assert bare.client.get(f"{bare.path}/runs/{uuid.uuid4()}").status_code == 404


def test_only_the_latest_run_is_kept_and_the_older_one_stops(desk: Desk, engine: Worker) -> None:
    first = desk.begin()
    seen = desk.run(names=["Greets Ada"])
    assert seen["passed"] == 1
    assert desk.client.get(f"{desk.path}/runs/{first}").status_code == 404
    assert LatestTests.objects.count() == 1


def test_moving_a_card_makes_no_result_old(bare: Desk) -> None:
    def edit(revision: int, **operation: object) -> None:
        body = {"id": str(uuid.uuid4()), "revision": revision, "label": "Edit", "operations": [operation]}
        path = f"/api/flows/{bare.flow.pk}/edits"
        assert bare.client.post(path, json.dumps(body), content_type="application/json").status_code == 200

    tested = bare.flow.revision
    row = LatestTests.objects.create(flow=bare.flow, paths=[], revision=tested, state="done")
    for x in (10, 20):
        edit(tested + x // 10 - 1, op="move", positions={"tidy": {"x": x, "y": 0}})
    assert bare.seen(str(row.id))["revision"] == tested + 2
    # Whatever a comment says, it is none of the document.
    comment = {"id": "c1", "x": 0, "y": 0, "width": 100, "height": 50, "text": 'It says {"doc": "flow"} here.'}
    edit(tested + 2, op="addComment", comment=comment)
    with CaptureQueriesContext(connection) as asked:
        assert bare.seen(str(row.id))["revision"] == tested + 3
    edits = [query["sql"] for query in asked.captured_queries if "flows_flowedit" in query["sql"]]
    assert edits and not [sql for sql in edits if "changes" in sql.partition(" FROM ")[0]], "What changed is not read."
    edit(tested + 3, op="setField", on={"flow": True}, path=["description"], value="Another one.")
    edit(tested + 4, op="move", positions={"tidy": {"x": 0, "y": 0}})
    assert bare.seen(str(row.id))["revision"] == tested + 3


@pytest.mark.parametrize("role", ["operator", "reviewer", "member"])
def test_whoever_may_not_edit_runs_no_tests(bare: Desk, role: str, member_client: Callable[..., Client]) -> None:
    bare.put("tests/greeting.test.json", TESTS)
    bare.client = member_client(role)
    assert bare.post().status_code == 403
    assert bare.client.get(bare.path).status_code == (200 if role == "operator" else 403)


def test_what_a_lost_worker_had_is_run_again(desk: Desk, engine: Worker) -> None:
    row = LatestTests.objects.create(
        flow=desk.flow, paths=["tests/greeting.test.json"], revision=1, total=2, owner="gone", attempts=1,
        lease_until="2020-01-01T00:00Z", created_at="2020-01-01T00:00Z",
    )  # fmt: skip
    LatestTests.objects.update(created_at="2020-01-01T00:00Z")
    engine.nudge()
    while (seen := desk.seen(str(row.id)))["state"] == "working":
        engine.nudge()
    assert seen["passed"] == 1


def test_what_ends_every_worker_is_given_up(desk: Desk, engine: Worker) -> None:
    row = LatestTests.objects.create(
        flow=desk.flow, paths=["tests/greeting.test.json"], revision=1, owner="gone", attempts=3,
        lease_until="2020-01-01T00:00Z",
    )  # fmt: skip
    engine.nudge()
    while (seen := desk.seen(str(row.id)))["state"] == "working":
        engine.nudge()
    assert (seen["state"], bool(seen["message"])) == ("failed", True)


# LG-tests-27
def test_a_flow_of_the_workspace_that_it_runs_is_run_with_its_own_code(desk: Desk) -> None:
    inner = {**FLOW, "name": "Inner", "nodes": [FLOW["nodes"][0]], "edges": [{"from": "tidy", "to": "END"}],
             "outputs": ["name"]}  # fmt: skip
    stored = store.import_flow(json.dumps(inner))
    Unit.objects.create(
        flow=stored, kind="handler", name="tidy", key="", origin="edited", code=CODE.replace(".strip()", ".upper()")
    )
    outer = {
        **FLOW,
        "nodes": [
            {"id": "inner", "type": "flow", "flow": f"../{stored.path}/flow.json", "input": {"name": "{{name}}"},
             "output": {"name": "name"}},
            *FLOW["nodes"],
        ],
        "start": "inner", "edges": [{"from": "inner", "to": "tidy"}, *FLOW["edges"]],
    }  # fmt: skip
    desk.flow = store.save_draft(desk.flow, json.dumps(outer), desk.flow.revision)
    said = TESTS["tests"][0]
    expect = {"state": {"name": "ADA"}, "path": ["inner/tidy", "inner", "tidy", "greet"]}
    desk.put("tests/greeting.test.json", {"flow": "../flow.json", "tests": [{**said, "expect": expect}]})
    seen = desk.run()
    assert [result["failures"] for result in seen["results"]] == [[]]
    # The form for a test asks what stands in for the steps inside, by the addresses that the run has.
    (told,) = desk.client.get(f"{desk.path}/inside").json()["flows"]
    assert (told["at"], [node["id"] for node in told["flow"]["nodes"]]) == ("inner", ["tidy"])


def test_what_runs_inside_is_told_to_its_depth_agents_too_and_what_is_broken_is_left_out(bare: Desk) -> None:
    def flow(name: str, *nodes: dict[str, object]) -> None:
        store.import_flow(json.dumps({**FLOW, "name": name, "nodes": list(nodes), "edges": []}))

    flow("Leaf", {"id": "say", "type": "llm", "prompt": "x", "output": "greeting"})
    flow("Round", {"id": "again", "type": "flow", "flow": "../round/flow.json"})
    nodes: list[object] = [
        {"id": "ask_one", "type": "agent", "agents": ["leaf", "gone", 5]},
        {"id": "loop", "type": "flow", "flow": "../round/flow.json"},
        {"id": "none", "type": "flow", "flow": "../none/flow.json"}, {"id": 5, "type": "flow", "flow": []}, "x",
    ]  # fmt: skip
    bare.flow = store.save_draft(bare.flow, json.dumps({**FLOW, "nodes": nodes, "edges": []}), bare.flow.revision)
    bare.put("agents.json", {"agents": {"leaf": {"flow": "../leaf/flow.json"}, "gone": {"flow": "../no/flow.json"}}})
    found = [one["at"] for one in bare.client.get(f"{bare.path}/inside").json()["flows"]]
    assert found == ["ask_one/leaf", *("/".join(["loop", *["again"] * depth]) for depth in range(5))]
