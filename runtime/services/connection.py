"""How a judged address is reached: one look-up, every answer judged, a connection to exactly one of them."""

from __future__ import annotations

import asyncio
import ipaddress
import socket
import ssl
from collections.abc import Awaitable, Callable, Iterable
from functools import lru_cache
from typing import Any

import certifi
import httpcore

from runtime.services.addresses import Allowed

Resolve = Callable[[str, int], Awaitable[list[str]]]
"""Host and port to the IP addresses the name stands for. Raises OSError when there is no such name."""

LOOK_UP_SECONDS = 5.0
CONNECT_SECONDS = 5.0
MOST_TRIED = 4


class NameNotFound(Exception):
    """The host's name could not be looked up. The message is a sentence."""


async def look_up(host: str, port: int) -> list[str]:
    """What the machine's own resolver says."""
    answers = await asyncio.get_running_loop().getaddrinfo(host, port, type=socket.SOCK_STREAM)
    return list(dict.fromkeys(str(answer[4][0]) for answer in answers))


@lru_cache(maxsize=1)
def trusted() -> ssl.SSLContext:
    """Certificates of the public authorities, and those the machine's operator trusts."""
    context = ssl.create_default_context()
    context.load_verify_locations(certifi.where())
    return context


class Pinned(httpcore.AsyncNetworkBackend):
    """A network in which every connection is judged at the moment it is opened.

    The connection pool asks for a host by name; the name is resolved once, here, and the socket is opened to the
    judged IP, so that a second look-up cannot give another answer. TLS still names and verifies the host.
    """

    def __init__(self, allowed: Allowed, resolve: Resolve = look_up) -> None:
        self._allowed = allowed
        self._resolve = resolve
        self._network: Any = httpcore.AnyIOBackend()

    async def connect_tcp(
        self,
        host: str,
        port: int,
        timeout: float | None = None,  # noqa: ASYNC109 the pool's own signature
        local_address: str | None = None,
        socket_options: Iterable[Any] | None = None,
    ) -> httpcore.AsyncNetworkStream:
        failure: Exception = httpcore.ConnectError("no address")
        for ip in (await self.judged(host, port))[:MOST_TRIED]:
            try:
                return await self._network.connect_tcp(
                    ip, port, timeout=timeout or CONNECT_SECONDS, socket_options=socket_options
                )
            except (httpcore.ConnectError, httpcore.ConnectTimeout) as error:
                failure = error
        raise failure

    async def judged(self, host: str, port: int) -> list[str]:
        """The IPs to connect to. Raises AddressRefused, and NameNotFound when the name leads nowhere."""
        try:
            answers = [str(ipaddress.ip_address(host))]
        except ValueError:
            try:
                async with asyncio.timeout(LOOK_UP_SECONDS):
                    answers = await self._resolve(host, port)
            except TimeoutError:
                raise NameNotFound(f"The name {host} was not resolved within {LOOK_UP_SECONDS:g} seconds.") from None
            except (OSError, UnicodeError):
                raise NameNotFound(f"There is no host called {host}, or its name cannot be looked up now.") from None
        if not answers:
            raise NameNotFound(f"The name {host} has no address.")
        return self._allowed.check(host, port, answers)

    async def connect_unix_socket(
        self,
        path: str,
        timeout: float | None = None,  # noqa: ASYNC109 the pool's own signature
        socket_options: Iterable[Any] | None = None,
    ) -> httpcore.AsyncNetworkStream:
        raise httpcore.ConnectError("Flows reach no sockets of this machine.")

    async def sleep(self, seconds: float) -> None:
        await asyncio.sleep(seconds)
