"""A flow and an agent as a builder and an operator make them, over the pages themselves."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from django.test import Client

from flows.models import Flow, Workspace
from runtime.models import Deployment, ModelEntry
from studio import publishing
from studio.models import Invite, Membership, User

Clients = Callable[..., Client]


@pytest.fixture
def flow(workspace: Workspace, member_client: Clients) -> Flow:
    """The order desk, started from the example by a builder."""
    reply = member_client("builder").post("/flows/example", {"name": "order-desk"})
    assert reply.status_code == 302, reply.content
    return Flow.objects.get(pk=reply["Location"].rsplit("/", 1)[1])


TERMS = {
    "to": "new", "name": "Order desk", "slug": "order-desk", "access": "workspace", "deciders": "reviewers",
    "not_starter": "1", "approval_hours": "72", "allowed_hosts": "127.0.0.1:8421",
    "setting:officeUrl": "http://127.0.0.1:8421/office", "keep_edited": "1",
}  # fmt: skip


def seen(flow: Flow) -> dict[str, object]:
    """What the publish page, opened now, carries of what it shows."""
    shown = publishing.readiness(Flow.objects.get(pk=flow.pk)).seen
    return {"revision": shown.revision, "units_sha": shown.units_sha}


@pytest.fixture
def publish(flow: Flow, member_client: Clients) -> Callable[..., object]:
    """`publish(access="link", …)`: the answer to the publish form, sent by an operator unless `role` says other."""

    def send(role: str = "operator", **changed: object):
        terms = {**TERMS, **seen(flow), **changed}
        body = {key: value for key, value in terms.items() if value is not None}
        return member_client(role).post(f"/flows/{flow.pk}/publish", body)

    return send


@pytest.fixture
def agent(publish: Callable[..., object]) -> Deployment:
    """The order desk, live at /a/order-desk."""
    reply = publish()
    assert reply.status_code == 302, reply.content
    return Deployment.objects.get(slug="order-desk")


@pytest.fixture
def stranger(db: None) -> Client:
    """The owner of another workspace, signed in."""
    other = Workspace.objects.create(name="Elsewhere")
    from tests.support.people import person

    client = Client()
    owner: User = person(other, "owner", "Mallory")
    client.force_login(owner)
    return client


@pytest.fixture
def filled(agent: Deployment, flow: Flow, user: Callable) -> dict[str, Callable[[], object]]:
    """A real value for each part of an address, so that a refusal is about rights and not about a wrong id."""
    invite = Invite.objects.create(role="member", token_sha="a" * 64, expires_at="2099-01-01T00:00Z")
    entry = ModelEntry.objects.create(name="Some", base_url="http://127.0.0.1:9/v1", model="m")
    target = Membership.objects.get(user=user("member", "Removable"))
    return {
        "people": lambda: target.pk, "invites": lambda: invite.pk, "models": lambda: entry.pk, "flows": lambda: flow.pk,
        "slug": lambda: agent.slug, "kind": lambda: "tool", "name": lambda: "placeOrder", "token": lambda: "nothing",
    }  # fmt: skip
