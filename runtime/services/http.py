"""The one client for addresses that come from flows, people and models. Nothing else may call them.

Every connection is judged as it is opened, for each redirect again; secrets are filled in here and only towards
their own hosts; and a failure says whether the request may have been carried out.
"""

from __future__ import annotations

import asyncio
import base64
import hashlib
import re
import ssl
from collections.abc import Iterable, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import quote, urljoin

import httpcore

from runtime.services import body
from runtime.services.addresses import PORTS, Address, AddressRefused, Allowed, parse
from runtime.services.connection import NameNotFound, Pinned, Resolve, look_up, trusted
from runtime.services.filling import Prepared, check_redirect, host_of, prepare
from runtime.services.requests import READS, Request, effect, redacted, request_of
from runtime.services.secrets import SecretValue, mask

__all__ = [
    "AddressRefused", "Guarded", "NotSent", "OutcomeUnclear", "Request", "Response", "effect", "host_of", "redacted",
    "request_of",
]  # fmt: skip

REDIRECTS = (301, 302, 303, 307, 308)
MOST_REDIRECTS = 5
KEPT_ABROAD = {
    "accept",
    "accept-encoding",
    "accept-language",
    "user-agent",
    "if-none-match",
    "if-modified-since",
    "range",
}
"""Headers that go along when a read is redirected to another host; every other might be a credential."""

_TEXTUAL = re.compile(r"text/|application/([\w.+-]*\+)?(json|xml|javascript|x-www-form-urlencoded|yaml|x-ndjson)")


class NotSent(Exception):
    """The request certainly was not carried out: no connection, no such name, no trusted certificate."""

    def __init__(self, message: str) -> None:
        super().__init__(message)
        self.message = message


class OutcomeUnclear(Exception):
    """At least a part was sent and no complete answer came back: nobody knows whether it was carried out."""

    def __init__(self, message: str) -> None:
        super().__init__(message)
        self.message = message


@dataclass(frozen=True)
class Response:
    """A complete answer. headers: lower-case names. Exactly one of text and base64 is given. url: the last one asked.

    Any status is an answer, also 3xx to a write: a write is never repeated at another address by itself.
    """

    status: int
    headers: dict[str, str]
    text: str | None
    base64: str | None
    url: str
    content: bytes = field(default=b"", repr=False, compare=False)
    """The body as it came, for whoever reads documents; it is never journaled."""

    def as_json(self) -> dict[str, Any]:
        """{status, headers, text | base64, url}, as it is journaled and given to code."""
        content = {"text": self.text} if self.base64 is None else {"base64": self.base64}
        return {"status": self.status, "headers": self.headers, **content, "url": self.url}


@dataclass
class _Trip:
    """How far one request came."""

    opened: bool = False
    sent: bool = False

    async def note(self, name: str, _: dict[str, Any]) -> None:
        if name == "connection.connect_tcp.started":
            self.opened = True
        elif name == "http11.send_request_headers.started":
            self.sent = True


class Guarded:
    """The client of one deployment. Keep it: reads share connections. Belongs to the loop it is first used on.

    allowed_hosts: "host:port" entries; they alone may have other ports than `ports`, or be private.
    """

    def __init__(
        self,
        allowed_hosts: list[str],
        *,
        resolve: Resolve = look_up,
        tls: ssl.SSLContext | None = None,
        ports: Iterable[int] = PORTS.values(),
    ) -> None:
        self._allowed = Allowed(allowed_hosts, ports)
        network = Pinned(self._allowed, resolve)
        context = tls or trusted()
        # A kept connection that the server is closing would leave a write's outcome unclear: writes open their own.
        self._reads = httpcore.AsyncConnectionPool(
            context, max_connections=200, max_keepalive_connections=50, keepalive_expiry=15, network_backend=network
        )
        self._writes = httpcore.AsyncConnectionPool(
            context, max_connections=200, max_keepalive_connections=0, network_backend=network
        )

    async def send(
        self, request: Request, *, secrets: Mapping[str, SecretValue] | None = None, idempotency_key: str | None = None
    ) -> Response:
        """One request and, for a read, up to five redirects, within 30 seconds in all.

        Raises AddressRefused (nothing was sent), NotSent and OutcomeUnclear. Secrets are in none of their messages,
        and are masked where the answer repeats them.
        """
        ready = prepare(request, secrets or {}, _header_key(idempotency_key), self._allowed)
        trip = _Trip()
        try:
            async with asyncio.timeout(ready.seconds):
                return await self._follow(ready, trip)
        except TimeoutError:
            host = ready.address.origin
            if trip.sent:
                raise OutcomeUnclear(f"{host} gave no complete answer within {ready.seconds:g} seconds.") from None
            raise NotSent(f"{host} could not be reached within {ready.seconds:g} seconds.") from None

    async def close(self) -> None:
        """Close every connection."""
        await self._reads.aclose()
        await self._writes.aclose()

    async def _follow(self, ready: Prepared, trip: _Trip) -> Response:
        for _ in range(MOST_REDIRECTS + 1):
            response, content = await self._once(ready, trip)
            location = _header(response.headers, b"location")
            if response.status not in REDIRECTS or ready.method not in READS or not location:
                return _answer(response, content, ready)
            self._turn(ready, location)
        raise OutcomeUnclear(f"{ready.address.origin} redirects more than {MOST_REDIRECTS} times.")

    def _turn(self, ready: Prepared, location: str) -> None:
        """Point a read at its next address, leaving behind whatever was meant for the host before."""
        before = ready.address
        # Header bytes above ASCII are mostly UTF-8 that was never escaped.
        url = quote(location.encode("latin-1"), safe="/?:@!$&'()*+,;=-._~%[]#\\")
        # What cannot be joined is no address, and is refused as what it says.
        with suppress(ValueError):
            url = urljoin(before.url, url)
        address = parse(url, shown=mask(url, ready.hide))
        self._allowed.check_port(address)
        check_redirect(ready, url, address, self._allowed)
        upgraded = (before.scheme, before.port, address.scheme, address.port) == ("http", 80, "https", 443)
        same = (before.scheme, before.host, before.port) == (address.scheme, address.host, address.port)
        if not same and not (upgraded and before.host == address.host):
            ready.headers = {name: value for name, value in ready.headers.items() if name in KEPT_ABROAD}
            ready.body = b""
        ready.address = address

    async def _once(self, ready: Prepared, trip: _Trip) -> tuple[httpcore.Response, bytes]:
        if ready.method not in READS:
            return await self._exchange(self._writes, ready, trip)
        trip.opened = trip.sent = False
        try:
            return await self._exchange(self._reads, ready, trip)
        except OutcomeUnclear:
            if trip.opened:
                raise
        # The kept connection had been closed by the server; a read may simply be asked again on a new one.
        return await self._exchange(self._writes, ready, trip)

    async def _exchange(
        self, pool: httpcore.AsyncConnectionPool, ready: Prepared, trip: _Trip
    ) -> tuple[httpcore.Response, bytes]:
        address = ready.address
        request = httpcore.Request(
            ready.method,
            httpcore.URL(
                scheme=address.scheme.encode(),
                host=address.host.encode(),
                port=address.port,
                target=address.target.encode(),
            ),
            headers=[
                (b"host", address.netloc.encode()),
                *((name.encode(), value.encode("latin-1")) for name, value in ready.headers.items()),
            ],
            content=ready.body,
            extensions={"trace": trip.note},
        )
        try:
            response = await pool.handle_async_request(request)
            try:
                length = _header(response.headers, b"content-length")
                if ready.method != "HEAD" and length.isdecimal() and int(length) > body.LARGEST:
                    raise body.Unreadable("is larger than 10 MB")
                encoding = "" if ready.method == "HEAD" else _header(response.headers, b"content-encoding")
                return response, await body.read(response.stream, encoding)  # type: ignore[arg-type]
            finally:
                await response.aclose()
        except NameNotFound as error:
            raise NotSent(str(error)) from None
        except body.Unreadable as error:
            raise OutcomeUnclear(f"The answer of {address.origin} {error}.") from None
        except (httpcore.NetworkError, httpcore.ProtocolError, httpcore.TimeoutException) as error:
            if trip.sent:
                raise OutcomeUnclear(f"The connection to {address.origin} was lost before a complete answer.") from None
            raise NotSent(_unreached(address, error)) from None


def _unreached(address: Address, error: Exception) -> str:
    if "CERTIFICATE_VERIFY_FAILED" in str(error):
        return f"{address.origin} was not called: its certificate is not valid for {address.host}."
    if isinstance(error.__context__, ssl.SSLError) or "SSL" in str(error):
        return f"{address.origin} was not called: no secure connection could be made."
    return f"{address.origin} does not answer: the connection was refused or timed out."


def _header_key(key: str | None) -> str | None:
    if key is None or (len(key) <= 255 and key.isascii() and key.isprintable()):
        return key
    return hashlib.sha256(key.encode()).hexdigest()


def _header(headers: list[tuple[bytes, bytes]], wanted: bytes) -> str:
    return ", ".join(value.decode("latin-1") for name, value in headers if name.lower() == wanted)


def _answer(response: httpcore.Response, content: bytes, ready: Prepared) -> Response:
    values = ready.hide
    headers: dict[str, str] = {}
    for raw, value in response.headers:
        name, words = raw.decode("latin-1").lower(), mask(value.decode("latin-1"), values)
        headers[name] = f"{headers[name]}, {words}" if name in headers else words
    url = mask(ready.address.url, values)
    text = _decoded(content, headers.get("content-type", ""))
    if text is None:
        for value in values:
            content = content.replace(value.encode(), b"*" * len(value.encode())) if len(value) >= 4 else content
        return Response(response.status, headers, None, base64.b64encode(content).decode(), url, content)
    return Response(response.status, headers, mask(text, values), None, url, b"" if values else content)


def _decoded(content: bytes, kind: str) -> str | None:
    """The body as text, or None when it is none."""
    found = re.search(r"charset=\"?([\w.:-]+)", kind, re.IGNORECASE)
    textual = _TEXTUAL.match(kind.strip().lower()) is not None
    try:
        return content.decode(found[1] if found else "utf-8")
    except (UnicodeDecodeError, LookupError):
        return content.decode("utf-8", "replace") if textual else None
