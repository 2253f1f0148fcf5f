"""A person's own account, and which workspace they work in."""

from __future__ import annotations

import uuid

from django.contrib.auth import update_session_auth_hash
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.http import require_http_methods, require_POST

from studio import accounts
from studio.access import page
from studio.models import Membership
from studio.pages.frame import flash
from studio.refusal import Missing
from studio.strings import t


@page("account")
@require_http_methods(["GET", "POST"])
def account(request: HttpRequest) -> HttpResponse:
    if request.method == "GET":
        return render(request, "settings/account.html", {"name": request.user.name})
    name = request.POST.get("name", "")
    problems = accounts.check_account(name, request.user.email)
    if problems:
        return render(request, "settings/account.html", {"name": name, "problems": problems}, status=422)
    request.user.name = name.strip()
    request.user.save(update_fields=["name"])
    flash(request, t("page.saved"))
    return redirect("/account")


@page("account")
@require_POST
def password(request: HttpRequest) -> HttpResponse:
    """A new password. Every other session of the account ends: its hash no longer fits."""
    problems: dict[str, str] = {}
    accounts.count_try(request.META.get("REMOTE_ADDR", ""), request.user.email)
    if not request.user.check_password(request.POST.get("current_password", "")):
        problems["current_password"] = t("account.current_wrong")
    problems |= accounts.password_problems(request.POST.get("new_password", ""), request.user, "new_password")
    if problems:
        words = {"name": request.user.name, "problems": problems}
        return render(request, "settings/account.html", words, status=422)
    accounts.forget_tries(request.META.get("REMOTE_ADDR", ""), request.user.email)
    request.user.set_password(request.POST["new_password"])
    request.user.save(update_fields=["password"])
    update_session_auth_hash(request, request.user)
    flash(request, t("account.password_changed"))
    return redirect("/account")


@page("account")
@require_POST
def choose_workspace(request: HttpRequest) -> HttpResponse:
    """Works in another workspace of this person from now on."""
    try:
        wanted = uuid.UUID(request.POST.get("workspace", ""))
    except ValueError as wrong:
        raise Missing from wrong
    if not Membership.everywhere.filter(user_id=request.user.pk, workspace_id=wanted).exists():
        raise Missing
    request.session["workspace"] = str(wanted)
    return redirect("/")
