"""What surrounds every request: headers, the workspace and role of who asks, and refusals put into words."""

from __future__ import annotations

import contextlib
import secrets
import uuid
from collections.abc import Callable
from typing import Any, cast

from django.db.models import QuerySet
from django.http import Http404, HttpRequest, HttpResponse

from flows.scope import workspace
from runtime.prepared import Prepared
from studio.asked import Asked
from studio.models import Membership, User
from studio.refusal import Missing, Refusal

Next = Callable[[HttpRequest], HttpResponse]

POLICY = (
    "default-src 'none'; script-src 'self' 'nonce-{nonce}'; style-src 'self' 'nonce-{nonce}'; worker-src 'self'; "
    "img-src 'self' blob:; font-src 'self'; connect-src 'self'; media-src 'self' blob:; frame-src 'self'; "
    "frame-ancestors {ancestors}; form-action 'self'; base-uri 'none'; object-src 'none'; "
    "require-trusted-types-for 'script'; trusted-types lgstudio"
)
# What somebody else made is handed out as a file: nothing in it is drawn with this origin's rights, or runs.
SANDBOX = "default-src 'none'; sandbox; frame-ancestors 'none'; form-action 'none'; base-uri 'none'"


class Headers:
    """The security headers of every answer. `request.nonce` goes on the page's own scripts and styles.

    A view that may be framed elsewhere sets `response.frame_ancestors` to a list of origins; nobody may frame the rest.
    One that hands out what somebody else made sets `response.sandboxed`.
    """

    def __init__(self, get_response: Next) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        nonce = secrets.token_urlsafe(16)
        cast(Asked, request).nonce = nonce
        response = self.get_response(request)
        ancestors = " ".join(getattr(response, "frame_ancestors", ())) or "'none'"
        policy = SANDBOX if getattr(response, "sandboxed", False) else POLICY.format(nonce=nonce, ancestors=ancestors)
        response["Content-Security-Policy"] = policy
        response.headers.setdefault("X-Content-Type-Options", "nosniff")
        response.headers.setdefault("Referrer-Policy", "same-origin")
        response.headers.setdefault("Cross-Origin-Resource-Policy", "same-origin")
        response.headers.setdefault("Permissions-Policy", "camera=(), microphone=(), geolocation=(), payment=()")
        if ancestors == "'none'":
            response.headers.setdefault("X-Frame-Options", "DENY")
        if not request.path.startswith("/static/"):
            response.headers.setdefault("Cache-Control", "private, no-store")
        return response


class Scope:
    """Enters the workspace that this session chose, and says the person's role in it.

    Sets `request.membership` (Membership or None), `request.role` (str or None) and `request.workspace`. Nobody's
    request is left inside the workspace of the one before it, whichever thread serves it.
    """

    def __init__(self, get_response: Next) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        membership = chosen_membership(request)
        asked = cast(Any, request)
        asked.membership = membership
        asked.role = membership.role if membership else None
        asked.workspace = membership.workspace if membership else None
        # None is entered too: a query that forgets to name a workspace is refused, whatever the thread did before.
        with workspace(membership.workspace_id if membership else None):
            return self.get_response(request)


def chosen_membership(request: HttpRequest) -> Membership | None:
    """The membership this session works in: the chosen one while it lasts, else the first; None when there is none."""
    if not request.user.is_authenticated:
        return None
    found, wanted = None, request.session.get("workspace")
    if wanted:
        with contextlib.suppress(ValueError):
            found = _membership_there.first(request.user.pk, uuid.UUID(wanted))
    found = found or _first_membership.first(request.user.pk)
    if found is not None:
        found.user = cast(User, request.user)
    return found


def _memberships(user: uuid.UUID) -> QuerySet[Membership]:
    return Membership.everywhere.select_related("workspace").filter(user_id=user)


_first_membership = Prepared(lambda user: _memberships(user).order_by("joined_at", "pk")[:1], uuid.UUID)
_membership_there = Prepared(
    lambda user, workspace: _memberships(user).filter(workspace_id=workspace), uuid.UUID, uuid.UUID
)


class Refusals:
    """A Refusal raised by a page becomes that page in words; on /api it becomes `{code, message}`."""

    def __init__(self, get_response: Next) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        return self.get_response(request)

    def process_exception(self, request: HttpRequest, exception: Exception) -> HttpResponse | None:
        from studio.pages.errors import refuse

        if isinstance(exception, Refusal):
            return refuse(request, exception)
        if isinstance(exception, Http404):
            return refuse(request, Missing())
        return None
