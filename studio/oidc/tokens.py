"""Judging an identity token: signed by the provider, for us, now, and for this very sign-in. All or nothing."""

from __future__ import annotations

import hmac
import logging
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import jwt
from django.core.exceptions import ValidationError
from django.core.validators import validate_email

from studio.oidc.attempt import Attempt
from studio.oidc.provider import Provider
from studio.oidc.refused import NotSignedIn, UnknownKey

log = logging.getLogger(__name__)

LEEWAY = 60
LONGEST = 65_536
SHORTEST_RSA = 2048
LONGEST_SUB = 255

# Only these, whatever the token says of itself: none of them is made with what we know, and none is without a key.
_KEYS: dict[str, tuple[str, str]] = {
    **dict.fromkeys(("RS256", "RS384", "RS512", "PS256", "PS384", "PS512"), ("RSA", "")),
    "ES256": ("EC", "P-256"),
    "ES384": ("EC", "P-384"),
    "ES512": ("EC", "P-521"),
    "EdDSA": ("OKP", "Ed25519"),
}
ALGORITHMS = sorted(_KEYS)

Claims = Mapping[str, Any]


@dataclass(frozen=True)
class Identity:
    """Who somebody is to the provider. email: "" unless the provider vouches for it. name: as they call themselves."""

    issuer: str
    sub: str
    email: str
    name: str


def verified(token: str, keys: Sequence[Any], provider: Provider, attempt: Attempt) -> Claims:
    """What the token says, once everything about it fits. Raises NotSignedIn, UnknownKey."""
    if not token.isascii() or len(token) > LONGEST:
        raise NotSignedIn("token", provider, 502)
    try:
        header = jwt.get_unverified_header(token)
        key = _key(header, keys, provider)
        claims = jwt.decode(
            token,
            key,
            algorithms=ALGORITHMS,
            audience=provider.client,
            issuer=provider.issuer,
            leeway=LEEWAY,
            options={"require": ["exp", "iat", "iss", "aud", "sub"]},
        )
    except jwt.InvalidSignatureError:
        raise UnknownKey(provider) from None
    except (jwt.ExpiredSignatureError, jwt.ImmatureSignatureError):
        raise NotSignedIn("clock", provider, 502) from None
    except jwt.InvalidAudienceError:
        raise NotSignedIn("audience", provider, 502) from None
    except (jwt.PyJWTError, ValueError, TypeError, RecursionError) as error:
        log.warning("An identity token was refused: %s", type(error).__name__)
        raise NotSignedIn("token", provider, 502) from None
    _fits(claims, provider, attempt)
    return claims


def _key(header: Mapping[str, Any], keys: Sequence[Any], provider: Provider) -> jwt.PyJWK:
    """The one key that may have made the signature. Raises UnknownKey."""
    algorithm, id = header.get("alg"), header.get("kid")
    # A header that says "only whoever understands this may go on" says something that we do not understand.
    if algorithm not in _KEYS or "crit" in header:
        raise NotSignedIn("token", provider, 502)
    type, curve = _KEYS[algorithm]
    fit = [
        each
        for each in keys
        if isinstance(each, dict)
        and each.get("kty") == type
        and (not curve or each.get("crv") == curve)
        and each.get("use", "sig") == "sig"
        and each.get("alg", algorithm) == algorithm
        and (id is None or each.get("kid") == id)
    ]
    if len(fit) != 1:
        raise UnknownKey(provider)
    # Whatever else stands in it: a key of ours is one that anybody may have.
    key = jwt.PyJWK({name: value for name, value in fit[0].items() if name in _PUBLIC}, algorithm)
    if type == "RSA" and key.key.key_size < SHORTEST_RSA:
        raise NotSignedIn("token", provider, 502)
    return key


_PUBLIC = {"kty", "n", "e", "crv", "x", "y"}


def _fits(claims: Claims, provider: Provider, attempt: Attempt) -> None:
    """The claims that the library does not judge. Raises NotSignedIn."""
    nonce, sub, audience = claims.get("nonce"), claims.get("sub"), claims.get("aud")
    if not isinstance(nonce, str) or not hmac.compare_digest(nonce.encode(), attempt.nonce.encode()):
        raise NotSignedIn("nonce", provider, 400)
    if not isinstance(sub, str) or not 0 < len(sub) <= LONGEST_SUB or not sub.isprintable():
        raise NotSignedIn("token", provider, 502)
    several = isinstance(audience, list) and len(audience) != 1
    if claims.get("azp", "" if several else provider.client) != provider.client:
        raise NotSignedIn("audience", provider, 502)
    if provider.tenant and claims.get("tid", provider.tenant) != provider.tenant:
        raise NotSignedIn("audience", provider, 502)
    if attempt.again:
        _asked_anew(claims, provider, attempt)


def _asked_anew(claims: Claims, provider: Provider, attempt: Attempt) -> None:
    """Somebody is signed in, or was: that the provider still knows them proves nothing about who sits there now."""
    at = claims.get("auth_time")
    if at is None and not provider.says_when:
        return
    if not isinstance(at, int | float) or isinstance(at, bool) or at < attempt.at - LEEWAY:
        raise NotSignedIn("not_anew", provider)


def identity(claims: Claims, provider: Provider) -> Identity:
    """Who that is. Their address counts only where the provider vouches that it is theirs."""
    name = claims.get("name")
    shown = " ".join(name.split())[:120] if isinstance(name, str) else ""
    return Identity(provider.issuer, claims["sub"], _vouched(claims, provider), shown if shown.isprintable() else "")


def _vouched(claims: Claims, provider: Provider) -> str:
    email, said = claims.get("email"), claims.get("email_verified")
    of_tenant = bool(provider.tenant) and said is None and _is_of_tenant(claims, provider)
    if not isinstance(email, str) or not (said is True or of_tenant):
        return ""
    # Some letters outside of ASCII become other people's when they are made small.
    if not email.isascii() or len(email) > 254:
        return ""
    try:
        validate_email(email)
    except ValidationError:
        return ""
    return email.lower()


def _is_of_tenant(claims: Claims, provider: Provider) -> bool:
    """Whether the tenant's own administrators gave this person their address, or Microsoft knows that it is theirs.

    A guest brings an address that somebody else's administrators wrote. xms_edov says that its domain is verified.
    """
    verified = claims.get("xms_edov")
    if verified is not None:
        return verified in (True, "1", "true")
    home = (provider.issuer, f"https://sts.windows.net/{provider.tenant}/")
    return claims.get("idp", provider.issuer) in home and claims.get("acct", 0) in (0, "0")
