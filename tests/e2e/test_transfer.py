"""Flows in and out in the browser: a zip and a folder are looked at first, and what is missing is listed with links."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from studio.transfer.archive import pack, unpack
from tests.e2e.company import ECHO, Company
from tests.e2e.looks import looks

Files = dict[str, str]


@pytest.fixture
def project() -> Files:
    """A flow with a secret, a test, and something that no flow reads."""
    document = {**ECHO, "name": "Answer desk", "requires": {"env": ["OFFICE_KEY"]}}
    test = {
        "flow": "../flow.json",
        "tests": [{"name": "Answers", "input": {"question": "Hi?"}, "mock": {"nodes": {"reply": "Yes."}}}],
    }
    return {
        "flow.json": json.dumps(document, indent=2),
        "tests/first.test.json": json.dumps(test, indent=2),
        "notes.md": "Call Ann.",
        ".env": "OFFICE_KEY=canary-77",
    }


def choose(page: Page, *, file: Path | None = None, folder: Path | None = None) -> None:
    page.get_by_role("button", name="Import").first.click()
    dialog = page.get_by_role("dialog", name="Import flows")
    expect(dialog).to_be_visible()
    if file is not None:
        dialog.locator("input[name=file]").set_input_files(file)
    else:
        dialog.locator("input[data-folder]").set_input_files(folder)


def test_a_zip_is_looked_at_and_imported(company: Company, project: Files, tmp_path: Path) -> None:
    (tmp_path / "desk.zip").write_bytes(pack(project))
    page = company.page("owner", "/flows", reduced_motion="reduce")
    page.get_by_role("button", name="Import").first.click()
    looks(page, "import-dialog", whole=False)
    page.keyboard.press("Escape")
    choose(page, file=tmp_path / "desk.zip")
    expect(page.get_by_role("heading", name="Import Answer desk")).to_be_visible()
    expect(page.get_by_text("2 files are left out")).to_be_visible()
    looks(page, "import-new")
    page.get_by_role("button", name="Import").click()
    expect(page.get_by_role("heading", name="What Answer desk needs here")).to_be_visible()
    expect(page.get_by_text("OFFICE_KEY", exact=True)).to_be_visible()
    looks(page, "needs")
    page.get_by_role("link", name="Set it : OFFICE_KEY").click()
    expect(page.get_by_role("heading", name="Publish Answer desk")).to_be_visible()
    page.goto("/flows")
    page.get_by_label("More for Answer desk").click()
    with page.expect_download() as download:
        page.get_by_role("link", name="Download as zip").click()
    files = unpack(Path(download.value.path()).read_bytes(), "x").files
    assert set(files) == {"flow.json", "tests/first.test.json", "manifest.json", ".env.example"}
    assert "canary-77" not in "".join(files.values())


def test_a_folder_updates_what_is_here_or_makes_a_copy(company: Company, project: Files, tmp_path: Path) -> None:
    for path, words in project.items():
        file = tmp_path / "desk" / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(words, encoding="utf-8")
    page = company.page("builder", "/flows", reduced_motion="reduce")
    choose(page, folder=tmp_path / "desk")
    expect(page.get_by_role("heading", name="Import Answer desk")).to_be_visible()
    page.get_by_role("button", name="Import").click()
    expect(page.get_by_role("heading", name="What Answer desk needs here")).to_be_visible()
    page.get_by_role("link", name="Open the flow").click()
    text = page.evaluate("fetch(location.pathname + '/flow.json').then((reply) => reply.text())")
    (tmp_path / "desk" / "flow.json").write_text(text.replace("Answer desk", "Front desk"), encoding="utf-8")
    page.goto("/flows")
    choose(page, folder=tmp_path / "desk")
    expect(page.get_by_role("radio", name="Update what is here")).to_be_checked()
    expect(page.get_by_text('"name" of the flow changed')).to_be_visible()
    looks(page, "import-known")
    page.get_by_role("button", name="Import").click()
    expect(page.get_by_text("Front desk is updated.")).to_be_visible()
    page.goto("/flows")
    expect(page.get_by_role("link", name="Front desk")).to_be_visible()
    expect(page.get_by_role("link", name="Answer desk")).to_have_count(0)
    choose(page, folder=tmp_path / "desk")
    page.get_by_role("radio", name="Make a copy").check()
    page.get_by_role("button", name="Import").click()
    page.goto("/flows")
    expect(page.get_by_role("link", name="Front desk 2")).to_be_visible()


def test_what_cannot_be_imported_is_said(company: Company, tmp_path: Path) -> None:
    (tmp_path / "rubbish.zip").write_bytes(b"PK\x03\x04rubbish")
    (tmp_path / "empty").mkdir()
    (tmp_path / "empty" / "notes.txt").write_text("x")
    page = company.page("builder", "/flows")
    choose(page, file=tmp_path / "rubbish.zip")
    expect(page.get_by_text("This zip cannot be read.")).to_be_visible()
    choose(page, folder=tmp_path / "empty")
    expect(page.get_by_text("There is no flow.json in it")).to_be_visible()


def test_files_beside_a_flow_are_made_mended_and_removed(company: Company) -> None:
    made = company.echo()
    page = company.page("builder", f"/flows/{made['flow']}", reduced_motion="reduce")
    page.get_by_role("button", name="Settings of the flow").click()
    beside = page.get_by_role("navigation", name="Beside the flow")
    expect(beside.get_by_role("link", name="Download as zip")).to_be_visible()
    beside.get_by_role("link", name="Files").click()
    expect(page.get_by_role("heading", name="No files yet")).to_be_visible()
    looks(page, "files-empty")
    page.get_by_role("button", name="New file").click()
    looks(page, "files-new", whole=False)
    page.get_by_label("Path", exact=True).fill("triggers.json")
    page.get_by_role("button", name="Create").click()
    expect(page.get_by_role("heading", name="triggers.json")).to_be_visible()
    page.locator(".cm-content").click()
    page.keyboard.press("ControlOrMeta+a")
    page.keyboard.press("Delete")
    page.keyboard.insert_text(
        json.dumps({"flow": "flow.json", "triggers": [{"id": "daily", "type": "schedul"}]}, indent=2)
    )
    page.keyboard.press("ControlOrMeta+s")
    expect(page.get_by_text("Saved, with 1 problem.")).to_be_visible()
    expect(page.get_by_text('Did you mean "schedule"?')).to_be_visible()
    looks(page, "file-wrong")
    page.get_by_role("link", name="Files").click()
    expect(page.get_by_role("link", name="triggers.json")).to_be_visible()
    looks(page, "files")
    page.get_by_role("link", name="triggers.json").click()
    expect(page.locator(".cm-content")).to_be_visible()
    page.get_by_role("button", name="Remove").click()
    page.get_by_role("dialog").get_by_role("button", name="Remove").click()
    expect(page.get_by_role("heading", name="No files yet")).to_be_visible()
