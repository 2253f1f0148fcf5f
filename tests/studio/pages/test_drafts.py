"""Drafts: importing, saving with a revision, checking, copying, deleting with undo. Nothing typed is ever lost."""

from __future__ import annotations

import json
from typing import Any

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext

from flows import store
from flows.check import examine
from flows.models import Flow, Workspace
from runtime.models import Deployment
from studio import drafts
from studio.examples import examples
from tests.studio.pages.conftest import Clients

BROKEN = {
    "not json": b"{ nearly",
    "empty object": b"{}",
    "a list": b"[1, 2]",
    "a number": b"7",
    "duplicate keys": b'{"version": "0.33", "nodes": [], "nodes": []}',
    "NaN": b'{"version": NaN}',
    "too deep": b'{"a":' * 80 + b"1" + b"}" * 80,
    "lone surrogate": b'{"name": "\\ud800"}',
    "huge number": b'{"version": 123456789012345678901234567890}',
    "unknown words": b'{"version": "0.33", "start": "x", "nodes": [{"id": "x", "type": "wizard"}], "spells": []}',
    "unknown version": b'{"version": "7.7", "start": "x", "nodes": []}',
    "dangling edges": b'{"version": "0.33", "start": "x", "nodes": [], "edges": [{"from": "a", "to": "b"}]}',
    "wrong types": b'{"version": 33, "start": [], "nodes": {}, "edges": "none", "state": 7}',
    "html": b"<html><script>alert(1)</script></html>",
}


def upload(client: Client, raw: bytes, name: str = "flow.json"):
    return client.post("/flows/import", {"file": SimpleUploadedFile(name, raw, "application/json")})


@pytest.mark.parametrize("kind", BROKEN)
def test_a_broken_file_is_kept_with_all_its_problems_shown(
    kind: str, workspace: Workspace, member_client: Clients
) -> None:
    client = member_client("builder")
    reply = upload(client, BROKEN[kind], f"{kind}.json")
    assert reply.status_code == 302
    flow = Flow.objects.get()
    page = client.get(reply["Location"])
    assert page.status_code == 200
    words = page.content.decode()
    problems = drafts.checked(flow.draft).problems
    assert problems
    boot = json.loads(words.split('id="boot"', 1)[1].split(">", 1)[1].split("</script>", 1)[0])
    assert [problem["message"] for problem in boot["problems"]] == [problem.message for problem in problems]
    assert boot["text"] == flow.draft
    assert "<script>alert(1)" not in words
    # Its text is what was sent: an object may get its id, and nothing else changes.
    assert flow.draft == BROKEN[kind].decode() or json.loads(flow.draft)["id"] == str(flow.pk)


@pytest.mark.parametrize("raw", [b"", b"   \n", b"\xff\xfe\x00bad", b'{"a": "\x00"}', b" " * 1_000_001])
def test_what_cannot_be_kept_is_refused_in_words(raw: bytes, workspace: Workspace, member_client: Clients) -> None:
    client = member_client("builder")
    assert upload(client, raw)["Location"] == "/flows"
    assert "toast-bad" in client.get("/flows").content.decode()
    assert not Flow.objects.exists()


def test_a_good_file_keeps_its_name_and_may_be_pasted(workspace: Workspace, member_client: Clients) -> None:
    # LG-identity-02, LG-identity-04, LG-identity-05: the name is its own, the second copy has an id of its own.
    client = member_client("builder")
    text = drafts.written(store.blank(__import__("uuid").uuid4(), "Greeter"))
    client.post("/flows/import", {"text": text})
    asked = client.post("/flows/import", {"text": text})["Location"]
    assert Flow.objects.count() == 1
    client.post(asked, {"how": "copy"})
    first, second = Flow.objects.order_by("created_at")
    assert (first.name, second.name) == ("Greeter", "Greeter 2")
    assert first.pk != second.pk
    assert drafts.checked(first.draft).ok
    listed = client.get("/flows").content.decode()
    assert (listed.count(">Greeter<"), listed.count(">Greeter 2<")) == (1, 1)


def test_a_new_flow_runs_as_it_is(workspace: Workspace, member_client: Clients) -> None:
    reply = member_client("builder").post("/flows/new", {"name": "Greeter"})
    flow = Flow.objects.get(pk=reply["Location"].rsplit("/", 1)[1])
    assert drafts.checked(flow.draft).problems == []


def test_every_example_starts_without_problems_and_with_its_code(workspace: Workspace, member_client: Clients) -> None:
    client = member_client("builder")
    from studio.publishing import readiness

    assert len(examples()) >= 3
    for example in examples():
        reply = client.post("/flows/example", {"name": example.name})
        flow = Flow.objects.get(pk=reply["Location"].rsplit("/", 1)[1])
        assert readiness(flow).ready, example.name
        assert Deployment.objects.get(flow=flow, workbench=True).version is None
        # Started again, it is another flow with another name.
        again = client.post("/flows/example", {"name": example.name})
        assert Flow.objects.get(pk=again["Location"].rsplit("/", 1)[1]).name != flow.name
    assert client.post("/flows/example", {"name": "../../etc"}).status_code == 404


def save(client: Client, flow: Flow, text: str, revision: int):
    body = json.dumps({"text": text, "revision": revision})
    return client.put(f"/api/flows/{flow.pk}/draft", body, content_type="application/json")


def test_a_save_names_the_revision_it_began_from(flow: Flow, member_client: Clients) -> None:
    ann, bob = member_client("builder", "Ann"), member_client("builder", "Bob")
    assert save(ann, flow, "{ half", 1).json()["revision"] == 2
    lost = save(bob, flow, "{ other", 1)
    assert lost.status_code == 409
    assert (lost.json()["code"], lost.json()["text"], lost.json()["by"]) == ("DRAFT_CHANGED", "{ half", "Ann")
    assert save(bob, flow, "{ other", 2).json()["revision"] == 3
    flow.refresh_from_db()
    assert flow.draft == "{ other"


def test_a_save_answers_with_problems_and_units(flow: Flow, member_client: Clients) -> None:
    client = member_client("builder")
    document = json.loads(flow.draft)
    document["nodes"][0]["typ"] = "x"
    answer = save(client, flow, json.dumps(document), 1).json()
    assert any(problem["path"].startswith("nodes[0]") for problem in answer["problems"])
    assert {unit["state"] for unit in answer["units"]} == {"current"}
    assert any(unit["origin"] == "regular" for unit in answer["units"])
    same = client.get(f"/api/flows/{flow.pk}/draft").json()
    assert same["problems"] == answer["problems"]


@pytest.mark.parametrize(
    ("body", "status", "code"),
    [
        (b'{"text": "a", "text": "b", "revision": 1}', 400, "JSON_DUPLICATE_KEY"),
        (b'{"text": NaN, "revision": 1}', 400, "JSON_NOT_A_NUMBER"),
        (b'{"text": "\\ud800", "revision": 1}', 400, "JSON_SURROGATE"),
        (b"[" * 100 + b"]" * 100, 400, "JSON_TOO_DEEP"),
        (b"nonsense", 400, "JSON_INVALID"),
        (b'{"text": "a"}', 422, "INVALID"),
        (b'{"text": 7, "revision": 1}', 422, "INVALID"),
        (b'{"text": "a", "revision": "1"}', 422, "INVALID"),
        (b'{"text": "a", "revision": 1, "more": 1}', 422, "INVALID"),
        (b'{"text": "a", "revision": -1}', 422, "INVALID"),
        (b'[1]', 422, "INVALID"),
        (b'{"text": "' + b"x" * 1_000_001 + b'", "revision": 1}', 413, "DRAFT_TOO_LARGE"),
        (b'{"text": "' + b"x" * 4_000_001 + b'", "revision": 1}', 400, "JSON_TOO_LARGE"),
    ],
)  # fmt: skip
def test_bodies_are_strict_json(flow: Flow, member_client: Clients, body: bytes, status: int, code: str) -> None:
    # R28: duplicate keys, NaN, depth, size and surrogates are refused at this entrance too.
    client = member_client("builder")
    reply = client.put(f"/api/flows/{flow.pk}/draft", body, content_type="application/json")
    assert (reply.status_code, reply.json()["code"]) == (status, code)
    assert reply.json()["message"]
    flow.refresh_from_db()
    assert flow.revision == 1


def test_other_content_types_are_refused(flow: Flow, member_client: Clients) -> None:
    reply = member_client("builder").put(f"/api/flows/{flow.pk}/draft", "text=a", content_type="text/plain")
    assert (reply.status_code, reply.json()["code"]) == (415, "NOT_JSON")


def test_the_api_wants_the_csrf_token(flow: Flow, member_client: Clients) -> None:
    client = member_client("builder", csrf=True)
    reply = save(client, flow, "{}", 1)
    assert (reply.status_code, reply.json()["code"]) == (403, "CSRF_FAILED")
    page = client.post(f"/flows/{flow.pk}/delete")
    assert page.status_code == 403
    assert "Reload it and try again" in page.content.decode()


def test_checking_saves_nothing(flow: Flow, member_client: Clients) -> None:
    reply = member_client("operator").post("/api/flows/check", '{"text": "{}"}', content_type="application/json")
    assert reply.status_code == 200
    assert reply.json()["problems"]
    flow.refresh_from_db()
    assert flow.revision == 1


def test_deleting_can_be_taken_back_and_agents_go_on(agent: Deployment, member_client: Clients) -> None:
    client, id = member_client("builder"), agent.flow_id
    client.post(f"/flows/{id}/delete")
    page = client.get("/flows").content.decode()
    assert f'action="/flows/{id}/restore"' in page
    assert client.get(f"/flows/{id}").status_code == 404
    assert client.post(f"/flows/{id}/delete").status_code == 404
    assert Deployment.objects.get(pk=agent.pk).version_id == agent.version_id
    client.post(f"/flows/{id}/restore")
    assert client.get(f"/flows/{id}").status_code == 200


def test_a_system_flow_is_not_deleted(flow: Flow, member_client: Clients) -> None:
    client = member_client("builder")
    document = json.loads(flow.draft)
    document["kind"] = "system"
    save(client, flow, json.dumps(document), 1)
    assert client.post(f"/flows/{flow.pk}/delete").status_code == 403
    assert f'action="/flows/{flow.pk}/delete"' not in client.get("/flows").content.decode()
    assert client.get(f"/flows/{flow.pk}").status_code == 200


def test_a_copy_has_its_own_code(flow: Flow, member_client: Clients) -> None:
    # LG-identity-04
    client = member_client("builder")
    client.post(f"/flows/{flow.pk}/duplicate")
    copy = Flow.objects.exclude(pk=flow.pk).get()
    assert copy.units.count() == flow.units.count() > 0
    assert json.loads(copy.draft)["id"] == str(copy.pk)


def test_the_file_comes_back_as_it_was_typed(flow: Flow, member_client: Clients) -> None:
    reply = member_client("builder").get(f"/flows/{flow.pk}/flow.json")
    assert reply.content.decode() == flow.draft
    assert "attachment" in reply["Content-Disposition"]


def test_code_can_be_written_by_hand_and_bad_code_is_kept_and_refused(flow: Flow, member_client: Clients) -> None:
    client, page = member_client("builder"), f"/flows/{flow.pk}/units/handler/pickCustomer"
    assert client.get(page).status_code == 200

    def send(code: str, role: str = "builder") -> Any:
        was = client.get(page).content.decode().split('name="was" value="')[1].split('"')[0]
        return member_client(role).post(page, {"act": "save", "code": code, "was": was})

    bad = send("import os\n\n\nasync def pickCustomer(state): ...\n")
    assert bad.status_code == 422
    assert "import os" in bad.content.decode()

    def kept() -> dict[str, str]:
        units = client.get(f"/api/flows/{flow.pk}/draft").json()["units"]
        return next(unit for unit in units if unit["name"] == "pickCustomer")

    unit = kept()
    assert (unit["state"], unit["origin"]) == ("refused", "edited")
    assert unit["reason"]
    good = 'async def pickCustomer(state, *, services, settings, env):\n    return {"wanted": ""}\n'
    assert send(good).status_code == 302
    assert kept()["state"] == "current"
    # Somebody else's page is older now: what they typed comes back to them and replaces nothing.
    for was in ({"was": "0" * 16}, {}):
        late = client.post(page, {"act": "save", "code": "# mine", **was})
        assert late.status_code == 409
        assert "# mine" in late.content.decode()
    assert kept()["code"] == good
    assert client.get(f"/flows/{flow.pk}/units/handler/noSuch").status_code == 404
    assert send(good, "operator").status_code == 403


def test_writing_over_a_persons_code_asks_first(flow: Flow, member_client: Clients) -> None:
    client, page = member_client("builder"), f"/flows/{flow.pk}/units/handler/pickCustomer"
    reply = client.post(page, {"act": "generate"})
    assert reply.status_code == 409
    assert "needs your yes" in reply.content.decode()
    unset = client.post(page, {"act": "generate", "yes": "1"})
    assert unset.status_code == 409
    assert "Settings → Models" in unset.content.decode()


def test_the_list_of_flows_reads_no_draft(flow: Flow, member_client: Clients, monkeypatch: pytest.MonkeyPatch) -> None:
    client, looked = member_client("builder"), []
    monkeypatch.setattr("flows.recent.examine", lambda text: looked.append(text) or examine(text))
    Flow.objects.filter(pk=flow.pk).update(errors=3)
    with CaptureQueriesContext(connection) as asked:
        page = client.get("/flows").content.decode()
    assert "3 problems" in page
    assert looked == []
    assert not [one for one in asked.captured_queries if '"flows_flow"."draft"' in one["sql"]]
    # One that was saved before its problems were kept is counted once.
    Flow.objects.filter(pk=flow.pk).update(errors=None, about="")
    assert "3 problems" not in client.get("/flows").content.decode()
    again = Flow.objects.get(pk=flow.pk)
    assert (again.errors, again.about) == (0, flow.about)
