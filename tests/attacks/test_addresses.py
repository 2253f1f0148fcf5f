"""No way to write an address reaches this machine or its network, by whichever entrance it comes."""

# LG-read-06, LG-contract-07; reliability R23, A2

from __future__ import annotations

import asyncio
from typing import Any

import httpx2
import pytest

from runtime.services import connection, http
from tests.attacks.addresses import LOOPBACK_HOSTS, NAMES, SPECIAL_HOSTS, WHOLE_URLS
from tests.attacks.conftest import Canary
from tests.attacks.entrances import ENTRANCES
from tests.runtime.services.servers import Names, echo, serve

AT_ONCE = 40


def written(port: int) -> list[str]:
    hosts = [*LOOPBACK_HOSTS, *SPECIAL_HOSTS, *NAMES]
    forms = [f"http://{host}:{port}/" for host in hosts]
    forms += [f"https://{host}/latest/meta-data/" for host in hosts]
    forms += [url.replace("{port}", str(port)) for url in WHOLE_URLS]
    return list(dict.fromkeys(forms))


@pytest.mark.parametrize("entrance", ENTRANCES)
async def test_no_form_reaches_the_listener(canary: Canary, entrance: str) -> None:
    forms, places = written(canary.port), asyncio.Semaphore(AT_ONCE)
    assert len(forms) >= 350
    async with ENTRANCES[entrance]() as enter:

        async def one(url: str) -> tuple[str, str]:
            async with places:
                return url, await enter(url)

        told = dict(await asyncio.gather(*(one(url) for url in forms)))
    assert [url for url, words in told.items() if not words] == []
    assert [words for words in told.values() if len(words) < 15 or "Traceback" in words] == []
    assert canary.touched() == 0


async def test_what_is_not_guarded_would_reach_it(canary: Canary) -> None:
    """The listener is alive on every address, and the attacker's names lead to it."""
    hosts = ["127.0.0.1", "127.1", "2130706433", "0x7f.1", "[::1]", "localtest.me", "127.0.0.1.nip.io"]
    async with httpx2.AsyncClient(trust_env=False, timeout=0.2) as client:
        for host in hosts:
            with pytest.raises(httpx2.ReadTimeout):
                await client.get(f"http://{host}:{canary.port}/")
            assert canary.touched() >= 1, host


FLIPS = {
    "public, then inside": [["127.0.0.2"], ["127.0.0.1"]],
    "both at once": [["127.0.0.2", "10.0.0.1"]],
    "inside in the second answer": [["127.0.0.2"], ["127.0.0.2", "::1"]],
    "the cloud's own": [["127.0.0.2"], ["169.254.169.254"]],
    "nothing, then inside": [[], ["127.0.0.1"]],
}


@pytest.mark.parametrize("answers", FLIPS.values(), ids=FLIPS)
async def test_a_name_that_changes_what_it_stands_for(
    canary: Canary, monkeypatch: pytest.MonkeyPatch, answers: list[list[str]]
) -> None:
    """127.0.0.2 is public here; whatever the name server says next, no other address is connected to."""
    real = connection.Allowed.check

    def public(allowed: Any, host: str, port: int, said: Any) -> list[str]:
        fit = real(allowed, host, port, [ip for ip in said if ip != "127.0.0.2"])
        return fit + [ip for ip in said if ip == "127.0.0.2"]

    monkeypatch.setattr(connection.Allowed, "check", public)
    async with serve(echo, "127.0.0.2", port=0) as meant:
        monkeypatch.setitem(http.PORTS, "meant", meant.port)
        names = Names()
        names.names = {"shop.example": list(answers)}
        client = http.Guarded([], resolve=names, ports=[meant.port])
        seen = []
        for method in ("POST", "POST", "GET", "GET", "POST"):
            before = len(names.asked)
            try:
                await client.send(http.Request(method, f"http://shop.example:{meant.port}/", timeout=3))
                seen.append("answered")
            except (http.AddressRefused, http.NotSent) as refused:
                seen.append(type(refused).__name__)
            # One look-up for one connection: there is no second answer to be given.
            assert len(names.asked) - before <= 1
        await client.close()
    assert canary.touched() == 0
    assert all(asked.headers["host"].startswith("shop.example") for asked in meant.asked)
    assert meant.connections == seen.count("answered") or "GET" in {asked.method for asked in meant.asked}
