"""Settings → Notices: places to tell, what is refused in words, secrets shown once, and who may see any of it."""

from __future__ import annotations

import pytest
from django.test import Client
from django.utils import timezone

from flows import scope
from flows.models import Workspace
from runtime.models import Delivery, NoticePlace, Trouble
from runtime.services.secrets import decrypt
from studio import noticeplaces
from studio.strings import t
from tests.studio.pages.conftest import Clients

HERE = "/settings/notices"
MAIL = {
    "name": "Operations", "way": "email", "people": "ada@acme.example, bob@acme.example", "url": "", "quiet": "30",
    "kinds": ["failing", "worker"], "on": "1",
}  # fmt: skip
HOOK = {**MAIL, "name": "Chat", "way": "webhook", "people": "", "url": "https://hooks.example.com/abc"}


@pytest.fixture
def client(workspace: Workspace, member_client: Clients) -> Client:
    return member_client("operator")


def test_mail_addresses_are_kept_one_a_line(client: Client) -> None:
    assert t("notices.empty_title") in client.get(HERE).content.decode()
    assert "operator" in client.get(f"{HERE}/new").content.decode(), "One's own address is suggested."
    assert client.post(f"{HERE}/new", MAIL).status_code == 302
    place = NoticePlace.objects.get()
    assert (place.address, place.kinds, place.secret_cipher) == (
        "ada@acme.example\nbob@acme.example",
        ["failing", "worker"],
        b"",
    )
    page = client.get(HERE).content.decode()
    assert "ada@acme.example, bob@acme.example" in page and t("notices.mail_off") in page
    assert client.post(f"{HERE}/{place.pk}", {**MAIL, "name": "Ops", "on": ""}).status_code == 302
    place.refresh_from_db()
    assert (place.name, place.on) == ("Ops", False) and t("notices.off") in client.get(HERE).content.decode()


def test_a_webhook_s_secret_is_shown_once(client: Client) -> None:
    client.post(f"{HERE}/new", HOOK)
    place = NoticePlace.objects.get()
    secret = decrypt(place.secret_cipher).decode()
    assert secret.startswith("whsec_") and secret in client.get(HERE).content.decode()
    for address in (HERE, f"{HERE}/{place.pk}"):
        assert secret not in client.get(address).content.decode()
    client.post(f"{HERE}/{place.pk}/secret")
    place.refresh_from_db()
    renewed = decrypt(place.secret_cipher).decode()
    assert renewed != secret and renewed in client.get(HERE).content.decode()


@pytest.mark.parametrize(
    ("changed", "field", "said"),
    [
        ({"name": ""}, "name", t("notices.name_missing")),
        ({"name": "x" * 81}, "name", t("field.too_long", count=80)),
        ({"name": "Taken"}, "name", t("notices.name_taken")),
        ({"way": "pigeon"}, "way", t("field.choose")),
        ({"people": " "}, "people", t("notices.people_missing")),
        ({"people": "ada@acme.example\nnobody"}, "people", t("notices.people_wrong", address="nobody")),
        ({"people": "a@b.example\r\nBcc: eve@evil.example"}, "people", t("notices.people_wrong", address="Bcc:")),
        ({"people": "\n".join(f"p{n}@acme.example" for n in range(21))}, "people", t("notices.people_many", most=20)),
        ({"way": "webhook"}, "url", t("notices.url_wrong")),
        ({"way": "webhook", "url": "ftp://x.example"}, "url", t("notices.url_wrong")),
        ({"way": "webhook", "url": "https://me:pw@x.example/"}, "url", t("notices.url_wrong")),
        ({"way": "webhook", "url": "http://0x7f.1/"}, "url", t("notices.url_wrong")),
        ({"kinds": []}, "kinds", t("notices.kinds_missing")),
        ({"kinds": ["gossip"]}, "kinds", t("notices.kinds_missing")),
        ({"quiet": "1"}, "quiet", t("field.choose")),
    ],
)
def test_what_does_not_fit_is_said_beside_its_field(client: Client, changed: dict, field: str, said: str) -> None:
    NoticePlace.objects.create(name="Taken", way="email", address="a@b.example")
    reply = client.post(f"{HERE}/new", {**MAIL, **changed})
    assert reply.status_code == 422 and said in reply.content.decode().replace("&#x27;", "'")
    assert reply.context["form"].problems[field] == said and NoticePlace.objects.count() == 1


def test_a_test_is_sent_once_and_what_became_of_it_is_seen(client: Client) -> None:
    client.post(f"{HERE}/new", HOOK)
    place = NoticePlace.objects.get()
    # The secret is shown once; no page that shows it turns over by itself.
    assert 'http-equiv="refresh"' not in client.get(HERE).content.decode()
    for _ in range(2):
        assert client.post(f"{HERE}/{place.pk}/test").status_code == 302
    delivery = Delivery.objects.get()
    assert (delivery.is_test, delivery.title) == (True, "This is a test · Acme")
    page = client.get(HERE).content.decode()
    assert t("notices.testing") in page and 'http-equiv="refresh"' in page
    Delivery.objects.update(state="given_up", error="hooks.example.com answered with status 404.")
    page = client.get(HERE).content.decode()
    assert "answered with status 404." in page and t("notices.state.given_up") in page
    assert 'http-equiv="refresh"' not in page
    Delivery.objects.update(state="due", attempts=2, next_at=timezone.now() + timezone.timedelta(minutes=5))
    assert (
        t("notices.state.trying", count=2, when=t("notices.in_minutes", count=5)) in client.get(HERE).content.decode()
    )


def test_a_message_that_some_have_says_who(client: Client) -> None:
    client.post(f"{HERE}/new", MAIL)
    Delivery.objects.create(
        place=NoticePlace.objects.get(), state="partly", title="Runs fail", next_at=timezone.now(),
        error="The mail server takes no mail for bob@acme.example (550 no such person).", reached=["ada@acme.example"],
    )  # fmt: skip
    page = client.get(HERE).content.decode()
    assert t("notices.state.partly") in page and "(550 no such person)" in page
    assert t("notices.reached", people="ada@acme.example") in page


def test_what_is_wrong_is_listed_and_nothing_of_it_is_markup(client: Client) -> None:
    client.post(f"{HERE}/new", MAIL)
    now = timezone.now()
    Trouble.objects.create(kind="failing", subject="1", name="<img src=x>", words="<b>", since=now, seen_at=now)
    Trouble.objects.create(kind="server", subject="2", name="Suspect", level=0, since=now, seen_at=now)
    page = client.get(HERE).content.decode()
    assert "&lt;img src=x&gt;" in page and "<img src=x" not in page and "Suspect" not in page


def test_only_operators_see_and_change_it(client: Client, member_client: Clients) -> None:
    client.post(f"{HERE}/new", MAIL)
    place = NoticePlace.objects.get()
    for role in ("builder", "reviewer", "member"):
        for address in (HERE, f"{HERE}/new", f"{HERE}/{place.pk}"):
            assert member_client(role).get(address).status_code == 403
        for act in ("test", "secret", "delete"):
            assert member_client(role).post(f"{HERE}/{place.pk}/{act}").status_code == 403
    assert (
        HERE in client.get(HERE).content.decode()
        and HERE not in member_client("builder").get("/flows").content.decode()
    )


def test_a_place_of_another_workspace_is_not_found(client: Client) -> None:
    other = Workspace.objects.create(name="Elsewhere")
    with scope.workspace(other.pk):
        theirs = NoticePlace.objects.create(name="Theirs", way="email", address="a@b.example")
    assert client.get(f"{HERE}/{theirs.pk}").status_code == 404
    for act in ("test", "secret", "delete"):
        assert client.post(f"{HERE}/{theirs.pk}/{act}").status_code == 404
    assert "Theirs" not in client.get(HERE).content.decode()


def test_a_removed_place_is_gone_with_its_messages(client: Client) -> None:
    client.post(f"{HERE}/new", MAIL)
    place = NoticePlace.objects.get()
    client.post(f"{HERE}/{place.pk}/test")
    client.post(f"{HERE}/{place.pk}/delete")
    assert not NoticePlace.objects.exists() and not Delivery.objects.exists()


def test_places_have_an_end_and_a_name_taken_meanwhile_is_said(client: Client, monkeypatch: pytest.MonkeyPatch) -> None:
    client.post(f"{HERE}/new", MAIL)
    monkeypatch.setattr(noticeplaces, "MOST_PLACES", 1)
    refused = client.post(f"{HERE}/new", HOOK)
    assert (refused.status_code, NoticePlace.objects.count()) == (409, 1)
    assert t("notices.too_many", count=1) in refused.content.decode()
    monkeypatch.setattr(noticeplaces, "MOST_PLACES", 9)
    # Between the look for the name and the writing of it another request took it.
    monkeypatch.setattr(noticeplaces, "_judge", lambda form, row: noticeplaces._people(form))
    taken = client.post(f"{HERE}/new", MAIL)
    assert taken.status_code == 422 and t("notices.name_taken") in taken.content.decode()


def test_a_secret_that_is_shown_once_stays_while_a_test_is_on_its_way(client: Client) -> None:
    client.post(f"{HERE}/new", MAIL)
    client.post(f"{HERE}/{NoticePlace.objects.get().pk}/test")
    client.post(f"{HERE}/new", HOOK)
    page = client.get(HERE).content.decode()
    assert "whsec_" in page and 'http-equiv="refresh"' not in page
    assert 'http-equiv="refresh"' in client.get(HERE).content.decode()
