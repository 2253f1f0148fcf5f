"""A provider of identities on a port of its own: real HTTP, real signatures, and whatever a test makes it do wrong.

It is asked as any other: discovery, keys, a page where somebody says who they are, tokens for codes. Only codes that it
gave out, once each, with the right redirect address, client and PKCE verifier, become tokens.
"""

from __future__ import annotations

import base64
import contextlib
import hashlib
import html
import json
import secrets
import threading
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from functools import cache
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any
from urllib.parse import parse_qs, unquote_plus, urlencode, urlsplit

import jwt
from cryptography.hazmat.primitives.asymmetric import ec, ed25519, rsa

SECRET = "a+secret/of:the client%20&="
"""With every character that travels differently from how it is written."""


@cache
def rsa_key(name: str = "first", bits: int = 2048) -> rsa.RSAPrivateKey:
    return rsa.generate_private_key(public_exponent=65537, key_size=bits)


@cache
def ec_key() -> ec.EllipticCurvePrivateKey:
    return ec.generate_private_key(ec.SECP256R1())


@cache
def ed_key() -> ed25519.Ed25519PrivateKey:
    return ed25519.Ed25519PrivateKey.generate()


def jwk(key: Any, id: str, **more: Any) -> dict[str, Any]:
    """The public half, as a provider publishes it."""
    algorithm = "RS256" if isinstance(key, rsa.RSAPrivateKey) else "ES256"
    if isinstance(key, ed25519.Ed25519PrivateKey):
        algorithm = "EdDSA"
    made = jwt.get_algorithm_by_name(algorithm).to_jwk(key.public_key(), as_dict=True)
    return {**made, "kid": id, "use": "sig", **more}


@dataclass
class Provider:
    """What it does; a test changes it as it goes. claims: over those of a token, None leaves one out."""

    issuer: str = ""
    client: str = "lgstudio"
    secret: str = SECRET
    person: dict[str, Any] = field(default_factory=dict)
    claims: dict[str, Any] = field(default_factory=dict)
    metadata: dict[str, Any] = field(default_factory=dict)
    header: dict[str, Any] = field(default_factory=dict)
    key: Any = field(default_factory=rsa_key)
    algorithm: str = "RS256"
    kid: str = "first"
    keys: list[dict[str, Any]] = field(default_factory=list)
    # A whole token in place of a signed one; answers of an address in place of its own: (status, headers, body).
    make: Callable[[dict[str, Any]], str] | None = None
    answers: dict[str, tuple[int, dict[str, str], bytes]] = field(default_factory=dict)
    hangs: dict[str, float] = field(default_factory=dict)
    more: dict[str, Any] = field(default_factory=dict)
    about: dict[str, Any] = field(default_factory=dict)
    # What it was asked: the addresses, and the parameters of the last sign-in and of the last token.
    asked: list[str] = field(default_factory=list)
    seen: dict[str, str] = field(default_factory=dict)
    token: dict[str, str] = field(default_factory=dict)
    how: str = ""
    codes: dict[str, dict[str, str]] = field(default_factory=dict)

    def settings(self) -> dict[str, str]:
        """The environment of an installation that uses it."""
        return {"OIDC_ISSUER": self.issuer, "OIDC_CLIENT_ID": self.client, "OIDC_CLIENT_SECRET": self.secret}

    def describes(self) -> dict[str, Any]:
        told = {
            "issuer": self.issuer,
            "authorization_endpoint": f"{self.issuer}/authorize?tenant=one",
            "token_endpoint": f"{self.issuer}/token",
            "jwks_uri": f"{self.issuer}/keys",
            "response_types_supported": ["code"],
            **self.metadata,
        }
        return {name: value for name, value in told.items() if value is not None}

    def publishes(self) -> dict[str, Any]:
        return {"keys": self.keys or [jwk(self.key, self.kid)]}

    def rotate(self) -> None:
        """Sign with another key from here on, and publish only that."""
        self.key, self.kid, self.keys = rsa_key("second"), "second", []

    def lets_in(self, address: str, **changed: Any) -> str:
        """What a person does who was sent to this address: they say who they are. Returns where they are sent back."""
        query = {name: values[0] for name, values in parse_qs(urlsplit(address).query).items()}
        self.seen = query
        code = secrets.token_urlsafe(48)
        self.codes[code] = query
        answer = {"code": code, "state": query["state"], **changed}
        told = urlencode({name: value for name, value in answer.items() if value is not None})
        return f"{query['redirect_uri']}?{told}"

    def identity(self, query: dict[str, str]) -> str:
        """The token of a sign-in that was begun with these parameters."""
        now = int(time.time())
        said = {
            "iss": self.issuer,
            "aud": self.client,
            "iat": now,
            "exp": now + 300,
            "nonce": query["nonce"],
            "auth_time": now,
            **self.person,
            **self.claims,
        }
        said = {name: value for name, value in said.items() if value is not None}
        if self.make is not None:
            return self.make(said)
        header = {name: value for name, value in {"kid": self.kid, **self.header}.items() if value is not None}
        return jwt.encode(said, self.key, self.algorithm, headers=header)

    def gives(self, sent: dict[str, str], authorization: str) -> tuple[int, dict[str, Any]]:
        """The answer to a request for a token."""
        client, secret = sent.get("client_id", ""), sent.get("client_secret", "")
        self.how, self.token = "post", sent
        if authorization.startswith("Basic "):
            self.how = "basic"
            pair = base64.b64decode(authorization.removeprefix("Basic ")).decode()
            client, _, secret = (unquote_plus(part) for part in pair.partition(":"))
        if (client, secret) != (self.client, self.secret):
            return 401, {"error": "invalid_client"}
        begun = self.codes.pop(sent.get("code", ""), None)
        digest = hashlib.sha256(sent.get("code_verifier", "").encode()).digest()
        challenge = base64.urlsafe_b64encode(digest).decode().rstrip("=")
        said = (sent.get("grant_type"), sent.get("redirect_uri"), challenge, "S256")
        names = ("redirect_uri", "code_challenge", "code_challenge_method")
        if begun is None or said != ("authorization_code", *(begun.get(name) for name in names)):
            return 400, {"error": "invalid_grant", "error_description": "<b>never shown</b>"}
        told = {"access_token": "access-of-one-sign-in", "token_type": "Bearer", "id_token": self.identity(begun)}
        return 200, {**told, **self.more}


PAGE = """<!doctype html><html lang="en"><title>Provider</title><h1>Who are you?</h1>
<form method="post"><button name="act" value="yes">I am {name}</button>
<button name="act" value="no">No</button></form>"""


class _Handler(BaseHTTPRequestHandler):
    provider: Provider
    protocol_version = "HTTP/1.1"

    def do_GET(self) -> None:
        self._answer()

    def do_POST(self) -> None:
        self._answer()

    def _answer(self) -> None:
        provider, path = self.provider, urlsplit(self.path).path
        body = self.rfile.read(int(self.headers.get("Content-Length") or 0)).decode()
        provider.asked.append(path)
        time.sleep(provider.hangs.get(path, 0))
        if path in provider.answers:
            return self._send(*provider.answers[path])
        sent = {name: values[0] for name, values in parse_qs(body, keep_blank_values=True).items()}
        if path == "/.well-known/openid-configuration":
            return self._json(200, provider.describes())
        if path == "/keys":
            return self._json(200, provider.publishes())
        if path == "/token":
            return self._json(*provider.gives(sent, self.headers.get("Authorization", "")))
        if path == "/about":
            known = self.headers.get("Authorization") == "Bearer access-of-one-sign-in"
            return self._json(200 if known else 401, provider.about if known else {})
        if path == "/authorize" and self.command == "GET":
            page = PAGE.format(name=html.escape(provider.person.get("name", "")))
            return self._send(200, {"Content-Type": "text/html"}, page.encode())
        if path == "/authorize":
            wanted = {} if sent.get("act") == "yes" else {"code": None, "error": "access_denied"}
            return self._send(303, {"Location": provider.lets_in(self.path, **wanted)}, b"")
        return self._json(404, {})

    def _json(self, status: int, told: dict[str, Any]) -> None:
        self._send(status, {"Content-Type": "application/json"}, json.dumps(told).encode())

    def _send(self, status: int, headers: dict[str, str], body: bytes) -> None:
        with contextlib.suppress(ConnectionError):
            self.send_response(status)
            for name, value in {**headers, "Content-Length": str(len(body))}.items():
                self.send_header(name, value)
            self.end_headers()
            self.wfile.write(body)

    def log_message(self, format: str, *args: Any) -> None:
        """Nothing: pytest shows what a test prints."""


@contextlib.contextmanager
def serve(**person: Any) -> Iterator[Provider]:
    """A provider that serves until the block ends. person: the claims of whoever signs in there."""
    provider = Provider(person={"sub": "ada-1", "name": "Ada", "email_verified": True, **person})
    handler = type("Handler", (_Handler,), {"provider": provider})
    server = ThreadingHTTPServer(("127.0.0.1", 0), handler)
    server.daemon_threads = True
    provider.issuer = f"http://127.0.0.1:{server.server_port}"
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.05}, daemon=True)
    thread.start()
    try:
        yield provider
    finally:
        server.shutdown()
        server.server_close()
