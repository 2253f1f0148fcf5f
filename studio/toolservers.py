"""The workspace's MCP servers, and what each agent may do with them: reading forms, saving, switching, accepting."""

from __future__ import annotations

import uuid
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import urlsplit

from django.db import transaction
from django.http import QueryDict

from flows.problem import listed
from flows.words.callables import servers as declared
from flows.words.document import Document
from flows.words.requires import McpTool as McpToolWord
from runtime import looking
from runtime.models import Deployment, McpLink, McpServer, McpTool
from runtime.services import places, renewal
from runtime.services.mcp import definitions, renewed
from runtime.services.mcp.place import LONGEST_SECONDS, Command, CommandsUnreadable, commands
from runtime.services.secrets import SecretUnreadable
from studio.strings import t

TRANSPORTS = ("http", "sse", "stdio")
EFFECTS = ("write", "idempotent", "read")
MOST_HEADERS = 20


def programs() -> tuple[list[Command], str]:
    """The programs that may be started here, and what is wrong with the file that lists them."""
    try:
        return list(commands().values()), ""
    except CommandsUnreadable as error:
        return [], str(error)


@dataclass
class ServerForm:
    """What the form says, as typed, and the sentence beside each field that does not fit."""

    name: str = ""
    transport: str = "http"
    url: str = ""
    command: str = ""
    secrets: str = ""
    drop_secrets: bool = False
    seconds: str = "30"
    problems: dict[str, str] = field(default_factory=dict)

    @classmethod
    def of(cls, server: McpServer) -> ServerForm:
        return cls(server.name, server.transport, server.url, server.command, seconds=str(server.seconds))

    @classmethod
    def read(cls, sent: QueryDict) -> ServerForm:
        form = cls(drop_secrets=sent.get("drop_secrets") == "1", secrets=sent.get("secrets", ""))
        for name in ("name", "transport", "url", "command", "seconds"):
            setattr(form, name, sent.get(name, "").strip())
        return form


def stored(server: McpServer | None) -> list[str]:
    """The names of the secrets that are stored for a server, never their values."""
    if server is None:
        return []
    try:
        return list(places.unseal(server.cipher))
    except SecretUnreadable:
        return []


def save(form: ServerForm, server: McpServer | None = None) -> McpServer | None:
    """Write the server and have it looked at; None when the form has problems, which then stand on it."""
    server = server or McpServer()
    secrets = _judge(form, server)
    if form.problems:
        return None
    moved = _where(server) != _where_of(form)
    server.name, server.transport, server.seconds = form.name, form.transport, int(form.seconds)
    server.url = form.url if form.transport != "stdio" else ""
    server.command = form.command if form.transport == "stdio" else ""
    if secrets:
        server.cipher = places.seal(secrets)
    elif form.drop_secrets or moved:
        server.cipher = b""
    server.save()
    looking.want(server)
    return server


def _where(server: McpServer) -> tuple[str, ...]:
    """To whom the server's secrets go."""
    if server.transport == "stdio":
        return ("stdio", server.command)
    parts = urlsplit(server.url)
    return (parts.scheme, parts.netloc)


def _where_of(form: ServerForm) -> tuple[str, ...]:
    return _where(McpServer(transport=form.transport, url=form.url, command=form.command))


def _judge(form: ServerForm, server: McpServer) -> dict[str, str]:
    """Write what does not fit onto the form; returns the secrets that were typed."""
    problems = form.problems
    if not form.name or len(form.name) > 80:
        problems["name"] = t("field.too_long", count=80) if form.name else t("servers.name_missing")
    elif McpServer.objects.filter(name=form.name).exclude(pk=server.pk).exists():
        problems["name"] = t("servers.name_taken")
    if form.transport not in TRANSPORTS:
        problems["transport"] = t("field.choose")
    elif form.transport == "stdio":
        if form.command not in {command.name for command in programs()[0]}:
            problems["command"] = t("servers.command_unknown")
    elif not _is_address(form.url):
        problems["url"] = t("servers.url_wrong")
    if not (form.seconds.isdecimal() and len(form.seconds) < 10) or not 1 <= int(form.seconds) <= LONGEST_SECONDS:
        problems["seconds"] = t("servers.seconds_wrong", most=LONGEST_SECONDS)
    secrets = _secrets(form)
    if not secrets and server.cipher and not form.drop_secrets and not problems and _where(server) != _where_of(form):
        problems["secrets"] = t("servers.secrets_again")
    return secrets


def _is_address(url: str) -> bool:
    try:
        parts = urlsplit(url)
        port = parts.port
    except ValueError:
        return False
    plain = parts.scheme in ("http", "https") and parts.hostname and not parts.username and not parts.fragment
    return bool(plain) and port != 0 and len(url) <= 500 and url.isascii() and url.isprintable() and " " not in url


def _secrets(form: ServerForm) -> dict[str, str]:
    """The lines `Name: value` (headers) or `NAME=value` (environment) as they were typed."""
    mark = "=" if form.transport == "stdio" else ":"
    found: dict[str, str] = {}
    for line in form.secrets.splitlines():
        if not line.strip():
            continue
        name, between, value = line.partition(mark)
        name, value = name.strip(), value.strip()
        named = name.isascii() and name.replace("-", "").replace("_", "").isalnum()
        if not between or not named or not value.isprintable() or not value or len(found) >= MOST_HEADERS:
            form.problems["secrets"] = t("servers.secrets_wrong_env" if mark == "=" else "servers.secrets_wrong")
            return {}
        found[name] = value
    if form.transport != "stdio" and (wrong := _unrenewed(found)):
        form.problems["secrets"] = wrong
        return {}
    allowed = {command.name: command.env for command in programs()[0]}.get(form.command)
    if form.transport == "stdio" and allowed is not None and not set(found) <= set(allowed):
        form.problems["secrets"] = t("servers.secrets_not_read", names=", ".join(allowed) or t("servers.none"))
    return found


def _unrenewed(headers: Mapping[str, str]) -> str:
    """What keeps a token in these headers from renewing itself, in a sentence; "" where nothing does."""
    wanted, given = renewed.marks(headers), [name for name in renewal.CLIENT if name in headers]
    other = next((name for name in wanted if not renewal.is_renewed(name)), None)
    if other is not None:
        return t("servers.secrets_mark", name=other)
    if (wanted or given) and len(given) < len(renewal.CLIENT):
        return t("servers.secrets_renewing", names=listed(list(renewal.CLIENT), "and"))
    return t("servers.secrets_unmarked") if given and not wanted else ""


def delete(server: McpServer) -> list[str]:
    """Remove the server; returns the agents that used it."""
    links = McpLink.objects.filter(server=server, deployment__workbench=False)
    used = sorted(set(links.values_list("deployment__name", flat=True)))
    server.delete()
    return used


@dataclass(frozen=True)
class ToolRow:
    """A tool that the flow names. tool: as the deployment may call it; None where its server does not offer it."""

    name: str
    remote: str
    tool: McpTool | None
    before: str
    now: str

    @property
    def sha(self) -> str:
        """Names what the server says now, for whoever accepts it."""
        return definitions.read(self.tool.news).sha if self.tool is not None and self.tool.news is not None else ""

    @property
    def claims(self) -> bool:
        """Whether the server itself says that the tool only reads."""
        said = self.tool and (self.tool.news or self.tool.definition)
        return bool(said and said["reads"])

    @property
    def state(self) -> str:
        if self.tool is None:
            return "missing"
        if self.tool.news is not None:
            return "changed" if self.tool.sha else "new"
        return "on" if self.tool.on else "off"


@dataclass(frozen=True)
class ServerRow:
    """A server that the flow names, and which one the deployment means by that."""

    name: str
    describe: str
    link: McpLink | None
    tools: list[ToolRow]


def rows(deployment: Deployment, document: Document | None) -> list[ServerRow]:
    """Every server that the flow names, with every tool that it may call on it."""
    links = {link.name: link for link in McpLink.objects.filter(deployment=deployment).select_related("server")}
    known: dict[tuple[str, str], McpTool] = {
        (tool.link.name, tool.name): tool
        for tool in McpTool.objects.filter(link__deployment=deployment).select_related("link")
    }
    return [
        ServerRow(
            server, document.requires.mcp[server].describe if document else "", links.get(server),
            [_row(name, remote, known.get((server, remote))) for name, remote in _remotes(tools)],
        )
        for server, tools in (declared(document) if document else {}).items()
    ]  # fmt: skip


def _remotes(tools: Mapping[str, McpToolWord | None]) -> list[tuple[str, str]]:
    """The flow's name for each tool, and the server's."""
    return [(name, (tool.remote if tool is not None else None) or name) for name, tool in tools.items()]


def _row(name: str, remote: str, tool: McpTool | None) -> ToolRow:
    def words(said: Any) -> str:
        return said["description"] if said else ""

    return ToolRow(name, remote, tool, words(tool and tool.definition), words(tool and tool.news))


def connect(deployment: Deployment, name: str, server_id: str, by: str) -> bool:
    """Say which server the deployment means by a name; "" is none. False when there is no such server."""
    server = McpServer.objects.filter(pk=server_id).first() if _is_id(server_id) else None
    if server is None and server_id:
        return False
    with transaction.atomic():
        places.connect(deployment.pk, name, server, by)
    return True


def decide(deployment: Deployment, sent: Mapping[str, str], by: str) -> None:
    """Switches and effects as the form has them, and what is newly looked at. Unknown tools are left alone."""
    with transaction.atomic():
        tools = McpTool.objects.select_for_update().filter(link__deployment=deployment)
        for tool in tools:
            key = str(tool.pk)
            if f"shown-{key}" not in sent:
                continue
            tool.on = sent.get(f"on-{key}") == "1"
            effect = sent.get(f"effect-{key}", tool.effect)
            tool.effect = effect if effect in EFFECTS else tool.effect
            # Only what stood on the page was looked at; a server may have said something else meanwhile.
            news = definitions.read(tool.news) if tool.news is not None else None
            if news is not None and sent.get(f"accept-{key}") == news.sha:
                places.accept(tool, news, by)
            else:
                tool.save(update_fields=["on", "effect"])


def _is_id(text: str) -> bool:
    try:
        uuid.UUID(text)
    except ValueError:
        return False
    return True
