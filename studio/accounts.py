"""Accounts and how people join: sign-in with a limit on tries, invite links, roles, passwords."""

from __future__ import annotations

import hashlib
import ipaddress
import secrets
import uuid
from datetime import datetime, timedelta
from typing import Any

from django.conf import settings
from django.contrib.auth.backends import BaseBackend
from django.contrib.auth.hashers import check_password, make_password
from django.contrib.auth.password_validation import validate_password
from django.core.exceptions import ValidationError
from django.db import transaction
from django.db.models import F, Q
from django.http import HttpRequest
from django.utils import timezone

from flows.models import Workspace
from runtime.prepared import Prepared
from studio.access import may
from studio.models import Invite, Membership, SignInTry, User
from studio.refusal import Refusal, Wrong
from studio.strings import t

INVITE_DAYS = 7
WINDOW = timedelta(minutes=15)
TRIES_PER_ACCOUNT = 8
TRIES_PER_ADDRESS = 60

# Checked when no account has the address, so that the time taken does not tell which addresses have one.
_NOBODY = make_password(secrets.token_urlsafe(24))


_active = Prepared(lambda id: User.objects.filter(pk=id, is_active=True), uuid.UUID)


class Accounts(BaseBackend):
    """Signs people in by e-mail address and password."""

    def authenticate(
        self, request: HttpRequest | None, username: str | None = None, password: str | None = None, **_: Any
    ) -> User | None:
        email, password = (username or "").strip().lower(), password or ""
        user = User.objects.filter(email=email, is_active=True).first()
        if user is None:
            check_password(password, _NOBODY)
            return None
        return user if user.check_password(password) else None

    def get_user(self, user_id: Any) -> User | None:
        return _active.first(user_id)


class TooManyTries(Refusal):
    def __init__(self, minutes: int) -> None:
        super().__init__("TOO_MANY_TRIES", t("account.too_many_tries", count=minutes), 429)


def address_of(request: HttpRequest) -> str:
    """The client's network: its IPv4 address, or the /64 of its IPv6 address, since one client has all of that.

    Behind a proxy it is what the proxy wrote last into X-Forwarded-For; whatever stands before it anybody can send.
    """
    address = request.META.get("REMOTE_ADDR", "")
    if settings.BEHIND_PROXY:
        address = request.META.get("HTTP_X_FORWARDED_FOR", "").rpartition(",")[2].strip() or address
    try:
        found = ipaddress.ip_address(address)
    except ValueError:
        return ""
    if isinstance(found, ipaddress.IPv6Address):
        mapped = found.ipv4_mapped
        return str(mapped or ipaddress.ip_network((found, 64), strict=False))
    return str(found)


def count_try(address: str, email: str) -> None:
    """Counts a try before its password is looked at; forget_try takes it back when the password was right.

    So only failures stay counted, and a hundred tries at once are a hundred. Raises TooManyTries; a window of 15
    minutes for each account from one address, and for each address.
    """
    now = timezone.now()
    SignInTry.objects.filter(since__lt=now - 4 * WINDOW).delete()
    for key, most in ((_account_key(address, email), TRIES_PER_ACCOUNT), (_hashed(address), TRIES_PER_ADDRESS)):
        row = _count(key, now)
        if row.count > most:
            raise TooManyTries(_minutes_left(row, now))


def count_return(address: str, state: str) -> None:
    """Counts one who comes back from a provider, before it is asked; forget_return takes it back when it knew them.

    There is nothing to guess, so passwords are not slowed down by it: what is limited is how often a stranger has us
    ask. Raises TooManyTries, and Refusal for what came back before: each state comes back once.
    """
    now = timezone.now()
    SignInTry.objects.filter(since__lt=now - 4 * WINDOW).delete()
    row = _count(_hashed(f"return|{address}"), now)
    if row.count > TRIES_PER_ADDRESS:
        raise TooManyTries(_minutes_left(row, now))
    if _count(_hashed(f"state|{state}"), now).count > 1:
        raise Refusal("STATE_USED", t("account.state_used"), 400)


def forget_return(address: str) -> None:
    """The provider knew them: it was no failure of the address."""
    SignInTry.objects.filter(key=_hashed(f"return|{address}"), count__gt=0).update(count=F("count") - 1)


def _minutes_left(row: SignInTry, now: datetime) -> int:
    return max(1, -(-int((WINDOW - (now - row.since)).total_seconds()) // 60))


def _count(key: str, now: datetime) -> SignInTry:
    """Counts one more. The row stays locked from the increment to the look at it, so no two see one number."""
    rows = SignInTry.objects.filter(key=key)
    with transaction.atomic():
        SignInTry.objects.get_or_create(key=key, defaults={"since": now, "count": 0})
        rows.filter(since__lt=now - WINDOW).update(since=now, count=0)
        rows.update(count=F("count") + 1)
        return rows.get()


def forget_try(address: str, email: str) -> None:
    """The password was right: the account begins anew from that address, and this try was no failure of it."""
    SignInTry.objects.filter(key=_account_key(address, email)).delete()
    SignInTry.objects.filter(key=_hashed(address), count__gt=0).update(count=F("count") - 1)


def _account_key(address: str, email: str) -> str:
    return _hashed(f"{address}|{email.strip().lower()}")


def _hashed(key: str) -> str:
    return hashlib.sha256(key.encode("utf-8", "surrogatepass")).hexdigest()


def make_invite(workspace: Workspace, role: str, *, by: User | None, email: str = "", days: int = INVITE_DAYS) -> str:
    """A new invite; returns its token, which is kept nowhere else."""
    token = secrets.token_urlsafe(24)
    Invite.everywhere.create(
        workspace=workspace,
        token_sha=token_sha(token),
        role=role,
        email=email.strip().lower(),
        made_by=by,
        expires_at=timezone.now() + timedelta(days=days),
    )
    return token


def token_sha(token: str) -> str:
    return hashlib.sha256(token.encode()).hexdigest()


def find_invite(token: str) -> Invite | None:
    """The invite that this link may still use; None when it is unknown, used, revoked or too old."""
    return (
        Invite.everywhere.select_related("workspace", "made_by")
        .filter(token_sha=token_sha(token), used_at=None, revoked_at=None, expires_at__gt=timezone.now())
        .first()
    )


def accept(invite: Invite, user: User) -> Membership:
    """Uses the invite once, for this person. Raises Refusal when somebody was faster, or it names another address."""
    if invite.email and invite.email != user.email:
        raise Refusal("INVITE_OTHER_ADDRESS", t("join.other_address", email=invite.email), 403)
    with transaction.atomic():
        taken = Invite.everywhere.filter(pk=invite.pk, used_at=None, revoked_at=None).update(
            used_at=timezone.now(), used_by=user
        )
        if not taken:
            raise Refusal("INVITE_USED", t("join.used"), 410)
        membership, _ = Membership.everywhere.get_or_create(
            workspace=invite.workspace, user=user, defaults={"role": invite.role}
        )
    return membership


def make_account(name: str, email: str, password: str) -> User:
    """A new account. Raises Wrong with a sentence for each field that does not fit."""
    fields = check_account(name, email)
    fields |= password_problems(password, User(name=name, email=email))
    if "email" not in fields and User.objects.filter(email=email.strip().lower()).exists():
        fields["email"] = t("account.email_taken")
    if fields:
        raise Wrong(fields)
    return User.objects.create_user(email.strip(), password, name=name.strip())


def is_vouched(user: User) -> bool:
    """Whether somebody else gave the account its address: an invite that named it. The first account needs nobody."""
    if Invite.everywhere.filter(used_by=user, email=user.email).exists():
        return True
    return User.objects.order_by("created_at", "pk").first() == user


def check_account(name: str, email: str) -> dict[str, str]:
    from django.core.validators import validate_email

    fields: dict[str, str] = {}
    if not name.strip():
        fields["name"] = t("account.name_missing")
    elif len(name.strip()) > 120:
        fields["name"] = t("field.too_long", count=120)
    try:
        validate_email(email.strip())
    except ValidationError:
        fields["email"] = t("account.email_wrong")
    return fields


def password_problems(password: str, user: User, field: str = "password") -> dict[str, str]:
    if len(password) > 512:
        return {field: t("field.too_long", count=512)}
    try:
        validate_password(password, user)
    except ValidationError as wrong:
        codes = {error.code for error in wrong.error_list or ()}
        for code in ("password_too_short", "password_too_common", "password_too_similar"):
            if code in codes:
                return {field: t(f"account.{code}")}
        return {field: " ".join(wrong.messages)}
    return {}


def owners(workspace_id: Any) -> int:
    return Membership.everywhere.filter(workspace_id=workspace_id, role="owner", user__is_active=True).count()


def change_role(membership: Membership, role: str, *, by: str) -> None:
    """by: the acting person's role. Only owners make or unmake owners, and the last owner stays one.

    Links that the person made and could no longer make end with the role that made them.
    """
    with transaction.atomic():
        _may_touch(membership, role, by)
        membership.role = role
        membership.save(update_fields=["role"])
        mine = Q(made_by_id=membership.user_id)
        if not may(role, "people"):
            _revoke(membership, mine)
        elif role != "owner":
            _revoke(membership, mine & Q(role="owner"))


def remove(membership: Membership, *, by: str) -> None:
    """Takes somebody out of the workspace, with every open link that they made or that would let them in again.

    The account stays; the last owner cannot be removed.
    """
    with transaction.atomic():
        _may_touch(membership, "", by)
        _revoke(membership, Q(made_by_id=membership.user_id) | Q(email__iexact=membership.user.email))
        membership.delete()


def _revoke(membership: Membership, which: Q) -> None:
    open_ones = Invite.everywhere.filter(workspace_id=membership.workspace_id, used_at=None, revoked_at=None)
    open_ones.filter(which).update(revoked_at=timezone.now())


def _may_touch(membership: Membership, role: str, by: str) -> None:
    if "owner" in (membership.role, role) and by != "owner":
        raise Refusal("OWNERS_ONLY", t("people.owners_only"), 403)
    if membership.role == "owner" and role != "owner":
        # Rows are locked so that two owners cannot demote each other at the same moment.
        list(Membership.everywhere.select_for_update().filter(workspace_id=membership.workspace_id, role="owner"))
        if owners(membership.workspace_id) <= 1:
            raise Refusal("LAST_OWNER", t("people.last_owner"), 409)
