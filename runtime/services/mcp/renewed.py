"""Headers of a server with a token in them that renews itself, as tokens in code do: `{{GOOGLE_…ACCESS_TOKEN}}`.

The operator's secrets of the server name what it is renewed with; of that nothing goes to the server.
"""

from __future__ import annotations

import re
from collections.abc import AsyncGenerator, Mapping
from typing import Any
from urllib.parse import urlsplit

import httpx2
from django.conf import settings

from runtime.services import renewal
from runtime.services.http import Guarded, NotSent
from runtime.services.mcp.place import Place
from runtime.services.mcp.web import trip

MARK = re.compile(r"\{\{\s*([A-Za-z_][A-Za-z0-9_]*)\s*\}\}")
WHERE = "the server's secrets"
_tokens = renewal.Tokens()
"""Those of this process: its runs open connections of their own, and need no tokens of their own."""


def marks(headers: Mapping[str, str]) -> list[str]:
    """The names that stand for tokens in these headers."""
    return [name for value in headers.values() for name in MARK.findall(value)]


class Fresh(httpx2.Auth):
    """Puts a fresh token into each request to a server, and another one after a 401, by which nothing was done."""

    def __init__(self, place: Place) -> None:
        self._place = place
        where = urlsplit(settings.GOOGLE_TOKEN_URL)
        # Set by whoever runs the installation, so it may be anywhere.
        self._client = Guarded([f"{where.hostname}:{where.port or (80 if where.scheme == 'http' else 443)}"])

    async def token(self, stale: str = "") -> str:
        """Raises NotSent with what to do."""
        token = await _tokens.fresh(self._client, self._place.grant, stale, WHERE)
        if token not in self._place.tokens:
            self._place.tokens.append(token)
        return token

    async def async_auth_flow(self, request: httpx2.Request) -> AsyncGenerator[httpx2.Request, httpx2.Response]:
        token = await self.token()
        self._fill(request, token)
        response = yield request
        if response.status_code != renewal.UNAUTHORIZED:
            return
        try:
            token = await self.token(token)
        except NotSent:
            # What was answered stands; the next call says what keeps the token from being renewed.
            return
        self._fill(request, token)
        if (mine := trip.get()) is not None:
            # What becomes of the call is said by the second answer alone.
            mine.status = 0
        yield request

    def _fill(self, request: httpx2.Request, token: str) -> None:
        for name, value in self._place.headers.items():
            if MARK.search(value.value):
                request.headers[name] = MARK.sub(lambda _: token, value.value)

    async def close(self) -> None:
        await self._client.close()


def fresh(place: Place) -> Any:
    """What keeps a server's token fresh; None for one whose headers stay as they are."""
    return Fresh(place) if place.grant else None
