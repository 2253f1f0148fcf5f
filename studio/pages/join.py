"""Signing in and out, the first account of an installation, and joining by an invite link."""

from __future__ import annotations

from django.contrib.auth import authenticate, login, logout
from django.http import HttpResponse
from django.shortcuts import redirect, render
from django.utils.http import url_has_allowed_host_and_scheme
from django.views.decorators.http import require_http_methods, require_POST

from studio import accounts
from studio.access import first_page, page
from studio.asked import Asked, person
from studio.models import ROLES, Invite, Membership, User
from studio.pages.frame import flash
from studio.refusal import Refusal, Wrong
from studio.strings import t

ROLE_NAMES = dict(ROLES)


@page("public")
def home(request: Asked) -> HttpResponse:
    """To the first page of the person's role."""
    if not request.user.is_authenticated:
        return redirect("/sign-in")
    return redirect(first_page(request.role))


def _next(request: Asked) -> str:
    wanted = request.POST.get("next") or request.GET.get("next") or ""
    ours = url_has_allowed_host_and_scheme(wanted, {request.get_host()}, request.is_secure())
    return wanted if ours and wanted.startswith("/") else "/"


@page("public")
@require_http_methods(["GET", "POST"])
def sign_in(request: Asked) -> HttpResponse:
    if request.user.is_authenticated and request.method == "GET":
        return redirect(_next(request))
    words = {"next": _next(request), "email": request.POST.get("email", "")}
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
    logout(request)
    return redirect("/sign-in")


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
    words = {**_given(request, "name", "email"), "invite": invite, "role": ROLE_NAMES[invite.role], "here": here}
    words["email"] = words["email"] or invite.email
    if request.method == "GET":
        if request.user.is_authenticated:
            known = Membership.everywhere.filter(workspace_id=invite.workspace_id, user_id=person(request).pk).exists()
            words["known"] = known
        return render(request, "join/join.html", words)
    if isinstance(person(request), User):
        accounts.accept(invite, person(request))
    else:
        try:
            _make_and_enter(request, invite, words)
        except Wrong as wrong:
            return render(request, "join/join.html", {**words, "problems": wrong.fields}, status=422)
    request.session["workspace"] = str(invite.workspace_id)
    flash(request, t("join.joined", workspace=invite.workspace.name))
    return redirect("/")


def _given(request: Asked, *names: str) -> dict[str, str]:
    return {name: request.POST.get(name, "") for name in names}


def _make_and_enter(request: Asked, invite: Invite, words: dict) -> None:
    """The account, its membership and its session. All or nothing: a link used meanwhile leaves no account behind."""
    from django.db import transaction

    if invite.email and words["email"].strip().lower() != invite.email:
        raise Wrong({"email": t("join.other_address", email=invite.email)})
    with transaction.atomic():
        user = accounts.make_account(words["name"], words["email"], request.POST.get("password", ""))
        accounts.accept(invite, user)
    login(request, user, backend="studio.accounts.Accounts")
    request.session["workspace"] = str(invite.workspace_id)
