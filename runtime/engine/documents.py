"""What a read node reads: a file that somebody gave, or what stands at an address, fetched through the ledger."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import TYPE_CHECKING
from urllib.parse import unquote, urlsplit

from flows.kinds.base import Json, NodeFailed
from runtime.files.kinds import FileRefused
from runtime.services.documents.reader import DocumentRefused, Given, Reader
from runtime.services.http import AddressRefused, NotSent, OutcomeUnclear, Request, Response
from runtime.services.secrets import SecretValue
from runtime.units.sandbox import SandboxUnavailable, ServiceFailed

if TYPE_CHECKING:
    from runtime.engine.calls import Calls, Sends
    from runtime.engine.files import Files

REFUSED = 400
SECONDS = 30.0
_CHARSET = re.compile(r"charset\s*=\s*\"?([\w.:-]+)", re.IGNORECASE)
ACCEPT = "text/html, application/pdf, text/*, */*;q=0.5"


class Opened:
    """A client that keeps the body for the reader, and gives the ledger its size alone."""

    def __init__(self, client: Sends, private: bool) -> None:
        self._client, self._private = client, private
        self.response: Response | None = None

    async def send(
        self, request: Request, *, secrets: Mapping[str, SecretValue] | None = None, idempotency_key: str | None = None
    ) -> Response:
        try:
            response = await self._client.send(request, secrets=secrets, idempotency_key=idempotency_key)
        except AddressRefused as refused:
            if refused.code in ("ADDRESS_REFUSED", "ADDRESS_PORT") and not self._private:
                also = f'{refused.message} The read node has to say "allowPrivate": true as well.'
                raise AddressRefused(refused.code, also) from None
            raise
        self.response = response
        return replace(response, text=f"{len(response.content):,} bytes", base64=None, content=b"")


async def read(
    reader: Reader,
    client: Sends,
    calls: Callable[[Sends], Calls],
    files: Files,
    source: Json,
    *,
    most: int,
    private: bool,
) -> dict[str, Json]:
    """What a read node writes. source: an address, or a reference to a file. Raises NodeFailed."""
    # A fan-out may bring a thousand documents at once; what is fetched waits in memory until it is read.
    async with reader.places:
        if isinstance(source, str):
            given = await _fetched(Opened(client, private), calls, source.strip())
        else:
            given = await _given(files, source)
        try:
            return await reader.read(given, most)
        except DocumentRefused as refused:
            raise NodeFailed(refused.message, refused.code) from None
        except SandboxUnavailable as unavailable:
            raise NodeFailed(unavailable.message, "SANDBOX_UNAVAILABLE") from None


async def _given(files: Files, source: Json) -> Given:
    """The document that a reference names."""
    try:
        found = await files.find(source)
    except FileRefused as refused:
        raise NodeFailed(refused.message, refused.code) from None
    return Given(content=found.content, name=found.name, source=found.name, media_type=found.media_type)


async def _fetched(opened: Opened, calls: Callable[[Sends], Calls], address: str) -> Given:
    """The document at an address. A read changes nothing, so one that is resumed is simply made again."""
    request = Request("GET", address, headers={"Accept": ACCEPT}, timeout=SECONDS)
    ledger = calls(opened)
    try:
        await ledger.send(request)
        if opened.response is None:
            await opened.send(request)
    except (ServiceFailed, AddressRefused, NotSent, OutcomeUnclear) as failed:
        raise NodeFailed(failed.message, "DOCUMENT_UNREACHABLE") from None
    finally:
        ledger.check()
    assert opened.response is not None
    response = opened.response
    if response.status >= REFUSED:
        raise NodeFailed(
            f"{_shown(response.url)} answered with status {response.status}, so there is nothing to read.",
            "DOCUMENT_UNREACHABLE",
        )
    kind = response.headers.get("content-type", "")
    found = _CHARSET.search(kind)
    return Given(
        content=response.content,
        name=unquote(urlsplit(response.url).path.rstrip("/").rpartition("/")[2]) or _shown(response.url),
        source=address,
        media_type=kind.partition(";")[0].strip().lower(),
        charset=found[1] if found else "",
    )


def _shown(url: str) -> str:
    """An address as people read it: host and path, without a query."""
    parts = urlsplit(url)
    return f"{parts.netloc}{parts.path}"
