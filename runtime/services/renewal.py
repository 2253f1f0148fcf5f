"""Access tokens that renew themselves: a fresh one before a call that carries it, and another after a 401.

A flow that declares GOOGLE_…ACCESS_TOKEN gets this where its agent also has a client and a refresh token. Tokens live
in the memory of a worker and nowhere else; what code holds is a mark, as of any secret.
"""

from __future__ import annotations

import asyncio
import hashlib
import json
import re
import secrets
import time
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any, Protocol
from urllib.parse import urlsplit

from django.conf import settings

from runtime.services.http import AddressRefused, NotSent, OutcomeUnclear, Request, Response
from runtime.services.requests import names_in
from runtime.services.secrets import SecretValue

CLIENT = ("GOOGLE_CLIENT_ID", "GOOGLE_CLIENT_SECRET", "GOOGLE_REFRESH_TOKEN")
"""What a token is renewed with, by the names of an agent's secrets."""
MARGIN = 120.0
"""Seconds before its end from which a token counts as used up: a call may take some time itself."""
LASTS = 3000.0
LONGEST = 7 * 24 * 3600
UNAUTHORIZED = 401
MOST_KEPT = 1_000

_RENEWED = re.compile(r"GOOGLE_(?:[A-Z0-9]+_)*ACCESS_TOKEN")
UNKNOWN = secrets.token_urlsafe(24)
"""Stands where no token was fetched yet, while a call is prepared; nothing is sent with it."""


def is_renewed(name: str) -> bool:
    """May a secret of this name renew itself?"""
    return _RENEWED.fullmatch(name) is not None


def renewing(env: Iterable[str]) -> tuple[str, ...]:
    """The secrets that a flow with these names needs beside them, so that its tokens renew themselves."""
    names = list(env)
    return tuple(name for name in CLIENT if name not in names) if any(map(is_renewed, names)) else ()


def host() -> str:
    """Where tokens are renewed, as a secret's hosts name it."""
    return urlsplit(settings.GOOGLE_TOKEN_URL).hostname or ""


class Sends(Protocol):
    async def send(
        self, request: Request, *, secrets: Mapping[str, SecretValue] | None = None, idempotency_key: str | None = None
    ) -> Response: ...


@dataclass
class _Token:
    value: str
    until: float


@dataclass
class Tokens:
    """The tokens of a worker, by what they were renewed with."""

    _known: dict[str, _Token] = field(default_factory=dict)
    _locks: dict[str, asyncio.Lock] = field(default_factory=dict)

    async def fresh(
        self, client: Sends, grant: Mapping[str, SecretValue], stale: str = "", where: str = "the agent's settings"
    ) -> str:
        """A token that still works for a while, and is not the stale one. Raises NotSent with what to do, and where."""
        told = [settings.GOOGLE_TOKEN_URL, *(grant[name].value for name in CLIENT)]
        key = hashlib.sha256(json.dumps(told).encode()).hexdigest()
        async with self._locks.setdefault(key, asyncio.Lock()):
            known = self._known.get(key)
            if known is None or known.value == stale or known.until < time.monotonic() + MARGIN:
                self._known.pop(key, None)
                known = await _renewed(client, grant, where)
                self._known[key] = known
                while len(self._known) > MOST_KEPT:
                    oldest = next(iter(self._known))
                    del self._known[oldest]
                    self._locks.pop(oldest, None)
            return known.value


class Renewing:
    """A client whose calls carry fresh tokens. grant: what they are renewed with, by name; renewed: the tokens."""

    def __init__(self, client: Sends, tokens: Tokens, grant: Mapping[str, SecretValue], renewed: Iterable[str]) -> None:
        self._client, self._tokens, self._grant, self._renewed = client, tokens, grant, frozenset(renewed)

    async def send(
        self, request: Request, *, secrets: Mapping[str, SecretValue] | None = None, idempotency_key: str | None = None
    ) -> Response:
        """As the client's own. A call that was answered with 401 was not carried out, so it is made once more."""
        known = secrets or {}
        carried = [name for name in names_in(request) & self._renewed if name in known]
        if not carried:
            return await self._client.send(request, secrets=known, idempotency_key=idempotency_key)
        token = await self._tokens.fresh(self._client, self._grant)
        response = await self._client.send(
            request, secrets=_with(known, carried, token), idempotency_key=idempotency_key
        )
        if response.status != UNAUTHORIZED:
            return response
        try:
            token = await self._tokens.fresh(self._client, self._grant, stale=token)
        except NotSent:
            # What was answered stands; the next call says what keeps the token from being renewed.
            return response
        return await self._client.send(request, secrets=_with(known, carried, token), idempotency_key=idempotency_key)


def _with(known: Mapping[str, SecretValue], names: Iterable[str], token: str) -> dict[str, SecretValue]:
    return {**known, **{name: SecretValue(token, known[name].hosts) for name in names}}


async def _renewed(client: Sends, grant: Mapping[str, SecretValue], where: str) -> _Token:
    """Ask for a new token. Raises NotSent: the call that needed it did not go out."""
    form = {
        "grant_type": "refresh_token",
        "client_id": "{{env:GOOGLE_CLIENT_ID}}",
        "client_secret": "{{env:GOOGLE_CLIENT_SECRET}}",
        "refresh_token": "{{env:GOOGLE_REFRESH_TOKEN}}",
    }
    try:
        answer = await client.send(Request("POST", settings.GOOGLE_TOKEN_URL, form=form), secrets=grant)
    except (AddressRefused, NotSent, OutcomeUnclear) as failed:
        raise NotSent(f"The access token could not be renewed, so nothing was sent. {failed.message}") from None
    said = _object(answer.text)
    token, lasts = said.get("access_token"), said.get("expires_in")
    if answer.status >= 400 or not isinstance(token, str) or not token:
        why = said.get("error")
        words = f" ({why})" if isinstance(why, str) and re.fullmatch(r"[a-z_]{1,40}", why) else ""
        hint = (
            f"Sign in with Google again, and put the new GOOGLE_REFRESH_TOKEN into {where}."
            if why == "invalid_grant"
            else f"Check GOOGLE_CLIENT_ID, GOOGLE_CLIENT_SECRET and GOOGLE_REFRESH_TOKEN in {where}."
        )
        raise NotSent(
            f"The access token could not be renewed, so nothing was sent: {host()} answered with status "
            f"{answer.status}{words}. {hint}"
        )
    seconds = LASTS
    if isinstance(lasts, int | float) and not isinstance(lasts, bool) and 0 <= lasts <= LONGEST:
        seconds = float(lasts)
    # Masked in logs from here on.
    SecretValue(token)
    return _Token(token, time.monotonic() + seconds)


def _object(text: str | None) -> dict[str, Any]:
    try:
        said = json.loads(text or "")
    except (ValueError, RecursionError):
        return {}
    return said if isinstance(said, dict) else {}
