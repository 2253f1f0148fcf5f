"""Arbitrary addresses, requests and answers: refused or read, never an exception of another kind."""

from __future__ import annotations

import asyncio
import ipaddress
import json
import re
from collections.abc import AsyncIterator

from hypothesis import given, settings
from hypothesis import strategies as st

from runtime.services.addresses import AddressRefused, Allowed, judge, parse
from runtime.services.filling import prepare
from runtime.services.replies import Heard, NotAChat, SaidError, TooMuch, hear
from runtime.services.requests import redacted, request_of
from runtime.services.secrets import SecretValue

PARTS = st.sampled_from(
    ["http", "https", "://", "/", "\\", "@", ":", "#", "?", "[", "]", ".", "%", "127.0.0.1", "localhost", "::1", "80",
     "0x7f", "0177", "２", "。", "①", "\u00ad", "xn--", "a", "example.com",
     "{{env:KEY}}", "-", "_", " ", "\t", "\x00", "ß", "&", "="]
)  # fmt: skip
URLS = st.one_of(st.text(max_size=60), st.lists(PARTS, max_size=12).map("".join), st.lists(PARTS, max_size=9).map(
    lambda parts: "http://" + "".join(parts)
))  # fmt: skip
JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=8), inner, max_size=3),
    max_leaves=8,
)
LOOP = asyncio.new_event_loop()
HOST = re.compile(r"[a-z0-9_]([a-z0-9_.-]*[a-z0-9_])?")


@given(URLS)
@settings(max_examples=800, deadline=None)
def test_an_address_is_refused_or_means_one_thing(url: str) -> None:  # R23
    try:
        address = parse(url)
    except AddressRefused:
        return
    assert address.scheme in ("http", "https") and 0 < address.port < 65536
    assert (
        address.target.startswith("/")
        and address.target.isascii()
        and not re.search(r"[\x00-\x20\x7f]", address.target)
    )
    if ":" in address.host:
        ipaddress.IPv6Address(address.host)
    else:
        assert HOST.fullmatch(address.host)
    assert parse(address.url) == address


@given(st.integers(0, 2**32 - 1))
@settings(max_examples=500, deadline=None)
def test_our_table_refuses_at_least_what_python_calls_private(number: int) -> None:
    ip = ipaddress.IPv4Address(number)
    if not ip.is_global or ip.is_multicast:
        assert judge(ip) is not None


@given(st.integers(0, 2**128 - 1) | st.integers(0, 2**45).map(lambda n: (0x2001 << 112) | (n << 67)))
@settings(max_examples=500, deadline=None)
def test_the_same_in_ipv6(number: int) -> None:
    ip = ipaddress.IPv6Address(number)
    if (not ip.is_global or ip.is_multicast) and ip not in ipaddress.ip_network("64:ff9b::/96"):
        assert judge(ip) is not None


@given(
    st.fixed_dictionaries(
        {"method": st.sampled_from(["GET", "POST", "put", "X", ""]) | st.text(max_size=5), "url": URLS},
        optional={
            "params": st.dictionaries(st.text(max_size=6), JSON, max_size=3),
            "headers": st.dictionaries(st.text(max_size=6), JSON, max_size=3),
            "json": JSON,
            "text": st.text(max_size=20),
            "form": st.dictionaries(st.text(max_size=6), JSON, max_size=3),
            "auth": JSON,
            "timeout": JSON,
        },
    )
)
@settings(max_examples=300, deadline=None)
def test_a_request_is_refused_or_prepared(args: dict) -> None:
    secrets = {"KEY": SecretValue("canary-55aa77", ["example.com"])}
    for marks in (None, {"{{env:KEY}}": "KEY"}):
        try:
            request = request_of(args, marks)  # type: ignore[arg-type]
            redacted(request)
            ready = prepare(request, secrets, "key", Allowed())
        except AddressRefused as refused:
            assert "canary" not in refused.message
            continue
        for name, value in ready.headers.items():
            assert not re.search(r"[\r\n\x00]", name + value)
        if ready.used:
            assert ready.address.host == "example.com"


EVENTS = st.one_of(
    JSON.map(lambda value: json.dumps(value, allow_nan=True)),
    st.fixed_dictionaries(
        {
            "choices": st.lists(
                st.one_of(JSON, st.fixed_dictionaries({"delta": JSON, "finish_reason": JSON})), max_size=2
            )
        },
        optional={"usage": JSON, "model": JSON, "error": JSON},
    ).map(json.dumps),
    st.text(max_size=20),
    st.just("[DONE]"),
)


@given(
    st.lists(st.one_of(EVENTS.map(lambda event: f"data: {event}\n\n"), st.text(max_size=30)), max_size=6),
    st.integers(1, 40),
)
@settings(max_examples=300, deadline=None)
def test_any_stream_is_heard_or_refused(events: list[str], size: int) -> None:
    body = "".join(events).encode("utf-8", "replace")

    async def chunks() -> AsyncIterator[bytes]:
        for at in range(0, len(body), size):
            yield body[at : at + size]

    heard, pieces = Heard(), []

    async def run() -> None:
        await hear(chunks(), heard, pieces.append, lambda: None)

    try:
        LOOP.run_until_complete(run())
    except (NotAChat, SaidError, TooMuch):
        return
    assert "".join(pieces) == heard.text
