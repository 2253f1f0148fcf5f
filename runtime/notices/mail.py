"""A notice as mail. A server may take one message for some people and not for others: it is kept who has it."""

from __future__ import annotations

import contextlib
import smtplib
from collections.abc import Sequence
from email.utils import parseaddr
from typing import Any

from django.conf import settings
from django.core.mail import EmailMessage
from django.core.mail.backends.smtp import EmailBackend
from django.core.mail.message import sanitize_address

from runtime.models import Delivery, NoticePlace
from runtime.notices import words
from runtime.notices.failing import Undelivered
from runtime.storable import one_line

LONGEST_ANSWER = 200


def is_set_up() -> bool:
    return bool(settings.EMAIL_HOST)


def addresses(place: NoticePlace) -> list[str]:
    return [line.strip() for line in place.address.splitlines() if line.strip()]


def send(delivery: Delivery) -> None:
    """Send it to whoever does not have it yet. Raises Undelivered, which names those who have it now."""
    if not is_set_up():
        raise Undelivered("No mail server is set here: whoever runs this installation sets SMTP_HOST.", is_final=True)
    missing = [address for address in addresses(delivery.place) if address not in delivery.reached]
    if not missing:
        return
    try:
        has, refused = _hand_over(_written(delivery), missing)
    except smtplib.SMTPAuthenticationError:
        raise Undelivered("The mail server does not accept SMTP_USER and SMTP_PASSWORD.") from None
    except ValueError as error:
        # An address that fits the rules, and that no mail can carry: a name of a host too long in letters of mail.
        raise Undelivered(f"No mail can be written to these addresses: {error}"[:300], is_final=True) from None
    except (smtplib.SMTPException, OSError) as error:
        place = f"{settings.EMAIL_HOST}:{settings.EMAIL_PORT}"
        raise Undelivered(f"The mail server {place} could not be used ({type(error).__name__}).") from None
    if refused:
        said = ", ".join(f"{address} ({answer})" for address, answer in refused.items())
        raise Undelivered(f"The mail server takes no mail for {said}.", reached=has)


def _written(delivery: Delivery) -> EmailMessage:
    foot = f"-- \nSent by LGStudio. Who is told what: {settings.PUBLIC_URL}/settings/notices"
    return EmailMessage(
        subject=f"[LGStudio] {delivery.title}",
        body=f"{words.text(delivery.items)}\n\n{foot}",
        to=addresses(delivery.place),
        headers={"Auto-Submitted": "auto-generated", "X-LGStudio-Delivery": str(delivery.pk)},
    )


def _hand_over(message: EmailMessage, people: Sequence[str]) -> tuple[list[str], dict[str, str]]:
    """Give the message to the server, for these people. Who has it then; whom it refuses, and what it said of each."""
    encoding = settings.DEFAULT_CHARSET
    # Before a server is bothered with what it cannot be told.
    mails = {address: sanitize_address(address, encoding) for address in people}
    text = message.message().as_bytes(linesep="\r\n")
    server = EmailBackend()
    server.open()
    talk: Any = server.connection
    taken = True
    try:
        refused: dict[str, Any] = talk.sendmail(
            parseaddr(message.from_email)[1], list(dict.fromkeys(mails.values())), text
        )
    except smtplib.SMTPRecipientsRefused as unsent:
        # It was not handed over at all, also where a server that hangs up was told of some only.
        taken, refused = False, unsent.recipients
    finally:
        # The server has the message by then, whatever becomes of the farewell.
        with contextlib.suppress(smtplib.SMTPException, OSError):
            server.close()
    why = {address: _answer(*refused[mail]) for address, mail in mails.items() if mail in refused}
    return [address for address in people if taken and address not in why], why


def _answer(code: int, text: bytes) -> str:
    return one_line(f"{code} {text.decode('utf-8', 'replace')}")[:LONGEST_ANSWER]
