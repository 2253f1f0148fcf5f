"""Who may do what: the one table of roles and rights, and how a page or an endpoint declares the right it needs."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import Any, Literal

from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from rest_framework.exceptions import MethodNotAllowed
from rest_framework.permissions import BasePermission
from rest_framework.request import Request

from runtime.questions import DECIDING_ROLES
from studio.refusal import Forbidden, SignedOut

Role = Literal["owner", "operator", "builder", "reviewer", "member"]
Right = Literal[
    "public",
    "account",
    "chat",
    "inbox",
    "flows.view",
    "flows.edit",
    "publish",
    "agents.view",
    "agents.change",
    "operate",
    "traces",
    "models",
    "people",
    "tokens",
]

MEANING: dict[str, str] = {
    "public": "Anybody; the view itself decides what an anonymous person may see.",
    "account": "Anybody who is signed in, in any workspace or none.",
    "chat": "Open the agents of this workspace and chat with them.",
    "inbox": "See what waits for a decision, and decide it.",
    "flows.view": "See flows.",
    "flows.edit": "Make, change, import and delete flows, and their code.",
    "publish": "Make a version live.",
    "agents.view": "See the deployed agents with their settings and history.",
    "agents.change": "Change who may chat and who decides, renew a link, pause.",
    "operate": "Set secrets, private addresses and the model of an agent.",
    "traces": "See what other people's runs read, wrote and asked; each look is recorded.",
    "models": "Say which models there are, with which keys.",
    "people": "Invite people, change their roles, remove them.",
    "tokens": "Make and revoke the tokens by which programs use agents.",
}

_BUILDER = {"chat", "flows.view", "flows.edit", "publish", "agents.view", "agents.change"}
_OPERATOR = {
    "chat",
    "flows.view",
    "publish",
    "agents.view",
    "agents.change",
    "operate",
    "traces",
    "models",
    "people",
    "tokens",
}
_ROLES: dict[str, set[str]] = {
    "owner": _BUILDER | _OPERATOR,
    "operator": _OPERATOR,
    "builder": _BUILDER,
    "reviewer": set(),
    "member": {"chat"},
}
# Who decides is the runtime's rule; the inbox is where they do it.
RIGHTS: dict[str, frozenset[str]] = {
    role: frozenset(rights | ({"inbox"} if role in DECIDING_ROLES else set())) for role, rights in _ROLES.items()
}


def may(role: str | None, right: str) -> bool:
    """Whether the role has the right. No role has only `public` and `account`; being signed in is asked elsewhere."""
    if right in ("public", "account"):
        return True
    return role is not None and right in RIGHTS.get(role, frozenset())


def first_page(role: str | None) -> str:
    """Where a person of this role begins."""
    if may(role, "flows.view"):
        return "/flows"
    if may(role, "inbox"):
        return "/inbox"
    if may(role, "chat"):
        return "/agents"
    return "/account"


def judge(request: HttpRequest | Request, right: str) -> None:
    """Raises SignedOut or Forbidden unless this request may use the right."""
    if right == "public":
        return
    if not request.user.is_authenticated:
        raise SignedOut
    if not may(getattr(request, "role", None), right):
        raise Forbidden


View = Callable[..., HttpResponse]


def page(right: Right, **rights_by_method: Right) -> Callable[[View], View]:
    """Declares the right of a page: `@page("flows.view", POST="flows.edit")`. Signed out leads to the sign-in page."""

    def declare(view: View) -> View:
        @wraps(view)
        def guarded(request: HttpRequest, *args: Any, **given: Any) -> HttpResponse:
            needed = rights_by_method.get(request.method or "", right)
            try:
                judge(request, needed)
            except SignedOut:
                return redirect(f"/sign-in?{_next(request)}")
            return view(request, *args, **given)

        setattr(guarded, "rights", {"*": right, **rights_by_method})  # noqa: B010 - a function's own attribute
        return guarded

    return declare


def _next(request: HttpRequest) -> str:
    from urllib.parse import urlencode

    return urlencode({"next": request.get_full_path() if request.method == "GET" else "/"})


class HasRight(BasePermission):
    """The permission of every endpoint: its class says `right = "flows.view"`, or by method `{"PUT": "flows.edit"}`."""

    def has_permission(self, request: Request, view: Any) -> Literal[True]:
        judge(request, right_of(view, request.method or "GET"))
        return True


def right_of(view: Any, method: str) -> str:
    """The right an endpoint declares for a method; HEAD is GET. Raises MethodNotAllowed where it declares none."""
    read = "GET" if method == "HEAD" else method
    declared = getattr(view, "right", None)
    found = declared.get(read) if isinstance(declared, dict) else declared
    if found is None or not hasattr(view, read.lower()) or read == "OPTIONS":
        raise MethodNotAllowed(method)
    return found
