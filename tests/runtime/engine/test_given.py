"""What code is given in a run: the flow's own services, declared packages, settings, tokens that renew themselves."""

from __future__ import annotations

import asyncio
import json
import logging
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Thread
from typing import Any
from urllib.parse import parse_qsl

import pytest
from django.conf import settings as django_settings

from runtime.engine.worker import Worker
from runtime.models import RunEvent, Secret, ToolCall
from runtime.services.secrets import encrypt
from runtime.units import packages
from tests.runtime.engine.conftest import Desk, flow

HEAD = "*, services, settings, env"
DRIVE = f"""\
class Drive:
    def __init__(self, services, settings, env):
        self._http, self._url, self._token = services.http, settings.url, env.GOOGLE_API_ACCESS_TOKEN

    def _with(self):
        return {{"Authorization": f"Bearer {{self._token}}"}}

    async def names(self):
        answer = await self._http.get(f"{{self._url}}/files", headers=self._with())
        return answer.json()["names"] if answer.ok else answer.status

    async def add(self, name):
        return (await self._http.post(f"{{self._url}}/files", json={{"name": name}}, headers=self._with())).status


def drive({HEAD}):
    return Drive(services, settings, env)
"""
WORK = f"""\
from dateutil import parser


async def work(args, {HEAD}):
    added = await services.drive.add(args["name"])
    return {{"added": added, "names": await services.drive.names(), "day": parser.parse("5 January 2026").day}}
"""
CLIENT = {"GOOGLE_CLIENT_ID": "client-7", "GOOGLE_CLIENT_SECRET": "hush-client", "GOOGLE_REFRESH_TOKEN": "hush-refresh"}


@dataclass
class Google:
    """Issues tokens and takes the newest alone; files are added once for each idempotency key."""

    url: str = ""
    host: str = ""
    issued: int = 0
    asked: list[dict[str, str]] = field(default_factory=list)
    keys: list[str] = field(default_factory=list)
    names: list[str] = field(default_factory=list)
    refused: int = 0
    lasts: int = 3600
    error: str = ""

    @property
    def token(self) -> str:
        return f"ya29.hush-token-{self.issued}"

    def renew(self, form: dict[str, str]) -> tuple[int, Any]:
        self.asked.append(form)
        if self.error:
            return 400, {"error": self.error, "error_description": "hush-detail"}
        self.issued += 1
        return 200, {"access_token": self.token, "expires_in": self.lasts, "token_type": "Bearer"}

    def files(self, method: str, authorization: str, key: str, body: bytes) -> tuple[int, Any]:
        if method == "POST":
            self.keys.append(key)
        if authorization != f"Bearer {self.token}":
            self.refused += 1
            return 401, {"error": f"not {authorization}"}
        if method == "POST":
            self.names.append(json.loads(body)["name"])
            return 201, {}
        return 200, {"names": self.names}


@pytest.fixture
def google(settings: Any) -> Iterator[Google]:
    state = Google()

    class Handler(BaseHTTPRequestHandler):
        def _answer(self) -> None:
            body = self.rfile.read(int(self.headers.get("content-length") or 0))
            if self.path == "/token":
                status, said = state.renew(dict(parse_qsl(body.decode())))
            else:
                given = self.headers.get("authorization", ""), self.headers.get("idempotency-key", "")
                status, said = state.files(self.command, *given, body)
            content = json.dumps(said).encode()
            self.send_response(status)
            self.send_header("content-type", "application/json")
            self.send_header("content-length", str(len(content)))
            self.end_headers()
            self.wfile.write(content)

        do_GET = do_POST = _answer

        def log_message(self, format: str, *args: Any) -> None:
            pass

    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        Thread(target=server.serve_forever, daemon=True).start()
        state.host = f"127.0.0.1:{server.server_port}"
        state.url = f"http://{state.host}"
        settings.GOOGLE_TOKEN_URL = f"{state.url}/token"
        yield state
        server.shutdown()


def document(google: Google, **requires: Any) -> dict[str, Any]:
    needs = {
        "env": ["GOOGLE_API_ACCESS_TOKEN"],
        "services": {"drive": "Google's files. It offers names() and add(name)."},
        "settings": {"url": {"default": google.url}},
        "packages": {"python-dateutil": ">=2.9,<3"},
    }
    nodes = [{"id": "look", "type": "tool", "tool": "work", "args": {"name": "{{question}}"}, "output": "found"}]
    state = {"found": {"type": "object", "description": "What came of it."}}
    tools = [{"name": "work", "description": "Adds by services.drive.add and RETURNS what is there."}]
    return flow(nodes, state=state, outputs=["found"], requires={**needs, **requires}, tools=tools)


@pytest.fixture(scope="module")
def stocked(house: Worker) -> None:
    """The sandbox that holds packages, started: on a busy machine that takes longer than a test waits for a run."""

    async def start() -> None:
        box = house.sandbox.stocked(packages.places())
        await (await box.lease()).close()

    asyncio.run_coroutine_threadsafe(start(), house._loop).result(120)


@pytest.fixture
def desk(deploy: Callable[..., Desk], google: Google, stocked: None) -> Desk:
    desk = deploy(document(google), {"tool:work": WORK, "service:drive": DRIVE})
    desk.deployment.allowed_hosts = [google.host]
    desk.deployment.save()
    for name, value in CLIENT.items():
        keep(desk, name, value)
    keep(desk, "GOOGLE_API_ACCESS_TOKEN", "")
    return desk


def keep(desk: Desk, name: str, value: str) -> None:
    Secret.objects.create(deployment=desk.deployment, name=name, cipher=encrypt(value.encode()), hosts=["127.0.0.1"])


def found(desk: Desk, name: str) -> Any:
    run = desk.say(question=name)
    assert run.status == "done", run.error
    return next(event.value for event in desk.events(run.id) if event.type == "output_written")


# LG-contract-06, LG-contract-08, LG-contract-12
def test_a_token_is_fresh_before_a_call_and_renewed_after_a_401(
    desk: Desk, google: Google, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.DEBUG)
    assert found(desk, "one") == {"added": 201, "names": ["one"], "day": 5}
    wanted = {"grant_type": "refresh_token", "client_id": "client-7", "client_secret": "hush-client"}
    assert google.asked == [{**wanted, "refresh_token": "hush-refresh"}]
    # It is kept as long as it lasts …
    assert found(desk, "two")["names"] == ["one", "two"]
    assert len(google.asked) == 1
    # … and where it stops working before, the call that was turned away is made again, as the same call.
    google.issued += 7
    assert found(desk, "three") == {"added": 201, "names": ["one", "two", "three"], "day": 5}
    assert (len(google.asked), google.refused) == (2, 1)
    assert google.keys[-1] == google.keys[-2] and len(set(google.keys)) == 3
    rows = list(ToolCall.objects.order_by("id").values_list("effect", "state"))
    assert rows.count(("write", "done")) == 3
    # Nobody has seen any of it: not code, not the ledger, not the journal, not the log.
    seen = [str(row) for row in [*ToolCall.objects.values(), *RunEvent.objects.values()]] + [caplog.text]
    assert not [text for text in seen if "hush" in text]
    assert [text for text in seen if "{{env:GOOGLE_API_ACCESS_TOKEN}}" in text]


# LG-contract-06
def test_a_token_that_is_nearly_over_is_renewed_before_the_call(desk: Desk, google: Google) -> None:
    google.lasts = 60
    found(desk, "one")
    # Each of the two calls found one that had less than two minutes left.
    assert (len(google.asked), google.refused) == (2, 0)


# LG-contract-06
def test_what_keeps_a_token_from_being_renewed_is_said_and_nothing_is_sent(desk: Desk, google: Google) -> None:
    google.error = "invalid_grant"
    run = desk.say(question="one")
    assert run.status == "failed"
    assert "The access token could not be renewed, so nothing was sent" in run.error["message"]
    assert "put the new GOOGLE_REFRESH_TOKEN into the agent's settings" in run.error["message"]
    assert "hush" not in json.dumps(run.error) and google.keys == []
    # Set right, the same worker goes on. Where it fails after a 401, that is the call's answer, and the next one says
    # why.
    google.error = ""
    assert found(desk, "two")["added"] == 201
    google.error, google.issued = "invalid_client", google.issued + 1
    run = desk.say(question="three")
    assert "answered with status 400 (invalid_client). Check GOOGLE_CLIENT_ID" in run.error["message"]
    assert [call.response["status"] for call in ToolCall.objects.filter(run=run, state="done")] == [401]
    assert google.names == ["two"]


# LG-contract-06
def test_without_a_client_it_is_a_secret_like_any_other(desk: Desk, google: Google) -> None:
    Secret.objects.filter(name="GOOGLE_REFRESH_TOKEN").delete()
    Secret.objects.filter(name="GOOGLE_API_ACCESS_TOKEN").update(cipher=encrypt(google.token.encode()))
    assert found(desk, "one")["names"] == ["one"]
    assert google.asked == []
    # Where it may go is the operator's to say, whether it renews itself or not.
    Secret.objects.filter(name="GOOGLE_API_ACCESS_TOKEN").delete()
    keep(desk, "GOOGLE_REFRESH_TOKEN", "hush-refresh")
    run = desk.say(question="two")
    assert "GOOGLE_API_ACCESS_TOKEN may not be sent to" in run.error["message"]
    assert google.names == ["one"]


SAY = f"async def say(state, {HEAD}):\n    return {{'answer': repr([settings.many, settings.on, settings.words])}}\n"


# LG-contract-11
@pytest.mark.parametrize(
    ("many", "on", "outcome"),
    [
        ("7", "yes", "[7, True, '12']"),
        ("0.5", "0", "[0.5, False, '12']"),
        ("many", "1", 'SETTING_MANY is "many"'),
        ("1", "maybe", "SETTING_ON"),
    ],
)
def test_a_setting_of_the_environment_is_what_the_flows_default_is(
    deploy: Callable[..., Desk], monkeypatch: pytest.MonkeyPatch, many: str, on: str, outcome: str
) -> None:
    settings = {"many": {"default": 5}, "on": {"default": False}, "words": {"default": "x"}}
    told = flow([{"id": "say", "handler": "say"}], requires={"settings": settings})
    for name, value in {"MANY": many, "ON": on, "WORDS": "12"}.items():
        monkeypatch.setenv(f"SETTING_{name}", value)
    desk = deploy(told, {"handler:say": SAY})
    run = desk.say(question="x")
    said = run.error["message"] if run.error else desk.events(run.id)
    assert outcome in str(said)


def test_the_address_is_googles_where_nothing_else_is_set() -> None:
    assert django_settings.GOOGLE_TOKEN_URL == "https://oauth2.googleapis.com/token"
