"""A request as it was pasted, with the parts that differ from call to call put apart as inputs and secrets."""

from __future__ import annotations

import re
import uuid
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any, Literal
from urllib.parse import unquote, urlsplit

from flows.words.names import is_code_name
from studio.pasted.tokens import is_secret
from studio.strings import t

Json = Any
BodyKind = Literal["json", "form", "text"]

SECRET_WORDS = re.compile(r"(?i)(^|[-_.])(authorization|auth|token|api[-_]?key|apikey|key|secret|password|signature)$")
_VERBS = {"GET": "get", "HEAD": "check", "POST": "create", "PUT": "replace", "PATCH": "update", "DELETE": "delete"}
_PLACE = re.compile(r"\{\{?\s*([\w.-]+)\s*\}?\}|\$\{?(\w+)\}?|<([\w-]+)>|(?<=/):(\w+)")
_EXAMPLE = 120
_LONGEST_NAME = 60
MOST = 60
"""So many inputs a tool has at most, in the language; and so many secrets."""
METHODS = ("GET", "HEAD", "POST", "PUT", "PATCH", "DELETE")


class PastedRefused(Exception):
    """What was pasted cannot be made into a tool. message is a sentence that says what to do."""

    def __init__(self, code: str, message: str) -> None:
        super().__init__(message)
        self.code, self.message = code, message


@dataclass(frozen=True)
class Arg:
    """A place that an input of the tool fills. quoted: it stands in a path, where it must end no part of it."""

    name: str
    quoted: bool = False


@dataclass(frozen=True)
class Env:
    """A place that a secret fills."""

    name: str


@dataclass(frozen=True)
class Text:
    """A text put together of parts."""

    parts: tuple[str | Arg | Env, ...]


@dataclass(frozen=True)
class Secret:
    """A secret that the request needs. value: as it was pasted; "" when it was not. It never enters the flow."""

    name: str
    host: str
    value: str = field(default="", repr=False)


@dataclass
class Pasted:
    """method, address and the rest of a request; values are JSON in which Arg, Env and Text may stand."""

    method: str
    url: Text
    host: str
    name: str = ""
    summary: str = ""
    returns: str = ""
    query: dict[str, Json] = field(default_factory=dict)
    headers: dict[str, Json] = field(default_factory=dict)
    basic: tuple[Json, Json] | None = None
    body_kind: BodyKind | None = None
    body: Json = None
    inputs: dict[str, dict[str, Json]] = field(default_factory=dict)
    secrets: dict[str, Secret] = field(default_factory=dict)
    notes: list[str] = field(default_factory=list)

    def ask(self, name: str, spec: Mapping[str, Json]) -> Arg:
        """An input of this name, or of one like it where that is taken by another."""
        if len(self.inputs) >= MOST:
            raise PastedRefused("PASTED_MANY_FIELDS", t("pasted.many_fields"))
        base = (code_name(name) or "value")[:_LONGEST_NAME]
        free = next(each for each in _numbered(base) if each not in self.inputs)
        self.inputs[free] = dict(spec)
        return Arg(free)

    def hide(self, what: str, value: str = "") -> Env:
        """A secret of the request's host. what: TOKEN, API_KEY …"""
        if len(self.secrets) >= MOST:
            raise PastedRefused("PASTED_MANY_FIELDS", t("pasted.many_fields"))
        base = f"{_owner(self.host)[:20]}_{what}"[:_LONGEST_NAME]
        free = next(each for each in _numbered(base) if each not in self.secrets)
        self.secrets[free] = Secret(free, self.host, value)
        return Env(free)


def _numbered(base: str) -> Iterable[str]:
    yield base
    for n in range(2, MOST + 2):
        yield f"{base}_{n}"


def _owner(host: str) -> str:
    """Whose host it is, as a variable begins: api.github.com → GITHUB."""
    parts = [part for part in host.partition(":")[0].split(".") if part not in ("www", "api")]
    word = parts[-2] if len(parts) > 1 else "".join(parts)
    name = re.sub(r"[^A-Z0-9]+", "_", word.upper()).strip("_")
    return name if name and name[0].isalpha() else "SERVICE"


def code_name(text: str) -> str:
    """The text as code may name it; "" where nothing of it can stand in a name."""
    words = re.sub(r"\W+", "_", text, flags=re.ASCII).strip("_")[:_LONGEST_NAME]
    words = words if not words or words[0].isalpha() else f"n{words}"
    return words if not words or is_code_name(words) else f"{words}_"


def tool_name(method: str, path: str) -> str:
    """A name for a request that has none: `createOrders` for POST /v1/orders."""
    words = [part for part in path.split("/") if re.fullmatch(r"[A-Za-z][A-Za-z_-]*", part)]
    last = code_name(words[-1])[: _LONGEST_NAME - len("replace")] if words else "Request"
    return _VERBS.get(method, "call") + "".join(part[:1].upper() + part[1:] for part in re.split(r"_+", last))


def read_url(pasted: Pasted, path: str) -> Text:
    """The address up to its query. What stands for something in its path, and ids in it, become inputs."""
    scheme = path.partition("://")[0]
    parts: list[str | Arg | Env] = [f"{scheme}://{pasted.host}"]
    before = ""
    for part in path.partition("://")[2].partition("/")[2].split("/"):
        parts.append("/")
        place = _PLACE.fullmatch(part) or _PLACE.fullmatch(f"/{part}", 1)
        if place:
            name = next(group for group in place.groups() if group)
            parts.append(Arg(pasted.ask(name, {"type": "string", "required": True}).name, quoted=True))
        elif is_secret(unquote(part), before):
            secret = pasted.hide("TOKEN", unquote(part))
            pasted.notes.append(t("pasted.note_token", name=f"env.{secret.name}"))
            parts.append(secret)
        elif part.isdigit() or _is_uuid(part):
            about = t("pasted.example", value=part)
            spec = {"type": "string", "required": True, "description": about}
            parts.append(Arg(pasted.ask(f"{_single(before)}_id" if before else "id", spec).name, quoted=True))
        else:
            parts.append(part)
        before = code_name(part) if re.fullmatch(r"[A-Za-z][\w-]*", part) else ""
    return joined(parts)


def joined(parts: Iterable[str | Arg | Env]) -> Text:
    """The parts with neighbouring texts made one."""
    found: list[str | Arg | Env] = []
    for part in parts:
        last = found[-1] if found else None
        if isinstance(part, str) and isinstance(last, str):
            found[-1] = last + part
        elif part != "":
            found.append(part)
    return Text(tuple(found))


def _single(word: str) -> str:
    return word[:-3] + "y" if word.endswith("ies") else word[:-1] if word.endswith("s") and len(word) > 2 else word


def _is_uuid(text: str) -> bool:
    try:
        return bool(uuid.UUID(text))
    except ValueError:
        return False


def spec_of(value: Json, *, required: bool = True) -> dict[str, Json]:
    """A field that takes what was pasted here, which is its example."""
    kind = _kind(value)
    spec: dict[str, Json] = {"type": kind}
    if required and kind not in ("boolean", "any"):
        spec["required"] = True
    if kind in ("string", "text", "number") and value != "":
        shown = str(value)
        spec["description"] = t("pasted.example", value=shown if len(shown) <= _EXAMPLE else f"{shown[:_EXAMPLE]}…")
    return spec


def _kind(value: Json) -> str:
    if isinstance(value, bool):
        return "boolean"
    if isinstance(value, int | float):
        return "number"
    if isinstance(value, str):
        return "text" if len(value) > 80 or "\n" in value else "string"
    return "list" if isinstance(value, list) else "object" if isinstance(value, dict) else "any"


def host_of(url: str) -> str:
    """The host of an address, with its port where it has one. Raises PastedRefused."""
    try:
        parts = urlsplit(url)
        port = parts.port
    except ValueError:
        raise PastedRefused("PASTED_ADDRESS", t("pasted.address_wrong", url=url[:200])) from None
    if parts.scheme not in ("http", "https") or not parts.hostname:
        raise PastedRefused("PASTED_ADDRESS", t("pasted.address_wrong", url=url[:200]))
    if not re.fullmatch(r"[A-Za-z0-9.:_-]+", parts.hostname):
        raise PastedRefused("PASTED_HOST_OPEN", t("pasted.host_open"))
    host = f"[{parts.hostname}]" if ":" in parts.hostname else parts.hostname
    return f"{host}:{port}" if port else host
