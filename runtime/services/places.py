"""Servers between the database and a connection: decrypted where they are reached, and noticed when they change."""

from __future__ import annotations

import json
import uuid
from collections.abc import Mapping

from django.db.models import QuerySet
from django.utils import timezone

from runtime.models import McpLink, McpServer, McpTool
from runtime.services import renewal
from runtime.services.mcp import definitions
from runtime.services.mcp.definitions import Definition
from runtime.services.mcp.place import CommandsUnreadable, Place, commands
from runtime.services.secrets import SecretUnreadable, SecretValue, decrypt, encrypt

__all__ = ["Place", "Unusable", "connect", "look_at", "notice", "place_of", "seal", "unseal"]


class Unusable(Exception):
    """A server cannot be reached with what is set. The message is a sentence."""

    def __init__(self, message: str) -> None:
        super().__init__(message)
        self.message = message


def seal(values: Mapping[str, str]) -> bytes:
    """Headers or environment as they are stored."""
    return encrypt(json.dumps(dict(values)).encode()) if values else b""


def unseal(cipher: bytes) -> dict[str, str]:
    """Headers or environment in plain. Raises SecretUnreadable."""
    return json.loads(decrypt(cipher)) if bytes(cipher) else {}


def place_of(server: McpServer, called: str = "") -> Place:
    """Where the server is, its secrets opaque. called: the name that it is known by here. Raises Unusable."""
    name = called or server.name
    try:
        values = {key: SecretValue(value) for key, value in unseal(server.cipher).items()}
    except SecretUnreadable as error:
        raise Unusable(f'The server "{name}" cannot be reached. {error.message}') from None
    seconds = float(server.seconds)
    if server.transport != "stdio":
        kind = "sse" if server.transport == "sse" else "http"
        grant: dict[str, SecretValue] = {}
        if all(each in values for each in renewal.CLIENT):
            grant = {each: SecretValue(values.pop(each).value, (renewal.host(),)) for each in renewal.CLIENT}
        return Place(name, kind, server.url, headers=values, seconds=seconds, grant=grant)
    try:
        command = commands().get(server.command)
    except CommandsUnreadable as error:
        raise Unusable(f'The server "{name}" cannot be started. {error}') from None
    if command is None:
        raise Unusable(f'The server "{name}" cannot be started: this installation lists no command "{server.command}".')
    return Place(name, "stdio", argv=command.argv, env=values, seconds=seconds)


def notice(deployment: uuid.UUID, server: str, found: Mapping[str, Definition]) -> None:
    """In a transaction: what a server now says of its tools is held against what an operator looked at.

    A tool that says something else, and one that nobody looked at, is off until somebody does.
    """
    for link in McpLink.objects.filter(deployment_id=deployment, name=server):
        _notice(link, found)


def look_at(server: McpServer, found: Mapping[str, Definition]) -> None:
    """In a transaction: an operator's look at a server, whose result every deployment that uses it is told."""
    server.offered = {name: each.plain() for name, each in found.items()}
    server.looked_at, server.look_error, server.look_wanted_at = timezone.now(), "", None
    server.save(update_fields=["offered", "looked_at", "look_error", "look_wanted_at"])
    for link in McpLink.objects.filter(server=server):
        _notice(link, found)


def connect(deployment_id: uuid.UUID, name: str, server: McpServer | None, by: str) -> None:
    """In a transaction: the deployment means this server by that name from now on; None: none.

    What the server offered when it was last looked at is thereby looked at for this deployment.
    """
    before = McpLink.objects.filter(deployment_id=deployment_id, name=name).first()
    if server is None or before is None or before.server_id != server.pk:
        if before is not None:
            before.delete()
        if server is None:
            return
        link = McpLink.objects.create(deployment_id=deployment_id, name=name, server=server)
        for each in (server.offered or {}).values():
            accept(McpTool(link=link, name=each["name"]), definitions.read(each), by)


def standing(deployment_id: uuid.UUID) -> list[list[str]]:
    """What decides where a deployment's calls to servers go, and what they do there; an approval names it."""
    links = McpLink.objects.filter(deployment_id=deployment_id).select_related("server").order_by("name")
    # What nobody looked at cannot be called: that a server offers something new voids no card.
    tools = McpTool.objects.filter(link__deployment_id=deployment_id).exclude(sha="").select_related("link")
    return [
        *([link.name, str(link.server_id), link.server.changed_at.isoformat()] for link in links),
        *sorted([tool.link.name, tool.name, tool.effect, tool.sha] for tool in tools),
    ]


def accept(tool: McpTool, definition: Definition, by: str) -> None:
    """In a transaction: a person looked at what the server says of the tool, and it may be called as that."""
    tool.definition, tool.sha, tool.news = definition.plain(), definition.sha, None
    tool.looked_by, tool.looked_at = by, timezone.now()
    tool.save()


def _notice(link: McpLink, found: Mapping[str, Definition]) -> None:
    known = {tool.name: tool for tool in _tools(link)}
    for name, definition in found.items():
        tool = known.get(name)
        if tool is None:
            McpTool.objects.create(link=link, name=name, news=definition.plain())
        elif tool.sha != definition.sha:
            if tool.news != definition.plain():
                tool.news = definition.plain()
                tool.save(update_fields=["news"])
        elif tool.news is not None:
            tool.news = None
            tool.save(update_fields=["news"])


def _tools(link: McpLink) -> QuerySet[McpTool]:
    return McpTool.objects.filter(link=link)
