"""A step or a tool by itself: what it asks for, that its part of the flow is right, and that it runs as a run."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from flows import store
from flows.check import check
from flows.models import Flow, FlowVersion
from flows.runnable import cannot_run
from flows.single import NotSingle, of_step, of_tool
from runtime.models import Conversation, Run
from runtime.processes import ROOT
from runtime.units import shelf
from tests.studio.running.conftest import Clients

EXAMPLES = sorted(path.parent.name for path in (ROOT / "flows/examples").glob("*/flow.json"))


def example(name: str) -> Path:
    return ROOT / "flows/examples" / name


@pytest.mark.parametrize("name", EXAMPLES)
def test_each_step_and_tool_of_the_examples_is_a_flow_by_itself(name: str) -> None:
    document = check((example(name) / "flow.json").read_text()).flow
    assert document is not None
    parts = [of_step(document, node.id) for node in document.nodes] + [
        of_tool(document, tool.name) for tool in document.tools
    ]
    assert parts
    for part in parts:
        checked = check(json.dumps(part.document))
        assert checked.errors == [], part.document["start"]
        assert cannot_run(checked) == []
        assert set(part.asks) == set(part.document["inputs"])


def test_code_is_asked_only_what_it_names() -> None:
    document = check((example("order-desk") / "flow.json").read_text()).flow
    assert document is not None
    part = of_step(document, "price_order", 'state["quantity"] * state["unit_price"]')
    assert set(part.asks) == {"quantity", "unit_price"}


def test_what_is_gone_or_only_sends_is_refused() -> None:
    fan = {
        "version": "0.33", "name": "F", "description": "d", "inputs": ["items"], "outputs": ["seen"], "start": "each",
        "state": {"items": {"type": "list"}, "seen": {"type": "list", "reducer": "append"}},
        "nodes": [
            {"id": "each", "type": "fanout", "over": "items", "as": "item", "to": "see"},
            {"id": "see", "type": "llm", "prompt": "{{item}}", "output": "seen"},
        ],
        "edges": [{"from": "see", "to": "END"}],
    }  # fmt: skip
    document = check(json.dumps(fan)).flow
    assert document is not None
    for make, name, code in (
        (of_step, "gone", "STEP_GONE"),
        (of_tool, "gone", "TOOL_GONE"),
        (of_step, "each", "STEP_SENDS"),
    ):
        with pytest.raises(NotSingle) as refused:
            make(document, name)
        assert refused.value.code == code


@pytest.fixture
def desk(workspace: object, user: Any) -> Flow:
    flow = store.import_flow((example("order-desk") / "flow.json").read_text(), user("builder"))
    shelf.fill(flow, (example("order-desk") / "handlers.py").read_text())
    return flow


def post(client: Any, flow: Flow, body: Any) -> tuple[int, Any]:
    reply = client.post(f"/api/flows/{flow.pk}/single", json.dumps(body), content_type="application/json")
    return reply.status_code, reply.json()


def test_a_step_runs_by_itself_as_a_run_of_its_part(desk: Flow, user: Any, member_client: Clients) -> None:
    client = member_client("builder")
    form = client.get(f"/api/flows/{desk.pk}/single?step=find_customer").json()
    assert [ask["name"] for ask in form["asks"]] == ["wanted"]
    status, begun = post(client, desk, {"step": "find_customer", "values": {"wanted": "Meridian"}})
    assert status == 202
    run = Run.objects.select_related("version", "deployment", "conversation").get(pk=begun["run"])
    assert (run.inputs, run.deployment.workbench, run.version.number) == ({"wanted": "Meridian"}, True, None)
    assert [node["id"] for node in run.version.document["nodes"]] == ["find_customer"]
    assert set(run.version.units) == {"tool:findCustomers"}
    assert run.conversation.title == "Only Find customer"
    # The draft's own version stays what the workbench runs, and the same part twice is one version.
    post(client, desk, {"step": "find_customer", "values": {}})
    assert FlowVersion.objects.filter(flow=desk).count() == 1
    assert run.deployment.version_id is None


def test_a_tool_runs_by_itself(desk: Flow, member_client: Clients) -> None:
    client = member_client("builder")
    names = [ask["name"] for ask in client.get(f"/api/flows/{desk.pk}/single?tool=findCustomers").json()["asks"]]
    status, begun = post(client, desk, {"tool": "findCustomers", "values": dict.fromkeys(names, "Meridian")})
    assert status == 202, begun
    assert Run.objects.get(pk=begun["run"]).version.document["nodes"][0]["tool"] == "findCustomers"


def test_what_is_wrong_is_said_beside_the_value_and_nothing_runs(desk: Flow, member_client: Clients) -> None:
    client = member_client("builder")
    status, said = post(client, desk, {"step": "find_customer", "values": {"wanted": 7, "colour": "red"}})
    assert (status, set(said["fields"])) == (422, {"wanted", "colour"})
    assert post(client, desk, {"step": "gone"})[0] == 404
    assert post(client, desk, {"step": "find_customer", "more": 1})[0] == 422
    assert member_client("operator").post(f"/api/flows/{desk.pk}/single").status_code == 403
    assert not Conversation.objects.exists()


def test_a_step_without_its_code_says_what_is_missing(desk: Flow, member_client: Clients) -> None:
    from flows.models import Unit

    Unit.objects.filter(flow=desk, name="findCustomers").delete()
    status, said = post(member_client("builder"), desk, {"step": "find_customer", "values": {}})
    assert (status, said["code"]) == (409, "DRAFT_NOT_READY")
    assert "findCustomers" in said["message"]
