"""A sign-in on its way: what this browser was sent to the provider with, in a signed cookie of its own.

What comes back counts only in the browser that left, once, and within ten minutes. Nothing is stored here for it, so
that nobody fills a table by pressing a button.
"""

from __future__ import annotations

import base64
import hashlib
import hmac
import secrets
import time
from dataclasses import astuple, dataclass

from django.conf import settings
from django.core import signing
from django.http import HttpRequest, HttpResponse

LASTS = 600
MOST = 4
"""Sign-ins of one browser at once, in several tabs; an older one is forgotten."""
LONGEST_NEXT = 300
_SALT = "studio.oidc.attempt"


@dataclass(frozen=True)
class Attempt:
    """next: where the person comes back to. again: the provider must have asked them anew. at: seconds since 1970."""

    state: str
    nonce: str
    verifier: str
    issuer: str
    next: str
    again: bool
    at: int

    @property
    def challenge(self) -> str:
        """What PKCE shows of the verifier before it is shown itself."""
        return base64.urlsafe_b64encode(hashlib.sha256(self.verifier.encode()).digest()).decode().rstrip("=")


def new(issuer: str, next: str, *, again: bool) -> Attempt:
    """A new one, whose numbers nobody can guess."""
    state, nonce, verifier = secrets.token_urlsafe(24), secrets.token_urlsafe(24), secrets.token_urlsafe(48)
    return Attempt(state, nonce, verifier, issuer, next if len(next) <= LONGEST_NEXT else "/", again, int(time.time()))


def keep(request: HttpRequest, response: HttpResponse, attempt: Attempt) -> None:
    """Leave it in the browser, beside those of other tabs."""
    _write(response, [*_read(request), attempt][-MOST:])


def find(request: HttpRequest, state: str) -> Attempt | None:
    """The one of this browser that the provider's answer belongs to."""
    found = [
        each for each in _read(request) if hmac.compare_digest(each.state.encode(), state.encode("utf-8", "replace"))
    ]
    return found[0] if found else None


def drop(request: HttpRequest, response: HttpResponse, attempt: Attempt) -> None:
    """It came back, whatever with: this browser never brings it again."""
    _write(response, [each for each in _read(request) if each.state != attempt.state])


def _name() -> str:
    # By this prefix a browser takes it from this very host alone, so that none of its neighbours can plant one.
    return "__Host-sign-in" if settings.SESSION_COOKIE_SECURE else "sign-in"


def _read(request: HttpRequest) -> list[Attempt]:
    try:
        kept = signing.loads(request.COOKIES.get(_name(), ""), salt=_SALT, max_age=LASTS)
        found = [Attempt(*each) for each in kept]
    except (signing.BadSignature, ValueError, TypeError):
        return []
    oldest = time.time() - LASTS
    return [each for each in found if each.at >= oldest]


def _write(response: HttpResponse, attempts: list[Attempt]) -> None:
    if not attempts:
        response.delete_cookie(_name())
        return
    value = signing.dumps([astuple(each) for each in attempts], salt=_SALT, compress=True)
    # Lax, not Strict: the way back from the provider begins on its page.
    response.set_cookie(
        _name(), value, max_age=LASTS, httponly=True, samesite="Lax", secure=settings.SESSION_COOKIE_SECURE
    )
