"""The guarded client against real servers: what goes out, what comes back, and what a failure says about it."""

from __future__ import annotations

import asyncio
import base64
import gzip
import json
import zlib

import pytest

from runtime.services.http import AddressRefused, Guarded, NotSent, OutcomeUnclear, Request, Response
from tests.runtime.services.servers import Asked, Names, Server, always, certificate, echo, reply, serve


def client_for(*servers: Server, **more) -> Guarded:
    return Guarded([f"127.0.0.1:{server.port}" for server in servers], **more)


async def get(server: Server, path: str = "/", **more) -> Response:
    client = client_for(server)
    try:
        return await client.send(Request("GET", f"{server.url}{path}", **more))
    finally:
        await client.close()


async def test_a_request_arrives_as_it_was_asked_for() -> None:
    async with serve(echo) as server:
        client = client_for(server)
        response = await client.send(
            Request(
                "post",
                f"{server.url}/orders?a=1#top",
                params={"q": ["ü", True], "none": None, "n": 2.5},
                headers={"X-Case": "Ab", "Accept": "application/json"},
                json={"who": "Jörg", "lines": [1, None, {"deep": False}]},
            ),
            idempotency_key="run/place#1/1",
        )
        said = json.loads(response.text or "")
        assert said["method"] == "POST"
        assert said["target"] == "/orders?a=1&q=%C3%BC&q=true&n=2.5"
        assert json.loads(said["body"]) == {"who": "Jörg", "lines": [1, None, {"deep": False}]}
        assert said["headers"]["x-case"] == "Ab"
        assert said["headers"]["host"] == f"127.0.0.1:{server.port}"
        assert said["headers"]["content-type"] == "application/json"
        assert said["headers"]["idempotency-key"] == "run/place#1/1"
        assert response.as_json()["url"] == f"{server.url}/orders?a=1&q=%C3%BC&q=true&n=2.5"
        await client.send(Request("PUT", server.url, form={"a": ["1", "2"], "b": "x y"}, auth=("ann", "pass:word")))
        asked = server.asked[-1]
        assert asked.body == b"a=1&a=2&b=x+y"
        assert asked.headers["authorization"] == "Basic " + base64.b64encode(b"ann:pass:word").decode()
        await client.send(Request("GET", server.url), idempotency_key="never on a read")
        assert "idempotency-key" not in server.asked[-1].headers
        await client.send(Request("DELETE", server.url), idempotency_key="ü" * 300)
        assert len(server.asked[-1].headers["idempotency-key"]) == 64
        await client.close()


async def test_the_environment_is_not_trusted(monkeypatch: pytest.MonkeyPatch) -> None:
    async with serve(echo) as proxy, serve(echo) as server:
        for name in ("HTTP_PROXY", "http_proxy", "ALL_PROXY", "HTTPS_PROXY"):
            monkeypatch.setenv(name, proxy.url)
        assert (await get(server)).status == 200
        assert proxy.connections == 0


@pytest.mark.parametrize(
    "headers",
    [
        {"Host": "evil"}, {"content-length": "0"}, {"Transfer-Encoding": "chunked"}, {"Connection": "x"},
        {"X:Y": "z"},
        {"X\r\nY": "z"}, {"X": "a\r\nY: b"}, {"X": "a\nY: b"}, {"X": "a\0"}, {"": "x"}, {"X": "漢字"},
        {"Proxy-Authorization": "x"},
        {"Expect": "100-continue"}, {"Upgrade": "h2c"}, {"X Y": "z"}, {"TE": "trailers"},
    ],
)  # fmt: skip
async def test_headers_that_could_smuggle_are_refused(headers: dict[str, str]) -> None:
    async with serve(echo) as server:
        client = client_for(server)
        with pytest.raises(AddressRefused) as refused:
            await client.send(Request("GET", server.url, headers=headers))
        assert refused.value.code == "REQUEST_HEADER"
        assert server.connections == 0
        await client.close()


@pytest.mark.parametrize(
    ("request_parts", "code"),
    [
        ({"method": "CONNECT"}, "REQUEST_METHOD"), ({"method": "TRACE"}, "REQUEST_METHOD"),
        ({"method": "GET /x"}, "REQUEST_METHOD"), ({"method": ""}, "REQUEST_METHOD"),
        ({"json": 1, "text": "x"}, "REQUEST_BODY"), ({"json": float("nan")}, "REQUEST_BODY"),
        ({"json": {"x": object()}}, "REQUEST_BODY"), ({"text": "x" * 10_000_001}, "REQUEST_BODY"),
    ],
)  # fmt: skip
async def test_requests_that_cannot_be_are_refused(request_parts: dict, code: str) -> None:
    async with serve(echo) as server:
        client = client_for(server)
        with pytest.raises(AddressRefused) as refused:
            await client.send(Request(**{"method": "POST", "url": server.url, **request_parts}))
        assert refused.value.code == code
        assert server.connections == 0
        await client.close()


# What comes back


async def test_text_bytes_and_charsets() -> None:
    png = b"\x89PNG\r\n\x1a\n\x00\xff"
    async with serve(always(reply(200, png, Content_Type="image/png"))) as server:
        response = await get(server)
        assert response.text is None and base64.b64decode(response.base64 or "") == png
        assert set(response.as_json()) == {"status", "headers", "base64", "url"}
    async with serve(
        always(reply(404, "café".encode("latin-1"), Content_Type="text/plain; charset=latin-1"))
    ) as server:
        response = await get(server)
        assert (response.status, response.text) == (404, "café")
    async with serve(always(reply(200, b"caf\xe9", Content_Type="text/html; charset=nonsense"))) as server:
        assert (await get(server)).text == "caf�"
    async with serve(always(reply(204))) as server:
        assert (await get(server)).text == ""
    async with serve(always(b"HTTP/1.1 200 OK\r\nX-A: 1\r\nx-a: 2\r\nContent-Length: 0\r\n\r\n")) as server:
        assert (await get(server)).headers["x-a"] == "1, 2"


def raw_deflate(content: bytes) -> bytes:
    packer = zlib.compressobj(wbits=-zlib.MAX_WBITS)
    return packer.compress(content) + packer.flush()


@pytest.mark.parametrize(
    ("encoding", "packed"),
    [
        ("gzip", gzip.compress(b"hello " * 50)),
        ("x-gzip", gzip.compress(b"hello " * 25) + gzip.compress(b"hello " * 25)),
        ("deflate", zlib.compress(b"hello " * 50)),
        ("deflate", raw_deflate(b"hello " * 50)),
        ("identity", b"hello " * 50),
    ],
)
async def test_packed_answers_are_unpacked(encoding: str, packed: bytes) -> None:
    async with serve(always(reply(200, packed, Content_Encoding=encoding, Content_Type="text/plain"))) as server:
        assert (await get(server)).text == "hello " * 50


@pytest.mark.parametrize(
    ("encoding", "body", "words"),
    [
        ("gzip", gzip.compress(bytes(9_000_000)), "100 times"),
        ("gzip", gzip.compress(bytes(200_000_000)), "100 times"),
        ("gzip", gzip.compress(gzip.compress(bytes(9_000_000))), ""),
        ("gzip, gzip", gzip.compress(gzip.compress(b"x")), "not asked for"),
        ("br", b"\x0b\x02\x80", "not asked for"),
        ("gzip", gzip.compress(b"hello")[:-4], "broke off"),
        ("gzip", b"not packed at all", "cannot be unpacked"),
        ("deflate", b"\xff\xff\xff\xff", "cannot be unpacked"),
        ("", b"x" * 10_000_001, "larger than 10 MB"),
    ],
)
async def test_bombs_and_wrecks_are_bounded(encoding: str, body: bytes, words: str) -> None:  # R27, R23
    async with serve(always(reply(200, body, **({"Content_Encoding": encoding} if encoding else {})))) as server:
        if not words:
            # Unpacked once, what remains is a small gzip file, and nobody unpacks that here.
            assert (await get(server)).base64 is not None
            return
        with pytest.raises(OutcomeUnclear) as failed:
            await get(server)
        assert words in failed.value.message and server.url in failed.value.message


async def test_an_endless_body_ends_at_ten_megabytes() -> None:
    async def answer(_: Asked, writer: asyncio.StreamWriter) -> None:
        writer.write(b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n")
        while True:
            writer.write(b"10000\r\n" + b"x" * 65536 + b"\r\n")
            await writer.drain()

    async with serve(answer) as server:
        with pytest.raises(OutcomeUnclear) as failed:
            await get(server)
        assert "larger than 10 MB" in failed.value.message


# What a failure says


async def drip(_: Asked, writer: asyncio.StreamWriter) -> None:
    writer.write(b"HTTP/1.1 200 OK\r\nContent-Length: 1000\r\n\r\n")
    while True:
        writer.write(b"x")
        await writer.drain()
        await asyncio.sleep(0.05)


async def silent(_: Asked, writer: asyncio.StreamWriter) -> None:
    await asyncio.sleep(60)


@pytest.mark.parametrize(
    ("answer", "words"),
    [
        (drip, "no complete answer within 0.4 seconds"),
        (silent, "no complete answer within 0.4 seconds"),
        (always(b"", close=True), "was lost"),
        (always(b"HTTP/1.1 200 OK\r\nContent-Le", close=True), "was lost"),
        (always(b"HTTP/1.1 200 OK\r\nContent-Length: 50\r\n\r\nhalf", close=True), "was lost"),
        (always(b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhel", close=True), "was lost"),
        (always(b"SSH-2.0-OpenSSH\r\n\r\n", close=True), "was lost"),
        (always(b"HTTP/1.1 200 OK\r\nX: " + b"x" * 200_000 + b"\r\n\r\n", close=True), "was lost"),
    ],
)
async def test_a_write_that_was_sent_is_unclear(answer, words: str) -> None:
    async with serve(answer) as server:
        client = client_for(server)
        with pytest.raises(OutcomeUnclear) as failed:
            await client.send(Request("POST", server.url, json={}, timeout=0.4))
        assert words in failed.value.message
        assert len(server.asked) == 1
        await client.close()


async def test_what_never_left_was_not_sent(tmp_path) -> None:
    async with serve(echo) as server:
        closed = server.port
    client = Guarded([f"127.0.0.1:{closed}"])
    with pytest.raises(NotSent) as failed:
        await client.send(Request("POST", f"http://127.0.0.1:{closed}/", json={}))
    assert "does not answer" in failed.value.message
    await client.close()

    async def slow(host: str, port: int) -> list[str]:
        await asyncio.sleep(60)
        return []

    client = Guarded([], resolve=slow)
    with pytest.raises(NotSent) as failed:
        await client.send(Request("POST", "https://slow.example/", timeout=0.2))
    assert "could not be reached within 0.2 seconds" in failed.value.message
    await client.close()

    client = Guarded([], resolve=Names(empty_example=[[]]))
    for host in ("nobody.example", "empty.example"):
        with pytest.raises(NotSent) as failed:
            await client.send(Request("POST", f"https://{host}/"))
        assert host in failed.value.message
    await client.close()


async def test_tls_names_and_verifies_the_host(tmp_path) -> None:  # R23
    serving, calling = certificate(tmp_path, "shop.test")
    names = Names(shop_test=[["127.0.0.1"]], other_test=[["127.0.0.1"]])
    async with serve(echo, tls=serving) as server:
        places = [f"{host}:{server.port}" for host in ("shop.test", "other.test", "127.0.0.1")]
        client = Guarded(places, resolve=names, tls=calling)
        response = await client.send(Request("POST", f"https://shop.test:{server.port}/", json={}))
        assert response.status == 200
        assert server.names == ["shop.test"]
        assert server.asked[0].headers["host"] == f"shop.test:{server.port}"
        for host in ("other.test", "127.0.0.1"):
            with pytest.raises(NotSent) as failed:
                await client.send(Request("POST", f"https://{host}:{server.port}/", json={}))
            assert "certificate is not valid" in failed.value.message
        assert len(server.asked) == 1
        await client.close()
        client = Guarded(places, resolve=names)
        with pytest.raises(NotSent):
            await client.send(Request("POST", f"https://shop.test:{server.port}/", json={}))
        await client.close()


async def test_a_server_without_tls_is_not_sent_anything() -> None:
    def answer(_: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        writer.write(reply(400, "this port speaks HTTP"))
        writer.close()

    async with await asyncio.start_server(answer, "127.0.0.1", 0) as plain:
        port = plain.sockets[0].getsockname()[1]
        client = Guarded([f"127.0.0.1:{port}"])
        with pytest.raises(NotSent) as failed:
            await client.send(Request("POST", f"https://127.0.0.1:{port}/"))
        assert "secure connection" in failed.value.message
        await client.close()


# Connections


async def test_reads_share_a_connection_and_writes_open_their_own() -> None:
    async with serve(echo) as server:
        client = client_for(server)
        for _ in range(3):
            await client.send(Request("GET", server.url))
        assert server.connections == 1
        for _ in range(3):
            await client.send(Request("POST", server.url))
        assert server.connections == 4
        await client.close()


async def test_a_kept_connection_that_went_stale_costs_a_read_nothing() -> None:
    async def drop_second(asked: Asked, writer: asyncio.StreamWriter) -> None:
        if len(server.asked) == 2:
            writer.transport.abort()
            return
        await echo(asked, writer)

    async with serve(drop_second) as server:
        client = client_for(server)
        await client.send(Request("GET", f"{server.url}/1"))
        response = await client.send(Request("GET", f"{server.url}/2"))
        assert response.status == 200
        assert [asked.target for asked in server.asked] == ["/1", "/2", "/2"]
        await client.close()


async def test_many_at_once() -> None:
    async with serve(echo) as server:
        client = client_for(server)
        sent = [client.send(Request("GET" if n % 2 else "POST", f"{server.url}/{n}")) for n in range(100)]
        answers = await asyncio.gather(*sent)
        assert [json.loads(answer.text or "")["target"] for answer in answers] == [f"/{n}" for n in range(100)]
        await client.close()


async def test_a_cancelled_call_leaves_the_client_usable() -> None:
    async with serve(silent) as slow, serve(echo) as server:
        client = client_for(slow, server)
        task = asyncio.create_task(client.send(Request("GET", slow.url)))
        await asyncio.sleep(0.1)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
        assert (await client.send(Request("GET", server.url))).status == 200
        await client.close()
