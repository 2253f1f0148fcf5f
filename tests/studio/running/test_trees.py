"""Flows that run others are published whole: what stands in the way inside is said, and what was seen goes live."""

from __future__ import annotations

import json
from collections.abc import Callable

import pytest

from flows.models import Flow, Unit
from runtime.models import Deployment
from studio import publishing, terms, workbench
from studio.models import User
from tests.flows.later_kinds import child, parent
from tests.flows.test_pinned import coded, row

pytestmark = pytest.mark.django_db


@pytest.fixture
def family(workspace: object) -> Flow:
    top = row("top", parent())
    coded(top)
    inner = child()
    inner["requires"] = {"settings": {"depth": {"default": 3, "description": "How deep to look."}}, "env": ["DEEP"]}
    coded(row("top/flows/lookup.json", inner))
    return top


def test_what_is_missing_inside_is_said_before_publishing(family: Flow) -> None:
    Unit.objects.filter(flow__path="top/flows/lookup.json", name="readOrders").delete()
    ready = publishing.readiness(family)
    assert not ready.ready
    assert [one.code for one in ready.errors] == ["UNIT_MISSING"]
    assert '"top/flows/lookup.json"' in ready.errors[0].message and '"readOrders"' in ready.errors[0].message


def test_a_flow_is_published_with_those_it_runs_as_they_were_seen(family: Flow, user: Callable[..., User]) -> None:
    # LG-subflows-14
    ready = publishing.readiness(family)
    assert ready.ready, ready.errors
    wanted = terms.of(None, ready.whole)
    assert [value.name for value in wanted.values] == ["depth"]
    assert [secret.name for secret in wanted.secrets] == ["DEEP"]
    inner = Flow.objects.get(path="top/flows/lookup.json")
    changed = {**json.loads(inner.draft), "description": "Another one by now."}
    Flow.objects.filter(pk=inner.pk).update(draft=json.dumps(changed))
    with pytest.raises(Exception, match="changed"):
        publishing.publish(family, ready, wanted, user("owner"), deployment=None, slug="top", name="Top", operate=True)
    ready = publishing.readiness(family)
    live = publishing.publish(
        family, ready, wanted, user("owner"), deployment=None, slug="top", name="Top", operate=True
    )
    assert live.version is not None
    kept = live.version.tree["flows"]["top/flows/lookup.json"]["document"]
    assert kept["description"] == "Another one by now."


def test_a_draft_is_tried_with_the_flows_it_runs(family: Flow, user: Callable[..., User]) -> None:
    bench = workbench.refresh(workbench.of(family), user("builder"))
    assert Deployment.objects.get(pk=bench.pk).version.tree["top"] == "top/flow.json"  # type: ignore[union-attr]
