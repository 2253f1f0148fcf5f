"""How addresses are read and judged, and that a place is reached that the operator allowed, and no other.

Every way to write a forbidden one, at every entrance: tests/attacks/test_addresses.py.
"""

from __future__ import annotations

import ipaddress

import pytest

from runtime.services.addresses import DENIED, AddressRefused, Allowed, entry_of, judge, parse
from runtime.services.http import Guarded, NotSent, Request
from tests.runtime.services.servers import Names, echo, serve


@pytest.mark.parametrize(("network", "why", "private"), DENIED, ids=lambda value: str(value)[:30])
def test_every_special_range_is_refused_to_its_edges(network, why, private) -> None:  # R23
    ends = {network.network_address, network.broadcast_address, network.network_address + network.num_addresses // 2}
    for ip in ends:
        assert judge(ip) is not None, ip


@pytest.mark.parametrize(
    "text",
    ["1.1.1.1", "8.8.8.8", "9.255.255.255", "11.0.0.0", "100.63.255.255", "100.128.0.0", "126.255.255.255",
    "128.0.0.0",
     "168.63.129.15", "168.63.129.17", "169.253.255.255", "169.255.0.0", "172.15.255.255", "172.32.0.0",
     "191.255.255.255",
     "192.0.1.0", "192.0.3.0", "192.167.255.255", "192.169.0.0", "198.17.255.255", "198.20.0.0", "203.0.112.255",
     "203.0.114.0", "223.255.255.255", "2606:4700::1111", "2a00:1450:4001::1", "2001:200::1", "2001:4860:4860::8888",
     "64:ff9b::8.8.8.8", "2003::1", "3ffe::1"],
)  # fmt: skip
def test_neighbours_of_special_ranges_are_public(text: str) -> None:
    assert judge(ipaddress.ip_address(text)) is None


@pytest.mark.parametrize(
    ("url", "host", "port", "target"),
    [
        ("https://example.com", "example.com", 443, "/"),
        ("HTTPS://Example.COM./a?b=c#d", "example.com", 443, "/a?b=c"),
        ("http://example.com:443/", "example.com", 443, "/"),
        ("https://example.com:/x", "example.com", 443, "/x"),
        ("https://bücher.example/ü?q=ß", "xn--bcher-kva.example", 443, "/%C3%BC?q=%C3%9F"),
        ("https://faß.de/", "xn--fa-hia.de", 443, "/"),
        ("https://1.1.1.1?x=1", "1.1.1.1", 443, "/?x=1"),
        ("https://[2606:4700::1111]/", "2606:4700::1111", 443, "/"),
        ("http://my_service/%7Euser/%2F?a=%20", "my_service", 80, "/%7Euser/%2F?a=%20"),
        ("http://a.b#@127.0.0.1/", "a.b", 80, "/"),
        ("https://example.com/@user/a:b", "example.com", 443, "/@user/a:b"),
        ("https://3com.example/", "3com.example", 443, "/"),
    ],
)
def test_what_is_judged_is_what_is_called(url: str, host: str, port: int, target: str) -> None:
    address = parse(url)
    assert (address.host, address.port, address.target) == (host, port, target)


def test_an_allowed_place_is_exactly_host_and_port() -> None:  # R23
    allowed = Allowed(["shop.internal:8000", "10.0.0.7:80", "[fd00::7]:9443", "Bücher.example:81"])
    assert allowed.check("shop.internal", 8000, ["10.0.0.9"]) == ["10.0.0.9"]
    assert allowed.check("10.0.0.7", 80, ["10.0.0.7"]) == ["10.0.0.7"]
    assert allowed.check("fd00::7", 9443, ["fd00::7"]) == ["fd00::7"]
    allowed.check_port(parse("http://bücher.example:81/"))
    for host, port, answer in [
        ("shop.internal", 8001, "10.0.0.9"),
        ("shop.internal", 80, "10.0.0.9"),
        ("www.shop.internal", 8000, "10.0.0.9"),
        ("10.0.0.7", 443, "10.0.0.7"),
        ("10.0.0.8", 80, "10.0.0.8"),
        ("fd00::8", 9443, "fd00::8"),
    ]:
        with pytest.raises(AddressRefused) as refused:
            allowed.check(host, port, [answer])
        assert refused.value.code == "ADDRESS_REFUSED"
    for url in ("http://shop.internal:8001/", "http://10.0.0.7:8000/", "http://other.example:81/"):
        with pytest.raises(AddressRefused) as refused:
            allowed.check_port(parse(url))
        assert refused.value.code == "ADDRESS_PORT"


@pytest.mark.parametrize(
    "answer", ["169.254.169.254", "168.63.129.16", "0.0.0.0", "224.0.0.1", "fe80::1", "::ffff:10.0.0.1"]
)
def test_an_allowed_name_may_be_private_but_not_everything(answer: str) -> None:
    with pytest.raises(AddressRefused):
        Allowed(["shop.internal:8000"]).check("shop.internal", 8000, [answer])


@pytest.mark.parametrize(
    "entry",
    ["", "shop", "shop.internal", "shop:", ":80", "shop:0", "shop:99999", "http://shop:80", "a@b:80", "*:80",
    "127.1:80",
     "shop:80/x", "[::1]", "[::g]:80", "shop :80", "shop:eighty", None, 80],
)  # fmt: skip
def test_an_entry_that_is_no_place_allows_nothing(entry: object) -> None:
    with pytest.raises(AddressRefused) as refused:
        entry_of(entry)
    assert refused.value.code == "ALLOWED_HOST"
    assert Allowed([entry]).entries == set()  # type: ignore[list-item]


async def test_refusals_tell_a_person_what_to_do() -> None:
    client = Guarded([], resolve=Names(intranet=[["10.1.2.3"]]))
    with pytest.raises(AddressRefused) as refused:
        await client.send(Request("GET", "http://intranet/wiki?token=abc"))
    assert refused.value.message == (
        "intranet stands for 10.1.2.3, and was not called: it is inside a private network. "
        "If it is meant, an operator can add intranet:80 to the agent's allowed addresses."
    )
    with pytest.raises(AddressRefused) as refused:
        await client.send(Request("GET", "http://user:hunter22@intranet/"))
    assert "hunter22" not in refused.value.message
    with pytest.raises(NotSent) as failed:
        await client.send(Request("GET", "https://nobody.example/"))
    assert "nobody.example" in failed.value.message
    await client.close()


async def test_one_look_up_and_the_connection_goes_to_the_judged_address() -> None:  # R23, rebinding
    async with serve(echo, "127.0.0.2") as meant, serve(echo, "127.0.0.1", port=meant.port) as canary:
        names = Names(shop_test=[["127.0.0.2"], ["127.0.0.1"]])
        client = Guarded([f"shop.test:{meant.port}"], resolve=names)
        response = await client.send(Request("GET", f"http://shop.test:{meant.port}/"))
        assert response.status == 200
        assert names.asked == ["shop.test"]
        assert meant.asked[0].headers["host"] == f"shop.test:{meant.port}"
        # A kept connection asks no name server again.
        await client.send(Request("GET", f"http://shop.test:{meant.port}/"))
        assert names.asked == ["shop.test"] and meant.connections == 1
        assert canary.connections == 0
        await client.close()


async def test_a_name_that_turns_inside_is_refused_at_the_next_connection() -> None:  # R23, rebinding
    async with serve(echo, "") as canary:
        names = Names(evil_example=[["93.184.216.34", "127.0.0.1"], ["127.0.0.1"], ["::1"], ["::ffff:7f00:1"]])
        client = Guarded([], resolve=names, ports=[canary.port])
        for _ in range(4):
            with pytest.raises(AddressRefused):
                await client.send(Request("POST", f"http://evil.example:{canary.port}/"))
        assert len(names.asked) == 4
        assert canary.connections == 0
        await client.close()
