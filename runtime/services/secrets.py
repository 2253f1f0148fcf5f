"""Secret values: encrypted at rest, opaque in memory, masked wherever text leaves the process.

A value is decrypted in the worker at call time. It is never in state, prompts, events, checkpoints, exports or logs.
"""

from __future__ import annotations

import base64
import logging
import os
import traceback
from collections import OrderedDict
from collections.abc import Iterable
from functools import lru_cache
from urllib.parse import quote, quote_plus

from cryptography.fernet import Fernet, InvalidToken, MultiFernet
from cryptography.hazmat.primitives.hashes import SHA256
from cryptography.hazmat.primitives.kdf.hkdf import HKDF
from django.conf import settings

MASK = "•••"
SHORTEST_MASKED = 4
"""Values shorter than this are not masked: masking every "1" hides nothing and ruins the text."""

MOST_KNOWN = 5_000
_known: OrderedDict[str, None] = OrderedDict()


class SecretUnreadable(Exception):
    """A stored value cannot be decrypted with any key in use. The message says what the operator can do."""

    def __init__(self) -> None:
        self.message = (
            "A stored secret cannot be read: SECRET_KEY is not the one it was saved with. "
            "Add the older key to SECRET_KEYS, or enter the value again."
        )
        super().__init__(self.message)


class SecretValue:
    """A secret and the hosts it may be sent to ("api.example.com" or "host:port"; no entry means no host).

    Printing, formatting, pickling or dumping it never shows the value; only `.value` does.
    """

    __slots__ = ("hosts", "value")

    value: str
    hosts: tuple[str, ...]

    def __init__(self, value: str, hosts: Iterable[str] = ()) -> None:
        object.__setattr__(self, "value", value)
        object.__setattr__(self, "hosts", tuple(hosts))
        remember(value)

    def __setattr__(self, name: str, value: object) -> None:
        raise AttributeError("A SecretValue does not change.")

    def __repr__(self) -> str:
        return f"SecretValue({MASK}, hosts={list(self.hosts)})"

    __str__ = __repr__

    def __format__(self, spec: str) -> str:
        return repr(self)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, SecretValue) and (self.value, self.hosts) == (other.value, other.hosts)

    def __hash__(self) -> int:
        return hash((self.value, self.hosts))

    def __deepcopy__(self, memo: dict) -> SecretValue:
        return self

    def __reduce__(self) -> str:
        raise TypeError("A SecretValue is never stored.")


def encrypt(value: bytes) -> bytes:
    """The value under the newest key."""
    return _cipher().encrypt(value)


def decrypt(cipher: bytes | memoryview) -> bytes:
    """The value, under whichever key in use it was saved with. Raises SecretUnreadable."""
    try:
        return _cipher().decrypt(bytes(cipher))
    except InvalidToken:
        raise SecretUnreadable from None


def rotate(cipher: bytes | memoryview) -> bytes:
    """The same value under the newest key. Raises SecretUnreadable."""
    try:
        return _cipher().rotate(bytes(cipher))
    except InvalidToken:
        raise SecretUnreadable from None


def _cipher() -> MultiFernet:
    older = getattr(settings, "SECRET_KEYS", None)
    if older is None:
        older = os.environ.get("SECRET_KEYS", "").split(",")
    return _cipher_for((settings.SECRET_KEY, *(key.strip() for key in older if key.strip())))


@lru_cache(maxsize=4)
def _cipher_for(keys: tuple[str, ...]) -> MultiFernet:
    def derived(key: str) -> Fernet:
        raw = HKDF(algorithm=SHA256(), length=32, salt=None, info=b"lgstudio secrets 1").derive(key.encode())
        return Fernet(base64.urlsafe_b64encode(raw))

    return MultiFernet([derived(key) for key in keys])


def remember(value: str) -> None:
    """Have the value masked in logs from now on. Every SecretValue does this for itself."""
    if len(value) < SHORTEST_MASKED:
        return
    _known[value] = None
    _known.move_to_end(value)
    while len(_known) > MOST_KNOWN:
        _known.popitem(last=False)


def spellings(value: str) -> set[str]:
    """The value as it may come back: plain, in an address, in JSON, in base64."""
    if len(value) < SHORTEST_MASKED:
        return set()
    inner = value.replace("\\", "\\\\").replace('"', '\\"')
    coded = base64.b64encode(value.encode()).decode().rstrip("=")
    return {value, quote(value, safe=""), quote(value), quote_plus(value), inner, coded}


def mask(text: str, values: Iterable[str] | None = None) -> str:
    """The text with every spelling of the values (default: every value this process knows) replaced by dots."""
    if values is None:
        for value in list(_known):
            if value in text:
                text = text.replace(value, MASK)
        return text
    forms = {form for value in values for form in spellings(value)}
    for form in sorted(forms, key=len, reverse=True):
        text = text.replace(form, MASK)
    return text


class LogMask(logging.Filter):
    """A filter for log handlers: what they write has every known secret masked, tracebacks included."""

    def filter(self, record: logging.LogRecord) -> bool:
        if not _known:
            return True
        words = record.getMessage()
        masked = mask(words)
        if masked != words:
            record.msg, record.args = masked, ()
        if record.exc_info and record.exc_info[1] is not None:
            record.exc_text = mask("".join(traceback.format_exception(*record.exc_info)).rstrip("\n"))
            record.exc_info = None
        elif record.exc_text:
            record.exc_text = mask(record.exc_text)
        return True
