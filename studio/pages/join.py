"""Signing in and out, the first account of an installation, and joining by an invite link."""

from __future__ import annotations

from typing import Any
from urllib.parse import urlencode

from django.conf import settings
from django.contrib.auth import authenticate, login, logout
from django.db import transaction
from django.http import HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.http import require_http_methods, require_POST

from studio import accounts, oidc, presence
from studio.access import first_page, page
from studio.asked import Asked, next_of, person
from studio.models import ROLES, Invite, Membership, User
from studio.oidc import people, provider
from studio.pages.frame import flash
from studio.refusal import Refusal, Wrong
from studio.strings import t

ROLE_NAMES = dict(ROLES)
ANEW = "anew"
"""The cookie of a browser in which somebody signed out: a provider asks there anew who it is."""
ANEW_SECONDS = 24 * 3600


@page("public")
def home(request: Asked) -> HttpResponse:
    """To the first page of the person's role."""
    if not request.user.is_authenticated:
        return redirect("/sign-in")
    return redirect(first_page(request.role))


@page("public")
@require_http_methods(["GET", "POST"])
def sign_in(request: Asked) -> HttpResponse:
    if request.user.is_authenticated and request.method == "GET":
        # A page that says so leads here when the session is signed in and locked.
        here = presence.is_there(request.session.session_key or "", person(request))
        return redirect(next_of(request) if here else f"/unlock?{urlencode({'next': next_of(request)})}")
    wanted = next_of(request)
    words = {"next": wanted, "email": request.POST.get("email", ""), "provider": oidc.button(wanted)}
    if request.method == "POST":
        address = accounts.address_of(request)
        try:
            accounts.count_try(address, words["email"])
        except accounts.TooManyTries as slow:
            return render(request, "join/sign_in.html", {**words, "problem": slow.message}, status=429)
        user = authenticate(request, username=words["email"], password=request.POST.get("password", ""))
        if not isinstance(user, User):
            return render(request, "join/sign_in.html", {**words, "problem": t("account.wrong")}, status=422)
        accounts.forget_try(address, words["email"])
        login(request, user)
        return redirect(words["next"])
    return render(request, "join/sign_in.html", words)


@page("public")
@require_POST
def sign_out(request: Asked) -> HttpResponse:
    wanted = next_of(request)
    logout(request)
    response = redirect("/sign-in" if wanted == "/" else f"/sign-in?{urlencode({'next': wanted})}")
    response.set_cookie(
        ANEW, "1", max_age=ANEW_SECONDS, httponly=True, samesite="Lax", secure=settings.SESSION_COOKIE_SECURE
    )
    return response


@page("public")
@require_http_methods(["GET", "POST"])
def start(request: Asked, token: str) -> HttpResponse:
    """The first account: names the workspace, owns it, and goes on to Settings → Models."""
    invite = accounts.find_invite(token)
    if invite is None or invite.made_by is not None or User.objects.exists():
        raise Refusal("START_INVALID", t("join.start_invalid"), 410)
    words = _given(request, "workspace", "name", "email")
    if request.method == "GET":
        return render(request, "join/start.html", words)
    name = words["workspace"].strip()
    problems = {} if name else {"workspace": t("join.workspace_missing")}
    if len(name) > 120:
        problems["workspace"] = t("field.too_long", count=120)
    try:
        if problems:
            raise Wrong(problems | accounts.check_account(words["name"], words["email"]))
        _make_and_enter(request, invite, words)
    except Wrong as wrong:
        return render(request, "join/start.html", {**words, "problems": wrong.fields}, status=422)
    invite.workspace.name = name
    invite.workspace.save(update_fields=["name"])
    return redirect("/settings/models")


@page("public")
@require_http_methods(["GET", "POST"])
def join(request: Asked, token: str) -> HttpResponse:
    """An invite link: a new account, or one more workspace for an account that is signed in."""
    invite = accounts.find_invite(token)
    if invite is None:
        raise Refusal("INVITE_INVALID", t("join.invalid"), 410)
    here = f"/join/{token}"
    words: dict[str, Any] = {"invite": invite, "role": ROLE_NAMES[invite.role], "here": here}
    words |= _given(request, "name", "email")
    words["email"] = words["email"] or invite.email
    if request.user.is_authenticated:
        return _join_signed_in(request, invite, words)
    words["provider"], identity = oidc.button(here), people.pending(request, provider.usable())
    # Who came back from the provider joins as who it says they are, where the invite is theirs.
    if identity is not None and (not invite.email or invite.email == identity.email):
        words |= {"identity": identity, "name": words["name"] or identity.name}
    if request.method == "GET":
        return render(request, "join/join.html", words)
    if "through" in request.POST and "identity" not in words and words["provider"]:
        return render(request, "join/join.html", {**words, "late": True}, status=422)
    try:
        _make_and_enter(request, invite, words)
    except Wrong as wrong:
        return render(request, "join/join.html", {**words, "problems": wrong.fields}, status=422)
    return _joined(request, invite)


def _join_signed_in(request: Asked, invite: Invite, words: dict[str, Any]) -> HttpResponse:
    if request.method == "GET":
        mine = Membership.everywhere.filter(workspace_id=invite.workspace_id, user_id=person(request).pk)
        return render(request, "join/join.html", {**words, "known": mine.exists()})
    accounts.accept(invite, person(request))
    return _joined(request, invite)


def _joined(request: Asked, invite: Invite) -> HttpResponse:
    request.session["workspace"] = str(invite.workspace_id)
    flash(request, t("join.joined", workspace=invite.workspace.name))
    return redirect("/")


def _given(request: Asked, *names: str) -> dict[str, str]:
    return {name: request.POST.get(name, "") for name in names}


def _make_and_enter(request: Asked, invite: Invite, words: dict) -> None:
    """The account, its membership and its session. All or nothing: a link used meanwhile leaves no account behind."""
    through = words.get("identity") if "through" in request.POST else None
    if through is not None:
        user = people.join(through, words["name"], invite, words["provider"].name)
    else:
        if invite.email and words["email"].strip().lower() != invite.email:
            raise Wrong({"email": t("join.other_address", email=invite.email)})
        with transaction.atomic():
            user = accounts.make_account(words["name"], words["email"], request.POST.get("password", ""))
            accounts.accept(invite, user)
    people.forget_pending(request)
    login(request, user, backend="studio.accounts.Accounts")
    request.session["workspace"] = str(invite.workspace_id)
