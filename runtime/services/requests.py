"""An outgoing request as code asked for it, and as it may be shown: with placeholders where secrets will be."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from math import isnan
from typing import Any

from runtime.services.addresses import AddressRefused
from runtime.services.secrets import mask

Json = Any

PLACE = re.compile(r"\{\{\s*env:([A-Za-z_][A-Za-z0-9_]*)\s*\}\}")
READS = ("GET", "HEAD", "OPTIONS")
DEEPEST = 64
_PARTS = {"method", "url", "params", "headers", "json", "text", "form", "auth", "timeout"}


@dataclass(frozen=True)
class Request:
    """What code asks for. Of json, text and form at most one is given.

    Any text in it may hold {{env:NAME}}, which is filled in on sending. With `marks`, {mark: NAME}, those marks are
    filled in instead and {{env:NAME}} stays what it is: a text that a person or a model may have written.

    params: added to the address's own; a list gives the name several times, null leaves it out.
    auth: user and password, sent as Basic. timeout: seconds for everything, at most 30.
    """

    method: str
    url: str
    params: Mapping[str, Json] = field(default_factory=dict)
    headers: Mapping[str, str] = field(default_factory=dict)
    json: Json = None
    text: str | None = None
    form: Mapping[str, Json] | None = None
    auth: tuple[str, str] | None = None
    timeout: float | None = None
    marks: Mapping[str, str] | None = None


def request_of(args: Json, marks: Mapping[str, str]) -> Request:
    """The request that untrusted code asks for, checked part by part. Raises AddressRefused, naming the part."""
    if not isinstance(args, Mapping) or not set(args) <= _PARTS:
        unknown = sorted(set(args) - _PARTS)[0] if isinstance(args, Mapping) else "request"
        raise _wrong(str(unknown)[:40], "it is none of " + ", ".join(sorted(_PARTS)))
    for name in ("method", "url", "text"):
        if args.get(name, "") is not None and not isinstance(args.get(name, ""), str):
            raise _wrong(name, "it must be text")
    for name in ("params", "headers", "form"):
        value = args.get(name)
        if value is not None and not (isinstance(value, Mapping) and all(isinstance(each, str) for each in value)):
            raise _wrong(name, "it must be an object")
    auth, timeout = args.get("auth"), args.get("timeout")
    if auth is not None and not (
        isinstance(auth, list | tuple) and len(auth) == 2 and all(isinstance(part, str) for part in auth)
    ):
        raise _wrong("auth", "it must be a user and a password")
    if timeout is not None and (not isinstance(timeout, int | float) or isinstance(timeout, bool) or isnan(timeout)):
        raise _wrong("timeout", "it must be a number of seconds")
    if not _shallow(args.get("json"), DEEPEST):
        raise _wrong("json", f"it is nested more than {DEEPEST} levels deep")
    return Request(
        method=args.get("method") or "GET",
        url=args.get("url") or "",
        params=args.get("params") or {},
        headers=args.get("headers") or {},
        json=args.get("json"),
        text=args.get("text"),
        form=args.get("form"),
        auth=(auth[0], auth[1]) if auth else None,
        timeout=timeout,
        marks=marks,
    )


def effect(method: str, host: str, idempotent_hosts: list[str]) -> str:
    """`read`, `idempotent` or `write`. host: as `host_of` gives it; an entry with a port counts for that port alone."""
    if method.upper() in READS:
        return "read"
    place = host.lower()
    bare = re.sub(r":\d+$", "", place)
    listed = {entry.lower() for entry in idempotent_hosts if isinstance(entry, str)}
    return "idempotent" if place in listed or bare in listed else "write"


def redacted(request: Request) -> dict[str, Json]:
    """The request as it may be journaled and shown: {{env:NAME}} stands where a secret will be."""
    marks = request.marks or {}

    def show(text: str) -> str:
        for mark, name in marks.items():
            text = text.replace(mark, f"{{{{env:{name}}}}}")
        return mask(text)

    shown: dict[str, Json] = {"method": request.method.upper(), "url": show(request.url)}
    for name in ("params", "headers", "json", "text", "form", "auth"):
        value = getattr(request, name)
        if value is not None and value != {}:
            shown[name] = walk(value, show)
    return shown


def names_in(request: Request) -> set[str]:
    """The secrets that the request carries, by name."""
    found: set[str] = set()

    def look(text: str) -> str:
        if request.marks is None:
            found.update(PLACE.findall(text))
        else:
            found.update(name for mark, name in request.marks.items() if mark in text)
        return text

    for name in ("url", "params", "headers", "json", "text", "form", "auth"):
        walk(getattr(request, name), look)
    return found


def walk(value: Json, change: Callable[[str], str]) -> Json:
    """The JSON with every text in it (but not the names) changed."""
    if isinstance(value, str):
        return change(value)
    if isinstance(value, Mapping):
        return {key: walk(inner, change) for key, inner in value.items()}
    if isinstance(value, (list, tuple)):
        return [walk(inner, change) for inner in value]
    return value


def _shallow(value: Json, levels: int) -> bool:
    if levels < 0:
        return False
    if isinstance(value, Mapping):
        return all(_shallow(inner, levels - 1) for inner in value.values())
    return all(_shallow(inner, levels - 1) for inner in value) if isinstance(value, list | tuple) else True


def _wrong(part: str, why: str) -> AddressRefused:
    return AddressRefused("REQUEST_PART", f'The request was not sent, because of its "{part}": {why}.')
