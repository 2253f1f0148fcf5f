"""Importing and exporting over the pages: looked at first, decided on, and said what is missing."""

from __future__ import annotations

import base64
import json
from collections.abc import Callable
from typing import Any

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client

from flows import store
from flows.models import Flow, Workspace
from runtime.models import Deployment, ModelChoice, ModelEntry, Secret
from studio.models import Parcel
from studio.transfer.archive import pack, unpack
from tests.studio.transfer.conftest import text

Json = Any
Files = dict[str, str]


@pytest.fixture
def ann(workspace: Workspace, member_client: Callable[..., Client]) -> Client:
    return member_client("builder", "Ann")


def upload(client: Client, name: str, raw: bytes) -> Any:
    return client.post("/flows/import", {"file": SimpleUploadedFile(name, raw)})


def said(client: Client, address: str) -> str:
    return client.get(address).content.decode()


def test_a_zip_is_looked_at_before_anything_is_made(ann: Client, project: Files) -> None:
    reply = upload(ann, "desk.zip", pack({**project, "notes.txt": "…", ".env": "KEY=1"}))
    page = said(ann, reply["Location"])
    assert "Import Desk" in page
    assert "2 flows" in page
    assert "2 steps · code · layout · triggers · agents · 1 file of tests · 1 file of evals" in page
    assert "2 files are left out" in page
    assert "Secrets are never imported." in page
    assert not Flow.objects.exists()
    done = ann.post(reply["Location"])
    top = Flow.objects.get(path="desk")
    assert done["Location"] == f"/flows/{top.pk}/needs"
    assert "Desk is imported." in said(ann, done["Location"])
    assert not Parcel.objects.exists()
    assert ann.get(reply["Location"]).status_code == 404


def test_a_folder_is_sent_file_by_file(ann: Client, project: Files) -> None:
    files = [
        {"path": f"office/{path}", "base64": base64.b64encode(words.encode()).decode()}
        for path, words in project.items()
    ]
    files += [{"path": "office/large.json", "base64": None}, {"path": "office/.git/x.json", "base64": None}]
    files += [{"path": "office/.env.example", "base64": None}]
    reply = ann.post("/api/imports", json.dumps({"name": "office", "files": files}), content_type="application/json")
    page = said(ann, reply.json()["url"])
    assert "1 file is left out" in page
    assert "large.json" in page
    assert ".env.example" not in page
    ann.post(reply.json()["url"])
    assert set(Flow.objects.values_list("path", flat=True)) == {"office", "office/find"}


@pytest.mark.parametrize(
    ("body", "code"),
    [
        ({"name": "x", "files": []}, "IMPORT_EMPTY"), ({"name": "x", "files": [{"path": "a.json"}]}, "INVALID"),
        ({"name": "x", "files": [{"path": "flow.json", "base64": "%"}]}, "NOT_BASE64"), ({"name": "x"}, "INVALID"),
        ({"name": "x", "files": [{"path": f"{n}.json", "base64": ""} for n in range(2001)]}, "IMPORT_TOO_MANY"),
        ({"name": "x", "files": [{"path": "../flow.json", "base64": "e30="}]}, "IMPORT_EMPTY"),
    ],
)  # fmt: skip
def test_a_folder_that_cannot_be_taken_is_refused_in_words(ann: Client, body: Json, code: str) -> None:
    reply = ann.post("/api/imports", json.dumps(body), content_type="application/json")
    assert (reply.status_code < 500, reply.json()["code"]) == (True, code)
    assert reply.json()["message"]


def test_a_flow_that_is_known_is_updated_or_copied(ann: Client) -> None:
    flow = store.create("Desk")
    newer = flow.draft.replace("Answers questions.", "Answers everything.")
    address = upload(ann, "flow.json", newer.encode())["Location"]
    page = said(ann, address)
    assert "Update what is here" in page
    assert f'name="seen:{flow.pk}" value="1"' in page
    done = ann.post(address, {"how": "copy"})
    copy = Flow.objects.exclude(pk=flow.pk).get()
    assert (copy.name, Flow.objects.get(pk=flow.pk).draft) == ("Desk 2", flow.draft)
    assert str(copy.pk) in done["Location"]
    address = upload(ann, "flow.json", newer.encode())["Location"]
    ann.post(address, {"how": "update", f"seen:{flow.pk}": "1"})
    assert (Flow.objects.get(pk=flow.pk).draft, Flow.objects.count()) == (newer, 2)


def test_a_flow_that_changed_meanwhile_is_not_overwritten(ann: Client) -> None:
    flow = store.create("Desk")
    address = upload(ann, "flow.json", flow.draft.replace("Answers", "Says").encode())["Location"]
    theirs = store.save_draft(flow, flow.draft + "\n", 1).draft
    reply = ann.post(address, {"how": "update", f"seen:{flow.pk}": "1"})
    assert reply.status_code == 409
    assert "was changed after you looked at this import" in reply.content.decode()
    assert Flow.objects.get(pk=flow.pk).draft == theirs
    assert Parcel.objects.exists(), "The import is still there to be decided on."


def test_one_unknown_flow_is_imported_at_once_broken_or_not(ann: Client) -> None:
    # LG-export-01
    reply = ann.post("/flows/import", {"text": '{ "version": '})
    flow = Flow.objects.get()
    assert (reply["Location"], flow.draft) == (f"/flows/{flow.pk}", '{ "version": ')


@pytest.mark.parametrize(
    ("raw", "words"),
    [
        (b"\xff\xfe{}", "no text in UTF-8"), (b"  ", "nothing in it"), (b"{" + b" " * 1_000_001, "at most 1 MB"),
        (b'"\x00"', "no text in UTF-8"), (b"PK\x03\x04rubbish", "This zip cannot be read"),
        (pack({"readme.md": "x"}), "no flow.json in it"), (b"PK" + b" " * 20_000_000, "more than 20 MB altogether"),
    ],
)  # fmt: skip
def test_what_cannot_be_taken_is_said(ann: Client, raw: bytes, words: str) -> None:
    reply = upload(ann, "x.json", raw)
    assert reply["Location"] == "/flows"
    assert words in said(ann, "/flows")
    assert not Flow.objects.exists()


def test_nobody_sees_what_somebody_else_sent(ann: Client, project: Files, member_client: Callable[..., Client]) -> None:
    address = upload(ann, "desk.zip", pack(project))["Location"]
    assert member_client("builder", "Ben").get(address).status_code == 404
    assert member_client("operator", "Olga").get(address).status_code == 403
    ann.post(address, {"act": "drop"})
    assert not Parcel.objects.exists()


def test_only_the_last_few_imports_wait(ann: Client, project: Files) -> None:
    first = upload(ann, "desk.zip", pack(project))["Location"]
    for _ in range(5):
        last = upload(ann, "desk.zip", pack(project))["Location"]
    assert Parcel.objects.count() == 5
    assert (ann.get(first).status_code, ann.get(last).status_code) == (404, 200)


def test_a_flow_is_downloaded_whole(ann: Client, project: Files) -> None:
    address = upload(ann, "desk.zip", pack(project))["Location"]
    ann.post(address)
    reply = ann.get(f"/flows/{Flow.objects.get(path='desk').pk}/export.zip")
    assert reply["Content-Type"] == "application/zip"
    assert 'filename="desk.zip"' in reply["Content-Disposition"]
    assert set(unpack(reply.content, "desk").files) == {*project, "manifest.json", ".env.example"}


def test_what_is_missing_is_listed_with_links(
    ann: Client, project: Files, member_client: Callable[..., Client]
) -> None:
    # LG-export-06
    ann.post(upload(ann, "desk.zip", pack(project))["Location"])
    flow = Flow.objects.get(path="desk")
    owner = member_client("owner", "Olive")
    page = said(owner, f"/flows/{flow.pk}/needs")
    for part in ("A model that answers", 'href="/settings/models"', "OFFICE_KEY", f'href="/flows/{flow.pk}/publish"'):
        assert part in page
    assert 'href="/settings/models"' not in said(ann, f"/flows/{flow.pk}/needs"), "A builder may not choose models."
    entry = ModelEntry.objects.create(name="Some", base_url="http://127.0.0.1:9/v1", model="m")
    ModelChoice.objects.create(purpose="answers", entry=entry)
    agent = Deployment.objects.create(flow=flow, slug="desk", name="Desk")
    Secret.objects.create(deployment=agent, name="OFFICE_KEY", cipher=b"x", hosts=[])
    find = Flow.objects.get(path="desk/find")
    assert "Everything that this flow needs is here." in said(owner, f"/flows/{find.pk}/needs")
    assert "A value is kept." in said(owner, f"/flows/{flow.pk}/needs")


def test_a_system_flow_has_no_delete_and_is_not_deleted(ann: Client) -> None:  # LG-conversation-03, LG-conversation-04
    document = json.loads(store.create("Desk").draft)
    kept = store.import_flow(text({**document, "id": None, "kind": "system", "name": "Kept"}))
    page = said(ann, "/flows")
    assert f"/flows/{kept.pk}/delete" not in page
    assert page.count("/delete") == 1
    assert ann.post(f"/flows/{kept.pk}/delete").status_code == 403
    assert Flow.objects.get(pk=kept.pk).deleted_at is None
