"""A version keeps everything that its flow runs: what a child's draft becomes later changes no run of it."""

from __future__ import annotations

import json
from typing import Any

import pytest

from flows import store
from flows.models import Flow, FlowFile, FlowVersion, Unit
from flows.pinned import whole_version
from tests.flows.later_kinds import child, desk, orchestrator, parent

pytestmark = pytest.mark.django_db


def row(path: str, document: dict[str, Any]) -> Flow:
    return Flow.objects.create(path=path, name=path, draft=json.dumps(document))


def coded(flow: Flow) -> None:
    """Code for everything that the draft needs."""
    from flows.check import check
    from flows.units import units_of

    found = check(flow.draft).flow
    assert found is not None
    for spec in units_of(found):
        Unit.objects.create(
            flow=flow, kind=spec.kind, name=spec.name, key=spec.key, code=f"# {flow.path}", origin="edited"
        )


@pytest.fixture
def family(workspace: Any) -> Flow:
    """A flow on top and the one that its flow node runs, with their code."""
    top = row("top", parent())
    address = next(node["flow"] for node in parent()["nodes"] if node.get("type") == "flow")
    inner = row(f"top/{address.removeprefix('./')}", child())
    coded(top)
    coded(inner)
    return top


def test_a_version_pins_the_whole_tree(family: Flow) -> None:
    # LG-subflows-04, LG-subflows-14, LG-subflows-15
    first = store.make_version(family)
    inner = Flow.objects.exclude(pk=family.pk).get()
    assert list(first.tree["flows"]) == [inner.path]
    assert first.tree["top"] == "top/flow.json"
    kept = first.tree["flows"][inner.path]
    assert kept["units"] == {"tool:findCustomer": f"# {inner.path}", "tool:readOrders": f"# {inner.path}"}
    assert kept["document"]["nodes"] == json.loads(inner.draft)["nodes"]
    Flow.objects.filter(pk=inner.pk).update(draft=inner.draft.replace("description", "description", 1))
    assert store.make_version(Flow.objects.get(pk=family.pk)).pk == first.pk
    changed = json.loads(inner.draft)
    changed["description"] += " And more."
    Flow.objects.filter(pk=inner.pk).update(draft=json.dumps(changed))
    second = store.make_version(Flow.objects.get(pk=family.pk))
    assert second.pk != first.pk and second.sha != first.sha
    assert FlowVersion.objects.get(pk=first.pk).tree == first.tree


def test_code_that_is_missing_inside_stops_the_version_in_words(family: Flow) -> None:
    inner = Flow.objects.exclude(pk=family.pk).get()
    if not Unit.objects.filter(flow=inner).exists():
        changed = json.loads(inner.draft)
        changed["nodes"].insert(0, {"id": "more", "handler": "more", "description": "Does more."})
        changed["edges"].append({"from": "more", "to": changed["start"]})
        changed["start"] = "more"
        Flow.objects.filter(pk=inner.pk).update(draft=json.dumps(changed))
    Unit.objects.filter(flow=inner).delete()
    with pytest.raises(store.VersionRefused) as refused:
        store.make_version(Flow.objects.get(pk=family.pk))
    assert all(one.code == "UNIT_MISSING" and inner.path in one.message for one in refused.value.problems)


def test_a_version_pins_its_agents_by_name(workspace: Any) -> None:
    # LG-agents-10, LG-agents-17, LG-agents-18
    top = row("top", orchestrator())
    names = next(node["agents"] for node in orchestrator()["nodes"] if node.get("type") == "agent")
    registry = {"agents": {name: {"flow": f"./agents/{name}/flow.json"} for name in names}}
    text = json.dumps(registry)
    FlowFile.objects.create(flow=top, path="agents.json", text=text, sha="", size=len(text))
    coded(top)
    for name in names:
        coded(row(f"top/agents/{name}", desk()))
    version = store.make_version(top)
    assert version.tree["agents"] == {name: f"top/agents/{name}/flow.json" for name in names}
    assert set(version.tree["flows"]) == set(version.tree["agents"].values())
    assert all(kept["units"] == {} for kept in version.tree["flows"].values()), "A desk is a model and no code"


def test_settings_show_what_the_flows_inside_need(family: Flow) -> None:
    inner = Flow.objects.exclude(pk=family.pk).get()
    changed = json.loads(inner.draft)
    changed["requires"] = {"settings": {"depth": {"default": 3, "description": "How deep to look."}}, "env": ["DEEP"]}
    Flow.objects.filter(pk=inner.pk).update(draft=json.dumps(changed))
    whole = whole_version(store.make_version(Flow.objects.get(pk=family.pk)))
    assert whole is not None
    assert "depth" in whole.requires.settings and "DEEP" in whole.requires.env
