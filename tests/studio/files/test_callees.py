"""What a panel offers to run: the other flows of the workspace, and the agents that the registry names."""

from __future__ import annotations

import json
from collections.abc import Callable

from django.test import Client

from flows import store
from flows.models import Flow, Workspace
from flows.scope import workspace as entered
from tests.studio.files.conftest import Beside

Page = Callable[..., Beside]


# LG-subflows-01, LG-agents-02
def test_flows_are_offered_by_where_they_stand_and_agents_by_name(page: Page, flow: Flow) -> None:
    other = store.create("Look-up")
    ann = page()
    said = {"agents": {"finder": {"flow": "../look-up/flow.json"}, "nobody": {"flow": "../gone/flow.json"}, "bad": 1}}
    ann.put("agents.json", said)
    found = ann.client.get(f"/api/flows/{flow.pk}/callees").json()
    (callee,) = found["flows"]
    assert (callee["address"], callee["name"]) == ("../look-up/flow.json", "Look-up")
    assert [each["name"] for each in callee["inputs"]] == ["question"]
    assert callee["outputs"] == [{"name": "answer", "type": "string", "description": "The reply, as Markdown text."}]
    assert [(each["name"], len(each["inputs"])) for each in found["agents"]] == [
        ("finder", 1),
        ("nobody", 0),
        ("bad", 0),
    ]
    # What the panel writes is what the check finds.
    node = {"id": "look", "type": "flow", "flow": callee["address"], "input": {}, "output": {"answer": "answer"}}
    draft = json.loads(flow.draft)
    draft["nodes"].append(node)
    draft["edges"] = [{"from": "reply", "to": "look"}, {"from": "look", "to": "END"}]
    store.save_draft(flow, json.dumps(draft), flow.revision)
    editor = ann.client.get(f"/api/flows/{flow.pk}/editor").json()
    assert [each for each in editor["problems"] if each["path"].endswith(".flow")] == []
    assert other.pk != flow.pk


def test_a_broken_flow_is_offered_and_one_of_another_workspace_is_not(page: Page, flow: Flow) -> None:
    store.import_flow('{ "name": "Half a flow", "inputs": [1, "x"], "state": [] ', name="Half a flow")
    with entered(Workspace.objects.create(name="Elsewhere").id):
        store.create("Theirs")
    found = page().client.get(f"/api/flows/{flow.pk}/callees").json()
    assert [(each["name"], each["inputs"]) for each in found["flows"]] == [("Half a flow", [])]
    assert found["agents"] == []


def test_who_may_see_no_flows_is_told_nothing(flow: Flow, member_client: Callable[..., Client]) -> None:
    assert member_client("member").get(f"/api/flows/{flow.pk}/callees").status_code == 403
