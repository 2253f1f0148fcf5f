"""The tools of MCP servers in a test: every one that the flow declares is there, and what the test says answers."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import TYPE_CHECKING, cast

from flows.kinds.base import Json
from flows.words import toolschema
from flows.words.callables import inputs_of
from flows.words.document import Document
from runtime.engine.servers import FAILED, Carrier, Offered, Servers, tool_of
from runtime.services.http import Request, Response
from runtime.services.mcp.definitions import Definition
from runtime.services.secrets import SecretValue
from runtime.testing.reached import Reached
from runtime.testing.standing import Fails, StandIns

if TYPE_CHECKING:
    from runtime.engine.lease import Lease


class StandingServers(Servers):
    """No server is asked, not even what it offers: a tool takes what the flow says that it takes."""

    def __init__(self, lease: Lease, stand: StandIns, reached: Reached) -> None:
        super().__init__(lease)
        self._stand, self._reached = stand, reached

    async def off(self, flow: Document) -> dict[str, str]:
        return {}

    async def offered(self, flow: Document, tool: str) -> Offered:
        said = tool_of(flow, tool)
        schema = toolschema.of_fields(inputs_of(flow, tool))
        return Offered("", tool, Definition(tool, (said.describe if said else "") or "", schema), "read")

    async def carrier(self, offered: Offered, address: str) -> Carrier:
        return cast(Carrier, StandingCarrier(self._stand, self._reached, offered.name, address))


class StandingCarrier:
    """Stands where a server's connection does."""

    def __init__(self, stand: StandIns, reached: Reached, tool: str, address: str) -> None:
        self._stand, self._reached, self._tool, self._address = stand, reached, tool, address

    def effect(self, request: Request) -> str:
        return "read"

    async def send(
        self, request: Request, *, secrets: Mapping[str, SecretValue] | None = None, idempotency_key: str | None = None
    ) -> Response:
        args: Json = request.json or {}
        answer = self._reached.call(self._stand, self._tool, args, self._address)
        if isinstance(answer, Fails):
            return Response(FAILED, {}, answer.why, None, request.url)
        return Response(200, {}, json.dumps(answer, ensure_ascii=False), None, request.url)
