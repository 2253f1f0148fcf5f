"""Which providers an installation may name, and whose addresses count at Microsoft."""

from __future__ import annotations

import io
import os
import subprocess
import sys
from typing import Any

import pytest
from django.core.management import CommandError, call_command

from runtime.processes import ROOT
from studio import oidc
from studio.oidc import provider, tokens

TENANT = "0f3a9c2e-1b7d-4c55-9e0a-6d2f8b1c4e77"
MICROSOFT = f"https://login.microsoftonline.com/{TENANT}/v2.0"


def configure(settings: Any, issuer: str, client: str = "id", secret: str = "a secret", name: str = "") -> None:
    settings.OIDC_ISSUER, settings.OIDC_CLIENT_ID, settings.OIDC_CLIENT_SECRET = issuer, client, secret
    settings.OIDC_NAME = name


REFUSED = {
    "https://login.microsoftonline.com/common/v2.0": "one tenant of Microsoft",
    "https://login.microsoftonline.com/organizations/v2.0": "one tenant of Microsoft",
    "https://login.microsoftonline.com/consumers/v2.0": "one tenant of Microsoft",
    "https://LOGIN.microsoftonline.com/common/v2.0": "one tenant of Microsoft",
    "https://login.microsoftonline.com/9188040d-6c67-4c5b-b112-36a304b66dad/v2.0": "one tenant of Microsoft",
    "https://login.microsoftonline.com/{tenantid}/v2.0": "no address of a provider",
    "https://login.microsoftonline.com/acme.onmicrosoft.com/v2.0": "one tenant of Microsoft",
    f"https://login.microsoftonline.com/{TENANT}": "one tenant of Microsoft",
    f"https://login.microsoftonline.com/{TENANT}/v2.0/../../common/v2.0": "one tenant of Microsoft",
    f"https://sts.windows.net/{TENANT}/": "one tenant of Microsoft",
    "https://login.windows.net/common": "one tenant of Microsoft",
    f"https://login.microsoft.com/{TENANT}/v2.0": "one tenant of Microsoft",
    "http://accounts.example.com": "must start with https://",
    "http://10.0.0.7:8080/realm": "must start with https://",
    "ftp://accounts.example.com": "no address of a provider",
    "accounts.example.com": "no address of a provider",
    "https://accounts.example.com/?tenant=1": "no address of a provider",
    "https://accounts.example.com/#1": "no address of a provider",
    "https://user:password@accounts.example.com": "no address of a provider",
    "https://accounts.example.com/" + "x" * 255: "no address of a provider",
}


@pytest.mark.parametrize("issuer", REFUSED)
def test_what_could_let_anybody_in_is_refused_in_words(settings: Any, issuer: str) -> None:
    # LG-contract-19
    configure(settings, issuer)
    assert REFUSED[issuer] in provider.wrong()
    assert oidc.button("/") is None


def test_a_part_of_it_is_nothing(settings: Any) -> None:
    assert provider.wrong() == ""
    assert oidc.button("/") is None
    configure(settings, "https://accounts.example.com", client="", secret="")
    assert "OIDC_CLIENT_ID, OIDC_CLIENT_SECRET is empty" in provider.wrong()
    assert oidc.button("/") is None


@pytest.mark.parametrize(
    ("issuer", "given", "shown"),
    [
        (MICROSOFT, "", "Microsoft"),
        (f"https://login.microsoftonline.us/{TENANT}/v2.0", "", "Microsoft"),
        (MICROSOFT, "Acme", "Acme"),
        ("https://accounts.google.com", "", "accounts.google.com"),
        ("https://login.acme.example:8443/realms/all", "", "login.acme.example:8443"),
        ("http://127.0.0.1:9000", "", "127.0.0.1:9000"),
        # Whoever writes such a host is not Microsoft, and nothing of Microsoft's is believed of it.
        (f"https://login.microsoftonline.com.evil.example/{TENANT}/v2.0", "", "login.microsoftonline.com.evil.example"),
    ],
)
def test_what_the_button_says(settings: Any, issuer: str, given: str, shown: str) -> None:
    configure(settings, issuer, name=given)
    assert provider.wrong() == ""
    button = oidc.button("/a/desk?c=1&d=2")
    assert button == oidc.Button(shown, "/sign-in/provider?next=%2Fa%2Fdesk%3Fc%3D1%26d%3D2")
    found = provider.usable()
    assert found is not None
    assert "a secret" not in repr(found)
    assert bool(found.tenant) == ("Microsoft" in (shown, "Microsoft") and "/v2.0" in issuer and "evil" not in issuer)


def vouched(settings: Any, issuer: str, **claims: Any) -> str:
    configure(settings, issuer)
    found = provider.usable()
    assert found is not None
    return tokens.identity({"sub": "1", "email": "Ada@Acme.example", **claims}, found).email


def test_a_tenant_vouches_for_its_own_people(settings: Any) -> None:
    assert vouched(settings, MICROSOFT) == "ada@acme.example"
    for said in (True, 1, "1", "true"):
        assert vouched(settings, MICROSOFT, xms_edov=said) == "ada@acme.example"
    assert vouched(settings, MICROSOFT, idp=MICROSOFT, acct=0) == "ada@acme.example"
    assert vouched(settings, MICROSOFT, idp=f"https://sts.windows.net/{TENANT}/") == "ada@acme.example"
    # A guest's, where Microsoft says that whoever has it has proved it.
    assert vouched(settings, MICROSOFT, idp="google.com", acct=1, xms_edov=True) == "ada@acme.example"
    assert vouched(settings, MICROSOFT, email_verified=True) == "ada@acme.example"


@pytest.mark.parametrize(
    ("issuer", "claims"),
    [
        (MICROSOFT, {"email_verified": False}),
        (MICROSOFT, {"email_verified": "yes"}),
        (MICROSOFT, {"xms_edov": False}),
        (MICROSOFT, {"xms_edov": "0"}),
        (MICROSOFT, {"xms_edov": [1]}),
        # Guests of the tenant, whose address other people's administrators write.
        (MICROSOFT, {"idp": "https://sts.windows.net/11111111-2222-3333-4444-555555555555/"}),
        (MICROSOFT, {"idp": "live.com"}),
        (MICROSOFT, {"idp": None}),
        (MICROSOFT, {"acct": 1}),
        (MICROSOFT, {"acct": "1"}),
        (MICROSOFT, {"acct": [0]}),
        (MICROSOFT, {"email": None, "preferred_username": "ada@acme.example", "upn": "ada@acme.example"}),
        (MICROSOFT, {"email": ["ada@acme.example"]}),
        (MICROSOFT, {"email": "not an address"}),
        (MICROSOFT, {"email": "ada@acme.example\n"}),
        (MICROSOFT, {"email": f"{'x' * 250}@acme.example"}),
        ("https://accounts.google.com", {}),
        ("https://accounts.google.com", {"email_verified": 1}),
    ],
)
def test_what_nobody_vouches_for_is_no_address(settings: Any, issuer: str, claims: dict[str, Any]) -> None:
    assert vouched(settings, issuer, **claims) == ""


def test_it_does_not_start_so(settings: Any) -> None:
    configure(settings, "https://login.microsoftonline.com/common/v2.0")
    with pytest.raises(CommandError, match="one tenant of Microsoft"):
        call_command("up", stdout=io.StringIO())


def test_the_web_process_does_not_start_so() -> None:
    given = {"OIDC_ISSUER": "https://login.microsoftonline.com/common/v2.0", "OIDC_CLIENT_ID": "1"}
    given |= {"OIDC_CLIENT_SECRET": "a secret", "DJANGO_SETTINGS_MODULE": "studio.settings"}
    run = subprocess.run(
        [sys.executable, "-c", "import studio.asgi"],
        cwd=ROOT,
        env={**os.environ, **given},
        capture_output=True,
        text=True,
        check=False,
    )
    assert run.returncode == 1
    assert "one tenant of Microsoft" in run.stderr
    assert "Traceback" not in run.stderr
