"""The tools of MCP servers as one run may use them: looked at once, switched on, and what they were when looked at."""

from __future__ import annotations

import asyncio
import json
import time
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import timedelta
from typing import TYPE_CHECKING
from urllib.parse import quote

from django.utils import timezone

from flows.kinds.base import Json, NodeFailed
from flows.problem import quoted
from flows.words.callables import servers as declared
from flows.words.document import Document
from flows.words.requires import McpTool as McpToolWord
from runtime.models import McpLink, McpTool, ToolCall
from runtime.outgoing import told
from runtime.rows import insert
from runtime.services import places
from runtime.services.http import NotSent, OutcomeUnclear, Request, Response
from runtime.services.mcp import definitions
from runtime.services.mcp.definitions import Definition
from runtime.services.mcp.session import Session
from runtime.services.secrets import SecretValue

if TYPE_CHECKING:
    from runtime.engine.lease import Lease

FAILED = 422
"""The status under which the ledger keeps a call that reached its tool, and that the tool says went wrong."""
LISTING_HOLDS = timedelta(hours=6)
"""A run that waited longer for people asks its servers anew; what an operator looked at rules all the same."""
SERVER_DOWN, TOOL_OFF = "SERVER_DOWN", "TOOL_OFF"


@dataclass(frozen=True)
class Offered:
    """A tool that may be called now. name: what the server calls it."""

    server: str
    name: str
    definition: Definition
    effect: str


@dataclass(frozen=True)
class Switch:
    """What an operator decided about one tool of one deployment."""

    on: bool
    effect: str
    sha: str
    news: bool


class Servers:
    """One run's. Connections are opened on first use and closed with the run's resources."""

    def __init__(self, lease: Lease) -> None:
        self._lease = lease
        self._sessions: dict[str, Session] = {}
        self._seen: dict[str, dict[str, Definition]] = {}
        self._looking = asyncio.Lock()

    async def close(self) -> None:
        sessions, self._sessions = list(self._sessions.values()), {}
        await asyncio.gather(*(session.close() for session in sessions))

    async def off(self, flow: Document) -> dict[str, str]:
        """The flow's tools of servers that cannot be called now, and why. Nothing is asked of a server for this."""
        named = declared(flow)
        if not named:
            return {}
        switches = await self._switches(set(named))
        found: dict[str, str] = {}
        for server, tools in named.items():
            for name, tool in tools.items():
                words = _judged(server, name, switches.get(server), _remote(name, tool))
                if words:
                    found[name] = words
        return found

    async def offered(self, flow: Document, tool: str) -> Offered:
        """What may be called under the flow's name for it, checked with the operator's switches as they are now.

        Raises NodeFailed: TOOL_OFF for one that is not available here, SERVER_DOWN for a server that does not answer.
        """
        server, remote = _place(flow, tool)
        known = (await self._switches({server})).get(server)
        words = _judged(server, tool, known, remote)
        if words or known is None:
            raise NodeFailed(words, TOOL_OFF)
        definition = (await self._tools(server)).get(remote)
        if definition is None:
            raise NodeFailed(_off(tool, f"the server {quoted(server)} does not offer it"), TOOL_OFF)
        if definition.sha != known[remote].sha:
            raise NodeFailed(_off(tool, _CHANGED.format(quoted(server))), TOOL_OFF)
        return Offered(server, remote, definition, known[remote].effect)

    async def carrier(self, offered: Offered, address: str) -> Carrier:
        """What takes calls of this tool there, for the step of this address. Raises NodeFailed."""
        return Carrier(await self.session(offered.server), offered)

    async def session(self, server: str) -> Session:
        if server not in self._sessions:
            deployment = self._lease.run.deployment_id

            def load() -> places.Place | None:
                link = McpLink.objects.select_related("server").filter(deployment_id=deployment, name=server).first()
                return places.place_of(link.server, server) if link else None

            try:
                place = await self._lease.database.read(load)
            except places.Unusable as unusable:
                raise NodeFailed(unusable.message, SERVER_DOWN) from None
            if place is None:
                raise NodeFailed(f"No server {quoted(server)} is connected to this agent.", SERVER_DOWN)
            self._sessions.setdefault(server, Session(place))
        return self._sessions[server]

    async def _tools(self, server: str) -> dict[str, Definition]:
        """What the server offered when this run asked it; the ledger keeps the answer for whoever takes the run over.

        Raises NodeFailed.
        """
        async with self._looking:
            if server not in self._seen:
                key = f"mcp/{server}"
                row = self._lease.ledger.tools.get(key)
                if row is None or timezone.now() - row.at > LISTING_HOLDS:
                    row = await self._look(server, key)
                await self._lease.ledger.whole(row)
                listed = json.loads(row.response["text"])
                self._seen[server] = {name: definitions.read(each) for name, each in listed.items()}
        return self._seen[server]

    async def _look(self, server: str, key: str) -> ToolCall:
        lease = self._lease
        session = await self.session(server)
        began = time.perf_counter()
        try:
            found = await session.tools()
        except (NotSent, OutcomeUnclear) as failed:
            raise NodeFailed(failed.message, SERVER_DOWN) from None
        listed = {name: each.plain() for name, each in found.items()}
        row = ToolCall(
            workspace_id=lease.run.workspace_id, run_id=lease.id, key=key, address="", unit=server[:80],
            effect="read", state="done", fence=lease.fence, args_sha="",
            request={"method": "POST", "url": f"mcp://{quote(server)}"},
            response={"status": 200, "text": json.dumps(listed, ensure_ascii=False)},
            ms=round((time.perf_counter() - began) * 1000, 2),
        )  # fmt: skip
        lease.ledger.put(row)
        deployment = lease.run.deployment_id

        def keep() -> None:
            insert([row], conflict="replace", unique=("run", "key"))
            places.notice(deployment, server, found)

        await lease.commit(told(row), ops=(keep,))
        return row

    async def _switches(self, servers: set[str]) -> dict[str, dict[str, Switch]]:
        """Server → tool → what was decided, read anew each time: a switch holds from the next call on."""
        deployment = self._lease.run.deployment_id

        def load() -> dict[str, dict[str, Switch]]:
            found: dict[str, dict[str, Switch]] = {
                name: {} for name in McpLink.objects.filter(deployment_id=deployment).values_list("name", flat=True)
            }
            rows = McpTool.objects.filter(link__deployment_id=deployment, link__name__in=servers)
            for row in rows.select_related("link"):
                switch = Switch(row.on, row.effect, row.sha, row.news is not None)
                found.setdefault(row.link.name, {})[row.name] = switch
            return found

        return await self._lease.database.read(load)


class Carrier:
    """Carries the calls of the ledger to one tool of one server."""

    def __init__(self, session: Session, offered: Offered) -> None:
        self._session, self._offered = session, offered

    def effect(self, request: Request) -> str:
        return self._offered.effect

    async def send(
        self, request: Request, *, secrets: Mapping[str, SecretValue] | None = None, idempotency_key: str | None = None
    ) -> Response:
        answer = await self._session.call(
            self._offered.name, request.json or {}, wrapped=self._offered.definition.wrapped
        )
        text = answer.value if answer.failed and isinstance(answer.value, str) else json.dumps(
            answer.value, ensure_ascii=False
        )  # fmt: skip
        return Response(FAILED if answer.failed else 200, {}, text, None, request.url)


def request_for(offered: Offered, args: Mapping[str, Json]) -> Request:
    """The call as the ledger keeps it and people are shown it."""
    return Request("POST", f"mcp://{quote(offered.server)}/{quote(offered.name, safe='')}", json=dict(args))


def is_on_server(flow: Document, tool: str) -> bool:
    return any(tool in tools for tools in declared(flow).values())


def tool_of(flow: Document, tool: str) -> McpToolWord | None:
    """What the flow says of a tool of a server; None where it is only named."""
    return next(tools[tool] for tools in declared(flow).values() if tool in tools)


def _place(flow: Document, tool: str) -> tuple[str, str]:
    """The server of a flow's tool, and the tool's name there."""
    server, tools = next((server, tools) for server, tools in declared(flow).items() if tool in tools)
    return server, _remote(tool, tools[tool])


def _remote(name: str, tool: Json) -> str:
    return (tool.remote if tool is not None else None) or name


_CHANGED = "the server {} describes it otherwise than when an operator looked at it"


def _judged(server: str, name: str, known: Mapping[str, Switch] | None, remote: str) -> str:
    """Why the switches keep a tool from being called, or ""."""
    if known is None:
        return _off(name, f"no server {quoted(server)} is connected to this agent")
    switch = known.get(remote)
    if switch is None or not switch.sha:
        return _off(name, f"no operator has looked at it on the server {quoted(server)}")
    if switch.news:
        return _off(name, _CHANGED.format(quoted(server)))
    return "" if switch.on else _off(name, "an operator has switched it off")


def _off(tool: str, why: str) -> str:
    return f"The tool {quoted(tool)} is not available here: {why}. Nothing was called."
