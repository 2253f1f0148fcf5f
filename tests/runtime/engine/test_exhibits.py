"""Documents behind an approval: the card names those of its run, and one that changes later was not approved."""

from __future__ import annotations

import hashlib
import json
import logging
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from django.conf import settings as product

from flows.kinds.base import Json
from runtime import cards
from runtime.demo.testing import Scripted
from runtime.models import Question, Run, RunEvent, StoredFile
from tests.runtime.engine.conftest import REVIEWER, Desk
from tests.runtime.engine.orders import APPROVAL, UNITS, desk_flow
from tests.runtime.engine.test_decisions import units
from tests.runtime.engine.test_files import given

INVOICE, STATEMENT = b"Invoice 10835: 845.80", b"Statement of November"
PAPERS = {"type": "file", "description": "A paper."}
NAMES = ["invoice", "statement"]


def asking(demo: Scripted, **approval: Json) -> Json:
    """The order flow whose card names two papers."""
    document = desk_flow(demo.office_url, approval={**APPROVAL, "exhibits": NAMES, **approval})
    document["inputs"] += NAMES
    document["state"] |= dict.fromkeys(NAMES, PAPERS)
    return document


def order(desk: Desk, **papers: Json) -> Run:
    return desk.say(customer="MERID", quantity=2, note="", **papers)


def card(desk: Desk, run: Run) -> Json:
    return cards.read(desk.question(run).payload)


def place(ref: Json) -> Path:
    found = Path(product.FILES_FOLDER) / StoredFile.objects.get(id=ref["id"]).place
    found.chmod(0o600)
    return found


# LG-approval-30, LG-approval-33, LG-approval-34, LG-approval-35, LG-approval-37
def test_a_card_names_each_document_and_has_none_of_its_bytes(
    deploy: Callable[..., Desk], demo: Scripted, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.DEBUG)
    desk = deploy(asking(demo), UNITS)
    ref = given(desk, "invoice.txt", INVOICE)
    run = order(desk, invoice=ref, statement=None)
    assert card(desk, run)["exhibits"] == [
        {"channel": "invoice", "label": "Invoice", "id": ref["id"], "name": "invoice.txt", "type": "text/plain",
         "size": len(INVOICE), "sha256": hashlib.sha256(INVOICE).hexdigest(), "readable": True},
    ]  # fmt: skip
    run = desk.answer(run, "approve", values={"quantity": 3})
    assert (run.status, demo.writes()["writes"][0]["body"]["lines"][0]["quantity"]) == ("done", 3), run.error
    told = json.dumps(list(RunEvent.objects.filter(run_id=run.id).values_list("payload", flat=True)))
    for kept in (bytes(Question.objects.get(run=run).payload).decode(), told, caplog.text):
        assert INVOICE.decode() not in kept


def test_a_card_without_documents_says_nothing_of_them(deploy: Callable[..., Desk], demo: Scripted) -> None:
    desk = deploy(asking(demo, exhibits=[]), UNITS)
    payload = bytes(desk.question(order(desk, invoice=given(desk, "invoice.txt", INVOICE))).payload)
    assert b"exhibits" not in payload and b"invoice" not in payload


def test_each_pass_names_its_own_document(deploy: Callable[..., Desk], demo: Scripted) -> None:
    # LG-approval-33
    document = asking(demo, exhibits=["invoice"])
    document["nodes"].append(
        {"id": "bring", "type": "form", "title": "Invoice", "fields": {"paper": {"type": "file"}}, "output": "given"}
    )
    document["nodes"].append({"id": "put", "handler": "put", "description": "Reads 'given', sets 'invoice'."})
    document["state"]["given"] = {"type": "object", "description": "The form."}
    document["edges"] = [
        {"from": "bring", "to": "put"},
        {"from": "put", "to": "place"},
        {"from": "place", "type": "conditional", "router": "routeAgain", "routes": {"again": "bring", "done": "END"},
         "when": {"again": "'quantity' is more than 0", "done": "anything else"},
         "limits": {"again": {"max": 1, "then": "done"}}},
    ]  # fmt: skip
    put = "async def put(state, *, services, settings, env):\n    return {'invoice': state['given']['paper']}\n"
    desk = deploy({**document, "start": "bring"}, {**units(document), "handler:put": put})
    run, named = order(desk), []
    for name, content in (("one.txt", INVOICE), ("two.txt", STATEMENT)):
        run = desk.answer(run, "answer", values={"paper": given(desk, name, content)})
        named += [(one["name"], one["sha256"]) for one in card(desk, run)["exhibits"]]
        run = desk.answer(run, "approve")
    assert run.status == "done", run.error
    assert named == [
        ("one.txt", hashlib.sha256(INVOICE).hexdigest()),
        ("two.txt", hashlib.sha256(STATEMENT).hexdigest()),
    ]


def _written_over(ref: Json) -> None:
    place(ref).write_bytes(b"x" * len(INVOICE))


def _deleted(ref: Json) -> None:
    place(ref).unlink()


def _forgotten(ref: Json) -> None:
    StoredFile.objects.get(id=ref["id"]).delete()


def _replaced(ref: Json) -> None:
    place(ref).write_bytes(STATEMENT)
    StoredFile.objects.filter(id=ref["id"]).update(
        sha256=hashlib.sha256(STATEMENT).hexdigest(), bytes=len(STATEMENT)
    )  # fmt: skip


def _renamed(ref: Json) -> None:
    StoredFile.objects.filter(id=ref["id"]).update(name="other.txt")


def _given_to_another(ref: Json) -> None:
    StoredFile.objects.filter(id=ref["id"]).update(visitor="o" * 64, conversation=None)


CHANGES = [_written_over, _deleted, _forgotten, _replaced, _renamed, _given_to_another]


@pytest.mark.parametrize("change", CHANGES)
def test_a_document_that_changed_after_the_card_was_not_approved(
    deploy: Callable[..., Desk], demo: Scripted, change: Callable[[Json], None]
) -> None:
    # LG-approval-38
    desk = deploy(asking(demo), UNITS)
    ref = given(desk, "invoice.txt", INVOICE)
    run = order(desk, invoice=ref, statement=given(desk, "statement.txt", STATEMENT))
    question = desk.question(run)
    change(ref)
    run = desk.answer(run, "approve")
    assert run.error["code"] == "APPROVAL_MISMATCH" and "Nothing was sent" in run.error["message"]
    assert demo.writes()["writes"] == []
    mismatch = [event for event in desk.events(run.id) if event.type == "approval_mismatch"]
    assert [event.question for event in mismatch] == [str(question.id)]


# LG-approval-39
def test_a_document_that_cannot_be_read_is_listed_and_in_the_digest(
    deploy: Callable[..., Desk], demo: Scripted
) -> None:
    desk, seen = deploy(asking(demo), UNITS), []
    ref = given(desk, "invoice.txt", INVOICE)
    content = place(ref).read_bytes()
    for there in (True, False):
        if not there:
            _written_over(ref)
        run = order(desk, invoice=ref)
        (one,) = card(desk, run)["exhibits"]
        seen.append((one["readable"], one["name"], one["sha256"] == hashlib.sha256(INVOICE).hexdigest()))
        same = {**card(desk, run), "exhibits": [{**one, "readable": not one["readable"]}]}
        assert cards.digest(same) != desk.question(run).digest
        desk.answer(run, "approve")
    assert seen == [(True, "invoice.txt", True), (False, "invoice.txt", True)]
    assert demo.writes()["placed"] == 2
    # One that comes back is another card, too.
    run = order(desk, invoice=ref)
    place(ref).write_bytes(content)
    assert desk.answer(run, "approve").error["code"] == "APPROVAL_MISMATCH"


def test_what_this_run_may_not_read_is_listed_without_an_address(deploy: Callable[..., Desk], demo: Scripted) -> None:
    # LG-approval-39
    desk, other = deploy(asking(demo), UNITS), deploy(asking(demo), UNITS)
    theirs = given(desk, "theirs.txt", INVOICE, REVIEWER.__class__(name="Otto", visitor="o" * 64))
    elsewhere = given(other, "elsewhere.txt", INVOICE)
    wild: Any = {"id": "../x", "name": 7, "bytes": -1, "mediaType": None}
    size = len(INVOICE)
    for ref, name, bytes in ((theirs, "theirs.txt", size), (elsewhere, "elsewhere.txt", size), (wild, "Invoice", 0)):
        (one,) = card(desk, order(desk, invoice=ref))["exhibits"]
        assert (one["name"], one["size"], one["id"], one["sha256"], one["readable"]) == (name, bytes, "", "", False)
        desk.conversation = None
