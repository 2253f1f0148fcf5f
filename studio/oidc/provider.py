"""The provider as the environment names it, and what is wrong with that. What is wrong is never used."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from functools import lru_cache

from django.conf import settings

from runtime.services.addresses import Address, AddressRefused, parse
from runtime.services.secrets import SecretValue
from studio.strings import t

# Where Microsoft gives out identities: the public cloud, the US government's and China's.
MICROSOFT = ("login.microsoftonline.com", "login.microsoftonline.us", "login.partner.microsoftonline.cn")
LONGEST = 255
GOOGLE = "accounts.google.com"
# The tenant of all private accounts, which is "consumers" by its number.
CONSUMERS = "9188040d-6c67-4c5b-b112-36a304b66dad"

_MICROSOFT = re.compile(r"(.+\.)?(microsoftonline\.(com|us|cn|de)|windows\.net|chinacloudapi\.cn|microsoft\.com)")
_TENANT = re.compile(r"/([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})/v2\.0")
LOOPBACK = ("127.0.0.1", "::1", "localhost")


class Unfit(Exception):
    """The environment names no provider that could be trusted. message: what is wrong, and what to set."""

    def __init__(self, message: str) -> None:
        super().__init__(message)
        self.message = message


@dataclass(frozen=True)
class Provider:
    """tenant: Microsoft's id of the one organization whose people may come; "" for every other provider."""

    issuer: str
    client: str
    secret: str = field(repr=False)
    name: str
    address: Address
    tenant: str = ""

    @property
    def says_when(self) -> bool:
        """Whether its tokens must say when somebody proved who they are, which max_age asks for.

        Microsoft says so only where its registration adds the claim auth_time, and Google never.
        """
        return not self.tenant and self.address.host != GOOGLE

    @property
    def again(self) -> dict[str, str]:
        """How it is asked to have somebody prove anew who they are. Google knows only how to ask which account."""
        if self.address.host == GOOGLE:
            return {"prompt": "select_account"}
        return {"prompt": "login"} | ({"max_age": "0"} if self.says_when else {})

    @property
    def redirect(self) -> str:
        return redirect_address()


def redirect_address() -> str:
    """Where the provider sends people back to; it must be registered there exactly so."""
    return f"{settings.PUBLIC_URL}/sign-in/return"


def configured() -> Provider | None:
    """The provider; None when nothing is set. Raises Unfit."""
    return _read(
        settings.OIDC_ISSUER, settings.OIDC_CLIENT_ID, settings.OIDC_CLIENT_SECRET, settings.OIDC_NAME
    )  # fmt: skip


def usable() -> Provider | None:
    """The provider; None when nothing, or nothing that could be trusted, is set."""
    try:
        return configured()
    except Unfit:
        return None


def wrong() -> str:
    """Why the installation must not start so; "" when it may."""
    try:
        configured()
    except Unfit as unfit:
        return unfit.message
    return ""


@lru_cache(maxsize=8)
def _read(issuer: str, client: str, secret: str, name: str) -> Provider | None:
    given = {"OIDC_ISSUER": issuer, "OIDC_CLIENT_ID": client, "OIDC_CLIENT_SECRET": secret}
    if not any(given.values()):
        return None
    missing = [name for name, value in given.items() if not value]
    if missing:
        raise Unfit(t("provider.unset", names=", ".join(missing)))
    try:
        address = parse(issuer)
    except AddressRefused:
        raise Unfit(t("provider.no_address")) from None
    if re.search(r"[?#{}]", issuer) or len(issuer) > LONGEST:
        raise Unfit(t("provider.no_address"))
    if address.scheme != "https" and address.host not in LOOPBACK:
        raise Unfit(t("provider.unencrypted"))
    tenant = _tenant(address)
    # Masked in logs from here on.
    SecretValue(secret)
    shown = name.strip()[:40] or ("Microsoft" if tenant else address.netloc)
    return Provider(issuer, client, secret, shown, address, tenant)


def _tenant(address: Address) -> str:
    """Microsoft's tenant that the address names, "" for others. Raises Unfit where it names none, or all of them.

    Whoever runs a tenant writes its people's addresses as they like; so only those of one's own mean anything.
    """
    if not _MICROSOFT.fullmatch(address.host):
        return ""
    found = _TENANT.fullmatch(address.target)
    if address.host not in MICROSOFT or found is None or found[1] == CONSUMERS:
        raise Unfit(t("provider.microsoft"))
    return found[1]
