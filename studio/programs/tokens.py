"""API tokens: made once, shown once, found by their hash, and good until they end or are revoked."""

from __future__ import annotations

import hashlib
import secrets
import uuid
from collections.abc import Iterable
from datetime import timedelta

from django.contrib.auth.models import AnonymousUser
from django.db.models import Q, QuerySet
from django.utils import timezone
from rest_framework.authentication import BaseAuthentication
from rest_framework.request import Request

from flows.scope import enter
from runtime.models import Deployment
from runtime.runs import Actor
from studio.models import ApiToken, User
from studio.refusal import Refusal
from studio.strings import t
from studio.viewer import Viewer

PREFIX = "lgs_"
_USED_EVERY = timedelta(minutes=1)


class BadToken(Refusal):
    def __init__(self) -> None:
        super().__init__("TOKEN_INVALID", t("programs.bad_token"), 401)


class Bearer(BaseAuthentication):
    """Reads `Authorization: Bearer lgs_…` and enters the token's workspace. Cookies count for nothing here."""

    def authenticate(self, request: Request) -> tuple[AnonymousUser, ApiToken]:
        scheme, _, given = request.headers.get("Authorization", "").partition(" ")
        token = find(given.strip()) if scheme.lower() == "bearer" else None
        if token is None:
            raise BadToken
        enter(token.workspace_id)
        return AnonymousUser(), token

    def authenticate_header(self, request: Request) -> str:  # pyright: ignore[reportIncompatibleMethodOverride]
        return "Bearer"


def find(given: str) -> ApiToken | None:
    """The token as it stands now; None for one that is unknown, has ended or was revoked. Notes that it was used."""
    found = _good().filter(token_sha=_sha(given)).first() if given.startswith(PREFIX) else None
    now = timezone.now()
    if found is not None and (found.used_at is None or now - found.used_at > _USED_EVERY):
        ApiToken.everywhere.filter(pk=found.pk).update(used_at=now)
    return found


def is_good(id: uuid.UUID) -> bool:
    """Whether the token still opens anything."""
    return _good().filter(pk=id).exists()


def make(
    name: str, *, by: User | None, days: int | None, agents: Iterable[Deployment] | None = None, approves: bool = False
) -> tuple[ApiToken, str]:
    """A new token of the entered workspace, and its text, which is kept nowhere. days: None for one without an end.

    agents: None for every one, later ones too.
    """
    text = PREFIX + secrets.token_urlsafe(32)
    token = ApiToken.objects.create(
        name=name, token_sha=_sha(text), hint=text[:8], approves=approves, made_by=by,
        every_agent=agents is None,
        expires_at=timezone.now() + timedelta(days=days) if days else None,
    )  # fmt: skip
    token.agents.set(agents or ())
    return token, text


def names() -> dict[str, str]:
    """The names of the workspace's tokens, revoked ones too, by the mark of their conversations. Scoped."""
    return {_mark(id): name for id, name in ApiToken.objects.values_list("pk", "name")}


def viewer_of(token: ApiToken) -> Viewer:
    """The program as conversations know it: each token has its own, and sees no others."""
    return Viewer(token.workspace_id, Actor(name=token.name, visitor=_mark(token.pk)), None, program=True)


def _mark(id: uuid.UUID) -> str:
    return hashlib.sha256(f"token.{id.hex}".encode()).hexdigest()


def _good() -> QuerySet[ApiToken]:
    ends = Q(expires_at=None) | Q(expires_at__gt=timezone.now())
    return ApiToken.everywhere.filter(ends, revoked_at=None)


def _sha(text: str) -> str:
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()
