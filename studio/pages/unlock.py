"""Unlocking a session in which nobody was there for too long: its own person's password, or another way to sign in."""

from __future__ import annotations

from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.http import require_http_methods

from studio import accounts, oidc, presence
from studio.access import page
from studio.asked import Asked, next_of, person
from studio.refusal import Refusal, Wrong
from studio.strings import t


def unlock(request: HttpRequest, password: str) -> None:
    """Raises Wrong for another password, and TooManyTries, counted with the tries to sign in."""
    user, address = person(request), accounts.address_of(request)
    accounts.count_try(address, user.email)
    if not user.check_password(password):
        raise Wrong({"password": t("lock.wrong" if password else "lock.missing")}, t("lock.wrong"))
    accounts.forget_try(address, user.email)
    presence.begin(request, user)


@page("account")
@require_http_methods(["GET", "POST"])
def unlock_page(request: Asked) -> HttpResponse:
    """`/unlock?next=`: for pages that are not a chat, and for a browser without scripts."""
    words = {"next": next_of(request), "minutes": presence.minutes(), "button": oidc.button(next_of(request))}
    if request.method == "GET":
        if presence.is_there(request.session.session_key or "", person(request)):
            return redirect(words["next"])
        return render(request, "join/unlock.html", words)
    try:
        unlock(request, request.POST.get("password", ""))
    except Refusal as refused:
        problem = refused.fields["password"] if isinstance(refused, Wrong) else refused.message
        return render(request, "join/unlock.html", {**words, "problem": problem}, status=refused.status)
    return redirect(words["next"])
