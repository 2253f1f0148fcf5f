"""Terms of an agent that knows its people: no open link, by whichever way, and lists with nobody on them."""

from __future__ import annotations

import json
from collections.abc import Callable

import pytest
from django.test import Client

from flows.models import Flow, FlowVersion
from runtime.models import Deployment
from studio import drafts, publishing, terms
from studio.known import OpenToStrangers
from tests.studio.chat.test_talking import post, say
from tests.studio.known.conftest import KNOWS
from tests.studio.pages.conftest import Clients
from tests.support import talk

OPEN = {
    "access": "link", "deciders": "reviewers", "approval_hours": "72", "cost_ceiling": "5", "visitor_limit": "30",
    "token_ceiling": "100000",
}  # fmt: skip
ECHO = {**talk.DOCUMENT, "version": "1.0", "requires": {}}


@pytest.fixture
def flow(workspace, user) -> Flow:
    """A flow that says nothing of people; `says` makes it one that does."""
    return drafts.import_text(json.dumps(ECHO), "Desk", user("builder"))


def says(flow: Flow, users: bool) -> Flow:
    flow = Flow.objects.get(pk=flow.pk)
    document = {**json.loads(flow.draft), "requires": {"users": True} if users else {}}
    flow.draft, flow.revision = json.dumps(document), flow.revision + 1
    flow.save()
    return flow


Go = Callable[..., Deployment]


@pytest.fixture
def go(user) -> Go:
    """`go(flow, agent, access=…)`: its draft goes live, past every page."""

    def live(flow: Flow, target: Deployment | None = None, **wanted: object) -> Deployment:
        ready = publishing.readiness(flow)
        assert ready.ready, ready.errors
        form = terms.of(target, ready.whole)
        for name, value in wanted.items():
            setattr(form, name, value)
        return publishing.publish(
            flow, ready, form, user("owner"), deployment=target, slug="desk", name="Desk", operate=True
        )

    return live


def page_of(client: Client, path: str) -> str:
    return client.get(path).content.decode()


# LG-contract-13
def test_no_open_link_is_offered_and_the_page_says_why(flow: Flow, go: Go, member_client: Clients) -> None:
    client, here = member_client("operator"), f"/flows/{flow.pk}/publish"
    assert 'value="link"' in page_of(client, here)
    says(flow, True)
    assert 'value="link"' not in page_of(client, here) and "a visitor has no name" in page_of(client, here)
    ready = publishing.readiness(Flow.objects.get(pk=flow.pk)).seen
    sent = {
        **OPEN, "to": "new", "name": "Desk", "slug": "desk", "revision": ready.revision, "units_sha": ready.units_sha,
    }  # fmt: skip
    reply = client.post(here, sent)
    assert reply.status_code == 422 and "no open link may lead to it" in reply.content.decode()
    assert not Deployment.objects.filter(workbench=False).exists()
    assert client.post(here, {**sent, "access": "workspace"}).status_code == 302
    agent = Deployment.objects.get(slug="desk")
    assert agent.known_people
    settings = "/agents/desk/settings"
    assert 'value="link"' not in page_of(client, settings) and "a visitor has no name" in page_of(client, settings)
    refused = client.post(settings, {**OPEN, "name": "Desk"})
    assert refused.status_code == 422 and "no open link may lead to it" in refused.content.decode()
    agent.refresh_from_db()
    assert agent.access == "workspace"


def test_such_a_version_does_not_go_onto_an_open_link(flow: Flow, go: Go, member_client: Clients) -> None:
    agent = go(flow, access="link")
    first = FlowVersion.objects.get()
    with pytest.raises(OpenToStrangers):
        go(says(flow, True), agent, access="link")
    agent.refresh_from_db()
    assert (agent.version_id, agent.known_people) == (first.pk, False)
    page = page_of(member_client("operator"), f"/flows/{flow.pk}/publish?to=desk")
    assert "It stands on an open link, which this version may not have" in page
    # On other terms it does, and the link that was given out is of no use any more.
    agent = go(Flow.objects.get(pk=flow.pk), agent, access="workspace")
    assert agent.known_people
    reply = Client().get(f"/a/desk?k={agent.link_token}")
    assert reply["Location"].startswith("/sign-in")


def test_such_a_version_is_not_made_live_again_on_an_open_link(flow: Flow, go: Go, member_client: Clients) -> None:
    agent = go(says(flow, True), access="workspace")
    first = FlowVersion.objects.get()
    agent = go(says(flow, False), agent, access="link")
    client = member_client("owner")
    page = client.post("/agents/desk/live", {"version": str(first.pk), "own_yes": "1"})
    assert page.status_code == 409 and "no open link may lead to it" in page.content.decode()
    reply = post(client, "/api/agents/desk/live", {"version": first.number, "ownYes": True})
    assert (reply.status_code, reply.json()["code"]) == (409, "KNOWN_PEOPLE_ONLY")
    agent.refresh_from_db()
    assert (agent.version_id == first.pk, agent.known_people) == (False, False)
    Deployment.objects.filter(pk=agent.pk).update(access="listed")
    assert post(client, "/api/agents/desk/live", {"version": first.number}).status_code == 200
    assert Deployment.objects.get(pk=agent.pk).known_people


def test_what_flows_inside_say_counts_on_every_page(workspace, user, member_client: Clients) -> None:
    inner = drafts.import_text(json.dumps({**ECHO, "requires": {"users": True}}), "Inner", user("builder"))
    node = {
        "id": "reply", "type": "flow", "flow": f"../{inner.path}/flow.json", "input": {"question": "{{question}}"},
        "output": {"answer": "answer"},
    }  # fmt: skip
    outer = drafts.import_text(json.dumps({**ECHO, "nodes": [node]}), "Outer", user("builder"))
    ready = publishing.readiness(outer)
    assert ready.ready, ready.errors
    page = page_of(member_client("operator"), f"/flows/{outer.pk}/publish")
    assert 'value="link"' not in page and "a visitor has no name" in page
    with pytest.raises(OpenToStrangers):
        form = terms.of(None, ready.whole)
        form.access = "link"
        publishing.publish(outer, ready, form, user("owner"), deployment=None, slug="o", name="O", operate=True)


# LG-contract-16
def test_a_list_with_nobody_on_it_is_said_everywhere(
    flow: Flow, go: Go, user: Callable, member_client: Clients
) -> None:
    agent = go(says(flow, True), access="listed", people=[])
    client = member_client("operator")
    pages = ("/agents", "/agents/desk/settings", "/agents/desk/published")
    for path in pages:
        assert "answers nobody: no one is ticked" in page_of(client, path), path
    assert say(client, agent).status_code == 403
    sent = {**OPEN, "access": "listed", "name": "Desk", "people": [str(user("member", "Dana").pk)]}
    assert client.post("/agents/desk/settings", sent).status_code == 302
    for path in pages:
        assert "answers nobody" not in page_of(client, path), path
    assert say(member_client("member", "Dana"), agent).status_code == 202
    # Somebody who is on the list and no longer here is nobody.
    user("member", "Dana").memberships.all().delete()
    assert "answers nobody" in page_of(client, "/agents")
    assert client.post("/agents/desk/settings", {**sent, "people": []}).status_code == 302


def test_any_other_agents_list_has_somebody_on_it(flow: Flow, go: Go, member_client: Clients) -> None:
    go(flow, access="workspace")
    reply = member_client("operator").post("/agents/desk/settings", {**OPEN, "access": "listed", "name": "Desk"})
    assert reply.status_code == 422 and "Choose at least one person." in reply.content.decode()


def test_a_row_that_says_both_answers_no_visitor(workspace, member_client: Clients) -> None:
    """However it came about: a version and an open link that were set at one moment by two people."""
    agent = talk.agent("desk", KNOWS)
    Deployment.objects.filter(pk=agent.pk).update(access="link", link_token="t" * 32)
    assert Client().get(f"/a/desk?k={'t' * 32}")["Location"].startswith("/sign-in")
    page = page_of(member_client("operator"), "/agents/desk/settings")
    assert "It stands on an open link" in page and "?k=" not in page
    assert say(member_client("member"), agent).status_code == 202


# LG-contract-13: what somebody else did in the same moment stays: a version made live, a link that ended, a pause.
def test_terms_that_are_saved_take_nothing_else_back(
    flow: Flow, go: Go, member_client: Clients, monkeypatch: pytest.MonkeyPatch
) -> None:
    agent = go(flow, access="link")
    later = FlowVersion.objects.create(
        flow=flow, number=9, sha="9" * 64, document={**ECHO, "requires": {"users": True}}, units_sha="0" * 64, engine=1
    )
    write = terms.write

    def meanwhile(*given: object, **more: object) -> None:
        other = Deployment.objects.get(pk=agent.pk)
        other.version, other.link_token, other.paused = later, "f" * 32, True
        other.save(update_fields=["version", "link_token", "paused"])
        write(*given, **more)  # type: ignore[arg-type]

    monkeypatch.setattr(terms, "write", meanwhile)
    form = {**OPEN, "name": "Renamed", "visitor_limit": "7"}
    assert member_client("owner").post("/agents/desk/settings", form).status_code == 302
    agent.refresh_from_db()
    assert (agent.name, agent.visitor_limit) == ("Renamed", 7)
    assert (agent.version, agent.known_people, agent.link_token, agent.paused) == (later, True, "f" * 32, True)
