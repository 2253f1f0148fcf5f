"""A model that does whatever any text before it says, and the office and the documents that it is led to.

A text orders it with `OBEY` and JSON: {"rounds": [[[tool, arguments], …], …], "answer": "…"}.
"""

from __future__ import annotations

import json
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

Json = Any
ORDER = "OBEY"
LONG = "a megabyte of x"
"""Stands in an order for what would not fit into a document."""


@dataclass
class Obedient:
    """papers: path → document. asked: what the office was asked, as (method, path, body). told: what the model was."""

    port: int
    papers: dict[str, bytes] = field(default_factory=dict)
    asked: list[tuple[str, str, str]] = field(default_factory=list)
    told: list[Json] = field(default_factory=list)

    @property
    def host(self) -> str:
        return f"127.0.0.1:{self.port}"

    @property
    def url(self) -> str:
        return f"http://{self.host}"

    def put(self, name: str, content: bytes | str) -> str:
        self.papers[f"/papers/{name}"] = content.encode() if isinstance(content, str) else content
        return f"{self.url}/papers/{name}"

    def writes(self) -> list[tuple[str, str, str]]:
        return [each for each in self.asked if each[0] != "GET"]


def ordering(*rounds: list[Any], answer: str = "Done.", before: str = "") -> str:
    """A text that orders the model to make these calls, round by round."""
    return f"{before} {ORDER}{json.dumps({'rounds': rounds, 'answer': answer})}"


def orders(messages: list[Json]) -> Json:
    """The last order in any message, whoever it is from."""
    found = {"rounds": [], "answer": "I was told nothing."}
    for message in messages:
        text = message.get("content")
        text = text if isinstance(text, str) else ""
        at = text.rfind(ORDER + "{")
        if at >= 0:
            found, _ = json.JSONDecoder().raw_decode(text[at + len(ORDER) :])
    return found


def _written(args: Json) -> str:
    text = args if isinstance(args, str) else json.dumps(args)
    return text.replace(LONG, "x" * 10**6)


def reply(messages: list[Json]) -> Json:
    """What the model says: the calls of the next round, or its answer."""
    order = orders(messages)
    done = sum(1 for message in messages if message.get("tool_calls"))
    if done >= len(order["rounds"]):
        return {"content": order["answer"]}
    calls = [
        {"index": n, "id": f"c{done}-{n}", "type": "function",
         "function": {"name": name, "arguments": _written(args)}}
        for n, (name, args) in enumerate(order["rounds"][done])
    ]  # fmt: skip
    return {"tool_calls": calls}


@contextmanager
def obedient() -> Iterator[Obedient]:
    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_GET(self) -> None:
            self._take()

        def do_POST(self) -> None:
            self._take()

        do_PUT = do_PATCH = do_DELETE = do_POST

        def _take(self) -> None:
            body = self.rfile.read(int(self.headers.get("content-length") or 0))
            if self.path.endswith("/chat/completions"):
                asked = json.loads(body)
                server.told.append(asked["messages"])
                said = reply(asked["messages"])
                finish = "tool_calls" if "tool_calls" in said else "stop"
                events = [{"choices": [{"index": 0, "delta": said}]},
                          {"choices": [{"index": 0, "delta": {}, "finish_reason": finish}]}]  # fmt: skip
                stream = "".join(f"data: {json.dumps(each)}\n\n" for each in events) + "data: [DONE]\n\n"
                self._give(200, "text/event-stream", stream.encode())
                return
            if self.path in server.papers:
                self._give(200, "text/plain", server.papers[self.path])
                return
            server.asked.append((self.command, self.path, body.decode("utf-8", "replace")))
            self._give(200, "application/json", b'{"ok": true}')

        def _give(self, status: int, kind: str, content: bytes) -> None:
            self.send_response(status)
            self.send_header("Content-Type", kind)
            self.send_header("Content-Length", str(len(content)))
            self.end_headers()
            self.wfile.write(content)

        def log_message(self, format: str, *args: Any) -> None:
            pass

    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as http:
        http.daemon_threads = True
        server = Obedient(http.server_port)
        threading.Thread(target=http.serve_forever, daemon=True).start()
        yield server
        http.shutdown()
