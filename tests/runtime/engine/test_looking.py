"""An operator's look at a server: done by the worker, whatever it finds, also when the doorbell was lost."""

from __future__ import annotations

from pathlib import Path

import pytest
from django.utils import timezone

from flows.models import Workspace
from runtime import looking
from runtime.engine.worker import Worker
from runtime.models import McpServer
from tests.runtime.engine.conftest import until
from tests.support import offices


def looked(server: McpServer) -> McpServer:
    until(lambda: McpServer.objects.get(pk=server.pk).look_wanted_at is None)
    return McpServer.objects.get(pk=server.pk)


def test_what_a_server_offers_is_kept(
    engine: Worker, workspace: Workspace, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    server = offices.program(tmp_path, monkeypatch)
    McpServer.objects.update(look_wanted_at=timezone.now())
    engine.run_errand(looking.NAME, server.pk)
    found = looked(server)
    assert found.look_error == "" and found.looked_at is not None
    assert found.offered["add_order"]["schema"]["required"] == ["customer", "quantity"]


def test_what_stands_in_the_way_is_said(engine: Worker, workspace: Workspace, monkeypatch: pytest.MonkeyPatch) -> None:
    server = McpServer.objects.create(name="Desk", transport="http", url="http://127.0.0.1:9/mcp")
    McpServer.objects.update(look_wanted_at=timezone.now())
    engine.run_errand(looking.NAME, server.pk)
    found = looked(server)
    assert found.look_error == 'The server "Desk" does not answer, or does not speak MCP.'
    assert (found.offered, found.looked_at) == (None, None)
    monkeypatch.delenv("MCP_COMMANDS", raising=False)
    McpServer.objects.update(transport="stdio", command="gone", look_wanted_at=timezone.now())
    engine.run_errand(looking.NAME, server.pk)
    assert 'lists no command "gone"' in looked(server).look_error


async def test_one_whose_bell_was_lost_is_found_again(workspace: Workspace, engine: Worker) -> None:
    from asgiref.sync import sync_to_async

    old = timezone.now() - timezone.timedelta(seconds=60)
    server = await sync_to_async(McpServer.objects.create)(
        name="Desk", transport="http", url="http://127.0.0.1:9/mcp", look_wanted_at=old
    )
    assert server.pk in await looking.sweep(engine)
