"""A request as the middleware leaves it: with the person, their role and their workspace."""

from __future__ import annotations

from typing import Any, cast

from django.http import HttpRequest
from django.utils.http import url_has_allowed_host_and_scheme
from rest_framework.request import Request

from flows.models import Workspace
from studio.models import Membership, User


class Asked(HttpRequest):
    """A page's request. role, workspace and membership are None for whoever is signed out or in no workspace."""

    role: str | None
    membership: Membership | None
    workspace: Workspace
    nonce: str


def person(request: HttpRequest | Request) -> User:
    """The signed-in person, where the view's right already made sure that there is one."""
    return cast(User, cast(Any, request).user)


def next_of(request: HttpRequest) -> str:
    """Where the person wants to go after this, as the form or the address says; "/" for any address but ours."""
    wanted = request.POST.get("next") or request.GET.get("next") or ""
    ours = url_has_allowed_host_and_scheme(wanted, {request.get_host()}, request.is_secure())
    return wanted if ours and wanted.startswith("/") else "/"
