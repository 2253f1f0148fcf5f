"""A provider that is away, slow, or not what it should be: words within seconds, and nobody is signed in."""

from __future__ import annotations

import gzip
import json
import socket
import threading
import time
from collections.abc import Callable
from typing import Any

import pytest
from django.test import Client

from studio.models import Identity, User
from studio.oidc import remote
from tests.studio.oidc.conftest import come_back, is_signed_in, leave, sign_in
from tests.support.provider import SECRET, Provider

DISCOVERY = "/.well-known/openid-configuration"
JSON = {"Content-Type": "application/json"}


@pytest.fixture
def ada(user: Callable[..., User], provider: Provider) -> User:
    found = user("member", "Ada")
    provider.person["email"] = found.email
    return found


def says(told: Any, status: int = 200) -> tuple[int, dict[str, str], bytes]:
    return status, JSON, told if isinstance(told, bytes) else json.dumps(told).encode()


BAD: dict[str, tuple[int, dict[str, str], bytes]] = {
    "an error": says({}, 500),
    "nothing there": says({}, 404),
    "no JSON": says(b"<html>sign in to the hotel's network</html>"),
    "a list": says([]),
    "nested without end": says(b'{"a":' * 50_000),
    "larger than any": says({"more": "x" * 300_000}),
    "a bomb": (200, {**JSON, "Content-Encoding": "gzip"}, gzip.compress(b" " * 20_000_000)),
    "a redirect": (302, {"Location": "/keys"}, b""),
    "a redirect away": (302, {"Location": "http://169.254.169.254/"}, b""),
}


@pytest.mark.parametrize("path", [DISCOVERY, "/keys"])
@pytest.mark.parametrize("name", BAD)
def test_a_provider_that_does_not_answer_is_said(ada: User, provider: Provider, path: str, name: str) -> None:
    # LG-contract-19
    provider.answers[path] = BAD[name]
    reply = Client().get("/sign-in/provider")
    assert reply.status_code in (502, 503)
    page = reply.content.decode()
    assert "Acme ID does not answer as it should" in page
    assert "Sign in with a password" in page
    # It is asked anew as soon as somebody tries again.
    provider.answers.clear()
    assert leave(Client()).startswith(provider.issuer)


@pytest.mark.parametrize("name", [*BAD, "no token", "a number"])
def test_no_token_comes_of_it(ada: User, provider: Provider, name: str) -> None:
    odd = {"no token": says({"access_token": "x"}), "a number": says({"id_token": 7})}
    provider.answers["/token"] = {**BAD, **odd}[name]
    client = Client()
    reply = sign_in(client, provider)
    assert reply.status_code in (502, 503)
    assert "Acme ID" in reply.content.decode()
    assert not is_signed_in(client)


@pytest.mark.parametrize(
    ("error", "words"),
    [
        ("invalid_grant", "does not know this sign-in any more"),
        ("invalid_client", "OIDC_CLIENT_SECRET is wrong"),
        ("<b>new</b>", "does not answer as it should"),
        (["invalid_grant"], "does not answer as it should"),
    ],
)
def test_a_refused_code_is_said_in_our_words(ada: User, provider: Provider, error: Any, words: str) -> None:
    provider.answers["/token"] = says({"error": error, "error_description": "call 555"}, 400)
    page = sign_in(Client(), provider).content.decode()
    assert words in page
    assert "555" not in page
    assert "<b>new" not in page


@pytest.mark.parametrize(
    "metadata",
    [
        {"token_endpoint": None}, {"token_endpoint": 7}, {"token_endpoint": "http://tokens.example/token"},
        {"token_endpoint": "file:///etc/passwd"}, {"jwks_uri": "//elsewhere.example/keys"},
        {"jwks_uri": "https://user:word@elsewhere.example/keys"}, {"authorization_endpoint": "javascript:alert(1)"},
        {"authorization_endpoint": "http://evil.example/authorize"}, {"userinfo_endpoint": "http://evil.example/"},
        {"token_endpoint_auth_methods_supported": ["private_key_jwt"]}, {"token_endpoint_auth_methods_supported": 7},
    ],
    ids=lambda metadata: str(metadata)[:60],
)  # fmt: skip
def test_a_provider_that_does_not_fit_is_not_used(ada: User, provider: Provider, metadata: dict[str, Any]) -> None:
    provider.metadata = metadata
    reply = Client().get("/sign-in/provider")
    assert reply.status_code == 502
    assert "cannot be used as it describes itself" in reply.content.decode()


@pytest.mark.parametrize("where", ["token_endpoint", "jwks_uri"])
@pytest.mark.parametrize("address", ["https://10.0.0.7/x", "https://169.254.169.254/x", "https://127.0.0.1:1/x"])
def test_only_its_own_host_may_be_private(ada: User, provider: Provider, where: str, address: str) -> None:
    provider.metadata = {where: address}
    client = Client()
    reply = client.get("/sign-in/provider")
    if reply.status_code == 302:
        reply = come_back(client, provider.lets_in(reply["Location"]))
    assert reply.status_code == 503
    assert "does not answer as it should" in reply.content.decode()
    assert not is_signed_in(client)


@pytest.mark.parametrize("named", ["https://other.example", None, 7])
def test_it_must_call_itself_as_it_is_called_here(ada: User, provider: Provider, named: object) -> None:
    provider.metadata = {"issuer": named}
    reply = Client().get("/sign-in/provider")
    assert reply.status_code == 502
    assert "OIDC_ISSUER must be what the provider calls itself" in reply.content.decode()


def test_the_secret_travels_as_the_provider_wants_it(ada: User, provider: Provider) -> None:
    sign_in(Client(), provider)
    assert (provider.how, "client_secret" in provider.token) == ("basic", False)
    provider.metadata = {"token_endpoint_auth_methods_supported": ["client_secret_post"]}
    remote.forget()
    client = Client()
    sign_in(client, provider)
    assert (provider.how, provider.token["client_secret"]) == ("post", SECRET)
    assert is_signed_in(client)


def test_a_code_names_no_secret(ada: User, provider: Provider) -> None:
    sign_in(Client(), provider, code="{{env:OIDC_CLIENT_SECRET}}")
    assert provider.token["code"] == "{{env:OIDC_CLIENT_SECRET}}"


def test_what_it_says_of_itself_is_kept(ada: User, provider: Provider) -> None:
    for _ in range(3):
        sign_in(Client(), provider)
    assert provider.asked.count(DISCOVERY) == 1


def test_the_log_has_the_cause_and_no_secret(ada: User, provider: Provider, caplog: Any) -> None:
    provider.secret = "another secret"
    address = leave(client := Client())
    come_back(client, provider.lets_in(address))
    assert "invalid_client" in caplog.text
    assert SECRET not in caplog.text
    assert provider.seen["state"] not in caplog.text


def test_nobody_waits_long(ada: User, provider: Provider, monkeypatch: Any) -> None:
    monkeypatch.setattr(remote, "SECONDS", 0.3)
    monkeypatch.setattr(remote, "AT_ONCE", 1)
    monkeypatch.setattr(remote, "WAITS", 0.05)
    monkeypatch.setattr(remote, "_turns", threading.BoundedSemaphore(1))
    provider.hangs[DISCOVERY] = 1.5
    told: list[str] = []

    def press() -> None:
        told.append(Client().get("/sign-in/provider", {"here": "1"}).content.decode())

    first = threading.Thread(target=press)
    first.start()
    while DISCOVERY not in provider.asked:
        time.sleep(0.01)
    press()
    first.join(10)
    # The second did not wait for the first, and the first not for the provider.
    assert "Many people sign in" in told[0]
    assert "does not answer as it should" in told[1]
    provider.hangs.clear()
    assert leave(Client()).startswith(provider.issuer)


# LG-contract-19
def test_nobody_waits_for_a_name_that_is_looked_up_for_long(ada: User, settings: Any, monkeypatch: Any) -> None:
    monkeypatch.setattr(remote, "SECONDS", 0.3)
    settings.OIDC_ISSUER, settings.OIDC_CLIENT_ID, settings.OIDC_CLIENT_SECRET = "https://id.example", "c", SECRET
    remote.forget()
    found, ended = threading.Event(), threading.Event()

    def look_up(*_: Any, **__: Any) -> Any:
        found.wait(20)
        ended.set()
        raise socket.gaierror

    monkeypatch.setattr(socket, "getaddrinfo", look_up)
    try:
        reply = Client().get("/sign-in/provider", {"here": "1"})
        assert (reply.status_code, ended.is_set()) == (503, False)
    finally:
        found.set()
    assert ended.wait(10)


def test_a_stopped_provider_is_said(ada: User, provider: Provider, settings: Any) -> None:
    settings.OIDC_ISSUER = "http://127.0.0.1:9"
    reply = Client().get("/sign-in/provider")
    assert reply.status_code == 503
    assert "a password works meanwhile" in reply.content.decode()
    assert not Identity.objects.exists()
