"""What an agent's terms keep and what they ask for again: ceilings, where secrets go, a yes before visitors write."""

from __future__ import annotations

import json
from collections.abc import Callable
from decimal import Decimal

import pytest

from flows.models import Flow, FlowVersion
from runtime.models import Deployment, Secret
from runtime.services import renewal
from runtime.services.secrets import decrypt
from tests.studio.pages.conftest import Clients
from tests.studio.pages.test_drafts import save
from tests.studio.pages.test_publish import with_secret

OPEN = {
    "access": "link", "deciders": "starter", "cost_ceiling": "5", "visitor_limit": "30", "token_ceiling": "100000",
    "own_yes": "1",
}  # fmt: skip


def test_a_ceiling_that_nobody_sees_is_none(publish: Callable) -> None:
    assert publish(**OPEN | {"cost_ceiling": "0.019"}).status_code == 302
    assert Deployment.objects.get(slug="order-desk").cost_ceiling == Decimal("0.01")
    assert publish(to="order-desk", cost_ceiling="0.01").status_code == 302
    assert Deployment.objects.get(slug="order-desk").cost_ceiling is None


def test_a_stored_secret_goes_to_other_hosts_only_when_it_is_typed_again(
    flow: Flow, publish: Callable, member_client: Clients
) -> None:
    with_secret(flow, member_client("builder"))
    name = next(iter(json.loads(Flow.objects.get(pk=flow.pk).draft)["requires"]["env"]))
    stored = {f"secret:{name}": "s3cret", f"hosts:{name}": "api.example.com\nb.example.com"}
    assert publish(**stored).status_code == 302
    elsewhere = {f"secret:{name}": "", f"hosts:{name}": "api.example.com\nevil.example"}
    reply = publish(to="order-desk", **elsewhere)
    assert reply.status_code == 422
    assert "Type the value again" in reply.content.decode()
    assert Secret.objects.get().hosts == ["api.example.com", "b.example.com"]
    # Fewer hosts give nothing away; with the value anything may be said.
    assert publish(to="order-desk", **{f"secret:{name}": "", f"hosts:{name}": "api.example.com"}).status_code == 302
    assert publish(to="order-desk", **elsewhere | {f"secret:{name}": "s3cret"}).status_code == 302
    assert Secret.objects.get().hosts == ["api.example.com", "evil.example"]


# LG-contract-06
def test_a_token_that_renews_itself_needs_hosts_and_no_value(
    flow: Flow, publish: Callable, member_client: Clients
) -> None:
    document = json.loads(flow.draft)
    document["requires"]["env"] = ["GOOGLE_API_ACCESS_TOKEN"]
    assert save(member_client("builder"), flow, json.dumps(document), 1).status_code == 200
    client = member_client("operator")
    page = client.get(f"/flows/{flow.pk}/publish").content.decode()
    assert "Renews itself" in page and "oauth2.googleapis.com" in page
    token, hosts = "GOOGLE_API_ACCESS_TOKEN", "hosts:GOOGLE_API_ACCESS_TOKEN"
    values = {f"secret:{name}": f"v-{name}" for name in renewal.CLIENT}
    there = {f"hosts:{name}": "oauth2.googleapis.com" for name in renewal.CLIENT}
    assert publish(**values, **there, **{hosts: "www.googleapis.com"}).status_code == 302
    kept = {row.name: (decrypt(row.cipher).decode(), row.hosts) for row in Secret.objects.all()}
    assert kept[token] == ("", ["www.googleapis.com"])
    assert kept["GOOGLE_REFRESH_TOKEN"] == ("v-GOOGLE_REFRESH_TOKEN", ["oauth2.googleapis.com"])
    # Who sends its tokens elsewhere has to know what they are renewed with.
    elsewhere = {hosts: "www.googleapis.com\nevil.example", **there}
    reply = publish(to="order-desk", **elsewhere)
    assert reply.status_code == 422
    assert "Type GOOGLE_REFRESH_TOKEN again" in reply.content.decode()
    assert Secret.objects.get(name=token).hosts == ["www.googleapis.com"]
    assert publish(to="order-desk", **elsewhere, **{"secret:GOOGLE_REFRESH_TOKEN": "new"}).status_code == 302
    assert Secret.objects.get(name=token).hosts == ["www.googleapis.com", "evil.example"]


@pytest.mark.parametrize("role", ["builder", "owner"])
def test_going_back_to_a_version_in_which_visitors_approve_needs_a_yes(
    agent: Deployment, publish: Callable, member_client: Clients, role: str
) -> None:
    flow, client, first = agent.flow, member_client(role), FlowVersion.objects.get()
    document = json.loads(flow.draft)
    for node in document["nodes"]:
        node.pop("approval", None)
    assert save(member_client("builder"), flow, json.dumps(document), flow.revision).status_code == 200
    assert publish(to="order-desk", **OPEN | {"own_yes": None}).status_code == 302
    body = {"version": str(first.pk)}
    reply = client.post("/agents/order-desk/live", body)
    assert reply.status_code == 409
    page = reply.content.decode()
    assert "Say yes to this" in page and "Version 1 waits" in page
    agent.refresh_from_db()
    assert agent.version_id != first.pk
    assert client.post("/agents/order-desk/live", body | {"own_yes": "1"}).status_code == 302
    agent.refresh_from_db()
    assert agent.version_id == first.pk


def test_limits_are_kept_where_they_are_lower_and_said_beside_the_field_where_they_are_wrong(publish: Callable) -> None:
    wrong = publish(limit_minutes="0", limit_steps="20001", limit_rounds="x", limit_cost="-1", day_cost="nan")
    page = wrong.content.decode()
    assert wrong.status_code == 422
    for words in ("from 1 to 240", "from 1 to 20,000", "from 1 to 100", "from 0.0001 to 100,000", "from 0.01 to"):
        assert words in page
    asked = {"limit_minutes": "20", "limit_steps": "20000", "limit_rounds": "", "limit_cost": "0,25", "day_cost": "3"}
    assert publish(**asked).status_code == 302
    agent = Deployment.objects.get(slug="order-desk")
    assert agent.limits == {"minutes": 20, "cost": "0.25"}
    assert agent.cost_ceiling == Decimal(3)
    assert publish(to="order-desk", **dict.fromkeys(asked, "")).status_code == 302
    agent.refresh_from_db()
    assert (agent.limits, agent.cost_ceiling) == ({}, None)
