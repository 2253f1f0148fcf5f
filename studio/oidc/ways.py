"""How somebody signs in, in words."""

from __future__ import annotations

from studio.models import User
from studio.oidc import provider
from studio.strings import t


def of(user: User) -> str:
    """With a password, through the provider of this installation, or both. identities may be prefetched."""
    found, has_password = provider.usable(), user.has_usable_password()
    if found is None:
        return t("ways.password" if has_password else "ways.none")
    if any(each.issuer == found.issuer for each in user.identities.all()):
        return t("ways.both" if has_password else "ways.through", name=found.name)
    return t("ways.password") if has_password else t("ways.not_yet", name=found.name)
