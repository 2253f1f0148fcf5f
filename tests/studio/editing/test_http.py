"""Edits over HTTP: applied whole, refused whole with every mistake, kept once, and only by whoever may."""

from __future__ import annotations

import json
import uuid
from typing import Any

import pytest
from django.test import Client

from flows.check import check
from flows.edits.apply import written
from flows.models import Flow, FlowEdit, Workspace
from flows.store import version_sha
from tests.flows.flow_of import every_kind

Json = Any
PROMPT = "Say hello to {{question}}."


def test_an_edit_is_applied_and_said(flow: Flow, editor) -> None:
    ann = editor("Ann")
    reply = ann.set("reply", "prompt", PROMPT)
    assert (ann.status, reply["revision"]) == (200, 2)
    old = "{{history}} {{__approval}} {{__error}}"
    assert reply["changes"] == [{"doc": "flow", "path": ["nodes", 5, "prompt"], "old": old, "new": PROMPT}]
    assert (reply["text"], reply["undo"], reply["redo"]) == (None, {"label": 'Change "prompt" of "reply"'}, None)
    assert [line["words"] for line in reply["lines"]] == ['"prompt" of node "reply" changed']
    assert reply["problems"] == []
    assert {unit["name"] for unit in reply["units"]} == {"countTry", "routePlan", "changeOrder", "shop"}
    assert ann.node("reply")["prompt"] == PROMPT
    # What is wrong afterwards is said with it, and kept for lists.
    reply = ann.set("reply", "output", "nowhere")
    assert "CHANNEL_NOT_DECLARED" in [problem["code"] for problem in reply["problems"]]
    flow.refresh_from_db()
    assert flow.updated_by.name == "Ann" and (flow.errors, flow.warnings) == (1, 1)


def test_the_page_is_given_everything_at_once(flow: Flow, editor) -> None:
    ann = editor("Ann")
    ann.edit({"op": "setField", "on": {"flow": True}, "path": ["name"], "value": "Desk"}, label="Call it Desk")
    boot = ann.read()
    assert (boot["name"], boot["revision"], boot["undo"]) == ("Desk", 2, {"label": "Call it Desk"})
    assert json.loads(boot["text"])["name"] == "Desk" and boot["layout"] == {"nodes": {}, "comments": []}
    assert (boot["canEdit"], boot["canPublish"], boot["asides"]) == (True, True, [])
    assert editor("Olga", "operator").read()["canEdit"] is False


def test_the_same_edit_sent_twice_is_one(flow: Flow, editor) -> None:
    ann, id = editor("Ann"), str(uuid.uuid4())
    node = {"op": "addNode", "node": {"id": "extra", "handler": "work", "description": "Reads 'plan'; writes 'tries'."}}
    first = ann.edit(node, id=id, follow=False)
    again = ann.edit(node, id=id, follow=False)
    assert first == again and ann.status == 200
    assert FlowEdit.objects.count() == 1
    # Also when others edited in between: then with what they did.
    editor("Bob").set("reply", "prompt", PROMPT)
    late = ann.edit(node, id=id, follow=False)
    assert (late["revision"], late["lines"]) == (3, first["lines"]) and len(late["changes"]) == 2


def test_nothing_is_applied_when_something_is_wrong(flow: Flow, editor) -> None:
    ann = editor("Ann")
    reply = ann.edit(
        {"op": "setStart", "id": "plan"}, {"op": "removeNodes", "ids": ["nobody"]}, {"op": "connect", "from": "plan"},
        {"op": "fly"},
    )  # fmt: skip
    assert (ann.status, reply["code"]) == (422, "EDIT_REFUSED")
    assert [(each["operation"], each["code"]) for each in reply["problems"]] == [
        (2, "MISSING_KEY"), (3, "OPERATION_UNKNOWN")
    ]  # fmt: skip
    assert all(each["message"] and "hint" in each for each in reply["problems"])
    reply = ann.edit({"op": "setStart", "id": "plan"}, {"op": "removeNodes", "ids": ["nobody"]})
    assert [each["operation"] for each in reply["problems"]] == [1]
    flow.refresh_from_db()
    assert flow.revision == 1 and json.loads(flow.draft)["start"] == "details"


@pytest.mark.parametrize(
    ("body", "status", "code"),
    [
        (b"[]", 422, "INVALID"),
        (b"{}", 422, "INVALID"),
        (b'{"id": "x", "revision": 1, "operations": [{"op": "setStart", "id": "plan"}]}', 422, "INVALID"),
        (b'{"id": "00000000-0000-4000-8000-000000000001", "revision": "1", "operations": [1]}', 422, "INVALID"),
        (b'{"id": "00000000-0000-4000-8000-000000000001", "revision": 1, "operations": []}', 422, "INVALID"),
        (b'{"id": "00000000-0000-4000-8000-000000000001", "revision": 1, "operations": {}}', 422, "INVALID"),
        (b'{"id": "00000000-0000-4000-8000-000000000001", "revision": 1, "operations": [1]}', 422, "OPERATION_UNKNOWN"),
        (b'{"id": "00000000-0000-4000-8000-000000000001", "revision": 1, "operations": [1], "x": 1}', 422, "INVALID"),
        (b'{"id": NaN}', 400, "JSON_NOT_A_NUMBER"),
        (b'{"label": "\\u0000"}', 400, "JSON_NUL"),
        (b"[" * 99, 400, "JSON_TOO_DEEP"),
    ],
)
def test_bodies_are_strict(flow: Flow, editor, body: bytes, status: int, code: str) -> None:
    reply = editor("Ann").client.post(f"/api/flows/{flow.pk}/edits", body, content_type="application/json")
    assert (reply.status_code, reply.json()["code"]) == (status, code)
    assert reply.json()["message"]


ADDRESSES = ("edits", "undo", "redo", f"asides/{uuid.uuid4()}")


@pytest.mark.parametrize("address", ADDRESSES)
@pytest.mark.parametrize("role", ["operator", "reviewer", "member"])
def test_who_may_not_edit_is_told_so(flow: Flow, editor, role: str, address: str) -> None:
    reader = editor("Olga", role)
    reply = reader.post(address, {"revision": 1})
    assert (reader.status, reply["code"]) == (403, "FORBIDDEN")
    seen = reader.client.get(f"/api/flows/{flow.pk}/editor").status_code
    assert seen == (200 if role == "operator" else 403)
    assert reader.client.get(f"/api/flows/{flow.pk}/changes?since=1").status_code == seen


def test_another_workspace_sees_nothing(flow: Flow, editor) -> None:
    from tests.support.people import person

    stranger = Client()
    stranger.force_login(person(Workspace.objects.create(name="Elsewhere"), "owner", "Mallory"))
    for address in ADDRESSES:
        sent = stranger.post(f"/api/flows/{flow.pk}/{address}", '{"revision": 1}', content_type="application/json")
        assert sent.status_code == 404, address
    assert stranger.get(f"/api/flows/{flow.pk}/editor").status_code == 404
    assert stranger.get(f"/api/flows/{flow.pk}/changes?since=0").status_code == 404


def test_moving_every_node_leaves_the_versions_hash_unchanged(flow: Flow, editor) -> None:
    # R16: what is shown where is no part of what was checked.
    ann = editor("Ann")
    before = Flow.objects.get(pk=flow.pk)
    ids = [each["id"] for each in every_kind()["nodes"]]
    reply = ann.edit({"op": "move", "positions": {id: {"x": 40 * at, "y": 9} for at, id in enumerate(ids)}})
    assert (ann.status, reply["revision"]) == (200, 2)
    comment = {"id": "c1", "x": 1, "y": 2, "width": 200, "height": 90, "text": "Look here."}
    ann.edit({"op": "addComment", "comment": comment})
    ann.edit({"op": "changeComment", "id": "c1", "text": "And here.", "width": 240})
    after = Flow.objects.get(pk=flow.pk)
    assert after.draft == before.draft and set(after.layout["nodes"]) == set(ids)
    assert after.layout["comments"] == [{**comment, "text": "And here.", "width": 240.0}]
    assert version_sha(check(after.draft).flow, "") == version_sha(check(before.draft).flow, "")
    ann.edit({"op": "removeComment", "id": "c1"})
    assert ann.read()["layout"]["comments"] == []


def test_what_is_only_beside_the_document_leaves_its_text_as_it_was_typed(workspace: Workspace, editor, flow) -> None:
    typed = json.dumps({**every_kind(), "id": str(flow.pk)}, indent=7) + "\n\n"
    Flow.objects.filter(pk=flow.pk).update(draft=typed)
    ann = editor("Ann")
    ann.edit({"op": "move", "positions": {"plan": {"x": 1, "y": 2}}})
    assert (ann.status, Flow.objects.get(pk=flow.pk).draft) == (200, typed)
    ann.undo()
    assert Flow.objects.get(pk=flow.pk).draft == typed
    Flow.objects.filter(pk=flow.pk).update(draft="{ nearly")
    ann.edit({"op": "addComment", "comment": {"id": "c1", "x": 1, "y": 2, "width": 200, "height": 90, "text": "?"}})
    assert (ann.status, Flow.objects.get(pk=flow.pk).draft) == (200, "{ nearly")


def test_what_changed_since_can_be_asked_for(flow: Flow, editor) -> None:
    ann, bob = editor("Ann"), editor("Bob")
    ann.set("reply", "prompt", PROMPT)
    bob.edit({"op": "move", "positions": {"plan": {"x": 1, "y": 2}}})

    def since(number: str) -> Json:
        return ann.client.get(f"/api/flows/{flow.pk}/changes?since={number}").json()

    assert [change["doc"] for change in since("1")["changes"]] == ["flow", "layout", "layout"][
        : len(since("1")["changes"])
    ]
    assert since("3")["changes"] == [] and since("3")["text"] is None
    # Where the changes are not all known, the whole is sent.
    for unknown in ("0", "-4", "x", "99", "", "9" * 40):
        whole = since(unknown)
        assert whole["text"] == Flow.objects.get(pk=flow.pk).draft and whole["layout"]["nodes"], unknown


def test_a_typed_text_is_an_edit_too(flow: Flow, editor) -> None:
    ann = editor("Ann")
    address = f"/api/flows/{flow.pk}/draft"

    def put(text: str, revision: int) -> Any:
        return ann.client.put(
            address, json.dumps({"text": text, "revision": revision}), content_type="application/json"
        )

    compact = json.dumps({**every_kind(), "id": str(flow.pk), "name": "Short"})
    assert put(compact, 1).json()["revision"] == 2
    assert put("{ half", 2).json()["revision"] == 3
    assert put("{ other", 2).json()["code"] == "DRAFT_CHANGED"
    ann.revision = 3
    first = ann.undo()
    assert (first["text"], first["name"]) == (compact, "Short")
    assert ann.undo()["text"] is None and ann.document() == {**every_kind(), "id": str(flow.pk)}
    ann.redo()
    assert ann.redo()["text"] == "{ half"
    # What cannot be read cannot be edited in parts, and says so; whoever wants can put a text in its place.
    assert ann.set("reply", "prompt", "x")["code"] == "DRAFT_UNREADABLE"
    reply = ann.edit({"op": "setDocument", "text": written(every_kind())})
    assert ann.status == 200 and ann.node("reply") is not None and reply["problems"] == []


def test_a_text_keeps_the_flows_id(flow: Flow, editor) -> None:
    # LG-identity-02
    ann = editor("Ann")
    ann.edit({"op": "setDocument", "text": written({**every_kind(), "id": str(uuid.uuid4()), "name": "Other"})})
    assert ann.document()["id"] == str(flow.pk) and ann.read()["name"] == "Other"
    # LG-identity-07: below 0.21 there is none, whichever way the version got there.
    ann.edit({"op": "setField", "on": {"flow": True}, "path": ["version"], "value": "0.20"})
    assert "id" not in ann.document() and "name" not in ann.document()
    ann.edit({"op": "setField", "on": {"flow": True}, "path": ["version"], "value": "1.0"})
    assert list(ann.document())[:2] == ["version", "id"] and ann.document()["id"] == str(flow.pk)
