"""Why somebody was not signed in through the provider, in words for them."""

from __future__ import annotations

from studio.oidc.provider import Provider
from studio.refusal import Refusal
from studio.strings import t


class NotSignedIn(Refusal):
    """Nothing was changed. The code is PROVIDER_ and what happened; what the provider itself says is never repeated."""

    def __init__(self, what: str, provider: Provider, status: int = 403) -> None:
        words = t(f"provider.{what}", name=provider.name)
        super().__init__(f"PROVIDER_{what.upper()}", words, status)


class UnknownKey(NotSignedIn):
    """No key of those that are known made the signature: the provider may have new ones."""

    def __init__(self, provider: Provider) -> None:
        super().__init__("signature", provider, 502)
