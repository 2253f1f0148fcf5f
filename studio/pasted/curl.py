"""A curl command, read as the request that it would send."""

from __future__ import annotations

import base64
import binascii
import re
import shlex
from collections.abc import Callable, Iterator
from urllib.parse import parse_qsl, unquote, urlsplit

from flows.words.strictjson import JsonRefused, loads
from studio.pasted.request import (
    METHODS,
    SECRET_WORDS,
    Json,
    Pasted,
    PastedRefused,
    Text,
    host_of,
    joined,
    read_url,
    spec_of,
    tool_name,
)
from studio.strings import t

LONGEST = 64_000
_TAKES = {
    "request": "X", "header": "H", "data": "d", "data-raw": "d", "data-ascii": "d", "data-binary": "d", "json": "json",
    "data-urlencode": "urlencode", "url": "url", "user": "u", "form": "F", "form-string": "F", "user-agent": "A",
    "referer": "e", "cookie": "b", "oauth2-bearer": "bearer", "get": "G", "head": "I", "url-query": "query",
}  # fmt: skip
_ALONE = {"G", "I", "k", "L", "s", "S", "i", "f", "v"}
_IGNORED = {
    "insecure", "location", "silent", "show-error", "include", "fail", "verbose", "compressed", "globoff", "http1.1",
    "http2", "http3", "no-buffer", "ipv4", "ipv6", "fail-with-body", "progress-bar", "tlsv1.2", "tlsv1.3",
}  # fmt: skip
_IGNORED_WITH = {"output", "max-time", "connect-timeout", "retry", "retry-delay", "write-out"}
_NUMBER = re.compile(r"-?(0|[1-9]\d{0,14})(\.\d{1,10})?")
_PLAIN_HEADERS = {"host", "content-length", "connection", "accept-encoding", "user-agent", "origin", "referer"}


def read_curl(text: str) -> Pasted:
    """The request of a curl command. Raises PastedRefused with what cannot be read, and what to do."""
    options = list(_options(_words(text)))
    urls = [value for name, value in options if name == "url"]
    if len(urls) != 1:
        raise PastedRefused("PASTED_ONE_ADDRESS", t("pasted.one_address", count=len(urls)))
    url = urls[0] if "://" in urls[0] else f"https://{urls[0]}"
    if any(name == "F" for name, _ in options):
        raise PastedRefused("PASTED_FILES", t("pasted.files"))
    data = [(name, value) for name, value in options if name in ("d", "json", "urlencode")]
    if any(name == "d" and value.startswith("@") for name, value in data):
        raise PastedRefused("PASTED_FILES", t("pasted.files"))
    get = any(name == "G" for name, _ in options)
    method = next((value.upper() for name, value in options if name == "X"), "")
    if not method:
        head = any(name == "I" for name, _ in options)
        method = "HEAD" if head else "POST" if data and not get else "GET"
    if method not in METHODS:
        raise PastedRefused("PASTED_METHOD", t("pasted.method", method=method[:20], known=", ".join(METHODS)))
    pasted = Pasted(method=method, url=Text(()), host=host_of(url))
    _address(pasted, url, [value for name, value in data if get] + [v for n, v in options if n == "query"])
    kind = _headers(pasted, options)
    if data and not get:
        _body(pasted, data, kind)
    pasted.name = tool_name(method, urlsplit(url).path)
    return pasted


def _words(text: str) -> list[str]:
    if len(text) > LONGEST:
        raise PastedRefused("PASTED_TOO_LONG", t("pasted.too_long", count=LONGEST // 1000))
    plain = text.replace("\\\r\n", " ").replace("\\\n", " ").replace("^\r\n", " ").replace("^\n", " ").strip()
    try:
        words = shlex.split(re.sub(r"(^|\s)\$'", r"\1'", plain), comments=False)
    except ValueError:
        raise PastedRefused("PASTED_QUOTES", t("pasted.quotes")) from None
    if not words or words[0].rpartition("/")[2] not in ("curl", "curl.exe"):
        raise PastedRefused("PASTED_NO_CURL", t("pasted.no_curl"))
    for end in ("|", ";", "&&", ">", "||"):
        if end in words:
            words = words[: words.index(end)]
    return words[1:]


def _options(words: list[str]) -> Iterator[tuple[str, str]]:
    """(option, value) in order; the address as ("url", …)."""
    rest = iter(words)

    def following(option: str) -> str:
        value = next(rest, None)
        if value is None:
            raise PastedRefused("PASTED_OPTION", t("pasted.option_empty", option=option))
        return value

    for word in rest:
        if word.startswith("--"):
            name, sign, value = word[2:].partition("=")
            if name in _IGNORED:
                continue
            if name in _IGNORED_WITH:
                following(word)
            elif name in ("get", "head"):
                yield _TAKES[name], ""
            elif name in _TAKES:
                yield _TAKES[name], value if sign else following(word)
            else:
                raise PastedRefused("PASTED_OPTION", t("pasted.option_unknown", option=word[:40]))
        elif word.startswith("-") and len(word) > 1:
            yield from _short(word, following)
        else:
            yield "url", word


def _short(word: str, following: Callable[[str], str]) -> Iterator[tuple[str, str]]:
    letters = word[1:]
    while letters:
        letter, letters = letters[0], letters[1:]
        if letter in _ALONE:
            yield letter, ""
            continue
        if letter not in "XHdFuAebomw":
            raise PastedRefused("PASTED_OPTION", t("pasted.option_unknown", option=f"-{letter}"))
        value, letters = letters or following(word), ""
        if letter not in "omw":
            yield letter, value


def _address(pasted: Pasted, url: str, data: list[str]) -> None:
    pasted.url = read_url(pasted, url.partition("#")[0].partition("?")[0])
    parts = urlsplit(url)
    if parts.username:
        user, password = unquote(parts.username), unquote(parts.password or "")
        pasted.basic = (pasted.hide("USER", user), pasted.hide("PASSWORD", password))
    pasted.query = _named(pasted, "&".join(query for query in [parts.query, *data] if query), required=False)


def _named(pasted: Pasted, query: str, *, required: bool) -> dict[str, Json]:
    """What stands behind each name of a query or a form. A name that comes more than once takes a list."""
    found: dict[str, list[str]] = {}
    for name, value in parse_qsl(query, keep_blank_values=True):
        found.setdefault(name, []).append(value)
    named: dict[str, Json] = {}
    for name, values in found.items():
        if SECRET_WORDS.search(name):
            hidden = [pasted.hide(_word(name), value) for value in values]
            named[name] = hidden if len(hidden) > 1 else hidden[0]
        elif len(values) > 1:
            spec = {
                **spec_of(values, required=required),
                "description": t("pasted.example", value=", ".join(values)[:120]),
            }
            named[name] = pasted.ask(name, spec)
        else:
            named[name] = pasted.ask(name, spec_of(_typed(values[0]), required=required))
    return named


def _typed(value: str) -> Json:
    if value in ("true", "false"):
        return value == "true"
    if not _NUMBER.fullmatch(value):
        return value
    return float(value) if "." in value else int(value)


def _word(name: str) -> str:
    return re.sub(r"[^A-Z0-9]+", "_", re.sub(r"(?i)^x-", "", name).upper()).strip("_") or "KEY"


def _headers(pasted: Pasted, options: list[tuple[str, str]]) -> str:
    """Reads the headers; the content type that they name."""
    kind = ""
    for name, value in options:
        if name == "H":
            header, _, content = value.partition(":")
            kind = _header(pasted, header.strip(), content.strip()) or kind
        elif name == "u":
            user, _, password = value.partition(":")
            pasted.basic = (pasted.hide("USER", user), pasted.hide("PASSWORD", password))
        elif name == "bearer":
            pasted.headers["Authorization"] = joined(["Bearer ", pasted.hide("TOKEN", value)])
        elif name == "b":
            pasted.headers["Cookie"] = pasted.hide("COOKIE", value)
    return kind


def _header(pasted: Pasted, name: str, value: str) -> str:
    lower = name.lower()
    if lower == "content-type":
        return value
    if not name or not value or lower in _PLAIN_HEADERS or lower.startswith("sec-"):
        return ""
    if lower == "authorization":
        _authorize(pasted, value)
    elif lower == "cookie":
        pasted.headers[name] = pasted.hide("COOKIE", value)
    elif SECRET_WORDS.search(lower):
        pasted.headers[name] = pasted.hide(_word(name), value)
    else:
        pasted.headers[name] = value
    return ""


def _authorize(pasted: Pasted, value: str) -> None:
    scheme, _, given = value.partition(" ")
    if scheme.lower() == "basic":
        try:
            user, _, password = base64.b64decode(given, validate=True).decode().partition(":")
        except (binascii.Error, UnicodeDecodeError):
            user, password = "", ""
        pasted.basic = (pasted.hide("USER", user), pasted.hide("PASSWORD", password))
    elif given:
        pasted.headers["Authorization"] = joined([f"{scheme} ", pasted.hide("TOKEN", given)])
    else:
        pasted.headers["Authorization"] = pasted.hide("TOKEN", scheme)


def _body(pasted: Pasted, data: list[tuple[str, str]], kind: str) -> None:
    text = "&".join(value for _, value in data)
    as_json = any(name == "json" for name, _ in data) or "json" in kind.lower()
    looks = not kind and text.lstrip()[:1] in ("{", "[")
    if as_json or looks:
        try:
            value = loads(text)
        except JsonRefused as refused:
            raise PastedRefused("PASTED_BODY", t("pasted.body_wrong", why=refused.message)) from None
        if looks and not as_json:
            pasted.notes.append(t("pasted.note_json"))
        if kind and kind.partition(";")[0].strip().lower() != "application/json":
            pasted.headers["Content-Type"] = kind
        pasted.body_kind = "json"
        if isinstance(value, dict):
            pasted.body = {name: _asked(pasted, name, each) for name, each in value.items()}
        else:
            pasted.body = pasted.ask("body", spec_of(value))
    elif "=" in text and (not kind or "x-www-form-urlencoded" in kind.lower()):
        pasted.body_kind = "form"
        pasted.body = _named(pasted, text, required=True)
    else:
        pasted.body_kind = "text"
        pasted.headers["Content-Type"] = kind or "text/plain"
        pasted.body = pasted.ask("body", spec_of(text))


def _asked(pasted: Pasted, name: str, value: Json) -> Json:
    if SECRET_WORDS.search(name) and isinstance(value, str):
        return pasted.hide(_word(name), value)
    return pasted.ask(name, spec_of(value))
