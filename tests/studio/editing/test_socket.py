"""The flow's socket: pages that show a draft hear of its new revisions, and nobody else does."""

from __future__ import annotations

import uuid

import pytest
from asgiref.sync import sync_to_async
from django.test import Client

from flows import scope
from flows.edits.apply import written
from flows.models import Flow, Workspace
from flows.store import import_flow
from runtime import bell
from studio import consumers, editing
from studio.editing import Sent
from studio.models import Membership
from tests.flows.flow_of import every_kind
from tests.studio.chat.test_sockets import (  # noqa: F401 - fixtures
    brisk,
    closed_threads,
    closed_with,
    heard,
    open_socket,
)
from tests.support.people import person

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture
def flow(workspace: Workspace) -> Flow:
    return import_flow(written(every_kind()))


async def edited(flow: Flow, by: str = "Bob") -> None:
    def edit() -> None:
        with scope.workspace(flow.workspace_id):
            now = Flow.objects.get(pk=flow.pk)
            operation = {"op": "setField", "on": {"node": "plan"}, "path": ["description"], "value": str(now.revision)}
            bob = person(now.workspace, "builder", by)
            editing.submit(now, Sent(uuid.uuid4(), now.revision, [operation]), bob)

    await sync_to_async(edit)()


async def test_pages_hear_of_new_revisions(flow: Flow, member_client, open_socket) -> None:  # noqa: F811
    socket = await open_socket(f"/ws/flows/{flow.pk}", await sync_to_async(member_client)("builder", "Ann"))
    # At once, what is there: an edit may have come between the page and its socket.
    assert await heard(socket) == {"type": "draft", "revision": 1, "by": ""}
    await edited(flow)
    assert await heard(socket) == {"type": "draft", "revision": 2, "by": "Bob"}
    await sync_to_async(bell.flow_after_commit)(flow.pk, {"type": "ask", "id": "x", "rev": 1})
    assert (await heard(socket))["type"] == "ask"


async def test_who_may_not_see_the_flow_hears_nothing(flow: Flow, member_client, open_socket) -> None:  # noqa: F811
    address = f"/ws/flows/{flow.pk}"
    assert await closed_with(await open_socket(address)) == consumers.SIGNED_OUT
    member = await sync_to_async(member_client)("member", "Dana")
    assert await closed_with(await open_socket(address, member)) == consumers.NOT_ALLOWED
    builder = await sync_to_async(member_client)("builder", "Ann")
    assert await closed_with(await open_socket(f"/ws/flows/{uuid.uuid4()}", builder)) == consumers.NO_SUCH

    def stranger() -> Client:
        client = Client()
        client.force_login(person(Workspace.objects.create(name="Elsewhere"), "owner", "Mallory"))
        return client

    assert await closed_with(await open_socket(address, await sync_to_async(stranger)())) == consumers.NO_SUCH


async def test_a_lost_doorbell_and_a_lost_right_are_noticed(
    flow: Flow, member_client, open_socket, brisk, monkeypatch: pytest.MonkeyPatch  # noqa: F811
) -> None:  # fmt: skip
    socket = await open_socket(f"/ws/flows/{flow.pk}", await sync_to_async(member_client)("builder", "Ann"))
    assert (await heard(socket))["revision"] == 1
    monkeypatch.setattr(bell, "flow_after_commit", lambda *given: None)
    await edited(flow)
    assert await heard(socket) == {"type": "draft", "revision": 2, "by": ""}
    await sync_to_async(Membership.everywhere.filter(user__name="Ann").delete)()
    assert await closed_with(socket) == consumers.NOT_ALLOWED
