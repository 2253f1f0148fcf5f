"""An outgoing request as code asked for it, as it may be shown, and as it is sent with its secrets filled in."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import quote, urlencode

from runtime.services.addresses import Address, AddressRefused, Allowed, parse
from runtime.services.secrets import SecretValue, mask, spellings

Json = Any

READS = ("GET", "HEAD", "OPTIONS")
SECONDS = 30.0
LARGEST_BODY = 10_000_000

_PLACE = re.compile(r"\{\{\s*env:([A-Za-z_][A-Za-z0-9_]*)\s*\}\}")
_METHOD = re.compile(r"[A-Z]{1,20}")
_HEADER = re.compile(r"[A-Za-z0-9!#$%&'*+.^_`|~-]{1,100}")
# These decide where a message ends or whom it is for; the client alone sets them.
_OURS = {
    "accept-encoding", "connection", "content-length", "expect", "host", "keep-alive", "te", "trailer",
    "transfer-encoding", "upgrade", "via", "forwarded",
}  # fmt: skip
KEPT_ABROAD = {"accept", "accept-language", "user-agent", "if-none-match", "if-modified-since", "range"}
"""Headers that go along when a read is redirected to another host; every other might be a credential."""


@dataclass(frozen=True)
class Request:
    """What code asks for. Any text in it may hold {{env:NAME}}. `json` and `text` exclude each other.

    params: added to the address's own; a list gives the name several times, null leaves it out.
    timeout: seconds for everything, at most 30.
    """

    method: str
    url: str
    params: Mapping[str, Json] = field(default_factory=dict)
    headers: Mapping[str, str] = field(default_factory=dict)
    json: Json = None
    text: str | None = None
    timeout: float | None = None


@dataclass
class Prepared:
    """A request ready for the wire. `used` are the secrets inside it, by name."""

    method: str
    address: Address
    headers: dict[str, str]
    body: bytes
    used: dict[str, SecretValue]
    seconds: float


def effect(method: str, host: str, idempotent_hosts: list[str]) -> str:
    """`read`, `idempotent` or `write`. host: as `host_of` gives it; an entry with a port counts for that port alone."""
    if method.upper() in READS:
        return "read"
    place = host.lower()
    bare = re.sub(r":\d+$", "", place)
    listed = {entry.lower() for entry in idempotent_hosts if isinstance(entry, str)}
    return "idempotent" if place in listed or bare in listed else "write"


def host_of(request: Request, secrets: Mapping[str, SecretValue]) -> str:
    """The host (with a port other than 80 and 443) the request goes to. Raises AddressRefused."""
    return parse(_url(request, secrets, {})).netloc


def redacted(request: Request) -> dict[str, Json]:
    """The request as it may be journaled and shown: placeholders stand where secrets will be."""
    shown: dict[str, Json] = {"method": request.method.upper(), "url": mask(request.url)}
    for name in ("params", "headers", "json", "text"):
        value = getattr(request, name)
        if value is not None and value != {}:
            shown[name] = _walk(dict(value) if isinstance(value, Mapping) else value, mask)
    return shown


def prepare(request: Request, secrets: Mapping[str, SecretValue], key: str | None, allowed: Allowed) -> Prepared:
    """Fill the secrets in and judge what can be judged without a look-up. Raises AddressRefused."""
    method = request.method.upper()
    if not _METHOD.fullmatch(method) or method in ("CONNECT", "TRACE"):
        raise AddressRefused("REQUEST_METHOD", f'A request with the method "{method[:40]}" was not sent.')
    used: dict[str, SecretValue] = {}
    address = parse(_url(request, secrets, used))
    allowed.check_port(address)
    headers, body = _headers(request, secrets, used), b""
    if request.json is not None and request.text is not None:
        raise AddressRefused("REQUEST_BODY", "A request has either json or text as its body; this one has both.")
    if request.json is not None:
        headers.setdefault("content-type", "application/json")
        filled = _walk(request.json, lambda text: _fill(text, secrets, used))
        try:
            body = json.dumps(filled, ensure_ascii=False, separators=(",", ":"), allow_nan=False).encode()
        except (ValueError, TypeError, RecursionError):
            raise AddressRefused("REQUEST_BODY", "The request's json is no JSON value, so it was not sent.") from None
    elif request.text is not None:
        headers.setdefault("content-type", "text/plain; charset=utf-8")
        body = _fill(request.text, secrets, used).encode("utf-8", "replace")
    if len(body) > LARGEST_BODY:
        raise AddressRefused("REQUEST_BODY", "The request's body is larger than 10 MB, so it was not sent.")
    if body or method not in (*READS, "DELETE"):
        headers["content-length"] = str(len(body))
    headers.setdefault("accept", "*/*")
    headers.setdefault("user-agent", "LGStudio")
    headers["accept-encoding"] = "gzip, deflate"
    if key is not None and method not in READS:
        headers.setdefault("idempotency-key", key)
    for name, secret in used.items():
        check_host(name, secret, address, allowed)
    seconds = SECONDS if request.timeout is None else min(max(float(request.timeout), 0.001), SECONDS)
    return Prepared(method, address, headers, body, used, seconds)


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


def check_redirect(used: Mapping[str, SecretValue], url: str, address: Address, allowed: Allowed) -> None:
    """A server may not have us carry a secret on to a host the secret is not for. Raises AddressRefused."""
    for name, secret in used.items():
        if any(form in url for form in spellings(secret.value)):
            check_host(name, secret, address, allowed)


def _url(request: Request, secrets: Mapping[str, SecretValue], used: dict[str, SecretValue]) -> str:
    url = request.url
    whole = _PLACE.match(url)
    head = ""
    if whole:
        # A webhook address is often a secret as a whole; the rest of the text is still part of its path.
        head, url = _secret(whole[1], secrets, used).value, url[whole.end() :]
    elif _PLACE.search(re.split(r"(?<![:/])/|[?#]", url, maxsplit=1)[0]):
        raise AddressRefused(
            "SECRET_PLACE", "A secret cannot be part of a host name. It may be the whole address, or in its path."
        )
    filled = head + _PLACE.sub(lambda match: quote(_secret(match[1], secrets, used).value, safe=""), url)
    pairs = [
        (str(name), _fill(_plain(value), secrets, used))
        for name, values in request.params.items()
        for value in (values if isinstance(values, (list, tuple)) else [values])
        if value is not None
    ]
    if not pairs:
        return filled
    before, _, _ = filled.partition("#")
    return f"{before}{'&' if '?' in before else '?'}{urlencode(pairs)}"


def _headers(request: Request, secrets: Mapping[str, SecretValue], used: dict[str, SecretValue]) -> dict[str, str]:
    headers: dict[str, str] = {}
    for name, value in request.headers.items():
        lower = str(name).lower()
        if not _HEADER.fullmatch(lower) or lower in _OURS or lower.startswith(("proxy-", "sec-")):
            raise AddressRefused("REQUEST_HEADER", f'The header "{str(name)[:60]}" cannot be set, so nothing was sent.')
        filled = _fill(_plain(value), secrets, used).strip(" \t")
        if any((ord(char) < 32 and char != "\t") or ord(char) == 127 or ord(char) > 255 for char in filled):
            raise AddressRefused(
                "REQUEST_HEADER", f'The value of the header "{name}" holds characters no header can carry.'
            )
        headers[lower] = filled
    return headers


def _plain(value: Json) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False, default=str)


def _fill(text: str, secrets: Mapping[str, SecretValue], used: dict[str, SecretValue]) -> str:
    return _PLACE.sub(lambda match: _secret(match[1], secrets, used).value, text) if "{{" in text else text


def _secret(name: str, secrets: Mapping[str, SecretValue], used: dict[str, SecretValue]) -> SecretValue:
    secret = secrets.get(name)
    if secret is None or not secret.value:
        raise AddressRefused(
            "SECRET_MISSING",
            f"The secret {name} has no value here, so nothing was sent. "
            "An operator can set it in the agent's settings.",
        )
    used[name] = secret
    return secret


def _walk(value: Json, change: Callable[[str], str]) -> Json:
    if isinstance(value, str):
        return change(value)
    if isinstance(value, Mapping):
        return {key: _walk(inner, change) for key, inner in value.items()}
    if isinstance(value, (list, tuple)):
        return [_walk(inner, change) for inner in value]
    return value
