"""Secrets in requests: only towards their hosts, never in an error, a journal or an answer."""

from __future__ import annotations

import base64
import json
from collections.abc import Iterator
from urllib.parse import quote

import pytest

from runtime.services.http import AddressRefused, Guarded, NotSent, Request, effect, host_of, redacted, request_of
from runtime.services.secrets import MASK, SecretValue
from tests.runtime.services.servers import Names, Server, always, certificate, echo, reply, serve

VALUE = 'sk-live/"é&=#9'
PLAIN = "canary-7f3a91"


def secret(server: Server, value: str = PLAIN) -> dict[str, SecretValue]:
    return {"KEY": SecretValue(value, ["127.0.0.1"]), "OTHER": SecretValue("elsewhere-55", ["api.example.com"])}


async def send(server: Server, request: Request, secrets: dict[str, SecretValue]):
    client = Guarded([f"127.0.0.1:{server.port}"])
    try:
        return await client.send(request, secrets=secrets)
    finally:
        await client.close()


async def test_placeholders_are_filled_everywhere_but_in_the_host() -> None:
    async with serve(always(reply(200, "ok"))) as server:
        request = Request(
            "POST",
            f"{server.url}/bot{{{{env:KEY}}}}/send?t={{{{ env:KEY }}}}",
            params={"p": "{{env:KEY}}"},
            headers={"Authorization": "Bearer {{env:KEY}}"},
            json={"key": "{{env:KEY}}", "list": ["a {{env:KEY}} b"], "other": "{{env}} {{KEY}}"},
        )
        await send(server, request, secret(server))
        asked = server.asked[0]
        assert asked.target == f"/bot{PLAIN}/send?t={PLAIN}&p={PLAIN}"
        assert asked.headers["authorization"] == f"Bearer {PLAIN}"
        assert asked.json() == {"key": PLAIN, "list": [f"a {PLAIN} b"], "other": "{{env}} {{KEY}}"}
        await send(server, Request("POST", server.url, text="k={{env:KEY}}"), secret(server))
        assert server.asked[1].body == f"k={PLAIN}".encode()
        await send(
            server, Request("POST", server.url, form={"k": "{{env:KEY}}"}, auth=("u", "{{env:KEY}}")), secret(server)
        )
        assert server.asked[2].body == f"k={PLAIN}".encode()
        assert base64.b64decode(server.asked[2].headers["authorization"][6:]).decode() == f"u:{PLAIN}"


async def test_a_value_cannot_change_the_shape_of_the_request() -> None:
    async with serve(always(reply(200, "ok"))) as server:
        request = Request("POST", f"{server.url}/a/{{{{env:KEY}}}}?b={{{{env:KEY}}}}", json={"k": "{{env:KEY}}"})
        await send(server, request, secret(server, VALUE))
        asked = server.asked[0]
        assert asked.target == f"/a/{quote(VALUE, safe='')}?b={quote(VALUE, safe='')}"
        assert asked.json() == {"k": VALUE}
        with pytest.raises(AddressRefused) as refused:
            await send(
                server, Request("GET", server.url, headers={"X": "{{env:KEY}}"}), secret(server, "a\r\nHost: evil")
            )
        assert refused.value.code == "REQUEST_HEADER" and "evil" not in refused.value.message


async def test_a_whole_address_may_be_a_secret() -> None:
    async with serve(echo) as server:
        hook = {"HOOK": SecretValue(f"{server.url}/services/T0/secret-part", ["127.0.0.1"])}
        response = await send(server, Request("POST", "{{env:HOOK}}", json={"text": "hi"}), hook)
        assert server.asked[0].target == "/services/T0/secret-part"
        assert "secret-part" not in response.url
        assert host_of(Request("POST", "{{env:HOOK}}"), hook) == f"127.0.0.1:{server.port}"
        assert redacted(Request("POST", "{{env:HOOK}}"))["url"] == "{{env:HOOK}}"


@pytest.mark.parametrize(
    "value", ["canary-no-address", "ftp://canary/x", "http://127.0.0.1/canary", "http://a b/canary"]
)
async def test_a_whole_address_that_is_refused_is_not_repeated(value: str) -> None:
    client = Guarded([])
    for url in ("{{env:HOOK}}", "{{env:HOOK}}/x", "{{env:HOOK}}:80/", "x{{env:HOOK}}"):
        with pytest.raises(AddressRefused) as refused:
            await client.send(Request("POST", url), secrets={"HOOK": SecretValue(value, ["127.0.0.1"])})
        assert "canary" not in refused.value.message
    await client.close()


@pytest.mark.parametrize(
    ("url", "code"),
    [
        ("{base}/x?k={{env:OTHER}}", "SECRET_HOST"),
        ("{base}/x?k={{env:NOBODY}}", "SECRET_MISSING"),
        ("{base}/x?k={{env:EMPTY}}", "SECRET_MISSING"),
        ("http://{{env:KEY}}/", "SECRET_PLACE"),
        ("http://{{env:KEY}}.example.com/", "SECRET_PLACE"),
        ("http://user:{{env:KEY}}@example.com/", "SECRET_PLACE"),
        ("https://example.com:{{env:KEY}}/", "SECRET_PLACE"),
    ],
)
async def test_refused_by_name(url: str, code: str) -> None:
    async with serve(echo) as server:
        secrets = {**secret(server), "EMPTY": SecretValue("", ["127.0.0.1"])}
        for request in (
            Request("GET", url.replace("{base}", server.url)),
            Request("POST", url.replace("{base}", server.url), json={}),
        ):
            with pytest.raises(AddressRefused) as refused:
                await send(server, request, secrets)
            assert refused.value.code == code
            assert PLAIN not in refused.value.message and "elsewhere-55" not in refused.value.message
        assert server.connections == 0
        if code in ("SECRET_HOST", "SECRET_MISSING"):
            assert "The secret " in refused.value.message and "operator" in refused.value.message


async def test_hosts_match_exactly_and_secrets_travel_encrypted(tmp_path) -> None:
    serving, calling = certificate(tmp_path, "api.shop.test")
    names = Names(api_shop_test=[["127.0.0.1"]])
    async with serve(always(reply(200, "ok")), tls=serving) as server:
        place = f"api.shop.test:{server.port}"
        client = Guarded([place], resolve=names, tls=calling)
        request = Request("GET", f"https://{place}/", headers={"X-Key": "{{env:KEY}}"})
        for hosts in (["api.shop.test"], ["API.Shop.test."], [place]):
            await client.send(request, secrets={"KEY": SecretValue(PLAIN, hosts)})
            assert server.asked[-1].headers["x-key"] == PLAIN
        for hosts in (
            [],
            ["shop.test"],
            ["*.shop.test"],
            ["api.shop.test:443"],
            ["xapi.shop.test"],
            ["api.shop.test.evil"],
        ):
            with pytest.raises(AddressRefused) as refused:
                await client.send(request, secrets={"KEY": SecretValue(PLAIN, hosts)})
            assert refused.value.code == "SECRET_HOST"
        assert len(server.asked) == 3
        await client.close()
    client = Guarded([], resolve=Names(api_shop_test=[["93.184.216.34"]]))
    with pytest.raises(AddressRefused) as refused:
        await client.send(
            Request("GET", "http://api.shop.test/", headers={"X-Key": "{{env:KEY}}"}),
            secrets={"KEY": SecretValue(PLAIN, ["api.shop.test"])},
        )
    assert refused.value.code == "SECRET_PLAIN"
    await client.close()


async def test_an_answer_that_repeats_a_secret_is_masked() -> None:
    for value in (PLAIN, VALUE):
        async with serve(echo) as server:
            request = Request(
                "POST", f"{server.url}/?k={{{{env:KEY}}}}", headers={"X": "{{env:KEY}}"},
                text="{{env:KEY}}", auth=("u", "{{env:KEY}}"),
            )  # fmt: skip
            response = await send(server, request, secret(server, value))
            written = json.dumps(response.as_json(), ensure_ascii=False) + repr(response)
            coded = base64.b64encode(f"u:{value}".encode()).decode()
            for form in (value, quote(value, safe=""), json.dumps(value)[1:-1], coded):
                assert form not in written
            assert MASK in written
    async with serve(always(reply(200, b"\xff\xfe\x00" + PLAIN.encode(), X_Echo=PLAIN))) as server:
        response = await send(server, Request("GET", server.url), secret(server))
        assert PLAIN.encode() not in base64.b64decode(response.base64 or "")
        assert PLAIN not in response.headers["x-echo"]


async def test_a_redirect_carries_no_secret_to_another_host() -> None:  # R23
    async with serve(echo, "127.0.0.2") as other:
        target = f"http://127.0.0.2:{other.port}"
        async with serve(always(reply(302, "", Location=f"{target}/?k={PLAIN}"))) as server:
            client = Guarded([f"127.0.0.1:{server.port}", f"127.0.0.2:{other.port}"])
            with pytest.raises(AddressRefused) as refused:
                await client.send(Request("GET", f"{server.url}/?k={{{{env:KEY}}}}"), secrets=secret(server))
            assert refused.value.code == "SECRET_HOST" and PLAIN not in refused.value.message
        async with serve(always(reply(302, "", Location=f"{target}/"))) as server:
            await client.close()
            client = Guarded([f"127.0.0.1:{server.port}", f"127.0.0.2:{other.port}"])
            await client.send(Request("GET", server.url, headers={"X-Key": "{{env:KEY}}"}), secrets=secret(server))
            assert "x-key" in server.asked[0].headers and "x-key" not in other.asked[0].headers
        await client.close()


@pytest.mark.parametrize("location", ["http://127.0.0.1/", "ftp://example.com/", "http://a b/", "http://127.1/"])
async def test_a_refused_redirect_does_not_repeat_the_value(location: str) -> None:
    async with serve(always(reply(302, "", Location=location + PLAIN))) as server:
        with pytest.raises(AddressRefused) as refused:
            await send(server, Request("GET", f"{server.url}/{{{{env:KEY}}}}"), secret(server))
        assert PLAIN not in refused.value.message


async def test_errors_never_hold_the_value() -> None:
    async with serve(echo) as server:
        closed = server.port
    client = Guarded([f"127.0.0.1:{closed}"])
    with pytest.raises(NotSent) as failed:
        await client.send(
            Request("GET", f"http://127.0.0.1:{closed}/{{{{env:KEY}}}}"),
            secrets={"KEY": SecretValue(PLAIN, ["127.0.0.1"])},
        )
    assert PLAIN not in failed.value.message and failed.value.__cause__ is None
    await client.close()


# Marks: what code in the sandbox holds instead of a secret

MARK = "{{env:KEY:0123456789abcdef}}"


async def test_only_the_code_s_own_marks_are_filled() -> None:
    async with serve(always(reply(200, "ok"))) as server:
        typed = "please send {{env:KEY}} and {{env:KEY:fedcba9876543210}}"
        request = request_of(
            {
                "method": "POST",
                "url": f"{server.url}/{MARK}",
                "headers": {"X": MARK},
                "json": {"note": typed, "k": MARK},
            },
            {MARK: "KEY"},
        )
        await send(server, request, secret(server))
        assert server.asked[0].json() == {"note": typed, "k": PLAIN}
        assert server.asked[0].target == f"/{PLAIN}" and server.asked[0].headers["x"] == PLAIN
        assert redacted(request) == {
            "method": "POST",
            "url": f"{server.url}/{{{{env:KEY}}}}",
            "headers": {"X": "{{env:KEY}}"},
            "json": {"note": typed, "k": "{{env:KEY}}"},
        }
        none = request_of({"method": "POST", "url": server.url, "text": "{{env:KEY}}"}, {})
        await send(server, none, secret(server))
        assert server.asked[1].body == b"{{env:KEY}}"


def broken() -> Iterator[object]:
    yield from (None, [], "x", 1)
    base = {"method": "GET", "url": "https://example.com"}
    for name, value in [
        ("method", 1), ("url", None), ("url", ["x"]), ("text", 1), ("params", [1]), ("params", "a=1"), ("headers",
        "x"),
        ("headers", [["a", "b"]]), ("form", 3), ("auth", "user"), ("auth", ["a"]), ("auth", [1, 2]), ("timeout",
        "soon"),
        ("timeout", float("nan")), ("timeout", True), ("marks", {}), ("verify", False), ("json", deep(70)),
    ]:  # fmt: skip
        yield {**base, name: value}


def deep(levels: int) -> object:
    value: object = 1
    for _ in range(levels):
        value = [value]
    return value


@pytest.mark.parametrize("args", list(broken()), ids=lambda args: str(args)[:60])
async def test_a_request_from_code_is_checked_part_by_part(args: object) -> None:
    client = Guarded([], resolve=Names())
    with pytest.raises(AddressRefused) as refused:
        await client.send(request_of(args, {}))
    assert refused.value.message.endswith(".")
    await client.close()


@pytest.mark.parametrize(
    ("method", "host", "listed", "expected"),
    [
        ("GET", "a.example", [], "read"), ("head", "a.example", [], "read"), ("OPTIONS", "a.example", [], "read"),
        ("POST", "a.example", [], "write"), ("put", "a.example", [], "write"), ("DELETE", "a.example", [], "write"),
        ("PATCH", "a.example", ["a.example"], "idempotent"), ("POST", "A.example", ["a.EXAMPLE"], "idempotent"),
        ("POST", "a.example:8000", ["a.example:8000"], "idempotent"), ("POST", "a.example:8000", ["a.example"],
        "idempotent"),
        ("POST", "a.example", ["a.example:8000"], "write"), ("POST", "b.a.example", ["a.example"], "write"),
        ("PROPFIND", "a.example", [], "write"), ("POST", "a.example", [None, 3], "write"),
    ],
)  # fmt: skip
def test_effects(method: str, host: str, listed: list, expected: str) -> None:
    assert effect(method, host, listed) == expected
