"""Every way by which an address from outside makes this product connect somewhere, each as `await enter(url)`.

It gives the words with which the address was refused, and "" where something answered.
"""

from __future__ import annotations

import asyncio
import json
import uuid
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from types import SimpleNamespace
from typing import Any, cast

from django.test import override_settings
from django.utils import timezone

from flows.kinds.base import NodeFailed
from runtime.engine import documents
from runtime.notices import sending
from runtime.services import renewal
from runtime.services.addresses import AddressRefused, parse
from runtime.services.http import Guarded, NotSent, OutcomeUnclear, Request, request_of
from runtime.services.secrets import SecretValue
from studio.pasted import curl, openapi
from studio.pasted.request import PastedRefused
from tests.runtime.services.servers import Asked, reply, serve

Enter = Callable[[str], Awaitable[str]]
REFUSALS = (AddressRefused, NotSent, OutcomeUnclear)


async def _sent(client: Guarded, request: Request, **how: Any) -> str:
    try:
        await client.send(request, **how)
    except REFUSALS as refused:
        return refused.message
    return ""


@asynccontextmanager
async def code_reads() -> AsyncIterator[Enter]:
    """A handler, a router or a tool: services.http.get."""
    client = Guarded([])

    async def enter(url: str) -> str:
        try:
            return await _sent(client, request_of({"method": "GET", "url": url, "timeout": 5}, {}))
        except AddressRefused as refused:
            return refused.message

    yield enter
    await client.close()


@asynccontextmanager
async def code_writes() -> AsyncIterator[Enter]:
    """services.http.post, and the address split between the address and its parameters."""
    client = Guarded([])

    async def enter(url: str) -> str:
        asked = {"method": "POST", "url": url, "params": {"q": "x"}, "json": {"a": 1}, "timeout": 5}
        return await _sent(client, request_of(asked, {}))

    yield enter
    await client.close()


@asynccontextmanager
async def secret_address() -> AsyncIterator[Enter]:
    """An address that is a secret as a whole, as webhooks are."""
    client = Guarded([])

    async def enter(url: str) -> str:
        request = Request("POST", "{{env:HOOK}}", text="x", timeout=5)
        return await _sent(client, request, secrets={"HOOK": SecretValue(url, [_host(url)])})

    yield enter
    await client.close()


@asynccontextmanager
async def redirect() -> AsyncIterator[Enter]:
    """An honest address, allowed by an operator, whose server sends a read on."""
    goes: dict[str, str] = {}

    async def answer(asked: Asked, writer: asyncio.StreamWriter) -> None:
        location = goes.get(asked.target, "").encode("utf-8", "replace").replace(b"\r", b"").replace(b"\n", b"")
        writer.write(reply(302 if location else 404, "", Location=location.decode("latin-1")))

    async with serve(answer) as honest:
        client = Guarded([f"127.0.0.1:{honest.port}"])

        async def enter(url: str) -> str:
            path = f"/{len(goes)}"
            goes[path] = url
            try:
                response = await client.send(Request("GET", f"{honest.url}{path}", timeout=5))
            except REFUSALS as refused:
                return refused.message
            # Without a place to go on to, and where the place is a path of its own, the answer is the honest server's.
            own = response.url.startswith(honest.url) and response.status in (302, 404)
            return "It stayed where it was." if own else ""

        yield enter
        await client.close()


def reading(private: bool) -> Callable[[], Any]:
    @asynccontextmanager
    async def read_node() -> AsyncIterator[Enter]:
        """A read node's address, that of its text or one that a person typed."""
        client = Guarded([])

        async def enter(url: str) -> str:
            try:
                await documents._fetched(documents.Opened(client, private), cast(Any, Straight), url)
            except NodeFailed as failed:
                return failed.message
            return ""

        yield enter
        await client.close()

    return read_node


class Straight:
    """A ledger that keeps nothing."""

    def __init__(self, client: Any) -> None:
        self._client = client

    async def send(self, request: Request) -> None:
        await self._client.send(request)

    def check(self) -> None:
        return


@asynccontextmanager
async def notice() -> AsyncIterator[Enter]:
    """The address of somebody's own that notices are sent to."""

    async def enter(url: str) -> str:
        place = SimpleNamespace(
            address=url, inside=False, way="webhook", secret_cipher=sending.seal(sending.new_secret())
        )
        delivery = SimpleNamespace(
            place=place, pk=uuid.uuid4(), workspace=SimpleNamespace(name="Acme"), created_at=timezone.now(),
            is_test=True, title="A test", items=[],
        )  # fmt: skip
        try:
            await sending.send(cast(Any, delivery))
        except sending.Undelivered as failed:
            return failed.message
        return ""

    yield enter


@asynccontextmanager
async def renewed() -> AsyncIterator[Enter]:
    """Where an access token is renewed, before a call that carries it."""
    client = Guarded([])

    async def enter(url: str) -> str:
        grant = {name: SecretValue("x" * 20, [_host(url)]) for name in renewal.CLIENT}
        with override_settings(GOOGLE_TOKEN_URL=url):
            try:
                await renewal.Tokens().fresh(client, grant)
            except NotSent as failed:
                return failed.message
        return ""

    yield enter
    await client.close()


def _host(url: str) -> str:
    try:
        return parse(url).host
    except AddressRefused:
        return "nowhere.example"


@asynccontextmanager
async def pasted() -> AsyncIterator[Enter]:
    """A description of an API, or a command, that names addresses everywhere: nothing is fetched to read it."""

    async def enter(url: str) -> str:
        described = {
            "openapi": "3.0.0", "servers": [{"url": url}], "externalDocs": {"url": url},
            "paths": {"/x": {"$ref": url, "get": {
                "parameters": [{"$ref": url}], "requestBody": {"$ref": url},
                "responses": {"200": {"content": {"application/json": {"schema": {"$ref": f"{url}#/x"}}}}}}}},
        }  # fmt: skip
        said = []
        try:
            document = openapi.read_document(json.dumps(described))
            openapi.read_operation(document, "GET /x")
        except PastedRefused as refused:
            said.append(str(refused))
        try:
            curl.read_curl(f"curl -L --proxy '{url}' '{url}'")
        except PastedRefused as refused:
            said.append(str(refused))
        return " ".join(said) or "It was read, and nothing was asked for."

    yield enter


ENTRANCES: dict[str, Callable[[], Any]] = {
    "code that reads": code_reads,
    "code that writes": code_writes,
    "an address that is a secret": secret_address,
    "a redirect": redirect,
    "a read node": reading(private=False),
    "a read node that may read inside": reading(private=True),
    "a notice": notice,
    "the renewal of a token": renewed,
    "something pasted": pasted,
}
