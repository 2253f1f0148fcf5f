"""A read node on the real engine: what it reads of what a message brings, and what it does when it cannot."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

import pytest
from asgiref.sync import async_to_sync

from flows.kinds.base import NodeFailed
from runtime.engine import documents
from runtime.models import ToolCall
from runtime.services.documents.reader import Reader
from runtime.services.http import NotSent, Request, Response
from tests.runtime.engine.conftest import Desk, flow
from tests.runtime.services.documents.made import pdf


@dataclass
class Shelf:
    """A server of documents, and how often it was asked."""

    port: int
    papers: dict[str, tuple[int, str, bytes]] = field(default_factory=dict)
    asked: list[str] = field(default_factory=list)

    @property
    def host(self) -> str:
        return f"127.0.0.1:{self.port}"

    def url(self, name: str) -> str:
        return f"http://{self.host}/{name}"

    def put(self, name: str, content: bytes | str, kind: str = "text/plain", status: int = 200) -> str:
        self.papers[f"/{name}"] = (status, kind, content.encode() if isinstance(content, str) else content)
        return self.url(name)


@pytest.fixture(scope="module")
def shelves() -> Iterator[Shelf]:
    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            shelf.asked.append(self.path)
            status, kind, content = shelf.papers.get(self.path, (404, "text/plain", b"gone"))
            self.send_response(status)
            self.send_header("Content-Type", kind)
            self.send_header("Content-Length", str(len(content)))
            self.end_headers()
            self.wfile.write(content)

        def log_message(self, format: str, *args: Any) -> None:
            pass

    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        shelf = Shelf(server.server_port)
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield shelf
        server.shutdown()


@pytest.fixture
def shelf(shelves: Shelf) -> Shelf:
    shelves.papers.clear()
    shelves.asked.clear()
    return shelves


Opens = Callable[..., Desk]


@pytest.fixture
def opens(deploy: Callable[..., Desk], shelf: Shelf) -> Opens:
    """`opens(["{{url}}"])`: a desk whose flow reads from there; the server of documents is allowed."""

    def make(sources: list[str], *, allowed: bool = True, state: dict[str, Any] | None = None, **node: Any) -> Desk:
        read = {"id": "load", "type": "read", "from": sources, "output": "doc", "allowPrivate": True, **node}
        desk = deploy(flow(
            [read, {"id": "say", "handler": "say", "description": "Writes the text of 'doc' to 'answer'."}],
            inputs=["question", "url"],
            state={
                "url": {"type": "string", "description": "An address."},
                "doc": {"type": "object", "remembers": True, "description": "The document."},
                **(state or {}),
            },
        ), {"handler:say": SAY})  # fmt: skip
        desk.deployment.allowed_hosts = [*desk.deployment.allowed_hosts, *([shelf.host] if allowed else [])]
        desk.deployment.save()
        return desk

    return make


SAY = """
async def say(state, *, services, settings, env):
    return {"answer": state["doc"].get("text") or "nothing"}
"""


def said(desk: Desk, **inputs: Any) -> str:
    """What the flow answers, or why it failed."""
    run = desk.say(question="?", **inputs)
    outputs = [event.value for event in desk.events(run.id) if event.type == "output_written"]
    return outputs[-1] if outputs else str(run.error["message"])


def test_an_address_that_a_message_brings_is_read(opens: Opens, shelf: Shelf) -> None:  # LG-read-01, LG-read-07
    desk = opens(["{{question_file}}", "{{url}}"], state={"question_file": {"type": "file", "description": "One."}})
    assert said(desk, url=shelf.put("a.pdf", pdf("One."), "application/pdf")) == "[page 1]\nOne."


def test_without_anything_new_the_earlier_document_stays(opens: Opens, shelf: Shelf) -> None:  # LG-read-10
    desk = opens(["{{url}}"])
    assert said(desk, url=shelf.put("a", "first")) == "first"
    assert said(desk, url="") == "first"
    assert said(desk, url=shelf.put("b", "second")) == "second"
    assert shelf.asked == ["/a", "/b"]


def test_a_fixed_document_is_read_once_in_a_conversation(opens: Opens, shelf: Shelf) -> None:  # LG-read-08
    desk = opens([shelf.put("terms", "Pay.")])
    assert [said(desk, url=""), said(desk, url="")] == ["Pay.", "Pay."]
    assert shelf.asked == ["/terms"]


def test_what_a_message_brings_comes_before_the_fixed_document(opens: Opens, shelf: Shelf) -> None:  # LG-read-07
    desk = opens([shelf.put("terms", "Pay."), "{{url}}"])
    assert said(desk, url=shelf.put("mine", "Mine.")) == "Mine."
    assert said(desk, url="") == "Mine."
    assert shelf.asked == ["/mine"]


def test_no_more_is_kept_than_the_node_says(opens: Opens, shelf: Shelf) -> None:  # LG-read-05
    assert said(opens(["{{url}}"], maxChars=3), url=shelf.put("a", "12345")) == "123"


def test_an_address_inside_needs_the_flow_and_the_operator(opens: Opens, shelf: Shelf) -> None:  # LG-read-06, 11
    url = shelf.put("a", "inside")
    told = said(opens(["{{url}}"], allowPrivate=False), url=url)
    assert "was not called" in told and '"allowPrivate": true' in told
    assert "an operator can add" in said(opens(["{{url}}"], allowed=False), url=url)
    assert shelf.asked == []
    assert said(opens(["{{url}}"]), url=url) == "inside"


@pytest.mark.parametrize(
    ("url", "words"),
    [
        ("ftp://example.com/a.pdf", "only https:// and http://"),
        ("example.com/a.pdf", "it must start with https:// or http://"),
        ("file:///etc/passwd", "only https:// and http://"),
        ("http://169.254.169.254/latest", "was not called"),
    ],
)
def test_an_address_that_is_none_is_refused_in_words(opens: Opens, url: str, words: str) -> None:  # LG-read-11
    assert words in said(opens(["{{url}}"]), url=url)


def test_a_document_that_cannot_be_read_fails_the_step_in_words(opens: Opens, shelf: Shelf) -> None:  # LG-read-11
    desk = opens(["{{url}}"])
    assert "is a scanned PDF" in said(desk, url=shelf.put("scan.pdf", pdf(""), "application/pdf"))
    assert "answered with status 404" in said(desk, url=shelf.url("gone"))


def test_what_is_neither_an_address_nor_a_file_is_named(opens: Opens) -> None:
    desk = opens(["{{many}}"], state={"many": {"type": "any", "default": 5, "description": "A number."}})
    assert 'Read node "load" was given a number' in said(desk, url="")


def test_the_ledger_names_the_address_and_never_keeps_the_document(opens: Opens, shelf: Shelf) -> None:
    desk = opens(["{{url}}"])
    run = desk.say(question="?", url=shelf.put("a", "the words"))
    (call,) = ToolCall.objects.filter(run=run)
    assert (call.unit, call.effect, call.state, call.address) == ("read", "read", "done", "load#1")
    assert call.request["url"] == shelf.url("a") and call.response["text"] == "9 bytes"


def test_a_worker_that_dies_after_reading_reads_again(
    opens: Opens, shelf: Shelf, power_cut: Callable[..., None]
) -> None:
    desk = opens(["{{url}}"])
    power_cut("checkpoint.before")
    run = desk.send(question="?", url=shelf.put("a", "once more"))
    assert desk.take_over(run).status == "done"
    assert {event.value for event in desk.events(run) if event.type == "output_written"} == {"once more"}


def test_a_document_that_is_gone_when_it_is_read_again_is_said_in_words() -> None:
    class Gone:
        async def send(self, request: Request, **how: Any) -> Response:
            raise NotSent("The office could not be reached.")

    class Known:
        """A ledger that holds the answer of the worker before."""

        def __init__(self, client: Any) -> None:
            self.client = client

        async def send(self, request: Request) -> None:
            return

        def check(self) -> None:
            return

    calls: Any = Known
    files: Any = None
    with pytest.raises(NodeFailed) as met:
        async_to_sync(documents.read)(Reader(), Gone(), calls, files, "https://example.com/a", most=9, private=False)
    assert (met.value.code, met.value.message) == ("DOCUMENT_UNREACHABLE", "The office could not be reached.")


def test_a_file_that_is_not_here_is_said_in_words(opens: Opens) -> None:
    desk = opens(
        ["{{paper}}"], state={"paper": {"type": "any", "default": {"name": "a.pdf"}, "description": "A file."}}
    )
    assert said(desk, url="") == 'The file "a.pdf" is not here any more. Give it again.'


def test_a_fan_out_reads_many_and_skips_what_cannot_be_read(  # LG-errors-04
    deploy: Callable[..., Desk], shelf: Shelf
) -> None:
    urls = [shelf.put(f"p{number}", f"text {number}") for number in range(20)]
    urls[7] = shelf.url("gone")
    desk = deploy(flow(
        [
            {"id": "spread", "type": "fanout", "over": "urls", "as": "url", "to": "load"},
            {"id": "load", "type": "read", "from": ["{{url}}"], "output": "docs", **SKIPS},
            {"id": "count", "handler": "count", "description": "Writes how many 'docs' there are to 'answer'."},
        ],
        [{"from": "load", "to": "count"}, {"from": "count", "to": "END"}],
        state={
            "urls": {"type": "list", "default": urls, "description": "Addresses."},
            "docs": {"type": "list", "reducer": "append", "description": "The documents."},
        },
    ), {"handler:count": COUNT})  # fmt: skip
    desk.deployment.allowed_hosts = [*desk.deployment.allowed_hosts, shelf.host]
    desk.deployment.save()
    assert said(desk) == ", ".join(f"text {number}" for number in range(20) if number != 7)


SKIPS = {"allowPrivate": True, "onError": "SKIP"}
COUNT = """
async def count(state, *, services, settings, env):
    return {"answer": ", ".join(one["text"] for one in state["docs"])}
"""
