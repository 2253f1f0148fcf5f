"""A server whose token renews itself: fresh before a call, another one after a 401, and nobody sees any of it."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator, Iterator
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread
from typing import Any
from urllib.parse import parse_qsl

import pytest

from runtime.models import McpServer
from runtime.services import places
from runtime.services.http import NotSent, OutcomeUnclear
from runtime.services.mcp.session import Session
from tests.support.offices import noted, office

GRANT = {"GOOGLE_CLIENT_ID": "client-7", "GOOGLE_CLIENT_SECRET": "hush-client", "GOOGLE_REFRESH_TOKEN": "hush-refresh"}
HEADERS = {"Authorization": "Bearer {{GOOGLE_CRM_ACCESS_TOKEN}}", "X-Team": "Blue"}


@dataclass
class Google:
    """Issues tokens, of which a server takes the newest alone: it reads it in the file."""

    file: Path
    asked: list[dict[str, str]] = field(default_factory=list)
    error: str = ""

    def renew(self, form: dict[str, str]) -> tuple[int, Any]:
        self.asked.append(form)
        if self.error:
            return 400, {"error": self.error}
        self.file.write_text(f"ya29.hush-token-{len(self.asked)}-{self.file.parent.name}")
        return 200, {"access_token": self.file.read_text(), "expires_in": 3600}


@pytest.fixture
def google(settings: Any, tmp_path: Path) -> Iterator[Google]:
    state = Google(tmp_path / "token")
    state.file.write_text("nobody has this")

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            body = self.rfile.read(int(self.headers.get("content-length") or 0))
            status, said = state.renew(dict(parse_qsl(body.decode())))
            content = json.dumps(said).encode()
            self.send_response(status)
            self.send_header("content-length", str(len(content)))
            self.end_headers()
            self.wfile.write(content)

        def log_message(self, format: str, *args: Any) -> None:
            pass

    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        Thread(target=server.serve_forever, daemon=True).start()
        settings.GOOGLE_TOKEN_URL = f"http://127.0.0.1:{server.server_port}/token"
        yield state
        server.shutdown()


@pytest.fixture(params=["http", "sse"])
async def session(request: Any, google: Google, tmp_path: Path) -> AsyncIterator[Session]:
    with office(request.param, str(tmp_path / "notes"), OFFICE_BEARER_FILE=str(google.file)) as url:
        # Each test has a grant of its own: tokens are kept as long as the process lives.
        cipher = places.seal({**GRANT, "GOOGLE_CLIENT_ID": f"client-{tmp_path.name}", **HEADERS})
        found = Session(
            places.place_of(McpServer(name="crm", transport=request.param, url=url, cipher=cipher, seconds=2))
        )
        yield found
        await found.close()


# LG-contract-06
async def test_its_token_is_fresh_before_a_call_and_renewed_after_a_401(
    session: Session, google: Google, tmp_path: Path
) -> None:
    assert "add_order" in await session.tools()
    assert (await session.call("add_order", {"customer": "A", "quantity": 1}, wrapped=True)).value == 1
    wanted = {"grant_type": "refresh_token", "client_secret": "hush-client", "refresh_token": "hush-refresh"}
    assert google.asked == [{**wanted, "client_id": f"client-{tmp_path.name}"}]
    # It stops working before its time: the call that was turned away is made again, and once.
    google.file.write_text("another one by now")
    assert (await session.call("add_order", {"customer": "B", "quantity": 2}, wrapped=True)).value == 2
    assert len(google.asked) == 2
    assert [line["customer"] for line in noted(tmp_path / "notes")] == ["A", "B"]
    # A server that repeats what it was sent tells nobody.
    said = await session.call("echo", {"text": f"{google.file.read_text()} and hush-refresh"}, wrapped=True)
    assert "hush" not in str(said.value)


async def test_what_keeps_it_from_being_renewed_is_said_and_nothing_is_called(
    session: Session, google: Google, tmp_path: Path
) -> None:
    google.error = "invalid_grant"
    with pytest.raises(NotSent) as failed:
        await session.tools()
    assert failed.value.message.startswith('The server "crm" was not called. The access token could not be renewed')
    assert "put the new GOOGLE_REFRESH_TOKEN into the server's secrets" in failed.value.message
    google.error = ""
    assert "add_order" in await session.tools()
    # Where it fails after a 401, that is the answer, which the older transport never hears; the next call says why.
    google.error, _ = "invalid_client", google.file.write_text("another one by now")
    turned_away = (NotSent, "refuses the sign-in") if session.place.transport == "http" else (OutcomeUnclear, "gave no")
    with pytest.raises(turned_away[0], match=turned_away[1]):
        await session.call("add_order", {"customer": "A", "quantity": 1})
    with pytest.raises(NotSent, match="Check GOOGLE_CLIENT_ID"):
        await session.call("add_order", {"customer": "A", "quantity": 1})
    assert noted(tmp_path / "notes") == []


def test_without_all_that_it_takes_a_header_is_sent_as_it_stands() -> None:
    cipher = places.seal({"GOOGLE_CLIENT_ID": "client-7", **HEADERS})
    place = places.place_of(McpServer(name="crm", transport="http", url="https://crm.example/mcp", cipher=cipher))
    assert not place.grant and place.headers["Authorization"].value == HEADERS["Authorization"]
