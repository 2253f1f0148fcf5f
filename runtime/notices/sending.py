"""Sending a notice: as mail, or as a signed request to an address that an operator gave.

A webhook is signed as https://www.standardwebhooks.com says, for which most languages have a library: the headers
webhook-id, webhook-timestamp and webhook-signature. Its id is the delivery's own, so that a receiver can tell a repeat.
"""

from __future__ import annotations

import asyncio
import base64
import hashlib
import hmac
import json
import secrets as random
import time
from urllib.parse import urlsplit

from runtime.models import Delivery, NoticePlace
from runtime.notices import mail, words
from runtime.notices.failing import Undelivered
from runtime.services.addresses import parse
from runtime.services.http import AddressRefused, Guarded, NotSent, OutcomeUnclear, Request
from runtime.services.secrets import SecretUnreadable, decrypt, encrypt

PREFIX = "whsec_"
SECONDS = 15.0


def new_secret() -> str:
    """A secret to sign with, as receivers are given it."""
    return PREFIX + base64.b64encode(random.token_bytes(24)).decode()


def seal(secret: str) -> bytes:
    return encrypt(secret.encode())


async def send(delivery: Delivery) -> None:
    """Raises Undelivered."""
    if delivery.place.way == "email":
        await asyncio.to_thread(mail.send, delivery)
    else:
        await _call(delivery)


def body(delivery: Delivery) -> str:
    """What a webhook is sent. `text` is what chat services show."""
    return json.dumps(
        {
            "id": str(delivery.pk), "product": "LGStudio", "workspace": delivery.workspace.name,
            "at": delivery.created_at.isoformat(), "test": delivery.is_test, "title": delivery.title,
            "text": f"{delivery.title}\n\n{words.text(delivery.items)}", "troubles": delivery.items,
        },
        ensure_ascii=False, separators=(",", ":"),
    )  # fmt: skip


def sign(secret: str, id: str, at: int, text: str) -> str:
    """The signature of one message, as standardwebhooks.com has it."""
    key = base64.b64decode(secret.removeprefix(PREFIX))
    return "v1," + base64.b64encode(hmac.digest(key, f"{id}.{at}.{text}".encode(), hashlib.sha256)).decode()


async def _call(delivery: Delivery) -> None:
    place = delivery.place
    try:
        secret = decrypt(place.secret_cipher).decode()
    except SecretUnreadable as unreadable:
        raise Undelivered(unreadable.message, is_final=True) from None
    text, at = body(delivery), int(time.time())
    headers = {
        "Content-Type": "application/json", "User-Agent": "LGStudio", "webhook-id": str(delivery.pk),
        "webhook-timestamp": str(at), "webhook-signature": sign(secret, str(delivery.pk), at, text),
    }  # fmt: skip
    try:
        client = Guarded([host_of(place.address)] if place.inside else [])
    except AddressRefused as refused:
        raise Undelivered(refused.message, is_final=True) from None
    try:
        # With marks, though there are none, nothing in the text is taken for a place to put a secret.
        response = await client.send(
            Request("POST", place.address, headers=headers, text=text, timeout=SECONDS, marks={})
        )
    except AddressRefused as refused:
        raise Undelivered(_refused(place, refused), is_final=True) from None
    except (NotSent, OutcomeUnclear) as failed:
        raise Undelivered(failed.message) from None
    finally:
        await client.close()
    if not 200 <= response.status < 300:
        raise Undelivered(f"{urlsplit(place.address).hostname} answered with status {response.status}.")


def host_of(url: str) -> str:
    """Host and port of an address, as allowed hosts are written. Raises AddressRefused for what is no address."""
    address = parse(url)
    host = f"[{address.host}]" if ":" in address.host else address.host
    return f"{host}:{address.port}"


def _refused(place: NoticePlace, refused: AddressRefused) -> str:
    if place.inside or refused.code not in ("ADDRESS_REFUSED", "ADDRESS_PORT"):
        return refused.message
    return (
        f"{urlsplit(place.address).hostname} was not called: it is inside a private network, or has a port of its own. "
        "If that is meant, say so at this place."
    )
