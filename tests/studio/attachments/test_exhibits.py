"""Documents on a card, as those see them who decide: named by the card, and opened from where the agent keeps them."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from django.conf import settings as product
from django.test import Client

from runtime import cards
from runtime.files import exhibits
from runtime.models import Deployment, Question, Run, StoredFile
from tests.studio.attachments.conftest import give
from tests.studio.attachments.test_files import opened, sent
from tests.support import talk
from tests.support.pictures import png


def carded(run: Run, ref: Any, **said: Any) -> Question:
    """A card for reviewers that names this document; said: what else its payload says."""
    question = talk.ask(run, "approval", decider="reviewers")
    found = exhibits.read(["paper"], {"paper": ref}, lambda row: True)
    sealed = cards.seal({**cards.read(question.payload), "exhibits": list(found), **said})
    Question.objects.filter(id=question.id).update(payload=sealed.payload, digest=sealed.digest)
    question.refresh_from_db()
    return question


def drawn(client: Client, question: Question) -> Any:
    return client.get(f"/api/questions/{question.id}").json()["card"]


def lost_now(client: Client, question: Question) -> Any:
    return client.get(f"/api/questions/{question.id}/exhibits").json()["lost"]


@pytest.fixture
def dana(member_client: Any) -> Client:
    return member_client("member", "Dana")


@pytest.fixture
def rina(member_client: Any) -> Client:
    return member_client("reviewer", "Rina")


# LG-approval-31, LG-approval-35, LG-approval-36, LG-approval-37
def test_a_reviewer_reads_what_a_document_is_and_opens_it(desk: Deployment, dana: Client, rina: Client) -> None:
    ref = give(dana, "/api/a/desk/files", "Invoice.PNG", png(), "paper").json()
    run = Run.objects.get(id=sent(dana, desk, ref).json()["run"])
    question = carded(run, ref)
    card = drawn(rina, question)
    assert card["exhibits"] == [
        {"label": "Paper", "channel": "paper", "id": ref["id"], "name": "Invoice.PNG", "mediaType": "image/png",
         "bytes": len(png()), "sha256": StoredFile.objects.get().sha256, "opens": True, "lost": False},
    ]  # fmt: skip
    # The three kinds of things are kept apart.
    assert "paper" not in [figure["channel"] for figure in card["figures"]] and "Invoice" not in card["why"]
    assert opened(rina, ref).content == png()
    # A later question of the same conversation has none.
    assert drawn(rina, talk.ask(run, "approval", decider="reviewers", address="place#2"))["exhibits"] == []


# LG-approval-40
def test_a_document_that_went_after_the_card_stays_on_it_and_does_not_open(
    desk: Deployment, dana: Client, rina: Client
) -> None:
    ref = give(dana, "/api/a/desk/files", "a.png", png(), "paper").json()
    question = carded(Run.objects.get(id=sent(dana, desk, ref).json()["run"]), ref)
    (before,) = drawn(rina, question)["exhibits"]
    lost = {**before, "opens": False, "lost": True}
    assert (lost_now(rina, question), lost_now(dana, question)) == ([], [])
    kept = Path(product.FILES_FOLDER) / StoredFile.objects.get().place
    kept.chmod(0o600)
    # Written over, with as many bytes.
    kept.write_bytes(b"x" * len(png()))
    assert (drawn(rina, question)["exhibits"], lost_now(rina, question)) == ([lost], ["paper"])
    assert opened(rina, ref).status_code == 410
    # Who cannot decide is told nothing of documents.
    assert lost_now(dana, question) == []
    kept.write_bytes(png())
    assert (drawn(rina, question)["exhibits"], lost_now(rina, question)) == ([before], [])
    kept.unlink()
    assert (drawn(rina, question)["exhibits"], lost_now(rina, question)) == ([lost], ["paper"])
    assert opened(rina, ref).status_code == 410
    StoredFile.objects.all().delete()
    assert (drawn(rina, question)["exhibits"], lost_now(rina, question)) == ([lost], ["paper"])
    assert opened(rina, ref).status_code == 404


def test_a_document_of_an_earlier_conversation_opens_as_an_exhibit_only(
    desk: Deployment, dana: Client, rina: Client, member_client: Any
) -> None:
    ref = give(dana, "/api/a/desk/files", "a.png", png(), "paper").json()
    first = Run.objects.get(id=sent(dana, desk, ref).json()["run"])
    later = Run.objects.get(id=sent(dana, desk, None).json()["run"])
    assert first.conversation_id != later.conversation_id
    named = carded(later, None, show=[{"label": "Note", "channel": "note", "value": ref["id"]}])
    assert opened(rina, ref).status_code == 404
    named.delete()
    carded(later, ref)
    assert opened(rina, ref).status_code == 200
    assert opened(member_client("member", "Otto"), ref).status_code == 404
    # Nobody else's card opens it, whatever it names.
    Question.objects.all().delete()
    run = Run.objects.get(id=sent(member_client("member", "Eva"), desk, None).json()["run"])
    carded(run, ref)
    assert opened(rina, ref).status_code == 404
