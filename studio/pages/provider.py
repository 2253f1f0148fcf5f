"""To the provider of identities and back: `/sign-in/provider` and `/sign-in/return`."""

from __future__ import annotations

import logging
from urllib.parse import urlencode, urlsplit

from django.conf import settings
from django.contrib.auth import login
from django.http import HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.http import require_GET

from studio import accounts, oidc
from studio.access import page
from studio.asked import Asked, next_of, person
from studio.oidc import attempt as attempts
from studio.oidc import people, provider, remote
from studio.oidc.attempt import Attempt
from studio.oidc.provider import Provider
from studio.oidc.refused import NotSignedIn
from studio.oidc.tokens import Identity
from studio.pages.frame import flash
from studio.pages.join import ANEW
from studio.refusal import Missing, Refusal
from studio.strings import t

log = logging.getLogger(__name__)

LONGEST_CODE = 8_192


@page("public")
@require_GET
def start(request: Asked) -> HttpResponse:
    """Sends this browser to the provider, with what only it may come back with."""
    found, wanted = _usable(), next_of(request)
    if request.get_host() != urlsplit(settings.PUBLIC_URL).netloc and "here" not in request.GET:
        # The provider sends everybody back to this address, where cookies of another name for this host are not.
        query = urlencode({"next": wanted, "here": "1"})
        return redirect(f"{settings.PUBLIC_URL}/sign-in/provider?{query}")
    try:
        where = remote.place(found)
    except NotSignedIn as refused:
        return _words(request, refused, wanted)
    # Whoever is signed in, or signed out here, is asked anew: that the provider knows this browser is no proof of who
    # sits before it.
    again = request.user.is_authenticated or ANEW in request.COOKIES
    attempt = attempts.new(found.issuer, wanted, again=again)
    asked = {
        "response_type": "code",
        "client_id": found.client,
        "redirect_uri": found.redirect,
        "scope": "openid email profile",
        "state": attempt.state,
        "nonce": attempt.nonce,
        "code_challenge": attempt.challenge,
        "code_challenge_method": "S256",
        **(found.again if again else {}),
        **({"login_hint": person(request).email} if request.user.is_authenticated else {}),
    }
    response = redirect(f"{where.authorize}{'&' if '?' in where.authorize else '?'}{urlencode(asked)}")
    attempts.keep(request, response, attempt)
    return response


@page("public")
@require_GET
def back(request: Asked) -> HttpResponse:
    """Back from the provider: signed in where they were, or the reason why not."""
    found = _usable()
    attempt = attempts.find(request, request.GET.get("state", ""))
    if attempt is None or attempt.issuer != found.issuer:
        return _words(request, NotSignedIn("state", found, 400), "/")
    try:
        response = _came(request, found, attempt)
    except Refusal as refused:
        log.warning("Nobody was signed in through the provider of identities: %s", refused.code)
        response = _words(request, refused, attempt.next)
    attempts.drop(request, response, attempt)
    return response


def _usable() -> Provider:
    found = provider.usable()
    if found is None:
        raise Missing(t("provider.none"))
    return found


def _came(request: Asked, found: Provider, attempt: Attempt) -> HttpResponse:
    address = accounts.address_of(request)
    accounts.count_return(address, attempt.state)
    identity = remote.redeem(found, _code(request, found), attempt)
    now = person(request) if request.user.is_authenticated else None
    who = people.known(identity, found, now)
    if who is None:
        return _joining(request, found, attempt, identity)
    accounts.forget_return(address)
    login(request, who.user, backend="studio.accounts.Accounts")
    if who.news:
        flash(request, t(f"provider.{who.news}", name=found.name))
    response = redirect(attempt.next)
    response.delete_cookie(ANEW)
    return response


def _code(request: Asked, found: Provider) -> str:
    """What the provider sends along. Raises NotSignedIn when it says no, or it is no answer of this provider."""
    given = request.GET
    if any(len(given.getlist(name)) > 1 for name in ("state", "code", "iss", "error")):
        raise NotSignedIn("state", found, 400)
    if given.get("iss", found.issuer) != found.issuer or ("iss" not in given and remote.place(found).names_itself):
        raise NotSignedIn("issuer", found, 400)
    if "error" in given:
        raise NotSignedIn("denied" if given["error"] == "access_denied" else "down", found)
    code = given.get("code", "")
    if not 0 < len(code) <= LONGEST_CODE or not code.isascii() or not code.isprintable():
        raise NotSignedIn("state", found, 400)
    return code


def _joining(request: Asked, found: Provider, attempt: Attempt, identity: Identity) -> HttpResponse:
    """Nobody here has this address. Who opened an invite link first goes back to it, to join by a button."""
    token = attempt.next.removeprefix("/join/")
    invite = accounts.find_invite(token) if token != attempt.next else None
    if invite is None or request.user.is_authenticated:
        raise NotSignedIn("not_invited", found)
    if invite.email and invite.email != identity.email:
        raise Refusal("INVITE_OTHER_ADDRESS", t("provider.other_invite", name=found.name, email=invite.email), 403)
    accounts.forget_return(accounts.address_of(request))
    people.leave_pending(request, identity)
    return redirect(attempt.next)


def _words(request: Asked, refused: Refusal, wanted: str) -> HttpResponse:
    """Why nobody was signed in, with both ways to try again."""
    words = {
        "message": refused.message,
        "title": t("provider.title_not_invited" if refused.code == "PROVIDER_NOT_INVITED" else "provider.title"),
        "next": wanted,
        "provider": oidc.button(wanted),
    }
    return render(request, "join/provider.html", words, status=refused.status)
