"""A person's own account, and which workspace they work in."""

from __future__ import annotations

import uuid

from django.contrib.auth import update_session_auth_hash
from django.http import HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.http import require_http_methods, require_POST

from studio import accounts, presence
from studio.access import page
from studio.asked import Asked, person
from studio.models import Membership
from studio.oidc import ways
from studio.pages.frame import flash
from studio.refusal import Forbidden, Missing
from studio.strings import t


def _words(request: Asked, name: str, problems: dict[str, str] | None = None) -> dict[str, object]:
    user = person(request)
    return {
        "name": name,
        "problems": problems or {},
        "ways": ways.of(user),
        "has_password": user.has_usable_password(),
    }


@page("account")
@require_http_methods(["GET", "POST"])
def account(request: Asked) -> HttpResponse:
    if request.method == "GET":
        return render(request, "settings/account.html", _words(request, person(request).name))
    name = request.POST.get("name", "")
    problems = accounts.check_account(name, person(request).email)
    if problems:
        return render(request, "settings/account.html", _words(request, name, problems), status=422)
    person(request).name = name.strip()
    person(request).save(update_fields=["name"])
    flash(request, t("page.saved"))
    return redirect("/account")


@page("account")
@require_POST
def password(request: Asked) -> HttpResponse:
    """A new password. Every other session of the account ends: its hash no longer fits."""
    if not person(request).has_usable_password():
        # There is no current one to show that it is really the person who sets another way in.
        raise Forbidden(t("account.no_password"))
    problems: dict[str, str] = {}
    address = accounts.address_of(request)
    accounts.count_try(address, person(request).email)
    if not person(request).check_password(request.POST.get("current_password", "")):
        problems["current_password"] = t("account.current_wrong")
    else:
        accounts.forget_try(address, person(request).email)
    problems |= accounts.password_problems(request.POST.get("new_password", ""), person(request), "new_password")
    if problems:
        words = _words(request, person(request).name, problems)
        return render(request, "settings/account.html", words, status=422)
    person(request).set_password(request.POST["new_password"])
    person(request).save(update_fields=["password"])
    update_session_auth_hash(request, person(request))
    # The session goes on under another key, and its person has just given their password.
    presence.begin(request, person(request))
    flash(request, t("account.password_changed"))
    return redirect("/account")


@page("account")
@require_POST
def choose_workspace(request: Asked) -> HttpResponse:
    """Works in another workspace of this person from now on."""
    try:
        wanted = uuid.UUID(request.POST.get("workspace", ""))
    except ValueError as wrong:
        raise Missing from wrong
    if not Membership.everywhere.filter(user_id=person(request).pk, workspace_id=wanted).exists():
        raise Missing
    request.session["workspace"] = str(wanted)
    return redirect("/")
