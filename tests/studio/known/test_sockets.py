"""Sockets of a chat that locks: they close with a code of their own within seconds, and others stay."""

from __future__ import annotations

import pytest
from asgiref.sync import sync_to_async
from django.test import Client

from runtime import events
from runtime.models import Run
from studio import consumers, watch
from tests.studio.chat.test_sockets import AT, address, closed_threads, closed_with, happens, heard, open_socket
from tests.studio.known.conftest import knowing, silent
from tests.support import talk

__all__ = ["closed_threads", "open_socket"]

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture
def dana(workspace, user, member_client) -> tuple[Run, Run, Client]:
    """Runs of Dana's with an agent that knows its people and with one that does not, and her browser."""
    knows, plain = (
        talk.run(talk.conversation(agent, user("member", "Dana")), "running")
        for agent in (knowing(), talk.agent("plain"))
    )
    return knows, plain, member_client("member", "Dana")


# LG-contract-21
async def test_a_socket_closes_when_its_session_locks_and_another_agents_stays(dana, open_socket, monkeypatch) -> None:
    monkeypatch.setattr(watch, "POLL_SECONDS", 0.05)
    knows, plain, client = dana
    locks, stays = await open_socket(address(knows), client), await open_socket(address(plain), client)
    assert [(await heard(each))["seq"] for each in (locks, stays)] == [1, 1]
    await sync_to_async(silent)(client, 21)
    assert await closed_with(locks) == consumers.LOCKED == 4423
    await happens(plain, events.StepStarted(**AT))
    assert (await heard(stays))["seq"] == 2
    again = await open_socket(address(knows), client)
    assert await closed_with(again) == 4423


async def test_signing_out_closes_it_as_soon(dana, open_socket, monkeypatch) -> None:
    monkeypatch.setattr(watch, "POLL_SECONDS", 0.05)
    knows, _, client = dana
    socket = await open_socket(address(knows), client)
    await heard(socket)
    await sync_to_async(client.post)("/sign-out")
    assert await closed_with(socket) == consumers.SIGNED_OUT
