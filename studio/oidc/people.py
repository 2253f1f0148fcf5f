"""Whose identity it is: known by the binding of an earlier sign-in, else once by an address that is vouched for."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any, Literal, cast

from django.db import IntegrityError, transaction
from django.http import HttpRequest
from django.utils import timezone

from studio import accounts
from studio.models import Identity as Bound
from studio.models import Invite, User
from studio.oidc.attempt import LASTS
from studio.oidc.provider import Provider
from studio.oidc.refused import NotSignedIn
from studio.oidc.tokens import Identity
from studio.refusal import Wrong
from studio.strings import t

_PENDING = "identity"


@dataclass(frozen=True)
class Known:
    """news: what the person is to be told of their account, as the key of a sentence; mostly ""."""

    user: User
    news: Literal["", "bound", "password_ended"] = ""


def known(identity: Identity, provider: Provider, now: User | None) -> Known | None:
    """The person, bound to this identity from here on; None when nobody here has the address. Raises NotSignedIn.

    now: who is signed in in this browser.
    """
    bound = _bound(identity)
    if bound is not None:
        return _used(bound, provider)
    if not identity.email:
        raise NotSignedIn("unvouched", provider)
    user = User.objects.filter(email=identity.email).first()
    if user is None:
        return None
    if not user.is_active:
        raise NotSignedIn("inactive", provider)
    try:
        with transaction.atomic():
            return _bind_known(user, identity, provider, now)
    except IntegrityError:
        # Another tab was faster: with this identity, or with another one of the same person.
        bound = _bound(identity)
        if bound is None:
            raise NotSignedIn("other_identity", provider) from None
        return _used(bound, provider)


def _bound(identity: Identity) -> Bound | None:
    return Bound.objects.select_related("user").filter(issuer=identity.issuer, sub=identity.sub).first()


def _used(bound: Bound, provider: Provider) -> Known:
    if not bound.user.is_active:
        raise NotSignedIn("inactive", provider)
    Bound.objects.filter(pk=bound.pk).update(used_at=timezone.now())
    return Known(bound.user)


def _bind_known(user: User, identity: Identity, provider: Provider, now: User | None) -> Known:
    """Bind somebody who is known by their address.

    Whoever came by an open invite wrote the address themselves. That it is theirs is known only now, and only of who
    stands here: so nobody else keeps a password or a session of that account.
    """
    if Bound.objects.filter(user=user, issuer=identity.issuer).exists():
        raise NotSignedIn("other_identity", provider)
    _bind(user, identity)
    if user == now or not user.has_usable_password() or accounts.is_vouched(user):
        return Known(user, "bound")
    user.set_unusable_password()
    user.save(update_fields=["password"])
    return Known(user, "password_ended")


def _bind(user: User, identity: Identity) -> None:
    Bound.objects.create(
        user=user, issuer=identity.issuer, sub=identity.sub, email=identity.email, used_at=timezone.now()
    )


def leave_pending(request: HttpRequest, identity: Identity) -> None:
    """Keep in this browser's session who the provider said they are, until they join."""
    # Under a key that nobody knew before: else whoever planted it in this browser could join as them.
    request.session.cycle_key()
    request.session[_PENDING] = {**asdict(identity), "until": timezone.now().timestamp() + LASTS}


def pending(request: HttpRequest, provider: Provider | None) -> Identity | None:
    """Who is about to join in this browser, as the provider said a few minutes ago."""
    kept = cast(dict[str, Any] | None, request.session.get(_PENDING))
    if kept is None or provider is None or kept["until"] < timezone.now().timestamp():
        return None
    found = Identity(kept["issuer"], kept["sub"], kept["email"], kept["name"])
    return found if found.issuer == provider.issuer else None


def join(identity: Identity, name: str, invite: Invite, at: str) -> User:
    """A new account that signs in through the provider alone. at: what the provider is called.

    Raises Wrong, and Refusal as `accept`.
    """
    fields = accounts.check_account(name, identity.email)
    if "email" not in fields and User.objects.filter(email=identity.email).exists():
        fields["email"] = t("account.email_taken")
    if fields:
        raise Wrong(fields)
    try:
        with transaction.atomic():
            user = User.objects.create_user(identity.email, None, name=name.strip())
            _bind(user, identity)
            accounts.accept(invite, user)
    except IntegrityError:
        # They joined in another tab or browser meanwhile, maybe under another address.
        raise Wrong({"email": t("join.through_known", name=at)}) from None
    return user


def forget_pending(request: HttpRequest) -> None:
    request.session.pop(_PENDING, None)
