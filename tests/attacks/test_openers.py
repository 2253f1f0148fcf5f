"""Which modules can open a connection at all: a new one says here why it may."""

from __future__ import annotations

import ast

from tests.test_house import modules

REACHES_OUT = {
    "runtime/engine/worker.py": "names the machine it is on",
    "runtime/notices/mail.py": "tells what the mail server said, which Django's mail asks; operators set it",
    "runtime/notices/watch.py": "names the machine it is on",
    "runtime/processes.py": "asks the product's own processes whether they are up",
    "runtime/services/clients.py": "asks models, whose addresses are operators' own",
    "runtime/services/connection.py": "is the guarded client: it judges each connection as it is opened",
    "runtime/services/endpoints.py": "looks for models on this machine's usual ports",
    "runtime/services/http.py": "is the guarded client",
    "runtime/services/mcp/renewed.py": "puts tokens into what mcp/web.py sends; they come through the guarded client",
    "runtime/services/mcp/session.py": "speaks to MCP servers, whose addresses are operators' own",
    "runtime/services/mcp/stdio.py": "starts MCP servers of the installation's own list",
    "runtime/services/mcp/web.py": "reaches MCP servers, whose addresses are operators' own",
    "runtime/tracing/wire.py": "sends traces to the collector that the installation's settings name",
    "runtime/units/inside/zygote.py": "listens to the worker, inside the sandbox",
    "runtime/units/jail.py": "makes the pair of sockets between worker and sandbox",
    "runtime/units/probe.py": "listens, to see that code cannot connect",
    "runtime/units/warm.py": "makes the pair of sockets between worker and code",
}
OPENERS = {
    "httpx", "httpx2", "httpcore", "requests", "aiohttp", "urllib.request", "urllib3", "http.client", "smtplib",
    "ftplib", "poplib", "imaplib", "websockets", "websocket", "openai", "mcp", "socket", "xmlrpc.client", "grpc",
}  # fmt: skip
OPENING_CALLS = {
    "open_connection", "create_connection", "create_datagram_endpoint", "sock_connect", "urlopen",
    "open_unix_connection",
}  # fmt: skip


def openers() -> dict[str, list[str]]:
    """Module -> what in it can open a connection, wherever it is imported."""
    found: dict[str, list[str]] = {}
    for path, tree in modules().items():
        used = set()
        for node in ast.walk(tree):
            names = [each.name for each in node.names] if isinstance(node, ast.Import) else []
            if isinstance(node, ast.ImportFrom) and node.module and not node.level:
                names = [node.module, *(f"{node.module}.{each.name}" for each in node.names)]
            used |= {name for name in names if name in OPENERS or name.split(".")[0] in OPENERS}
            if isinstance(node, ast.Call) and ast.unparse(node.func).rpartition(".")[2] in OPENING_CALLS:
                used.add(ast.unparse(node.func))
        if used:
            found[path] = sorted(used)
    return found


def test_only_named_modules_can_open_connections() -> None:
    found = {path: used for path, used in openers().items() if not path.startswith(SCRIPTED)}
    strange = {path: used for path, used in found.items() if path not in REACHES_OUT}
    assert not strange, "Go through runtime/services/http.py, or say in REACHES_OUT why not."
    assert REACHES_OUT.keys() <= found.keys(), "These reach out no more."


SCRIPTED = ("runtime/demo/",)
"""The scripted model and office, which listen on this machine and are asked by tests."""
