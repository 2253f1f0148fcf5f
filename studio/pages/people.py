"""Settings → People: who is in the workspace with which role, and the links by which others join."""

from __future__ import annotations

from datetime import timedelta

from django.conf import settings
from django.core.exceptions import ValidationError
from django.core.validators import validate_email
from django.http import HttpResponse
from django.shortcuts import redirect, render
from django.utils import timezone
from django.views.decorators.http import require_POST, require_safe

from studio import accounts
from studio.access import page
from studio.asked import Asked, person
from studio.models import ROLES, Invite, Membership
from studio.oidc import provider, ways
from studio.pages.frame import flash
from studio.refusal import Forbidden, Missing
from studio.strings import t

DAYS = (1, 7, 30)


def _listing(request: Asked, **more: object) -> dict[str, object]:
    by = request.role or ""
    everybody = Membership.objects.select_related("user").order_by("joined_at")
    return {
        "people": [(one, ways.of(one.user)) for one in everybody.prefetch_related("user__identities")],
        "provider": provider.usable(),
        "redirect": provider.redirect_address(),
        "owner_count": accounts.owners(request.workspace.pk),
        "invites": Invite.objects.select_related("made_by").filter(used_at=None, revoked_at=None).order_by("-made_at"),
        "roles": [(role, name, t(f"people.role.{role}")) for role, name in ROLES if role != "owner" or by == "owner"],
        "all_roles": ROLES,
        "days": [(days, t("people.days", count=days)) for days in DAYS],
        "now": timezone.now(),
        **more,
    }


@page("people")
@require_safe
def people(request: Asked) -> HttpResponse:
    made = request.session.pop("invite", None)
    return render(request, "settings/people.html", _listing(request, made=made))


@page("people")
@require_POST
def invite(request: Asked) -> HttpResponse:
    """A new link. It is shown once, on the page that follows: only its hash is kept."""
    role, email = request.POST.get("role", ""), request.POST.get("email", "").strip()
    problems: dict[str, str] = {}
    if role not in dict(ROLES):
        problems["role"] = t("field.choose")
    elif role == "owner" and request.role != "owner":
        raise Forbidden(t("people.owners_only"))
    if email:
        try:
            validate_email(email)
        except ValidationError:
            problems["email"] = t("account.email_wrong")
    days = request.POST.get("days", "7")
    if days not in {str(one) for one in DAYS}:
        problems["days"] = t("field.choose")
    if problems:
        return render(request, "settings/people.html", _listing(request, problems=problems, email=email), status=422)
    token = accounts.make_invite(request.workspace, role, by=person(request), email=email, days=int(days))
    until = timezone.now() + timedelta(days=int(days))
    request.session["invite"] = {
        "link": f"{settings.PUBLIC_URL}/join/{token}",
        "words": t("people.link_words", role=dict(ROLES)[role], until=until.strftime("%d %b %Y").lstrip("0")),
    }
    return redirect("/settings/people")


@page("people")
@require_POST
def revoke(request: Asked, id: int) -> HttpResponse:
    if not Invite.objects.filter(pk=id, used_at=None, revoked_at=None).update(revoked_at=timezone.now()):
        raise Missing(t("people.invite_gone"))
    flash(request, t("people.revoked"))
    return redirect("/settings/people")


def _membership(id: int) -> Membership:
    found = Membership.objects.select_related("user").filter(pk=id).first()
    if found is None:
        raise Missing(t("people.gone"))
    return found


@page("people")
@require_POST
def role(request: Asked, id: int) -> HttpResponse:
    membership, wanted = _membership(id), request.POST.get("role", "")
    if wanted not in dict(ROLES):
        raise Missing(t("field.choose"))
    accounts.change_role(membership, wanted, by=request.role or "")
    flash(request, t("people.role_changed", name=membership.user.name, role=dict(ROLES)[wanted]))
    return redirect("/settings/people" if membership.user_id != person(request).pk else "/")


@page("people")
@require_POST
def remove(request: Asked, id: int) -> HttpResponse:
    membership = _membership(id)
    accounts.remove(membership, by=request.role or "")
    flash(request, t("people.removed", name=membership.user.name))
    return redirect("/settings/people" if membership.user_id != person(request).pk else "/")
