"""A request as it goes over the wire: secrets filled in, towards their own hosts only, and nothing smuggled along."""

from __future__ import annotations

import base64
import json
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import quote, urlencode

from runtime.services.addresses import Address, AddressRefused, Allowed, parse
from runtime.services.requests import PLACE, READS, Request, walk
from runtime.services.secrets import SecretValue, spellings

Json = Any

SECONDS = 30.0
LARGEST_BODY = 10_000_000

_METHOD = re.compile(r"[A-Z]{1,20}")
_HEADER = re.compile(r"[A-Za-z0-9!#$%&'*+.^_`|~-]{1,100}")
# These decide where a message ends or whom it is for; the client alone sets them.
_OURS = {
    "accept-encoding", "connection", "content-length", "expect", "host", "keep-alive", "te", "trailer",
    "transfer-encoding", "upgrade", "via", "forwarded",
}  # fmt: skip


@dataclass
class Prepared:
    """A request ready for the wire. used: the secrets inside it, by name. hide: what an answer may not repeat."""

    method: str
    address: Address = field(repr=False)
    headers: dict[str, str] = field(repr=False)
    body: bytes = field(repr=False)
    used: dict[str, SecretValue]
    hide: list[str] = field(repr=False)
    seconds: float


def host_of(request: Request, secrets: Mapping[str, SecretValue]) -> str:
    """The host (with a port other than 80 and 443) the request goes to. Raises AddressRefused."""
    return parse(_Filling(request, secrets).url(), shown=request.url).netloc


def prepare(request: Request, secrets: Mapping[str, SecretValue], key: str | None, allowed: Allowed) -> Prepared:
    """Fill the secrets in and judge what can be judged without a look-up. Raises AddressRefused."""
    method = request.method.upper()
    if not _METHOD.fullmatch(method) or method in ("CONNECT", "TRACE"):
        raise AddressRefused("REQUEST_METHOD", f'A request with the method "{method[:40]}" was not sent.')
    filling = _Filling(request, secrets)
    address = parse(filling.url(), shown=request.url)
    allowed.check_port(address)
    headers = filling.headers()
    kind, body = filling.body()
    if len(body) > LARGEST_BODY:
        raise AddressRefused("REQUEST_BODY", "The request's body is larger than 10 MB, so it was not sent.")
    if kind:
        headers.setdefault("content-type", kind)
    if body or method not in (*READS, "DELETE"):
        headers["content-length"] = str(len(body))
    headers.setdefault("accept", "*/*")
    headers.setdefault("user-agent", "LGStudio")
    headers["accept-encoding"] = "gzip, deflate"
    if key is not None and method not in READS:
        headers.setdefault("idempotency-key", key)
    for name, secret in filling.used.items():
        check_host(name, secret, address, allowed)
    seconds = SECONDS if request.timeout is None else min(max(float(request.timeout), 0.001), SECONDS)
    hide = [secret.value for secret in secrets.values()] + filling.hide
    return Prepared(method, address, headers, body, filling.used, hide, seconds)


def check_host(name: str, secret: SecretValue, address: Address, allowed: Allowed) -> None:
    """Raises AddressRefused, naming the secret, when it may not be sent to this address."""
    place = f"[{address.host}]" if ":" in address.host else address.host
    if not {place, f"{place}:{address.port}", address.host} & {host.lower().removesuffix(".") for host in secret.hosts}:
        raise AddressRefused(
            "SECRET_HOST",
            f"The secret {name} may not be sent to {address.netloc}, so nothing was sent. "
            f"An operator can add {address.host} to the hosts of {name} in the agent's settings.",
        )
    if address.scheme != "https" and (address.host, address.port) not in allowed:
        raise AddressRefused(
            "SECRET_PLAIN",
            f"The secret {name} would travel unencrypted to {address.origin}, so nothing was sent. Use https://.",
        )


def check_redirect(ready: Prepared, url: str, address: Address, allowed: Allowed) -> None:
    """A server may not have us carry a secret on to a host the secret is not for. Raises AddressRefused."""
    for name, secret in ready.used.items():
        if any(form in url for form in spellings(secret.value)):
            check_host(name, secret, address, allowed)


class _Filling:
    """Puts secrets into one request, and notes which."""

    def __init__(self, request: Request, secrets: Mapping[str, SecretValue]) -> None:
        self.used: dict[str, SecretValue] = {}
        self.hide: list[str] = []
        self._request = request
        self._secrets = secrets
        self._marks = request.marks
        self._place = PLACE
        if request.marks is not None:
            self._place = re.compile("|".join(re.escape(mark) for mark in request.marks) or r"(?!)")

    def url(self) -> str:
        """The address with its params. In it secrets are escaped, so that none can lead elsewhere."""
        url, head = self._request.url, ""
        whole = self._place.match(url)
        if whole:
            # A webhook address is often a secret as a whole; the rest of the text is still part of its path.
            head, url = self._value(whole), url[whole.end() :]
        elif self._place.search(re.split(r"(?<![:/])/|[?#]", url, maxsplit=1)[0]):
            raise AddressRefused(
                "SECRET_PLACE", "A secret cannot be part of a host name. It may be the whole address, or in its path."
            )
        filled = head + self._place.sub(lambda match: quote(self._value(match), safe=""), url)
        pairs = self._pairs(self._request.params)
        if not pairs:
            return filled
        before = filled.partition("#")[0]
        return f"{before}{'&' if '?' in before else '?'}{urlencode(pairs)}"

    def headers(self) -> dict[str, str]:
        headers: dict[str, str] = {}
        for name, value in self._request.headers.items():
            lower = str(name).lower()
            if not _HEADER.fullmatch(lower) or lower in _OURS or lower.startswith(("proxy-", "sec-")):
                raise AddressRefused(
                    "REQUEST_HEADER", f'The header "{str(name)[:60]}" cannot be set, so nothing was sent.'
                )
            filled = self._text(_plain(value)).strip(" \t")
            if any((ord(char) < 32 and char != "\t") or ord(char) == 127 or ord(char) > 255 for char in filled):
                raise AddressRefused(
                    "REQUEST_HEADER", f'The value of the header "{name}" holds characters no header can carry.'
                )
            headers[lower] = filled
        if self._request.auth is not None:
            pair = ":".join(self._text(part) for part in self._request.auth)
            coded = base64.b64encode(pair.encode("utf-8", "replace")).decode()
            self.hide.append(coded)
            headers["authorization"] = f"Basic {coded}"
        return headers

    def body(self) -> tuple[str, bytes]:
        """Content-Type and bytes."""
        request = self._request
        given = [part for part in (request.json, request.text, request.form) if part is not None]
        if len(given) > 1:
            raise AddressRefused("REQUEST_BODY", "A request has one body: json, text or form. This one has more.")
        if request.json is not None:
            try:
                filled = walk(request.json, self._text)
                content = json.dumps(filled, ensure_ascii=False, separators=(",", ":"), allow_nan=False)
                return "application/json", content.encode()
            except (ValueError, TypeError, RecursionError):
                raise AddressRefused("REQUEST_BODY", "The request's json is no JSON, so it was not sent.") from None
        if request.form is not None:
            return "application/x-www-form-urlencoded", urlencode(self._pairs(request.form)).encode()
        if request.text is not None:
            return "text/plain; charset=utf-8", self._text(request.text).encode("utf-8", "replace")
        return "", b""

    def _pairs(self, given: Mapping[str, Json]) -> list[tuple[bytes, bytes]]:
        return [
            (str(name).encode("utf-8", "replace"), self._text(_plain(value)).encode("utf-8", "replace"))
            for name, values in given.items()
            for value in (values if isinstance(values, (list, tuple)) else [values])
            if value is not None
        ]

    def _text(self, text: str) -> str:
        return self._place.sub(self._value, text) if "{{" in text else text

    def _value(self, match: re.Match[str]) -> str:
        name = match[1] if self._marks is None else self._marks[match[0]]
        secret = self._secrets.get(name)
        if secret is None or not secret.value:
            raise AddressRefused(
                "SECRET_MISSING",
                f"The secret {name} has no value here, so nothing was sent. "
                "An operator can set it in the agent's settings.",
            )
        self.used[name] = secret
        return secret.value


def _plain(value: Json) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False, default=str)
