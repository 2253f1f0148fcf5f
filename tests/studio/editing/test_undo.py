"""Undo and redo: exact to the byte for one person, and among several people only what nobody built on."""

from __future__ import annotations

import json
import uuid
from random import Random
from typing import Any

import pytest

from flows import saving, scope
from flows.check import check
from flows.edits.apply import EditRefused, sketch_of, written
from flows.models import Flow, FlowEdit, Unit, Workspace
from flows.store import StoreRefused, delete, import_flow
from flows.units import units_of
from studio import editing
from studio.editing import Sent
from studio.refusal import Refusal
from tests.flows.edits.random_edits import broken, random_operation
from tests.flows.flow_of import every_kind

Json = Any


def odd(document: Json) -> str:
    """A text that nobody's program would write."""
    plain = json.dumps(document, indent=3, ensure_ascii=True)
    return plain.replace('": ', '"   :  ').replace("},", "} ,\n\n") + "  \n\n"


FIRST = {
    "tidy": written(every_kind()),
    "odd": odd(every_kind()),
    "compact": json.dumps(every_kind(), separators=(",", ":")),
    "floats": '{"version": "1.0", "start": "a", "nodes": [{"id": "a", "n": 1.50, "big": 1e5, "m": -0}], "edges": []}',
    "broken": written(broken()["holes"]),
    "no json": "{ nearly",
    "nothing much": "[1, 2]",
    "escapes": '{"a": "\\u00e9\\/", "nodes": [{"id":"x"}], "edges": [{"from":"x","to":"END"}], "state": {}}',
}


@pytest.mark.parametrize("name", FIRST)
@pytest.mark.parametrize("seed", range(3))
def test_all_undone_is_the_first_byte_for_byte_and_all_redone_the_last(
    workspace: Workspace, user, name: str, seed: int
) -> None:
    ann, chance = user("builder", "Ann"), Random(seed * 1000 + len(name))
    flow = import_flow(FIRST[name])
    first = (flow.draft, json.dumps(flow.layout), flow.name)
    for _ in range(30):
        flow.refresh_from_db()
        document = sketch_of(flow.draft).document
        if chance.random() < 0.15:
            texts = ["{ half", odd(document or {}), json.dumps(document or {"a": 1}), FIRST[chance.choice(list(FIRST))]]
            editing.save_text(flow, chance.choice(texts), flow.revision, ann)
            continue
        operations = [random_operation(chance, document) for _ in range(chance.choice([1, 1, 2]))]
        if document is None and chance.random() < 0.5:
            operations = [{"op": "setDocument", "text": FIRST[chance.choice(["tidy", "odd", "compact"])]}]
        try:
            editing.submit(flow, Sent(uuid.UUID(int=chance.getrandbits(128)), flow.revision, operations), ann)
        except EditRefused as refused:
            assert refused.message
    flow.refresh_from_db()
    last, revision = (flow.draft, json.dumps(flow.layout)), flow.revision
    assert revision > 5
    steps = run_out(editing.undo, flow, ann)
    flow.refresh_from_db()
    assert (flow.draft, json.dumps(flow.layout)) == first[:2]
    assert run_out(editing.redo, flow, ann) == steps == revision - 1
    flow.refresh_from_db()
    assert (flow.draft, json.dumps(flow.layout)) == last
    # And a part of the way, to and fro.
    for turn in [chance.choice([editing.undo, editing.redo]) for _ in range(25)]:
        try:
            turn(flow, ann)
        except Refusal as nothing:
            assert nothing.code.startswith("NOTHING_TO_")
    run_out(editing.undo, flow, ann)
    flow.refresh_from_db()
    assert (flow.draft, json.dumps(flow.layout)) == first[:2]


def run_out(turn: Any, flow: Flow, by: Any) -> int:
    """Undo or redo until there is nothing left; how often that was."""
    for count in range(500):
        try:
            turn(flow, by)
        except Refusal as nothing:
            assert nothing.code.startswith("NOTHING_TO_")
            return count
    raise AssertionError("It never ends.")


def test_undo_takes_back_ones_own_and_leaves_the_others(flow: Flow, editor) -> None:
    ann, bob = editor("Ann"), editor("Bob")
    old = ann.node("reply")["prompt"]
    ann.set("reply", "prompt", "Ann's")
    bob.edit(
        {"op": "addNode", "node": {"id": "first", "handler": "h"}}, {"op": "connect", "from": "first", "to": "END"}
    )
    reply = ann.undo()
    assert (ann.status, reply["undo"], reply["redo"]) == (200, None, {"label": 'Change "prompt" of "reply"'})
    assert ann.node("reply")["prompt"] == old and ann.node("first") is not None
    bob.undo()
    assert ann.node("first") is None
    assert ann.redo()["revision"] == 6 and ann.node("reply")["prompt"] == "Ann's"
    assert bob.redo()["revision"] == 7 and ann.node("first") is not None


def test_names_that_somebody_else_left_empty_stand_in_no_one_s_way(flow: Flow, editor) -> None:
    ann, bob = editor("Ann"), editor("Bob")
    old = ann.node("reply")["prompt"]
    ann.set("reply", "prompt", "Ann's")
    bob.edit({"op": "addNode", "node": {"id": "new", "type": "ask", "ask": "", "output": ""}})
    ann.undo()
    assert (ann.status, ann.node("reply")["prompt"]) == (200, old)
    assert ann.node("new") is not None


def test_positions_in_lists_are_found_again(flow: Flow, editor) -> None:
    ann, bob = editor("Ann"), editor("Bob")
    ann.set("reply", "prompt", "Ann's")
    ann.edit({"op": "removeNodes", "ids": ["count"]})
    # Everything moves up by one before the places that Ann changed.
    bob.edit({"op": "removeNodes", "ids": ["details"]})
    ann.undo()
    assert (ann.status, ann.node("count")["handler"]) == (200, "countTry")
    assert next(each for each in ann.document()["edges"] if each["from"] == "which")["to"] == "count"
    ann.undo()
    assert ann.status == 200 and ann.node("reply")["prompt"] != "Ann's" and ann.node("details") is None


@pytest.mark.parametrize(
    ("mine", "theirs"),
    [
        (
            {"op": "setField", "on": {"node": "reply"}, "path": ["prompt"], "value": "Ann's"},
            {"op": "setField", "on": {"node": "reply"}, "path": ["prompt"], "value": "Bob's"},
        ),
        (
            {"op": "addNode", "node": {"id": "new", "handler": "h"}},
            {"op": "setField", "on": {"node": "new"}, "path": ["description"], "value": "Bob's"},
        ),
        ({"op": "addNode", "node": {"id": "new", "handler": "h"}}, {"op": "connect", "from": "reply", "to": "new"}),
        (
            {"op": "addChannel", "name": "note", "channel": {"type": "string"}},
            {"op": "setField", "on": {"node": "which"}, "path": ["output"], "value": "note"},
        ),
        (
            {"op": "addChannel", "name": "note", "channel": {"type": "string"}},
            {"op": "setField", "on": {"node": "reply"}, "path": ["prompt"], "value": "Say {{note.a}}."},
        ),
        (
            {"op": "addChannel", "name": "note", "channel": {"type": "string"}},
            {
                "op": "setField",
                "on": {"edge": {"from": "plan"}},
                "path": ["when", "change"],
                "value": "'note' is empty",
            },
        ),
        (
            {"op": "renameChannel", "name": "choice", "to": "picked"},
            {"op": "setField", "on": {"node": "reply"}, "path": ["output"], "value": "picked"},
        ),
        ({"op": "removeNodes", "ids": ["count"]}, {"op": "addNode", "node": {"id": "count", "handler": "other"}}),
        ({"op": "connect", "from": "which", "to": "END"}, {"op": "removeNodes", "ids": ["which"]}),
    ],
)
def test_what_somebody_built_on_stays(flow: Flow, editor, mine: Json, theirs: Json) -> None:
    ann, bob = editor("Ann"), editor("Bob")
    ann.edit(mine, label="My edit")
    bob.revision = ann.revision
    bob.edit(theirs, label="Bob's edit")
    assert bob.status == 200
    before = ann.document()
    reply = ann.undo()
    assert (ann.status, reply["code"]) == (409, "UNDO_BLOCKED")
    assert reply["message"] == "“My edit” cannot be undone: Bob changed the same place afterwards (“Bob's edit”)."
    assert ann.document() == before
    bob.undo()
    ann.undo()
    assert ann.status == 200 and ann.document() == {**every_kind(), "id": str(flow.pk)}


def test_redo_is_over_after_another_edit(flow: Flow, editor) -> None:
    ann = editor("Ann")
    ann.set("reply", "prompt", "One")
    ann.set("reply", "prompt", "Two")
    ann.undo()
    ann.set("plan", "prompt", "Three")
    reply = ann.redo()
    assert (ann.status, reply["code"]) == (409, "NOTHING_TO_REDO")
    ann.undo()
    ann.undo()
    assert ann.document() == {**every_kind(), "id": str(flow.pk)}
    assert ann.undo()["code"] == "NOTHING_TO_UNDO"


CODE = "async def {name}(state, *, services, settings, env):\n    return {{}}\n"


@pytest.mark.parametrize(
    ("kind", "old", "operation"),
    [
        ("tool", "changeOrder", {"op": "renameTool", "name": "changeOrder", "to": "fresh"}),
        ("handler", "countTry", {"op": "setField", "on": {"node": "count"}, "path": ["handler"], "value": "fresh"}),
        (
            "router",
            "routePlan",
            {"op": "setField", "on": {"edge": {"from": "plan"}}, "path": ["router"], "value": "fresh"},
        ),
    ],
)
def test_code_goes_to_the_new_name_and_back(flow: Flow, editor, kind: str, old: str, operation: Json) -> None:
    ann = editor("Ann")
    spec = next(unit for unit in ann.read()["units"] if unit["name"] == old)
    assert spec["kind"] == kind
    Unit.objects.filter(flow=flow).delete()
    key = next(each.key for each in specs(flow) if each.name == old)
    Unit.objects.create(flow=flow, kind=kind, name=old, key=key, code=CODE.format(name=old), origin="generated")
    Unit.objects.create(flow=flow, kind=kind, name="fresh", key="x", code=CODE.format(name="fresh"), origin="edited")
    reply = ann.edit(operation)
    unit = next(unit for unit in reply["units"] if unit["name"] == "fresh")
    assert unit["state"] == "current"
    rows = {row.name: (row.code, row.origin) for row in Unit.objects.filter(flow=flow)}
    assert rows == {
        "fresh": (CODE.format(name="fresh"), "generated"), old: (CODE.format(name=old), "edited"),
    }  # fmt: skip
    ann.undo()
    rows = {row.name: (row.code, row.origin, row.key) for row in Unit.objects.filter(flow=flow)}
    assert rows == {
        old: (CODE.format(name=old), "generated", key), "fresh": (CODE.format(name="fresh"), "edited", "x"),
    }  # fmt: skip


SERVICE = """class {Name}:
    def __init__(self, http):
        self.http = http


def {name}(*, services, settings, env):
    return {Name}(services.http)
"""
CALLER = """async def changeOrder(args, *, services, settings, env):
    shop, note = args["shop"], "services.shop"
    return await services.{name}.change(shop, note, services.http, shop=services.{name2})
"""


def test_a_renamed_service_takes_its_code_along_and_undo_brings_it_back(flow: Flow, editor) -> None:
    ann = editor("Ann")
    words = ann.document()["requires"]["services"]["shop"]
    key = next(each.key for each in specs(flow) if each.id == "service:shop")
    Unit.objects.filter(flow=flow).delete()
    own, caller = SERVICE.format(Name="Shop", name="shop"), CALLER.format(name="shop", name2="store")
    Unit.objects.create(flow=flow, kind="service", name="shop", key=key, code=own, origin="generated")
    Unit.objects.create(flow=flow, kind="tool", name="changeOrder", key="x", code=caller, origin="edited")
    reply = ann.edit(
        {
            "op": "setField",
            "on": {"flow": True},
            "path": ["requires", "services"],
            "value": {"store": words, "b": words},
        }
    )
    assert {unit["name"]: unit["state"] for unit in reply["units"] if unit["kind"] == "service"} == {
        "store": "missing", "b": "missing",
    }, "Nobody knows which of the two it was."  # fmt: skip
    ann.undo()
    ann.edit({"op": "setField", "on": {"flow": True}, "path": ["requires", "services"], "value": {"store": words}})
    rows = {row.name: row.code for row in Unit.objects.filter(flow=flow)}
    swapped = CALLER.format(name="store", name2="shop")
    assert rows == {"store": SERVICE.format(Name="Shop", name="store"), "changeOrder": swapped}
    states = {unit["name"]: unit["state"] for unit in ann.read()["units"]}
    assert states["store"] == "current"
    ann.undo()
    assert {row.name: (row.code, row.key) for row in Unit.objects.filter(flow=flow)} == {
        "shop": (own, key), "changeOrder": (caller, "x"),
    }  # fmt: skip


def specs(flow: Flow) -> list[Any]:
    return units_of(check(Flow.objects.get(pk=flow.pk).draft).flow)


def test_only_so_many_edits_are_kept(flow: Flow, editor, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(saving, "KEPT", 15)
    ann = editor("Ann")
    for number in range(40):
        ann.set("reply", "prompt", f"Number {number}")
    rows = FlowEdit.objects.filter(flow=flow)
    assert 15 <= rows.count() <= 25 and ann.read()["undo"]
    with scope.workspace(flow.workspace_id):
        undone = run_out(editing.undo, flow, Flow.objects.get(pk=flow.pk).updated_by)
    assert 10 < undone <= 25
    # A page that was away for longer is sent the whole, and what it edited meanwhile overwrites nothing.
    assert ann.client.get(f"/api/flows/{flow.pk}/changes?since=2").json()["text"]
    bob = editor("Bob")
    for operation in (
        {"op": "setField", "on": {"node": "reply"}, "path": ["prompt"], "value": "Late"},
        {"op": "setStart", "id": "gone"},
    ):  # fmt: skip
        bob.revision = 2
        assert bob.edit(operation)["code"] == "EDIT_CONFLICT" and bob.node("reply")["prompt"] != "Late"
    bob.revision = 2
    bob.edit({"op": "move", "positions": {"plan": {"x": 1, "y": 1}}})
    assert (bob.status, len(bob.read()["asides"])) == (200, 2)


def test_long_texts_are_not_kept_for_ever(flow: Flow, editor, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(saving, "MOST", 100_000)
    ann = editor("Ann")
    for number in range(12):
        ann.set("reply", "prompt", f"{number} " + "x" * 20_000)
    assert sum(FlowEdit.objects.values_list("size", flat=True)) < 100_000
    assert ann.undo()["revision"] == 14


def test_a_deleted_flow_says_so(flow: Flow, editor) -> None:
    ann = editor("Ann")
    delete(flow)
    assert ann.set("reply", "prompt", "x")["code"] == "NOT_FOUND" and ann.status == 404
    with pytest.raises(StoreRefused):
        saving.locked(flow)


def test_an_undone_edit_that_is_let_go_takes_no_later_one_along(workspace: Workspace, user, monkeypatch) -> None:
    monkeypatch.setattr(saving, "KEPT", 5)
    ann, bob = user("builder", "Ann"), user("builder", "Bob")
    flow = import_flow(written(every_kind()))

    def change(by: Any, path: str, value: str) -> None:
        flow.refresh_from_db()
        operation = {"op": "setField", "on": {"flow": True}, "path": [path], "value": value}
        editing.submit(flow, Sent(uuid.uuid4(), flow.revision, [operation]), by)

    change(ann, "description", "Ann's.")
    for number in range(6):
        change(bob, "name", f"Name {number}")
    flow.refresh_from_db()
    editing.undo(flow, ann)
    change(bob, "name", "The last")
    flow.refresh_from_db()
    assert flow.revision == 10 and not FlowEdit.objects.filter(revision=2).exists(), "hers was let go"
    assert [row.revision for row in saving.since(flow, 5)] == [6, 7, 8, 9, 10]
