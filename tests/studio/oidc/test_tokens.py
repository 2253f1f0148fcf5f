"""Tokens that do not hold, each over the whole way: a real provider sends them, and nobody is signed in."""

from __future__ import annotations

import base64
import hashlib
import hmac
import json
import time
from collections.abc import Callable
from typing import Any

import jwt
import pytest
from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat
from django.test import Client

from studio.models import Identity, User
from studio.oidc import tokens
from tests.studio.oidc.conftest import is_signed_in, sign_in
from tests.support.provider import SECRET, Provider, ec_key, ed_key, jwk, rsa_key

Change = Callable[[Provider], None]


@pytest.fixture
def ada(user: Callable[..., User], provider: Provider) -> User:
    found = user("member", "Ada")
    provider.person["email"] = found.email
    return found


def coded(part: bytes | dict[str, Any]) -> str:
    content = part if isinstance(part, bytes) else json.dumps(part).encode()
    return base64.urlsafe_b64encode(content).decode().rstrip("=")


def claims(**changed: Any) -> Change:
    return lambda provider: provider.claims.update(changed)


def made(make: Callable[[dict[str, Any]], str]) -> Change:
    return lambda provider: setattr(provider, "make", make)


def with_secret(secret: bytes, algorithm: str = "HS256") -> Change:
    """Signed with something that is no secret between two: what anybody may know, or what we know ourselves."""

    def make(said: dict[str, Any]) -> str:
        head = f"{coded({'alg': algorithm, 'typ': 'JWT', 'kid': 'first'})}.{coded(said)}"
        return f"{head}.{coded(hmac.new(secret, head.encode(), hashlib.sha256).digest())}"

    return made(make)


def public(provider_key: Any) -> bytes:
    return provider_key.public_key().public_bytes(Encoding.PEM, PublicFormat.SubjectPublicKeyInfo)


def unsigned(algorithm: str) -> Change:
    return made(lambda said: f"{coded({'alg': algorithm, 'kid': 'first'})}.{coded(said)}.")


def by_another_key(said: dict[str, Any]) -> str:
    return jwt.encode(said, rsa_key("mallory"), "RS256", headers={"kid": "first"})


def brings_its_key(said: dict[str, Any]) -> str:
    own = rsa_key("mallory")
    return jwt.encode(said, own, "RS256", headers={"kid": "first", "jwk": jwk(own, "first"), "jku": "http://evil/"})


def changed_after(said: dict[str, Any]) -> str:
    head, _, signature = jwt.encode(said, rsa_key(), "RS256", headers={"kid": "first"}).split(".")
    return f"{head}.{coded({**said, 'sub': 'somebody else'})}.{signature}"


def weak(provider: Provider) -> None:
    provider.key = rsa_key("weak", 1024)


def wrong_curve(provider: Provider) -> None:
    provider.key, provider.algorithm = ec_key(), "ES256"
    provider.keys = [{**jwk(ec_key(), "first"), "crv": "P-384"}]


def for_encryption(provider: Provider) -> None:
    provider.keys = [jwk(rsa_key(), "first", use="enc")]


def two_of_a_name(provider: Provider) -> None:
    provider.keys = [jwk(rsa_key(), "first"), jwk(rsa_key("mallory"), "first")]


def a_secret_among_the_keys(provider: Provider) -> None:
    provider.keys = [{"kty": "oct", "k": coded(b"known to all"), "kid": "first"}]
    with_secret(b"known to all")(provider)


NOW = int(time.time())
BAD: dict[str, tuple[Change, str]] = {
    "unsigned": (unsigned("none"), "does not hold"),
    "unsigned, in other letters": (unsigned("None"), "does not hold"),
    "signed with our public key as a secret": (with_secret(public(rsa_key())), "does not hold"),
    "signed with the client's secret": (with_secret(SECRET.encode()), "does not hold"),
    "a secret that says RS256": (with_secret(public(rsa_key()), "RS256"), "is not signed by"),
    "a secret among the keys": (a_secret_among_the_keys, "does not hold"),
    "by another key": (made(by_another_key), "is not signed by"),
    "brings its own key": (made(brings_its_key), "is not signed by"),
    "changed after it was signed": (made(changed_after), "is not signed by"),
    "a key that nobody has": (lambda provider: provider.header.update(kid="other"), "is not signed by"),
    "a short key": (weak, "does not hold"),
    "the curve of another key": (wrong_curve, "is not signed by"),
    "a key for encryption": (for_encryption, "is not signed by"),
    "two keys of one name": (two_of_a_name, "is not signed by"),
    "asks to be understood": (lambda provider: provider.header.update(crit=["exp"], exp=1), "does not hold"),
    "no token": (made(lambda _: ""), "does not hold"),
    "two dots": (made(lambda _: "a.b.c"), "does not hold"),
    "no ASCII": (made(lambda _: "é.é.é"), "does not hold"),
    "nested without end": (made(lambda _: f"{coded(b'[' * 30_000)}.e30.e30"), "does not hold"),
    "a list": (made(lambda _: f"{coded(b'[]')}.{coded(b'[]')}.e30"), "does not hold"),
    "longer than any": (claims(more="x" * 70_000), "does not hold"),
    "for another application": (claims(aud="other"), "meant for another application"),
    "for nobody": (claims(aud=None), "does not hold"),
    "for several, by nobody": (claims(aud=["lgstudio", "other"]), "meant for another application"),
    "for several, by another": (claims(aud=["lgstudio", "other"], azp="other"), "meant for another application"),
    "by another": (claims(azp="other"), "meant for another application"),
    "for something odd": (claims(aud=[["lgstudio"]]), "another application"),
    "of another provider": (claims(iss="https://other.example"), "does not hold"),
    "of the same host": (lambda provider: provider.claims.update(iss=provider.issuer + "/"), "does not hold"),
    "of no provider": (claims(iss=None), "does not hold"),
    "over": (claims(iat=NOW - 7200, exp=NOW - 3600), "clocks"),
    "not yet": (claims(iat=NOW + 3600, exp=NOW + 7200), "clocks"),
    "not before long": (claims(nbf=NOW + 3600), "clocks"),
    "without end": (claims(exp=None), "does not hold"),
    "ends at no time": (claims(exp="soon"), "does not hold"),
    "made at no time": (claims(iat=None), "does not hold"),
    "another sign-in's": (claims(nonce="x" * 32), "belongs to another sign-in"),
    "no sign-in's": (claims(nonce=None), "belongs to another sign-in"),
    "of a number of sign-ins": (claims(nonce=7), "belongs to another sign-in"),
    "of nobody": (claims(sub=None), "does not hold"),
    "of an empty name": (claims(sub=""), "does not hold"),
    "of a long name": (claims(sub="x" * 256), "does not hold"),
    "of a number": (claims(sub=7), "does not hold"),
    "of a broken name": (claims(sub="ada\x00"), "does not hold"),
}


@pytest.mark.filterwarnings("ignore:The RSA key is 1024 bits")
@pytest.mark.parametrize("name", BAD)
def test_a_token_that_does_not_hold_lets_nobody_in(ada: User, provider: Provider, name: str) -> None:
    # LG-contract-19
    change, words = BAD[name]
    change(provider)
    client = Client()
    reply = sign_in(client, provider)
    assert reply.status_code in (400, 502), name
    assert words in reply.content.decode()
    assert not is_signed_in(client)
    assert not Identity.objects.exists()


def rs(provider: Provider) -> None:
    provider.algorithm = "PS256"


def es(provider: Provider) -> None:
    provider.key, provider.algorithm = ec_key(), "ES256"


def ed(provider: Provider) -> None:
    provider.key, provider.algorithm = ed_key(), "EdDSA"


def without_names(provider: Provider) -> None:
    provider.header, provider.kid = {"kid": None}, ""
    provider.keys = [{name: value for name, value in jwk(rsa_key(), "").items() if name not in ("kid", "use")}]


def among_others(provider: Provider) -> None:
    odd: list[Any] = [{"kty": "new"}, {}, "text", None, jwk(ec_key(), "first"), jwk(rsa_key("mallory"), "second")]
    provider.keys = [*odd, jwk(rsa_key(), "first", alg="RS256", key_ops=["verify"])]


GOOD: dict[str, Change] = {
    "PS256": rs,
    "ES256": es,
    "EdDSA": ed,
    "a key without a name": without_names,
    "one key among others": among_others,
    "for several, by us": claims(aud=["lgstudio", "other"], azp="lgstudio"),
    "in a list": claims(aud=["lgstudio"]),
    "a clock that is a little off": claims(iat=int(time.time()) + 40),
}


@pytest.mark.parametrize("name", GOOD)
def test_a_token_that_holds_lets_its_person_in(ada: User, provider: Provider, name: str) -> None:
    GOOD[name](provider)
    client = Client()
    sign_in(client, provider)
    assert is_signed_in(client), name


def test_keys_change_and_are_kept(ada: User, provider: Provider) -> None:
    for _ in range(2):
        sign_in(Client(), provider)
    assert provider.asked.count("/keys") == 1
    provider.rotate()
    client = Client()
    sign_in(client, provider)
    assert is_signed_in(client)
    assert provider.asked.count("/keys") == 2
    # Another key by the same name is looked for as well.
    provider.key = rsa_key("third")
    client = Client()
    sign_in(client, provider)
    assert is_signed_in(client)
    # One look for each sign-in, whatever the provider sends.
    provider.make = by_another_key
    before = provider.asked.count("/keys")
    sign_in(Client(), provider)
    assert provider.asked.count("/keys") == before + 1


def test_no_algorithm_is_allowed_that_takes_a_secret_or_none() -> None:
    assert not {each for each in tokens.ALGORITHMS if each.startswith("HS") or each.lower() == "none"}
