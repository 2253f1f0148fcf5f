"""Files in the chat: chosen, pasted and dropped, refused in words, taken back, sent with a message, and shown again."""

from __future__ import annotations

import base64
from typing import Any

from playwright.sync_api import Page, expect

from tests.e2e.company import Company, box, fits, send, settled
from tests.e2e.looks import looks
from tests.support.pictures import png

PICTURE = png(320, 180)
DESK: dict[str, Any] = {
    "version": "0.33",
    "name": "Goods desk",
    "description": "Looks at goods and papers.",
    "conversation": True,
    "inputs": ["question", "photo", "paper"],
    "outputs": ["answer", "photo", "paper"],
    "start": "load",
    "state": {
        "question": {"type": "string", "description": "What the person asks."},
        "photo": {"type": "file", "accept": "image/*", "description": "The goods."},
        "paper": {"type": "file", "accept": ".txt,.pdf", "description": "The order."},
        "doc": {"type": "object", "remembers": True, "description": "The order as text."},
        "answer": {"type": "string", "description": "The reply."},
    },
    "nodes": [
        {"id": "load", "type": "read", "from": ["{{paper}}"], "output": "doc"},
        {"id": "reply", "type": "llm", "prompt": "Answer: {{question}}\n\n{{doc.text}}", "output": "answer"},
    ],
    "edges": [{"from": "load", "to": "reply"}, {"from": "reply", "to": "END"}],
}
BRING = """({ kind, name, type, base64 }) => {
  const bytes = Uint8Array.from(atob(base64), (letter) => letter.charCodeAt(0));
  const brought = new DataTransfer();
  brought.items.add(new File([bytes], name, { type }));
  const how = { bubbles: true, cancelable: true };
  if (kind === "paste") {
    document.activeElement.dispatchEvent(new ClipboardEvent("paste", { ...how, clipboardData: brought }));
  } else {
    document.querySelector("main").dispatchEvent(new DragEvent(kind, { ...how, dataTransfer: brought }));
  }
}"""


def bring(page: Page, kind: str, name: str, content: bytes, type: str) -> None:
    """A paste into the box, or a file over the page ("dragover") or let go there ("drop")."""
    body = base64.b64encode(content).decode()
    page.evaluate(BRING, {"kind": kind, "name": name, "type": type, "base64": body})


def attached(page: Page, input: str) -> Any:
    return page.locator(f'.attachments [data-input="{input}"]')


# LG-files-03
def test_files_go_with_a_message_and_come_back(company: Company) -> None:
    company.says("crate", "I see the crate.")
    page = company.page("member", company.deploy(document=DESK)["path"])
    photo, paper = attached(page, "photo"), attached(page, "paper")
    expect(page.get_by_role("button", name="Attach a file: Photo")).to_be_visible()
    looks(page, "files-empty")

    # What is not a picture is refused beside its place, and what the flow takes nowhere beside the box.
    photo.locator("input").set_input_files({"name": "a.png", "mimeType": "image/png", "buffer": b"<svg onload=x()>"})
    expect(photo.get_by_role("alert")).to_contain_text('"a.png" is something else')
    bring(page, "drop", "a.zip", b"PK", "application/zip")
    expect(page.locator(".composer-nudge")).to_have_text("a.zip is none of the files that this agent takes.")

    # Pasted into the box: it goes where it fits.
    box(page).focus()
    bring(page, "paste", "goods.png", PICTURE, "image/png")
    expect(photo.get_by_text("PNG · ")).to_be_visible()
    expect(photo.get_by_role("alert")).to_have_count(0)
    expect(photo.locator("img")).to_have_js_property("naturalWidth", 320)

    # Dropped anywhere, with a name that is long and written from the right.
    name = "הזמנה של לקוח חשוב מאוד מתאריך שלושים בנובמבר.txt"
    bring(page, "dragover", name, b"x", "text/plain")
    expect(page.locator(".chat-drop")).to_be_visible()
    bring(page, "drop", name, b"One crate of honey.", "text/plain")
    expect(page.locator(".chat-drop")).to_have_count(0)
    expect(paper.get_by_text(name)).to_be_visible()
    looks(page, "files-given")

    # Taken back and given again by the keyboard; a refresh loses nothing.
    paper.get_by_role("button", name=f"Remove {name}").click()
    expect(page.get_by_role("button", name="Attach a file: Paper")).to_be_visible()
    with page.expect_file_chooser() as chooser:
        page.get_by_role("button", name="Attach a file: Paper").press("Enter")
    chooser.value.set_files({"name": "order.txt", "mimeType": "text/plain", "buffer": b"One crate of honey."})
    expect(paper.get_by_text("TXT · 19 bytes")).to_be_visible()
    box(page).fill("Where is the crate?")
    page.reload()
    expect(paper.get_by_text("order.txt")).to_be_visible()
    page.get_by_role("button", name="Send").click()
    settled(page)

    # The message shows what it brought, and the answer what came of it.
    mine, answers = page.locator(".msg.user"), page.locator(".msg.agent")
    expect(mine.locator("img")).to_have_js_property("naturalWidth", 320)
    expect(answers.filter(has_text="I see the crate.")).to_be_visible()
    expect(answers.locator("img")).to_have_js_property("naturalWidth", 320)
    expect(answers.locator(".file-document")).to_contain_text("order.txt")
    expect(answers.locator(".file-document")).to_contain_text("TXT · 19 bytes")
    with page.expect_download() as saved:
        answers.get_by_role("link", name="Download order.txt").click()
    assert saved.value.path().read_bytes() == b"One crate of honey."
    assert "One crate of honey." in str(company.stack.demo.requests()[-1])
    expect(page.get_by_role("button", name="Attach a file: Photo")).to_be_visible()
    looks(page, "files-shown")
    fits(page)


CLAIM: dict[str, Any] = {
    "version": "0.33",
    "name": "Claims",
    "description": "Takes a claim with its photo.",
    "conversation": True,
    "inputs": ["question"],
    "outputs": ["answer"],
    "start": "details",
    "state": {
        "question": {"type": "string", "description": "What the person asks."},
        "claim": {"type": "object", "description": "What the form holds."},
        "answer": {"type": "string", "description": "The reply."},
    },
    "nodes": [
        {
            "id": "details",
            "type": "form",
            "title": "What is broken?",
            "output": "claim",
            "fields": {
                "photo": {"type": "file", "accept": "image/*", "required": True, "description": "As you found it."},
                "receipt": {"type": "file", "label": "Receipt"},
            },
        },
        {
            "id": "reply",
            "type": "llm",
            "prompt": "Answer: {{question}}",
            "output": "answer",
            "approval": {"ask": "Take this claim?", "show": ["claim"]},
        },
    ],
    "edges": [{"from": "details", "to": "reply"}, {"from": "reply", "to": "END"}],
}


# LG-forms-02, LG-forms-03
def test_a_form_asks_for_a_file_and_who_decides_looks_at_it(company: Company) -> None:
    company.says("crate", "Taken.")
    agent = company.deploy(document=CLAIM, deciders="reviewers")
    page = company.page("member", agent["path"])
    send(page, "My crate is broken")
    form = page.locator(".form-card")
    photo, receipt = form.locator('[data-path="photo"]'), form.locator('[data-path="receipt"]')
    form.get_by_role("button", name="Submit").click()
    expect(photo.locator(".error")).to_have_text('Choose a file for "Photo".')
    receipt.locator("input").set_input_files({"name": "r.pdf", "mimeType": "application/pdf", "buffer": PICTURE})
    expect(receipt.get_by_role("alert")).to_contain_text("its name or type says application/pdf")
    looks(page, "files-form")
    photo.locator("input").set_input_files({"name": "crate.png", "mimeType": "image/png", "buffer": PICTURE})
    receipt.locator("input").set_input_files({"name": "r.html", "mimeType": "text/html", "buffer": b"<script>x()"})
    expect(photo.locator("img")).to_have_js_property("naturalWidth", 320)
    expect(receipt.get_by_text("HTML · 11 bytes")).to_be_visible()
    page.reload()
    expect(photo.locator("img")).to_have_js_property("naturalWidth", 320)
    looks(page, "files-form-given")
    form.get_by_role("button", name="Submit").click()
    expect(page.locator(".form-closed img")).to_have_js_property("naturalWidth", 320)

    inbox = company.page("reviewer", "/inbox")
    inbox.get_by_text("Take this claim?").first.click()
    expect(inbox.locator(".inbox-row small")).to_contain_text("Claims · crate.png · r.html")
    card = inbox.locator(".case")
    expect(card.locator(".file-picture img")).to_have_js_property("naturalWidth", 320)
    with inbox.expect_download() as saved:
        card.get_by_role("link", name="Download r.html").click()
    assert saved.value.path().read_bytes() == b"<script>x()"
    looks(inbox, "files-decided")
