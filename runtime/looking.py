"""Looking at what a server offers, as the worker does it for an operator: programs are started nowhere else."""

from __future__ import annotations

import uuid

from django.utils import timezone

from flows import scope
from runtime import bell
from runtime.clock import after
from runtime.errands import Desk
from runtime.models import McpServer
from runtime.services import places
from runtime.services.http import NotSent, OutcomeUnclear
from runtime.services.mcp.session import Session

NAME = "servers"
UNSENT_SECONDS = 2.0
AT_ONCE = 20


def want(server: McpServer) -> None:
    """Ask the workers to look. What they find stands on the row afterwards."""
    McpServer.objects.filter(pk=server.pk).update(look_wanted_at=timezone.now(), look_error="")
    bell.errand(NAME, server.pk)


async def work(desk: Desk, id: uuid.UUID) -> None:
    """Ask a server what it offers, and keep it. Harmless for one at which nobody wants to look."""
    server = await desk.database.read(lambda: McpServer.everywhere.filter(id=id, look_wanted_at__isnull=False).first())
    if server is None:
        return
    scope.enter(server.workspace_id)
    session: Session | None = None
    try:
        session = Session(places.place_of(server))
        found = await session.tools()
        await desk.database.write(lambda: places.look_at(server, found))
    except (NotSent, OutcomeUnclear, places.Unusable) as failed:
        words = failed.message
        await desk.database.write(lambda: _failed(server, words))
    finally:
        if session is not None:
            await session.close()


async def sweep(desk: Desk) -> list[uuid.UUID]:
    """What nobody looked at yet."""

    def due() -> list[uuid.UUID]:
        wanted = McpServer.everywhere.filter(look_wanted_at__lt=after(-UNSENT_SECONDS))
        return list(wanted.order_by("look_wanted_at").values_list("id", flat=True)[:AT_ONCE])

    return await desk.database.read(due)


def _failed(server: McpServer, words: str) -> None:
    McpServer.objects.filter(pk=server.pk).update(look_wanted_at=None, look_error=words.replace("\0", ""))
