"""Messages on their way: real mail and real requests, signed; tried again, given up in words, never sent twice."""

from __future__ import annotations

import base64
import hashlib
import hmac
import json
from collections.abc import Callable
from datetime import timedelta
from typing import Any

import pytest
from django.utils import timezone

from flows.models import Workspace
from runtime.models import Delivery, NoticePlace, Run
from runtime.notices import errand, sending, watch, words
from runtime.services.secrets import decrypt
from tests.runtime.notices.conftest import Clock
from tests.support import listeners

Places = Callable[..., NoticePlace]


def message(place: NoticePlace, **fields: Any) -> Delivery:
    items = [words.test_item()]
    return Delivery.objects.create(
        **{"place": place, "title": "This is a test · Acme", "items": items, "next_at": timezone.now(), **fields}
    )


def sent(delivery: Delivery) -> Delivery:
    """The message, after one try."""
    watch.send(delivery.pk)
    return Delivery.objects.get(pk=delivery.pk)


@pytest.fixture
def mail(settings: Any) -> Any:
    with listeners.mails() as server:
        settings.EMAIL_BACKEND = "django.core.mail.backends.smtp.EmailBackend"
        settings.EMAIL_HOST, settings.EMAIL_PORT = "127.0.0.1", server.port
        settings.EMAIL_USE_TLS = settings.EMAIL_USE_SSL = False
        yield server


def test_a_mail_says_what_is_wrong_and_where_to_look(
    mail: listeners.Mails, clock: Clock, ran: Callable[..., Run], place: Places
) -> None:
    here = place(way="email", address="ada@acme.example\nbob@acme.example\n", tells_why=True)
    ran("failed", "No stock.")
    clock.later(seconds=1)
    clock.later(seconds=61)
    delivery = sent(Delivery.objects.get(place=here))
    assert (delivery.state, delivery.error, delivery.sent_at is not None) == ("sent", "", True)
    taken = mail.taken[0]
    assert taken["Subject"] == "[LGStudio] Runs of “Desk” fail · Acme"
    assert taken["To"] == "ada@acme.example, bob@acme.example" and taken["Auto-Submitted"] == "auto-generated"
    text = taken.get_content()
    assert "1 run failed, and none has succeeded since." in text and "The last one said: No stock." in text
    assert "/runs?state=failed&agent=desk" in text and "/settings/notices" in text


def test_a_name_with_lines_ends_no_header(mail: listeners.Mails, place: Places, workspace: Workspace) -> None:
    here = place(way="email", address="ada@acme.example")
    title = words.title([{**words.test_item(), "title": words.line("failing", "A\r\nBcc: eve@evil.example")}], "Acme")
    sent(message(here, title=title))
    assert mail.taken[0]["Bcc"] is None and mail.taken[0]["Subject"].endswith("fail · Acme")


@pytest.mark.parametrize(
    ("host", "refuse", "said"),
    [
        ("", {}, "No mail server is set here: whoever runs this installation sets SMTP_HOST."),
        ("127.0.0.1", {"": "550 nobody"}, "The mail server takes no mail for ada@acme.example (550 nobody)."),
    ],
)
def test_mail_that_nobody_takes_is_said(
    mail: listeners.Mails, place: Places, settings: Any, host: str, refuse: dict[str, str], said: str
) -> None:
    settings.EMAIL_HOST, mail.refuse = host, refuse
    delivery = sent(message(place(way="email", address="ada@acme.example"), is_test=True))
    assert (delivery.state, delivery.error) == ("given_up", said)


def test_whom_the_server_refused_is_tried_again_and_nobody_gets_it_twice(
    mail: listeners.Mails, clock: Clock, place: Places
) -> None:
    mail.refuse = {"bob": "450 mailbox busy", "eve": "550 no \x1b[31msuch person"}
    here = place(way="email", address="ada@acme.example\nbob@acme.example\neve@acme.example")
    delivery = sent(message(here))
    assert (delivery.state, delivery.reached) == ("due", ["ada@acme.example"])
    assert delivery.error == (
        "The mail server takes no mail for bob@acme.example (450 mailbox busy), "
        "eve@acme.example (550 no [31msuch person)."
    )
    del mail.refuse["bob"]
    while delivery.state == "due":
        clock.now = max(clock.now, delivery.next_at)
        delivery = sent(delivery)
    assert mail.given == [["ada@acme.example"], ["bob@acme.example"]]
    assert {taken["To"] for taken in mail.taken} == {"ada@acme.example, bob@acme.example, eve@acme.example"}
    assert (delivery.state, delivery.attempts) == ("partly", len(errand.WAITS) + 1)
    assert delivery.reached == ["ada@acme.example", "bob@acme.example"] and "eve@acme.example (550" in delivery.error


def test_a_server_that_hangs_up_between_two_people_has_taken_it_for_nobody(
    mail: listeners.Mails, clock: Clock, place: Places
) -> None:
    mail.refuse = {"bob": "421 closing, come back later"}
    delivery = sent(message(place(way="email", address="ada@acme.example\nbob@acme.example\neve@acme.example")))
    assert (delivery.state, delivery.reached, mail.given) == ("due", [], [])
    assert delivery.error == "The mail server takes no mail for bob@acme.example (421 closing, come back later)."
    mail.refuse, clock.now = {}, delivery.next_at
    delivery = sent(delivery)
    assert delivery.state == "sent"
    assert mail.given == [["ada@acme.example", "bob@acme.example", "eve@acme.example"]]


def test_what_everybody_has_in_the_end_has_arrived(mail: listeners.Mails, clock: Clock, place: Places) -> None:
    mail.refuse = {"bob": "450 mailbox busy"}
    delivery = sent(message(place(way="email", address="ada@acme.example\nbob@acme.example")))
    mail.refuse, clock.now = {}, delivery.next_at
    delivery = sent(delivery)
    assert (delivery.state, delivery.error, delivery.attempts) == ("sent", "", 2)
    assert mail.given == [["ada@acme.example"], ["bob@acme.example"]]


def test_a_webhook_is_signed_and_names_its_delivery(place: Places) -> None:
    with listeners.requests() as server:
        here = place(address=f"{server.url}/hook")
        delivery = sent(message(here, is_test=True))
    assert delivery.state == "sent"
    heard = server.heard[0]
    said = json.loads(heard.body)
    assert (heard.path, said["title"], said["test"]) == ("/hook", "This is a test · Acme", True)
    assert said["id"] == heard.headers["webhook-id"] == str(delivery.pk)
    assert "This is a test" in said["text"] and said["troubles"][0]["kind"] == "test"
    # As any library of standardwebhooks.com checks it.
    key = base64.b64decode(decrypt(here.secret_cipher).decode().removeprefix("whsec_"))
    signed = b".".join([heard.headers["webhook-id"].encode(), heard.headers["webhook-timestamp"].encode(), heard.body])
    assert heard.headers["webhook-signature"] == (
        "v1," + base64.b64encode(hmac.new(key, signed, hashlib.sha256).digest()).decode()
    )


def test_what_looks_like_a_secret_s_place_is_sent_as_it_is(place: Places) -> None:
    with listeners.requests() as server:
        sent(message(place(address=server.url), title="{{env:OPENAI_API_KEY}}"))
    assert json.loads(server.heard[0].body)["title"] == "{{env:OPENAI_API_KEY}}"


def test_it_is_tried_again_and_then_given_up(clock: Clock, place: Places) -> None:
    with listeners.requests() as server:
        server.status = 500
        delivery = message(place(address=server.url))
        waits = []
        while delivery.state == "due":
            clock.now = max(clock.now, delivery.next_at)
            delivery = sent(delivery)
            waits.append(round((delivery.next_at - clock.now) / timedelta(minutes=1)))
        assert [*waits[:-1]] == list(errand.WAITS)
        assert len(server.heard) == len(errand.WAITS) + 1
        assert {each.headers["webhook-id"] for each in server.heard} == {str(delivery.pk)}
    assert (delivery.state, delivery.error) == ("given_up", "127.0.0.1 answered with status 500.")


def test_one_that_arrives_later_leaves_no_error(clock: Clock, place: Places) -> None:
    with listeners.requests() as server:
        server.status = 503
        delivery = sent(message(place(address=server.url)))
        assert delivery.state == "due" and delivery.error
        assert sent(delivery).attempts == 1, "It is not due yet."
        clock.now = delivery.next_at
        server.status = 204
        delivery = sent(delivery)
    assert (delivery.state, delivery.error, delivery.attempts) == ("sent", "", 2)


def test_nobody_else_sends_one_that_is_on_its_way(place: Places) -> None:
    delivery = message(place())
    assert errand.take(delivery.pk) is not None
    assert errand.take(delivery.pk) is None and delivery.pk not in errand.due_ids()


@pytest.mark.parametrize(
    ("address", "inside", "said"),
    [
        ("http://127.0.0.1:{port}/", False, "If that is meant, say so at this place."),
        ("http://localhost:{port}/", False, "If that is meant, say so at this place."),
        ("http://169.254.169.254/latest", False, "If that is meant, say so at this place."),
    ],
)
def test_inside_addresses_are_called_only_where_that_is_meant(
    place: Places, address: str, inside: bool, said: str
) -> None:
    with listeners.requests() as server:
        delivery = sent(message(place(address=address.format(port=server.port), inside=inside)))
    assert delivery.state == "given_up" and said in delivery.error and server.heard == []


def test_a_message_to_a_place_that_was_switched_off_is_not_sent(place: Places) -> None:
    with listeners.requests() as server:
        here = place(address=server.url)
        delivery = message(here)
        NoticePlace.objects.update(on=False)
        assert "switched off" in sent(delivery).error
        assert sent(message(here, is_test=True)).state == "sent", "A test is sent all the same."
    assert len(server.heard) == 1


def test_hosts_are_written_as_operators_allow_them() -> None:
    assert sending.host_of("https://a.example/x") == "a.example:443"
    assert sending.host_of("http://[fd00::7]:8080/x") == "[fd00::7]:8080"


def test_an_address_that_no_mail_can_carry_is_given_up_in_words(mail: listeners.Mails, place: Places) -> None:
    delivery = sent(message(place(way="email", address=f"ada@{'ü' * 60}.example")))
    assert delivery.state == "given_up" and "No mail can be written" in delivery.error
    assert not mail.taken
