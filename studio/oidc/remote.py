"""What is asked of the provider over HTTP: what it is, its keys, and a token for a code.

By the guarded client, as an address that an operator set: the issuer's own host may be private, every other must be
public. A press of the button asks for eight seconds at most, and a few at once, so that a provider that hangs takes
no request's thread from those who sign in with a password or work.
"""

from __future__ import annotations

import asyncio
import json
import logging
import secrets
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from threading import BoundedSemaphore
from typing import Any, TypeVar
from urllib.parse import quote_plus

from runtime.services.addresses import Address, AddressRefused, parse
from runtime.services.http import Guarded, NotSent, OutcomeUnclear, Request
from runtime.services.secrets import SecretValue
from studio.oidc import tokens
from studio.oidc.attempt import Attempt
from studio.oidc.provider import LOOPBACK, Provider
from studio.oidc.refused import NotSignedIn, UnknownKey
from studio.oidc.tokens import Claims, Identity

log = logging.getLogger(__name__)

SECONDS = 8.0
AT_ONCE = 6
WAITS = 0.5
LARGEST = 262_144
KEPT = 3600.0
MOST_KEYS = 100

_turns = BoundedSemaphore(AT_ONCE)
Found = TypeVar("Found")


@dataclass(frozen=True)
class Place:
    """Where a provider is asked what. names_itself: it says in every answer which provider it is."""

    authorize: str
    token: str
    keys: str
    about: str
    basic: bool
    names_itself: bool


@dataclass(frozen=True)
class _Kept:
    until: float
    place: Place
    keys: list[Any]


_kept: dict[str, _Kept] = {}


def place(provider: Provider) -> Place:
    """Where the provider is asked. Raises NotSignedIn."""
    known = _kept.get(provider.issuer)
    if known is not None and known.until > time.monotonic():
        return known.place
    with _turn(provider):
        return _asked(provider, lambda client: _known(client, provider)).place


def redeem(provider: Provider, code: str, attempt: Attempt) -> Identity:
    """Who came back with this code. Raises NotSignedIn."""
    with _turn(provider):
        return _asked(provider, lambda client: _redeemed(client, provider, code, attempt))


def forget() -> None:
    """Ask the provider anew for everything."""
    _kept.clear()


@contextmanager
def _turn(provider: Provider) -> Iterator[None]:
    if not _turns.acquire(timeout=WAITS):
        raise NotSignedIn("busy", provider, 503)
    try:
        yield
    finally:
        _turns.release()


def _asked(provider: Provider, ask: Callable[[Guarded], Any]) -> Any:
    async def within() -> Any:
        host = f"[{provider.address.host}]" if ":" in provider.address.host else provider.address.host
        client = Guarded([f"{host}:{provider.address.port}"])
        try:
            async with asyncio.timeout(SECONDS):
                return await ask(client)
        finally:
            await client.close()

    # A loop of its own, which is left with a name still being looked up: to wait for that there is no limit.
    loop = asyncio.new_event_loop()
    try:
        return loop.run_until_complete(within())
    except (AddressRefused, NotSent, OutcomeUnclear) as failed:
        log.warning("The provider of identities could not be asked. %s", failed.message)
    except TimeoutError:
        log.warning("The provider of identities gave no answer within %g seconds.", SECONDS)
    finally:
        loop.close()
    raise NotSignedIn("down", provider, 503)


async def _known(client: Guarded, provider: Provider) -> _Kept:
    """What the provider says of itself, not older than an hour."""
    known = _kept.get(provider.issuer)
    if known is None or known.until <= time.monotonic():
        said = await _got(client, provider, f"{provider.issuer.rstrip('/')}/.well-known/openid-configuration")
        where = _place(said, provider)
        known = _Kept(time.monotonic() + KEPT, where, await _keys(client, provider, where))
        _kept[provider.issuer] = known
    return known


def _place(said: dict[str, Any], provider: Provider) -> Place:
    if said.get("issuer") != provider.issuer:
        log.warning("OIDC_ISSUER is %s, but that provider calls itself %r.", provider.issuer, said.get("issuer"))
        raise NotSignedIn("issuer", provider, 502)
    ways = said.get("token_endpoint_auth_methods_supported", ["client_secret_basic"])
    basic = isinstance(ways, list) and "client_secret_basic" in ways
    if not basic and not (isinstance(ways, list) and "client_secret_post" in ways):
        log.warning("The provider of identities takes no client secret: %r.", ways)
        raise NotSignedIn("unfit", provider, 502)
    return Place(
        authorize=_address(said.get("authorization_endpoint"), provider),
        token=_address(said.get("token_endpoint"), provider),
        keys=_address(said.get("jwks_uri"), provider),
        about=_address(said["userinfo_endpoint"], provider) if said.get("userinfo_endpoint") else "",
        basic=basic,
        names_itself=said.get("authorization_response_iss_parameter_supported") is True,
    )


def _address(said: object, provider: Provider) -> str:
    """An address that the provider names, no less safe than its own. Raises NotSignedIn."""
    try:
        found = parse(said if isinstance(said, str) else "")
    except AddressRefused as refused:
        log.warning("The provider of identities names no usable address. %s", refused.message)
        raise NotSignedIn("unfit", provider, 502) from None
    if found.scheme != "https" and not (provider.address.scheme == "http" and found.host in LOOPBACK):
        log.warning("The provider of identities names an address without encryption: %s.", found.origin)
        raise NotSignedIn("unfit", provider, 502)
    return found.url


async def _keys(client: Guarded, provider: Provider, where: Place) -> list[Any]:
    said = (await _got(client, provider, where.keys)).get("keys")
    if not isinstance(said, list) or len(said) > MOST_KEYS:
        raise NotSignedIn("unfit", provider, 502)
    return said


async def _redeemed(client: Guarded, provider: Provider, code: str, attempt: Attempt) -> Identity:
    known = await _known(client, provider)
    said = await _token(client, provider, known.place, code, attempt)
    token = said.get("id_token")
    if not isinstance(token, str):
        raise NotSignedIn("token", provider, 502)
    try:
        claims = tokens.verified(token, known.keys, provider, attempt)
    except UnknownKey:
        # Providers change their keys when they like, and say so nowhere but here.
        keys = await _keys(client, provider, known.place)
        _kept[provider.issuer] = replace(known, keys=keys)
        claims = tokens.verified(token, keys, provider, attempt)
    return tokens.identity(await _with_address(client, provider, known.place, claims, said), provider)


async def _token(client: Guarded, provider: Provider, where: Place, code: str, attempt: Attempt) -> dict[str, Any]:
    # Marks, so that what a browser brings is text and names no secret.
    mark, address = _mark(), parse(where.token)
    form = {
        "grant_type": "authorization_code",
        "code": code,
        "redirect_uri": provider.redirect,
        "code_verifier": attempt.verifier,
    }
    auth, secret = None, provider.secret
    if where.basic:
        auth, secret = (quote_plus(provider.client), mark), quote_plus(provider.secret)
    else:
        form |= {"client_id": provider.client, "client_secret": mark}
    request = Request(
        "POST", where.token, form=form, auth=auth, headers={"accept": "application/json"}, timeout=SECONDS,
        marks={mark: "OIDC_CLIENT_SECRET"},
    )  # fmt: skip
    answer = await client.send(request, secrets={"OIDC_CLIENT_SECRET": SecretValue(secret, [_host(address)])})
    said = _object(answer.content or (answer.text or "").encode())
    if answer.status != 200 or said is None:
        error = said.get("error") if said else None
        log.warning("The provider of identities gave no token: status %s, %.60r.", answer.status, error)
        if error == "invalid_grant":
            raise NotSignedIn("code", provider, 400)
        raise NotSignedIn("client" if error in ("invalid_client", "unauthorized_client") else "down", provider, 502)
    return said


async def _with_address(
    client: Guarded, provider: Provider, where: Place, claims: Claims, said: dict[str, Any]
) -> Claims:
    """The claims, with the address and the name that some providers tell only to who asks for them."""
    access = said.get("access_token")
    if "email" in claims or provider.tenant or not where.about or not isinstance(access, str) or not access.isascii():
        return claims
    mark = _mark()
    request = Request("GET", where.about, headers={"authorization": f"Bearer {mark}"}, marks={mark: "ACCESS"})
    more = await _got(client, provider, where.about, request, access)
    if more.get("sub") != claims["sub"]:
        raise NotSignedIn("token", provider, 502)
    return {**claims, **{name: more[name] for name in ("email", "email_verified", "name") if name in more}}


async def _got(
    client: Guarded, provider: Provider, url: str, request: Request | None = None, access: str = ""
) -> dict[str, Any]:
    """The object at an address of the provider's, and nowhere else: a redirect is no answer."""
    place = parse(url)
    known = {"ACCESS": SecretValue(access, [_host(place)])} if access else {}
    answer = await client.send(request or Request("GET", url, timeout=SECONDS), secrets=known)
    said = _object(answer.content or (answer.text or "").encode())
    if answer.status != 200 or said is None or answer.url != place.url:
        log.warning("The provider of identities answered %s with status %s and no object.", place.origin, answer.status)
        raise NotSignedIn("down", provider, 502)
    return said


def _mark() -> str:
    """Stands for a secret in a request, until it is sent."""
    return f"{{{{env:{secrets.token_hex(16)}}}}}"


def _host(address: Address) -> str:
    return f"[{address.host}]:{address.port}" if ":" in address.host else f"{address.host}:{address.port}"


def _object(content: bytes) -> dict[str, Any] | None:
    if len(content) > LARGEST:
        return None
    try:
        said = json.loads(content)
    except (ValueError, RecursionError):
        return None
    return said if isinstance(said, dict) else None
