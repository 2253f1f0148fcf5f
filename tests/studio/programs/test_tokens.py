"""API tokens: what opens the door, what each may use, and the page on which people make and revoke them."""

from __future__ import annotations

from datetime import timedelta

import pytest
from django.test import Client
from django.utils import timezone

from flows import scope
from flows.models import Workspace
from studio.models import ApiToken
from studio.programs.tokens import make
from tests.studio.programs.conftest import Program, Programs
from tests.support import talk


@pytest.mark.parametrize("given", ["", "Bearer", "Bearer lgs_", "Bearer lgs_wrong", "Basic bGdz", "Bearer \x7f"])
def test_what_is_no_token_opens_nothing(desk, given: str) -> None:
    reply = Client().get("/api/v1/agents", headers={"Authorization": given})
    assert (reply.status_code, reply.json()["code"]) == (401, "TOKEN_INVALID")
    assert "Settings → API tokens" in reply.json()["message"]


def test_a_session_opens_nothing_here(desk, member_client) -> None:
    assert member_client("owner").get("/api/v1/agents").status_code == 401


def test_a_token_ends_and_can_be_revoked(desk, program: Programs) -> None:
    caller = program()
    assert caller.get("agents")[0] == 200
    token = ApiToken.objects.get()
    assert token.used_at is not None
    ApiToken.objects.update(expires_at=timezone.now() - timedelta(seconds=1))
    assert caller.get("agents")[0] == 401
    ApiToken.objects.update(expires_at=None)
    assert caller.get("agents")[0] == 200
    ApiToken.objects.update(revoked_at=timezone.now())
    assert caller.get("agents")[0] == 401


def test_only_the_hash_of_a_token_is_kept(workspace) -> None:
    token, text = make("Back office", by=None, days=None)
    row = ApiToken.objects.filter(pk=token.pk).values().get()
    assert text not in str(row)
    assert text.removeprefix(token.hint) not in str(row)


def test_a_token_may_be_kept_to_some_agents(desk, program: Programs) -> None:
    other = talk.agent("other")
    caller = program(agents=[other])
    assert [one["slug"] for one in caller.get("agents")[1]["agents"]] == ["other"]
    assert caller.get("agents/desk")[0] == 404
    assert caller.post("agents/desk/runs", {"inputs": {"question": "Hello"}})[0] == 404
    assert caller.post("agents/other/runs", {"inputs": {"question": "Hello"}})[0] == 202
    # Without its last agent it opens none, and never every one.
    other.delete()
    assert caller.get("agents")[1] == {"agents": []}


def test_a_workbench_and_an_unpublished_agent_are_no_agents(desk, program: Programs) -> None:
    talk.agent("bench", workbench=True)
    talk.agent("draft", version=None)
    caller = program()
    assert [one["slug"] for one in caller.get("agents")[1]["agents"]] == ["desk"]
    assert {caller.get(f"agents/{slug}")[0] for slug in ("bench", "draft")} == {404}


def test_another_workspace_is_out_of_reach(desk, program: Programs) -> None:
    mine = program()
    run = mine.post("agents/desk/runs", {"inputs": {"question": "Hello"}})[1]
    away = Workspace.objects.create(name="Away")
    with scope.workspace(away.pk):
        stranger = Program(make("Away", by=None, days=30)[1])
    for path in (f"runs/{run['id']}", f"runs/{run['id']}/events", f"runs/{run['id']}/stream", "agents/desk"):
        assert stranger.get(path)[0] == 404, path
    assert stranger.post(f"runs/{run['id']}/cancel")[0] == 404
    assert stranger.get("agents")[1] == {"agents": []}
    assert stranger.get("runs")[1] == {"runs": [], "next": None}


def test_the_page_shows_a_new_token_once_and_revokes_it(desk, member_client) -> None:
    client: Client = member_client("operator")
    assert "No tokens yet" in client.get("/settings/tokens").content.decode()
    sent = {"name": "Back office", "days": "90", "which": "some", "agents": [str(desk.pk)], "approves": "on"}
    assert client.post("/settings/tokens/new", sent)["Location"] == "/settings/tokens"
    token = ApiToken.objects.get()
    assert (token.name, token.approves, list(token.agents.all())) == ("Back office", True, [desk])
    shown = client.get("/settings/tokens").content.decode()
    text = shown.split('id="token-text" value="')[1].split('"')[0]
    assert Program(text).get("agents")[0] == 200
    assert text not in client.get("/settings/tokens").content.decode()
    client.post(f"/settings/tokens/{token.pk}/revoke")
    assert Program(text).get("agents")[0] == 401
    assert client.post(f"/settings/tokens/{token.pk}/revoke").status_code == 404


def test_the_page_says_all_that_is_wrong_beside_its_field(desk, member_client) -> None:
    client: Client = member_client("operator")
    page = client.post("/settings/tokens/new", {"name": " ", "days": "7", "which": "some"})
    words = page.content.decode()
    assert page.status_code == 422
    for sentence in ("Give the token a name.", "Tick at least one agent", "Choose"):
        assert sentence in words
    assert not ApiToken.objects.exists()


def test_the_document_describes_every_address(client: Client) -> None:
    from studio.programs.urls import urlpatterns

    document = client.get("/api/v1/openapi.json").json()
    for pattern in urlpatterns:
        address = "/" + str(pattern.pattern).replace("<uuid:id>", "{id}").replace("<slug:slug>", "{slug}")
        if address.endswith("openapi.json"):
            continue
        operations = document["paths"][address]
        assert all(one["description"] and one["operationId"] for one in operations.values()), address
        assert all(one["security"] == [{"token": []}] for one in operations.values()), address
