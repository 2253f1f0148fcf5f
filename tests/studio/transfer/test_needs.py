"""What a flow needs from outside of it is named, whether this installation can have it or not."""

from __future__ import annotations

import json
from collections.abc import Callable

import pytest
from django.test import Client

from flows import store
from flows.models import Flow, Workspace
from runtime.models import Deployment
from runtime.models.servers import McpLink, McpServer
from tests.studio.transfer.conftest import text


def said(client: Client, address: str) -> str:
    return client.get(address).content.decode()


@pytest.fixture
def ann(workspace: Workspace, member_client: Callable[..., Client]) -> Client:
    return member_client("builder", "Ann")


def test_servers_collections_databases_and_policies_are_named(ann: Client) -> None:
    document = json.loads(store.create("Desk").draft)
    document.pop("id")
    document["requires"] = {
        "mcp": {"crm": {"describe": "Customers.", "tools": ["find"]}},
        "knowledge": {"manuals": {"describe": "All manuals."}},
        "database": {"orders": {"describe": "All orders."}},
        "packages": {"pandas": ">=2", "python-dateutil": ">=2.9,<3", "pyyaml": "<2"},
        "env": ["GOOGLE_API_ACCESS_TOKEN"],
        "users": True,
    }
    document["nodes"][0]["approval"] = {"ask": "Yes?", "needs": "finance"}
    reply = ann.post("/flows/import", {"text": text(document)})
    page = said(ann, f"{reply['Location']}/needs")
    for name in ("crm", "manuals", "orders", "pandas", "Only known people", "finance"):
        assert f"<span>{name}</span>" in page, name
    # LG-contract-06, LG-contract-12: what renews a token is asked for with it; a package is there, or words say why.
    assert "<span>GOOGLE_REFRESH_TOKEN</span>" in page
    assert "name it in SANDBOX_PACKAGES" in page
    assert "Version &gt;=2.9,&lt;3. Code of the flow may import it." in page
    assert "and requires.packages asks for &lt;2" in page


def test_a_tool_server_is_set_then_chosen(ann: Client, member_client: Callable[..., Client]) -> None:
    document = json.loads(store.create("Desk").draft)
    document.pop("id")
    document["requires"] = {"mcp": {"crm": {"describe": "Customers.", "tools": ["find"]}}}
    address = f"{ann.post('/flows/import', {'text': text(document)})['Location']}/needs"
    owner = member_client("owner", "Olive")
    assert "No tool server is set in this installation." in said(owner, address)
    assert 'href="/settings/servers"' in said(owner, address)
    server = McpServer.objects.create(name="CRM", transport="http", url="http://127.0.0.1:9/mcp")
    flow = Flow.objects.get(pk=address.split("/")[2])
    assert f'href="/flows/{flow.pk}/servers"' in said(owner, address)
    agent = Deployment.objects.create(flow=flow, slug="desk", name="Desk")
    assert 'href="/agents/desk/servers"' in said(owner, address)
    McpLink.objects.create(deployment=agent, name="crm", server=server)
    assert "A tool server is chosen for it." in said(owner, address)
