"""Documents behind an approval: given in the chat, read by who decides, and lost or changed before the decision."""

from __future__ import annotations

import hashlib
from typing import Any

from playwright.sync_api import Locator, Page, expect

from tests.e2e.company import Company, send, settled
from tests.e2e.conftest import PHONE, Pages
from tests.e2e.looks import looks
from tests.e2e.test_files import attached
from tests.runtime.services.documents.made import pdf
from tests.support.pictures import png

PHOTO = png(320, 180)
PAPER = pdf("Delivery note 10835", "Twelve jars of heather honey")
LONG = "הזמנה של לקוח חשוב מאוד מתאריך שלושים בנובמבר " + "with-a-very-long-name-" * 3 + "end.pdf"
ASK = "Book this delivery?"
DELIVERY: dict[str, Any] = {
    "version": "0.33",
    "name": "Deliveries",
    "description": "Books what came.",
    "conversation": True,
    "inputs": ["question", "paper", "photo"],
    "outputs": ["answer"],
    "start": "book",
    "state": {
        "question": {"type": "string", "description": "What the person asks."},
        "paper": {"type": "file", "accept": ".pdf", "description": "The delivery note."},
        "photo": {"type": "file", "accept": "image/*", "description": "The goods."},
        "answer": {"type": "string", "description": "The reply."},
    },
    "nodes": [
        {
            "id": "book",
            "type": "llm",
            "prompt": "Book: {{question}}",
            "output": "answer",
            "approval": {"ask": ASK, "show": ["question"], "why": "question", "exhibits": ["paper", "photo"]},
        },
    ],
    "edges": [{"from": "book", "to": "END"}],
}


def deliver(company: Company, page: Page, words: str, paper: str = "note.pdf") -> None:
    """Send a message with a delivery note and a picture of the goods."""
    attached(page, "paper").locator("input").set_input_files(
        {"name": paper, "mimeType": "application/pdf", "buffer": PAPER}
    )
    attached(page, "photo").locator("input").set_input_files(
        {"name": "goods.png", "mimeType": "image/png", "buffer": PHOTO}
    )
    expect(attached(page, "paper").get_by_text("PDF · ")).to_be_visible()
    expect(attached(page, "photo").get_by_text("PNG · ")).to_be_visible()
    send(page, words)
    expect(page.locator(".chat").get_by_text(words).first).to_be_visible()


def document(page: Page, label: str) -> Locator:
    """The row of one document on the card that is open."""
    return page.locator(".exhibit").filter(has=page.locator(".exhibit-label", has_text=label))


def says(row: Locator, *words: str) -> None:
    for each in words:
        expect(row).to_contain_text(each)


def lose(company: Company, content: bytes, instead: str = "") -> None:
    """The stored bytes of a document go, or others stand in their place."""
    company.stack.call(
        "tests.e2e.inside:lose", workspace=company.workspace, sha256=hashlib.sha256(content).hexdigest(),
        instead=instead,
    )  # fmt: skip


# LG-approval-31, LG-approval-33, LG-approval-34, LG-approval-35, LG-approval-36, LG-approval-38, LG-approval-40
def test_who_decides_reads_the_documents_and_hears_when_one_is_lost(company: Company, pages: Pages) -> None:
    # The browser's own page of a picture wants a style that no file is given.
    pages.expect("Applying inline style.*/files/")
    company.says("Book", "It is booked.")
    agent = company.deploy(document=DELIVERY, deciders="reviewers")
    page = company.page("member", agent["path"])
    deliver(company, page, "Twelve jars came")
    # Who cannot decide sees that it waits, and no document of the card.
    expect(page.get_by_text("Waiting for")).not_to_have_count(0)
    expect(page.locator(".exhibit")).to_have_count(0)

    inbox = company.page("reviewer", "/inbox")
    inbox.get_by_text(ASK).first.click()
    paper, photo = document(inbox, "Paper"), document(inbox, "Photo")
    says(paper, "note.pdf", "PDF", "application/pdf", hashlib.sha256(PAPER).hexdigest())
    says(photo, "goods.png", "PNG", "image/png", hashlib.sha256(PHOTO).hexdigest())
    looks(inbox, "exhibits-inbox")
    # A document is opened before the account is read: they stand in this order, each a part of its own.
    parts = inbox.locator(".case .part").evaluate_all("parts => parts.map(each => each.className)")
    assert parts == ["part figures", "part exhibits", "part why"]
    with inbox.expect_popup() as opened:
        photo.get_by_role("link", name="Open goods.png").click()
    expect(opened.value.locator("img")).to_have_js_property("naturalWidth", 320)
    opened.value.close()
    with inbox.expect_download() as saved:
        paper.get_by_role("link", name="Download note.pdf").click()
    assert saved.value.path().read_bytes() == PAPER
    inbox.get_by_role("button", name="Approve", exact=True).click()
    expect(page.locator(".msg.agent").get_by_text("It is booked.")).to_be_visible()
    settled(page)
    asked = len(company.stack.demo.requests())

    # A message without a picture: a card that lists what is there, and no empty row.
    attached(page, "paper").locator("input").set_input_files(
        {"name": "second.pdf", "mimeType": "application/pdf", "buffer": PAPER}
    )
    expect(attached(page, "paper").get_by_text("PDF · ")).to_be_visible()
    send(page, "Six more came")
    inbox.get_by_role("button", name=ASK).first.click()
    expect(inbox.locator(".exhibit")).to_have_count(1)
    says(document(inbox, "Paper"), "second.pdf")
    # While the card is read, other bytes come to stand in the document's place.
    lose(company, PAPER, "x" * len(PAPER))
    inbox.evaluate("dispatchEvent(new Event('focus'))")
    says(document(inbox, "Paper"), "second.pdf", "Approving now sends nothing", hashlib.sha256(PAPER).hexdigest())
    expect(document(inbox, "Paper").get_by_role("link")).to_have_count(0)
    looks(inbox, "exhibits-lost")
    inbox.get_by_role("button", name="Approve", exact=True).click()
    expect(page.locator(".chat-log").get_by_text("Nothing was sent")).to_be_visible()
    assert len(company.stack.demo.requests()) == asked


# LG-approval-31, LG-approval-40
def test_who_chats_and_decides_sees_the_documents_in_the_chat(company: Company, pages: Pages) -> None:
    pages.expect("Applying inline style.*/files/")
    agent = company.deploy(document=DELIVERY)
    page = company.page("member", agent["path"])
    deliver(company, page, "Twelve jars came", LONG)
    says(document(page, "Paper"), LONG, hashlib.sha256(PAPER).hexdigest())
    looks(page, "exhibits-chat")
    # A page that is read from the right turns the card, and no digest with it.
    page.evaluate("document.documentElement.dir = 'rtl'")
    looks(page, "exhibits-chat-rtl", widths=(390,))
    page.evaluate("document.documentElement.dir = 'ltr'")
    lose(company, PHOTO)
    # The press that would open it says so too.
    page.set_viewport_size(PHONE)
    with page.expect_popup() as opened:
        document(page, "Photo").get_by_role("link", name="Open goods.png").click()
    opened.value.close()
    says(document(page, "Photo"), "goods.png", "Approving now sends nothing")
    expect(document(page, "Paper").get_by_role("link")).to_have_count(1)
    looks(page, "exhibits-chat-lost")
