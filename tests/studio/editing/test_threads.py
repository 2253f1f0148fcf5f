"""People who press at the same moment: real threads, on whichever database the run is on."""

from __future__ import annotations

import json
import threading
import uuid
from collections.abc import Callable
from typing import Any

import pytest
from django.db import connection

from flows import scope
from flows.edits.apply import written
from flows.models import Flow, FlowAside, FlowEdit, Workspace
from flows.store import import_flow
from studio import editing
from studio.editing import Outcome, Sent
from tests.flows.flow_of import every_kind
from tests.support.people import person

pytestmark = pytest.mark.django_db(transaction=True)
Json = Any
NODES = [each["id"] for each in every_kind()["nodes"]]


def at_once(workspace: Workspace, *works: Callable[[], Any]) -> list[Any]:
    """What each work gave, all begun at the same moment in threads of their own."""
    given: list[Any] = [None] * len(works)
    start = threading.Barrier(len(works))

    def run(index: int, work: Callable[[], Any]) -> None:
        try:
            with scope.workspace(workspace.id):
                start.wait(10)
                given[index] = work()
        except BaseException as error:
            given[index] = error
        finally:
            connection.close()

    threads = [threading.Thread(target=run, args=each) for each in enumerate(works)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(60)
    return given


def described(node: str, words: str) -> Json:
    return {"op": "setField", "on": {"node": node}, "path": ["description"], "value": words}


def sent(revision: int, *operations: Json, key: uuid.UUID | None = None) -> Sent:
    return Sent(key or uuid.uuid4(), revision, operations)


@pytest.fixture
def flow(workspace: Workspace) -> Flow:
    return import_flow(written(every_kind()))


def test_edits_of_different_places_all_go_in(workspace: Workspace, flow: Flow) -> None:
    def work(number: int) -> Callable[[], list[Outcome]]:
        by = person(workspace, "builder", f"Person {number}")
        # Everybody saw the first revision only, so each edit meets all those before it.
        return lambda: [
            editing.submit(flow, sent(1, described(NODES[number], f"{number}.{turn}"), {"op": "move", "positions": {
                NODES[number]: {"x": turn, "y": number}
            }}), by)
            for turn in range(6)
        ]  # fmt: skip

    for outcome in at_once(workspace, *(work(number) for number in range(4))):
        assert not isinstance(outcome, BaseException), outcome
        assert all(each.aside is None for each in outcome)
    flow.refresh_from_db()
    assert flow.revision == 25
    assert list(FlowEdit.objects.order_by("revision").values_list("revision", flat=True)) == list(range(2, 26))
    nodes = {each["id"]: each for each in json.loads(flow.draft)["nodes"]}
    assert [nodes[id]["description"] for id in NODES[:4]] == ["0.5", "1.5", "2.5", "3.5"]
    assert flow.layout["nodes"] == {id: {"x": 5.0, "y": float(at)} for at, id in enumerate(NODES[:4])}


def test_of_edits_of_one_place_one_goes_in_and_the_others_are_kept(workspace: Workspace, flow: Flow) -> None:
    people = [person(workspace, "builder", f"Person {number}") for number in range(5)]
    outcomes = at_once(
        workspace,
        *(lambda by=by: editing.submit(flow, sent(1, described("reply", by.name)), by) for by in people),
    )
    assert not [each for each in outcomes if isinstance(each, BaseException)], outcomes
    assert len([each for each in outcomes if each.aside is None]) == 1
    flow.refresh_from_db()
    won = next(each for each in json.loads(flow.draft)["nodes"] if each["id"] == "reply")["description"]
    kept = [aside.operations[0]["value"] for aside in FlowAside.objects.all()]
    assert sorted([won, *kept]) == [by.name for by in people]
    assert flow.revision == 2


def test_one_edit_sent_from_two_sides_is_one(workspace: Workspace, flow: Flow) -> None:
    ann, key = person(workspace, "builder", "Ann"), uuid.uuid4()
    operation = {"op": "addNode", "node": {"id": "extra", "handler": "work"}}
    outcomes = at_once(workspace, *[lambda: editing.submit(flow, sent(1, operation, key=key), ann)] * 4)
    assert not [each for each in outcomes if isinstance(each, BaseException)], outcomes
    flow.refresh_from_db()
    assert flow.revision == 2 and FlowEdit.objects.count() == 1


def test_undoing_while_somebody_edits_loses_nothing(workspace: Workspace, flow: Flow) -> None:
    ann, bob = (person(workspace, "builder", name) for name in ("Ann", "Bob"))
    for turn in range(5):
        editing.submit(flow, sent(turn + 1, described("plan", f"Ann {turn}")), ann)

    def undo_all() -> None:
        for _ in range(5):
            editing.undo(flow, ann)

    def edit_on() -> None:
        for turn in range(5):
            editing.submit(flow, sent(6, described("reply", f"Bob {turn}")), bob)

    assert at_once(workspace, undo_all, edit_on) == [None, None]
    flow.refresh_from_db()
    nodes = {each["id"]: each for each in json.loads(flow.draft)["nodes"]}
    assert "description" not in nodes["plan"] and nodes["reply"]["description"] == "Bob 4"
    assert flow.revision == 16


def test_pages_hear_of_an_edit_only_once_it_is_kept(
    workspace: Workspace, flow: Flow, monkeypatch: pytest.MonkeyPatch
) -> None:
    from runtime import bell

    heard: list[tuple[int, Json]] = []

    class Ringer:
        def send(self, group: str, message: Json) -> None:
            # Another connection sees what is committed.
            assert not connection.in_atomic_block
            heard.append((Flow.objects.get(pk=flow.pk).revision, message["news"]))

    monkeypatch.setattr(bell, "ringer", Ringer())
    ann = person(workspace, "builder", "Ann")
    editing.submit(flow, sent(1, described("plan", "x")), ann)
    editing.save_text(flow, "{ half", 2, ann)
    editing.undo(flow, ann)
    assert heard == [(at, {"type": "draft", "revision": at, "by": "Ann"}) for at in (2, 3, 4)]

    def broken(*given: Any) -> None:
        raise RuntimeError("the transaction ends here")

    monkeypatch.setattr(editing, "_lines", broken)
    with pytest.raises(RuntimeError):
        editing.submit(flow, sent(4, described("plan", "y")), ann)
    flow.refresh_from_db()
    assert len(heard) == 3 and flow.revision == 4
