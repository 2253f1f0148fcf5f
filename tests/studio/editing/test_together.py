"""Two people at once: different places go together, the same place is set aside, and nobody's work is lost."""

from __future__ import annotations

import uuid
from typing import Any

import pytest

from flows.edits.apply import written
from flows.models import Flow, FlowAside
from studio import editing
from tests.flows.flow_of import every_kind

Json = Any


def test_different_places_go_together(flow: Flow, editor) -> None:
    ann, bob = editor("Ann"), editor("Bob")
    ann.set("reply", "prompt", "Ann's")
    reply = bob.set("plan", "prompt", "Bob's {{history}}")
    assert (bob.status, reply["revision"]) == (200, 3)
    # Bob's page is told of both.
    assert [change["new"] for change in reply["changes"]] == ["Ann's", "Bob's {{history}}"]
    assert (bob.node("reply")["prompt"], bob.node("plan")["prompt"]) == ("Ann's", "Bob's {{history}}")


def test_adding_and_connecting_go_together(flow: Flow, editor) -> None:
    ann, bob = editor("Ann"), editor("Bob")
    note = {"type": "string", "description": "A note."}
    ann.edit(
        {"op": "addNode", "node": {"id": "a", "type": "ask", "ask": "?", "output": "choice"}},
        {"op": "connect", "from": "a", "to": "END"},
        {"op": "addChannel", "name": "from_ann", "channel": note},
    )
    bob.edit(
        {"op": "addNode", "node": {"id": "b", "type": "ask", "ask": "?", "output": "choice"}},
        {"op": "connect", "from": "b", "to": "END"},
        {"op": "addChannel", "name": "from_bob", "channel": note},
    )
    assert bob.status == 200
    assert {"from_ann", "from_bob"} <= bob.document()["state"].keys()
    assert [each["from"] for each in bob.document()["edges"]][-2:] == ["a", "b"]


def test_one_place_is_never_overwritten(flow: Flow, editor) -> None:
    ann, bob, id = editor("Ann"), editor("Bob"), str(uuid.uuid4())
    ann.set("reply", "prompt", "Ann's")
    operation = {"op": "setField", "on": {"node": "reply"}, "path": ["prompt"], "value": "Bob's"}
    reply = bob.edit(operation, id=id, label="Friendlier", follow=False)
    assert (bob.status, reply["code"]) == (409, "EDIT_CONFLICT")
    assert reply["message"].startswith('Ann changed "prompt" of node "reply"')
    aside = reply["aside"]
    assert (aside["id"], aside["label"], aside["by"], aside["mine"]) == (id, "Friendlier", "Bob", True)
    assert aside["operations"] == [operation]
    assert aside["places"] == [{"words": '"prompt" of node "reply"', "yours": "Bob's", "theirs": "Ann's"}]
    # What a page needs to go on is there as well, and Ann sees it too.
    assert reply["revision"] == 2 and reply["changes"][0]["new"] == "Ann's"
    assert ann.read()["asides"] == [{**aside, "mine": False}]
    assert ann.node("reply")["prompt"] == "Ann's"
    # Sent again, it is the same one.
    assert bob.edit(operation, id=id, label="Friendlier", follow=False)["aside"] == aside
    assert FlowAside.objects.count() == 1


def test_what_was_set_aside_can_be_applied_and_undone(flow: Flow, editor) -> None:
    ann, bob = editor("Ann"), editor("Bob")
    ann.set("reply", "prompt", "Ann's")
    aside = bob.set("reply", "prompt", "Bob's")["aside"]
    reply = bob.post(f"asides/{aside['id']}", {"act": "apply", "revision": bob.revision})
    assert (bob.status, reply["asides"]) == (200, [])
    assert bob.node("reply")["prompt"] == "Bob's"
    assert (
        bob.post(f"asides/{aside['id']}", {"act": "apply", "revision": bob.revision})["revision"] == reply["revision"]
    )
    bob.undo()
    assert bob.node("reply")["prompt"] == "Ann's"


def test_only_whose_it_is_lets_it_go(flow: Flow, editor) -> None:
    ann, bob = editor("Ann"), editor("Bob")
    ann.set("reply", "prompt", "Ann's")
    aside = bob.set("reply", "prompt", "Bob's")["aside"]
    drop = {"act": "drop", "revision": 2}
    assert ann.post(f"asides/{aside['id']}", drop)["code"] == "ASIDE_NOT_YOURS" and ann.status == 403
    assert bob.post(f"asides/{aside['id']}", drop)["asides"] == []
    assert bob.node("reply")["prompt"] == "Ann's"
    assert bob.post(f"asides/{uuid.uuid4()}", drop)["code"] == "NOT_FOUND" and bob.status == 404


def test_an_edit_of_what_was_removed_is_kept(flow: Flow, editor) -> None:
    ann, bob = editor("Ann"), editor("Bob")
    ann.edit({"op": "removeNodes", "ids": ["which"]})
    reply = bob.set("which", "ask", "Which of these?")
    assert (bob.status, reply["code"]) == (409, "EDIT_CONFLICT")
    assert 'There is no node "which"' in reply["message"]
    assert reply["aside"]["places"] == [
        {"words": '"ask" of node "which"', "yours": "Which of these?", "theirs": None}
    ]  # fmt: skip
    # It still does not fit, and says why; brought back, it does.
    refused = bob.post(f"asides/{reply['aside']['id']}", {"act": "apply", "revision": 2})
    assert (bob.status, refused["problems"][0]["code"]) == (422, "NOT_FOUND")
    ann.undo()
    bob.post(f"asides/{reply['aside']['id']}", {"act": "apply", "revision": 3})
    assert (bob.status, bob.node("which")["ask"]) == (200, "Which of these?")


def test_removing_what_somebody_changes_is_kept(flow: Flow, editor) -> None:
    ann, bob = editor("Ann"), editor("Bob")
    ann.set("which", "ask", "Which of these?")
    reply = bob.edit({"op": "removeNodes", "ids": ["which"]})
    assert (bob.status, reply["code"]) == (409, "EDIT_CONFLICT")
    assert bob.node("which")["ask"] == "Which of these?"


def test_what_never_could_be_done_is_refused_however_late(flow: Flow, editor) -> None:
    ann, bob = editor("Ann"), editor("Bob")
    ann.set("reply", "prompt", "Ann's")
    assert bob.edit({"op": "setStart", "id": "nobody"})["code"] == "NOT_FOUND" and bob.status == 422
    assert not FlowAside.objects.exists()


def test_what_was_seen_counts_and_not_only_when(flow: Flow, editor) -> None:
    ann, bob = editor("Ann"), editor("Bob")
    old = ann.node("reply")["prompt"]
    ann.set("reply", "prompt", "Ann's")
    bob.edit({"op": "setStart", "id": "plan"})
    # Bob's page knows the newest revision, and he typed over the older text.
    reply = bob.set("reply", "prompt", "Bob's", was=old)
    assert (bob.status, reply["code"]) == (409, "EDIT_CONFLICT")
    assert reply["aside"]["places"][0]["theirs"] == "Ann's"
    assert bob.set("reply", "prompt", "Bob's", was="Ann's")["revision"] == 4


def test_wanting_the_same_is_no_quarrel(flow: Flow, editor) -> None:
    ann, bob = editor("Ann"), editor("Bob")
    ann.set("reply", "prompt", "Hello")
    reply = bob.set("reply", "prompt", "Hello")
    assert (bob.status, reply["revision"]) == (200, 2)


def test_where_nodes_stand_is_no_quarrel(flow: Flow, editor) -> None:
    ann, bob = editor("Ann"), editor("Bob")
    ann.edit({"op": "move", "positions": {"plan": {"x": 1, "y": 1}}})
    reply = bob.edit({"op": "move", "positions": {"plan": {"x": 2, "y": 2}, "gone": {"x": 0, "y": 0}}})
    assert (bob.status, bob.read()["layout"]["nodes"]) == (200, {"plan": {"x": 2.0, "y": 2.0}})
    assert reply["asides"] == []


def test_two_pages_of_one_person_do_not_quarrel(flow: Flow, editor) -> None:
    left, right = editor("Ann"), editor("Ann")
    left.set("reply", "prompt", "One")
    right.set("reply", "prompt", "Two")
    assert right.status == 200 and right.node("reply")["prompt"] == "Two"


def test_a_whole_text_meets_ones_own_edits_from_another_page(flow: Flow, editor) -> None:
    left, right = editor("Ann"), editor("Ann")
    left.set("reply", "prompt", "One")
    other = written({**every_kind(), "name": "Other"})
    reply = right.edit({"op": "setDocument", "text": other}, label="The text")
    assert (right.status, reply["aside"]["operations"]) == (409, [{"op": "setDocument", "text": other}])
    assert left.node("reply")["prompt"] == "One"
    # Where nothing of it was changed since, it goes in.
    left.edit({"op": "move", "positions": {"plan": {"x": 1, "y": 1}}})
    right.edit({"op": "setDocument", "text": other})
    assert (right.status, right.document()["name"]) == (200, "Other")


def test_so_many_edits_wait_and_no_more(flow: Flow, editor, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(editing, "MOST_ASIDES", 2)
    ann, bob = editor("Ann"), editor("Bob")
    ann.set("reply", "prompt", "Ann's")

    def late() -> Json:
        operation = {"op": "setField", "on": {"node": "reply"}, "path": ["prompt"], "value": "Bob's"}
        return bob.edit(operation, follow=False)

    assert [late()["code"], late()["code"], late()["code"]] == ["EDIT_CONFLICT", "EDIT_CONFLICT", "ASIDES_FULL"]
    for aside in bob.read()["asides"]:
        bob.post(f"asides/{aside['id']}", {"act": "drop", "revision": 2}, follow=False)
    assert late()["code"] == "EDIT_CONFLICT"


def test_a_rename_and_a_new_name_meet(flow: Flow, editor) -> None:
    ann, bob = editor("Ann"), editor("Bob")
    ann.edit({"op": "renameNode", "id": "which", "to": "choose"})
    reply = bob.edit({"op": "connect", "from": "which", "to": "END"})
    assert bob.status == 409 and reply["aside"]["operations"][0]["from"] == "which"
    assert bob.node("choose") is not None
