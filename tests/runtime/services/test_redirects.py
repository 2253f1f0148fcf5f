"""Redirects: each hop is judged again, credentials stay with their host, and no write is repeated."""

from __future__ import annotations

import asyncio

import pytest

from runtime.services.http import AddressRefused, Guarded, OutcomeUnclear, Request, Response
from tests.runtime.services.servers import Asked, Names, Server, always, echo, reply, serve


def client_for(*servers: Server, **more) -> Guarded:
    return Guarded([f"127.0.0.1:{server.port}" for server in servers], **more)


async def get(server: Server, path: str = "/", **more) -> Response:
    client = client_for(server)
    try:
        return await client.send(Request("GET", f"{server.url}{path}", **more))
    finally:
        await client.close()


def hop(status: int, location: str) -> bytes:
    return reply(status, "moved", Location=location)


async def test_a_read_follows_up_to_five_redirects() -> None:  # R23
    async def answer(asked: Asked, writer: asyncio.StreamWriter) -> None:
        n = int(asked.target.rpartition("/")[2])
        writer.write(reply(200, "there") if n == 0 else hop(302, f"/hop/{n - 1}"))

    async with serve(answer) as server:
        response = await get(server, "/hop/5")
        assert response.text == "there" and response.url == f"{server.url}/hop/0"
        with pytest.raises(OutcomeUnclear) as failed:
            await get(server, "/hop/6")
        assert "more than 5 times" in failed.value.message


@pytest.mark.parametrize(
    ("location", "code"),
    [
        ("http://127.0.0.1:{port}/", "ADDRESS_PORT"),
        ("http://127.0.0.1/", "ADDRESS_REFUSED"),
        ("//169.254.169.254/latest/meta-data/", "ADDRESS_REFUSED"),
        ("http://[::1]/", "ADDRESS_REFUSED"),
        ("http://0x7f.1/", "ADDRESS_FORM"),
        ("http://x@127.0.0.1/", "ADDRESS_USERINFO"),
        ("file:///etc/passwd", "ADDRESS_SCHEME"),
        ("gopher://127.0.0.1:{port}/", "ADDRESS_SCHEME"),
        ("http://inside.example/", "ADDRESS_REFUSED"),
        ("http://127.0.0.1\\@example.com/", "ADDRESS_FORM"),
    ],
)
async def test_every_redirect_is_judged_again(location: str, code: str) -> None:  # R23, A2
    async with serve(echo, "") as canary:
        async with serve(always(hop(302, location.replace("{port}", str(canary.port))))) as server:
            names = Names(inside_example=[["127.0.0.1"]])
            client = client_for(server, resolve=names)
            with pytest.raises(AddressRefused) as refused:
                await client.send(Request("GET", server.url))
            assert refused.value.code == code
            await client.close()
        assert canary.connections == 0


async def test_another_host_gets_no_credentials() -> None:  # R23
    headers = {
        "Authorization": "Bearer abc",
        "Cookie": "c=1",
        "X-Api-Key": "k",
        "Accept": "text/csv",
        "User-Agent": "me",
    }
    async with (
        serve(echo, "127.0.0.2") as other,
        serve(always(hop(307, f"http://127.0.0.2:{other.port}/x"))) as server,
    ):
        client = Guarded([f"127.0.0.1:{server.port}", f"127.0.0.2:{other.port}"])
        response = await client.send(Request("GET", server.url, headers=headers, text="body"))
        assert server.asked[0].headers["authorization"] == "Bearer abc"
        seen = other.asked[0]
        assert {"authorization", "cookie", "x-api-key"}.isdisjoint(seen.headers)
        assert seen.headers["accept"] == "text/csv" and seen.headers["user-agent"] == "me"
        assert response.url == f"http://127.0.0.2:{other.port}/x"
        await client.close()


async def test_the_same_host_keeps_them() -> None:
    async def answer(asked: Asked, writer: asyncio.StreamWriter) -> None:
        writer.write(hop(301, "/b") if asked.target == "/a" else reply(200))

    async with serve(answer) as server:
        await get(server, "/a", headers={"Authorization": "Bearer abc"})
        assert [asked.headers["authorization"] for asked in server.asked] == ["Bearer abc", "Bearer abc"]


@pytest.mark.parametrize("status", [301, 302, 303, 307, 308])
async def test_a_redirected_write_is_not_repeated(status: int) -> None:  # R23
    async with serve(echo) as target, serve(always(hop(status, f"{target.url}/"))) as server:
        client = client_for(server, target)
        response = await client.send(Request("POST", server.url, json={"pay": 1}))
        assert (response.status, response.headers["location"]) == (status, f"{target.url}/")
        assert len(server.asked) == 1 and target.connections == 0
        await client.close()
