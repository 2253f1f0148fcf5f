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
import smtplib
import time
from urllib.parse import urlsplit

from django.conf import settings
from django.core.mail import EmailMessage

from runtime.models import Delivery, NoticePlace
from runtime.notices import words
from runtime.services.addresses import parse
from runtime.services.http import AddressRefused, Guarded, NotSent, OutcomeUnclear, Request
from runtime.services.secrets import SecretUnreadable, decrypt, encrypt

PREFIX = "whsec_"
SECONDS = 15.0


class Undelivered(Exception):
    """The message did not arrive. is_final: another try would end the same way."""

    def __init__(self, message: str, *, is_final: bool = False) -> None:
        super().__init__(message)
        self.message, self.is_final = message, is_final


def new_secret() -> str:
    """A secret to sign with, as receivers are given it."""
    return PREFIX + base64.b64encode(random.token_bytes(24)).decode()


def seal(secret: str) -> bytes:
    return encrypt(secret.encode())


def mail_is_set_up() -> bool:
    return bool(settings.EMAIL_HOST)


def addresses(place: NoticePlace) -> list[str]:
    return [line.strip() for line in place.address.splitlines() if line.strip()]


async def send(delivery: Delivery) -> None:
    """Raises Undelivered."""
    if delivery.place.way == "email":
        await asyncio.to_thread(_mail, delivery)
    else:
        await _call(delivery)


def _mail(delivery: Delivery) -> None:
    if not mail_is_set_up():
        raise Undelivered("No mail server is set here: whoever runs this installation sets SMTP_HOST.", is_final=True)
    foot = f"-- \nSent by LGStudio. Who is told what: {settings.PUBLIC_URL}/settings/notices"
    message = EmailMessage(
        subject=f"[LGStudio] {delivery.title}",
        body=f"{words.text(delivery.items)}\n\n{foot}",
        to=addresses(delivery.place),
        headers={"Auto-Submitted": "auto-generated", "X-LGStudio-Delivery": str(delivery.pk)},
    )
    try:
        message.send()
    except smtplib.SMTPAuthenticationError:
        raise Undelivered("The mail server does not accept SMTP_USER and SMTP_PASSWORD.") from None
    except smtplib.SMTPRecipientsRefused as refused:
        raise Undelivered(f"The mail server takes no mail for {', '.join(refused.recipients)}.") from None
    except ValueError as error:
        # An address that fits the rules, and that no mail can carry: a name of a host too long in letters of mail.
        raise Undelivered(f"No mail can be written to these addresses: {error}"[:300], is_final=True) from None
    except (smtplib.SMTPException, OSError) as error:
        place = f"{settings.EMAIL_HOST}:{settings.EMAIL_PORT}"
        raise Undelivered(f"The mail server {place} could not be used ({type(error).__name__}).") from None


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
