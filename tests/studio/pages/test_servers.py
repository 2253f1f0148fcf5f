"""Tool servers: where they are, what an operator sees of them, and what each agent may do with them."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from django.test import Client

from flows.models import Flow, FlowVersion, Workspace
from runtime.models import Deployment, McpLink, McpServer, McpTool
from runtime.services import places
from runtime.services.mcp.definitions import Definition
from runtime.services.mcp.place import COMMANDS
from studio import toolservers
from studio.strings import t
from tests.runtime.engine.conftest import flow
from tests.studio.pages.conftest import Clients

SECRET = "tok-canary-774411"
SERVER = {"name": "Desk", "transport": "http", "url": "https://tools.example.com/mcp", "seconds": "30",
          "secrets": f"Authorization: Bearer {SECRET}"}  # fmt: skip
FIND = Definition("find_customer", "Finds a customer.", {"type": "object"}, reads=True)
ORDER = Definition("add_order", "Places an order.", {"type": "object", "properties": {"id": {"type": "string"}}})


@pytest.fixture
def client(workspace: Workspace, member_client: Clients) -> Client:
    return member_client("operator")


@pytest.fixture
def agent(workspace: Workspace) -> Deployment:
    document = flow(
        [{"id": "call", "type": "tool", "tool": "find", "output": "answer"}],
        requires={"mcp": {"crm": {"describe": "The customers.", "tools": [
            {"name": "find", "remote": "find_customer"}, "add_order", "gone"]}}},
    )  # fmt: skip
    row = Flow.objects.create(path="desk", name="Desk", draft=json.dumps(document))
    version = FlowVersion.objects.create(flow=row, number=1, sha="a" * 64, document=document, units={}, units_sha="",
                                         engine=1)  # fmt: skip
    return Deployment.objects.create(flow=row, version=version, slug="desk", name="Desk agent")


def added(client: Client) -> McpServer:
    assert client.post("/settings/servers/new", SERVER).status_code == 302
    server = McpServer.objects.get()
    places.look_at(server, {"find_customer": FIND, "add_order": ORDER})
    server.refresh_from_db()
    return server


def test_secrets_are_kept_encrypted_and_never_shown_again(client: Client) -> None:
    # LG-services-09; reliability A12
    server = added(client)
    assert places.unseal(server.cipher) == {"Authorization": f"Bearer {SECRET}"}
    assert SECRET.encode() not in bytes(server.cipher)
    for address in ("/settings/servers", f"/settings/servers/{server.pk}"):
        page = client.get(address).content.decode()
        assert SECRET not in page
    assert "Stored: Authorization." in page
    client.post(f"/settings/servers/{server.pk}", {**SERVER, "secrets": "", "name": "Renamed"})
    server.refresh_from_db()
    assert (server.name, places.unseal(server.cipher)) == ("Renamed", {"Authorization": f"Bearer {SECRET}"})
    client.post(f"/settings/servers/{server.pk}", {**SERVER, "secrets": "", "drop_secrets": "1"})
    server.refresh_from_db()
    assert not server.cipher


@pytest.mark.parametrize(
    "url", ["https://evil.example/mcp", "http://tools.example.com/mcp", "https://tools.example.com:8443/mcp"]
)
def test_stored_secrets_never_go_elsewhere(client: Client, url: str) -> None:
    server = added(client)
    refused = client.post(f"/settings/servers/{server.pk}", {**SERVER, "secrets": "", "url": url})
    assert refused.status_code == 422 and t("servers.secrets_again") in refused.content.decode()
    server.refresh_from_db()
    assert server.url == SERVER["url"]


@pytest.mark.parametrize(
    ("wrong", "key"),
    [
        ({"name": ""}, "servers.name_missing"),
        ({"url": "tools.example.com"}, "servers.url_wrong"),
        ({"url": "https://me:pw@tools.example.com/mcp"}, "servers.url_wrong"),
        ({"url": "https://tools.example.com:99999/mcp"}, "servers.url_wrong"),
        ({"url": "file:///etc/passwd"}, "servers.url_wrong"),
        ({"secrets": "no colon here"}, "servers.secrets_wrong"),
        ({"secrets": "Bad name: x"}, "servers.secrets_wrong"),
        ({"transport": "stdio", "command": "sh -c x"}, "servers.command_unknown"),
    ],
)
def test_what_does_not_fit_is_said_beside_it(client: Client, wrong: dict[str, str], key: str) -> None:
    reply = client.post("/settings/servers/new", {**SERVER, **wrong})
    assert reply.status_code == 422
    assert t(key) in reply.content.decode() and SECRET not in reply.content.decode()
    assert not McpServer.objects.exists()


def test_seconds_are_bounded(client: Client) -> None:
    for seconds in ("0", "121", "-1", "1e9", "x", "9" * 5_000):
        assert client.post("/settings/servers/new", {**SERVER, "seconds": seconds}).status_code == 422


def test_programs_come_from_the_installation_alone(
    client: Client, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    # LG-services-09; reliability R7: no argv through any page
    monkeypatch.delenv(COMMANDS, raising=False)
    assert "As a program" not in client.get("/settings/servers/new").content.decode()
    file = tmp_path / "commands.json"
    file.write_text(json.dumps({"files": {"argv": ["serve", "--secret-root"], "describe": "Files.", "env": ["TOKEN"]}}))
    monkeypatch.setenv(COMMANDS, str(file))
    page = client.get("/settings/servers/new").content.decode()
    assert "As a program" in page and "files · Files." in page and "--secret-root" not in page
    sent = {"name": "Files", "transport": "stdio", "command": "files", "seconds": "5", "secrets": "PATH=/evil"}
    assert client.post("/settings/servers/new", sent).status_code == 422
    assert client.post("/settings/servers/new", {**sent, "secrets": "TOKEN=abc"}).status_code == 302
    assert places.place_of(McpServer.objects.get()).argv == ("serve", "--secret-root")
    file.write_text("[]")
    assert "holds no object of commands" in client.get("/settings/servers/new").content.decode()


def test_what_a_server_says_of_itself_is_text(client: Client, agent: Deployment) -> None:
    # reliability R9, R15
    server = added(client)
    toolservers.connect(agent, "crm", str(server.pk), "Olga")
    hostile = Definition("find_customer", "<img src=x onerror=alert(1)>", {})
    places.look_at(server, {"find_customer": hostile})
    page = client.get("/agents/desk/servers").content.decode()
    assert "<img src=x" not in page and "&lt;img src=x" in page


def decided(client: Client, **more: str) -> None:
    shown = {f"shown-{tool.pk}": "1" for tool in McpTool.objects.all()}
    assert client.post("/agents/desk/servers", {**shown, **more}).status_code == 302


def test_an_agent_is_connected_and_its_tools_are_switched(client: Client, agent: Deployment) -> None:
    # LG-work-21, LG-services-13
    server = added(client)
    assert "Not connected" in client.get("/agents/desk/servers").content.decode()
    client.post("/agents/desk/servers", {"server_name": "crm", "server": str(server.pk)})
    link = McpLink.objects.get()
    assert (link.name, link.server_id) == ("crm", server.pk)
    find, order = McpTool.objects.order_by("-name")
    assert (find.on, find.effect, find.sha, find.looked_by != "") == (True, "write", FIND.sha, True)
    page = client.get("/agents/desk/servers").content.decode()
    assert "Finds a customer." in page and t("servers.claims") in page and t("servers.state.missing") in page
    decided(client, **{f"on-{find.pk}": "1", f"effect-{find.pk}": "read", f"effect-{order.pk}": "nonsense"})
    find.refresh_from_db()
    order.refresh_from_db()
    assert (find.on, find.effect, order.on, order.effect) == (True, "read", False, "write")
    client.post("/agents/desk/servers", {"server_name": "crm", "server": ""})
    assert not McpLink.objects.exists()


def test_an_agent_is_connected_under_the_names_of_its_flow_alone(client: Client, agent: Deployment) -> None:
    server = added(client)
    for name in ("other", "x" * 300):
        reply = client.post("/agents/desk/servers", {"server_name": name, "server": str(server.pk)})
        assert reply.status_code == 404
    assert not McpLink.objects.exists()


def test_what_changed_is_looked_at_and_only_what_was_shown_is_accepted(client: Client, agent: Deployment) -> None:
    # reliability R9
    server = added(client)
    toolservers.connect(agent, "crm", str(server.pk), "Olga")
    changed = Definition("find_customer", "Finds and deletes.", {"type": "object"})
    places.look_at(server, {"find_customer": changed, "add_order": ORDER})
    tool = McpTool.objects.get(name="find_customer")
    page = client.get("/agents/desk/servers").content.decode()
    assert t("servers.state.changed") in page and "Finds and deletes." in page and "Finds a customer." in page
    decided(client, **{f"accept-{tool.pk}": "f" * 64})
    tool.refresh_from_db()
    assert tool.news is not None and tool.sha == FIND.sha
    decided(client, **{f"accept-{tool.pk}": changed.sha})
    tool.refresh_from_db()
    assert (tool.news, tool.sha, tool.definition["description"]) == (None, changed.sha, "Finds and deletes.")


def test_a_draft_has_switches_of_its_own(client: Client, agent: Deployment) -> None:
    server = added(client)
    address = f"/flows/{agent.flow_id}/servers"
    assert client.post(address, {"server_name": "crm", "server": str(server.pk)}).status_code == 302
    assert "Finds a customer." in client.get(address).content.decode()
    assert McpLink.objects.get().deployment.workbench
    assert not McpLink.objects.filter(deployment=agent).exists()


def test_only_operators_see_and_change_it(agent: Deployment, member_client: Clients, client: Client) -> None:
    server = added(client)
    addresses = ["/settings/servers", "/settings/servers/new", f"/settings/servers/{server.pk}", "/agents/desk/servers"]
    for role in ("builder", "reviewer", "member"):
        for address in addresses:
            assert member_client(role).get(address).status_code == 403
        assert member_client(role).post(f"/settings/servers/{server.pk}/delete").status_code == 403


def test_a_server_that_agents_use_is_removed_and_they_are_named(client: Client, agent: Deployment) -> None:
    server = added(client)
    toolservers.connect(agent, "crm", str(server.pk), "Olga")
    client.post(f"/settings/servers/{server.pk}/delete")
    assert not McpServer.objects.exists() and not McpTool.objects.exists()
    page = client.get("/settings/servers").content.decode()
    assert "Desk agent" in page


def test_another_workspace_s_server_is_not_found(client: Client, agent: Deployment, workspace: Workspace) -> None:
    from flows import scope

    other = Workspace.objects.create(name="Other")
    with scope.workspace(other.id):
        theirs: Any = McpServer.objects.create(name="Theirs", transport="http", url="https://x.example/mcp")
    assert client.get(f"/settings/servers/{theirs.pk}").status_code == 404
    reply = client.post("/agents/desk/servers", {"server_name": "crm", "server": str(theirs.pk)})
    assert reply.status_code == 404 and not McpLink.objects.exists()


RENEWED = (
    "Authorization: Bearer {{GOOGLE_ACCESS_TOKEN}}\nGOOGLE_CLIENT_ID: a\nGOOGLE_CLIENT_SECRET: b\n"
    "GOOGLE_REFRESH_TOKEN: c"
)


@pytest.mark.parametrize(
    ("secrets", "words"),
    [
        (RENEWED.rpartition("\n")[0], "A token that renews itself needs"),
        ("Authorization: Bearer {{GOOGLE_ACCESS_TOKEN}}", "A token that renews itself needs"),
        (RENEWED.partition("\n")[2], "No header says where the renewed token goes"),
        (RENEWED.replace("GOOGLE_ACCESS", "CRM_ACCESS"), "{{CRM_ACCESS_TOKEN}} stands for no token"),
    ],
)
def test_a_token_that_could_not_renew_itself_is_not_taken(client: Client, secrets: str, words: str) -> None:
    reply = client.post("/settings/servers/new", {**SERVER, "secrets": secrets})
    assert reply.status_code == 422 and words in reply.content.decode() and not McpServer.objects.exists()


def test_what_renews_a_token_is_kept_and_is_no_header(client: Client) -> None:
    # LG-contract-06
    assert client.post("/settings/servers/new", {**SERVER, "secrets": RENEWED}).status_code == 302
    place = places.place_of(McpServer.objects.get())
    assert list(place.headers) == ["Authorization"]
    assert {name: value.value for name, value in place.grant.items()} == {
        "GOOGLE_CLIENT_ID": "a", "GOOGLE_CLIENT_SECRET": "b", "GOOGLE_REFRESH_TOKEN": "c",
    }  # fmt: skip
