"""Signing in through a provider of identities (OpenID Connect), one for the whole installation.

Read docs/decisions/016-signing-in.md first. `provider` is what the environment says, `remote` asks the provider,
`attempt` is a sign-in on its way through a browser, `tokens` judges what comes back, `people` finds whose it is.
"""

from __future__ import annotations

from dataclasses import dataclass
from urllib.parse import urlencode

from studio.oidc import provider


@dataclass(frozen=True)
class Button:
    """What leads to the provider. name: the provider's, as people know it."""

    name: str
    href: str


def button(next: str) -> Button | None:
    """The button beside a password form, which comes back to `next`, a path here; None without a usable provider."""
    found = provider.usable()
    return found and Button(found.name, f"/sign-in/provider?{urlencode({'next': next})}")
