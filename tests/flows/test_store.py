"""Drafts are never lost, identities never change, versions never do."""

from __future__ import annotations

import json
import uuid
from typing import Any

import pytest

from flows import identity, recent, scope, store
from flows.check import check
from flows.models import Flow, FlowVersion, Unit, Workspace
from flows.units import units_of
from tests.flows.flow_of import every_kind, question

Json = Any


def text_of(flow: Json) -> str:
    return json.dumps(flow, ensure_ascii=False, indent=2)


def test_a_new_flow_runs_as_it_is(workspace: Workspace) -> None:
    # LG-conversation-06, LG-identity-02, LG-versions-01
    flow = store.create("Order desk")
    assert check(flow.draft).problems == []
    assert flow.path == "order-desk" and flow.revision == 1
    assert identity.id_of(flow.draft) == flow.pk and identity.name_of(flow.draft) == "Order desk"
    assert store.create("Order desk").path == "order-desk-2"
    assert store.create("שולחן").path == "flow"
    assert store.make_version(flow).number == 1


def test_an_import_keeps_its_text_and_its_id(workspace: Workspace) -> None:
    text = text_of(every_kind())
    flow = store.import_flow(text, name="order-desk.json")
    assert flow.draft == text and flow.name == "Order desk"
    assert str(flow.pk) == every_kind()["id"]


def test_the_same_file_again_is_a_copy(workspace: Workspace) -> None:
    # LG-identity-04
    first = store.import_flow(text_of(every_kind()))
    second = store.import_flow(text_of(every_kind()))
    assert first.pk != second.pk and identity.id_of(second.draft) == second.pk
    assert second.path == "order-desk-2"


def test_an_id_of_another_workspace_is_taken(workspace: Workspace) -> None:
    store.import_flow(text_of(every_kind()))
    other = Workspace.objects.create(name="Other")
    with scope.workspace(other.id):
        copy = store.import_flow(text_of(every_kind()))
        assert str(copy.pk) != every_kind()["id"] and copy.path == "order-desk"


@pytest.mark.parametrize("text", ["", "{", "[1]", '{"id": 5, "nodes": {}}', "\ufeff{}", "{}"])
def test_anything_typed_is_kept(workspace: Workspace, text: str) -> None:
    flow = store.import_flow(text, name="Notes")
    assert Flow.objects.get(pk=flow.pk).name == "Notes"
    saved = store.save_draft(flow, text, 1)
    if identity.read(text) is None:
        assert saved.draft == text
    else:
        assert identity.id_of(saved.draft) == flow.pk


@pytest.mark.parametrize("text", ["x" * 1_000_001, "a\x00b", "\ud800"])
def test_what_cannot_be_stored_is_refused_in_words(workspace: Workspace, text: str) -> None:
    flow = store.create("Desk")
    with pytest.raises(store.StoreRefused) as refused:
        store.save_draft(flow, text, 1)
    assert refused.value.message.endswith(".")
    assert Flow.objects.get(pk=flow.pk).revision == 1


def test_a_save_names_the_revision_it_began_from(workspace: Workspace) -> None:
    flow = store.create("Desk")
    mine = store.save_draft(flow, flow.draft.replace("Answers questions", "Answers"), 1)
    assert mine.revision == 2
    with pytest.raises(store.DraftChanged) as refused:
        store.save_draft(flow, flow.draft + "\n", 1)
    assert refused.value.flow.draft == mine.draft
    # The same text saved twice, by a page that did not hear the first answer, is no conflict.
    assert store.save_draft(flow, mine.draft, 1).revision == 2


def test_an_id_never_changes(workspace: Workspace) -> None:
    # LG-identity-02
    flow = store.create("Desk")
    other = flow.draft.replace(str(flow.pk), str(uuid.uuid4())).replace("Desk", "Help desk")
    saved = store.save_draft(flow, other, 1)
    assert identity.id_of(saved.draft) == flow.pk
    assert saved.name == "Help desk" and saved.path == flow.path


def test_below_its_version_a_flow_has_no_identity(workspace: Workspace) -> None:
    # LG-identity-03, LG-identity-07
    flow = store.create("Desk")
    saved = store.save_draft(flow, flow.draft.replace('"1.0"', '"0.20"'), 1)
    assert not set(identity.KEYS) & set(json.loads(saved.draft)) and check(saved.draft).ok
    back = store.save_draft(flow, saved.draft.replace('"0.20"', '"0.21"'), 2)
    assert identity.id_of(back.draft) == flow.pk


def test_only_the_identity_is_written_into_the_authors_text() -> None:
    id = uuid.UUID("8f14e45f-ceea-467a-9f1a-2b0f8e5c91aa")
    assert identity.identified('{\n  "version": "1.0",\n\n  "nodes" : [ ]}', id) == (
        f'{{\n  "version": "1.0",\n  "id": "{id}",\n\n  "nodes" : [ ]}}'
    )
    assert identity.identified('{"version":"1.0","id" : "x" , "a":{"id":1}}', id) == (
        f'{{"version":"1.0","id" : "{id}" , "a":{{"id":1}}}}'
    )
    assert identity.identified("{ }", id) == f'{{ "id": "{id}" }}'
    assert identity.identified('{"nodes":[]}', id, "A") == f'{{"id": "{id}", "name": "A", "nodes":[]}}'
    old = '{"id": "x", "version": "0.9", "createdBy": "y", "start": "a", "name": "n"}'
    assert identity.identified(old, id) == '{"version": "0.9", "start": "a"}'


def test_a_copy_has_its_own_identity_and_the_code(workspace: Workspace) -> None:
    # LG-identity-04
    flow = store.import_flow(text_of(every_kind()))
    Unit.objects.create(flow=flow, kind="handler", name="countTry", key="k", code="async def …", origin="edited")
    copy = store.duplicate(flow)
    assert copy.name == "Copy of Order desk" and identity.name_of(copy.draft) == copy.name
    assert identity.id_of(copy.draft) == copy.pk != flow.pk
    assert [(unit.name, unit.origin) for unit in Unit.objects.filter(flow=copy)] == [("countTry", "edited")]
    assert Unit.objects.filter(flow=flow).count() == 1


def test_deleting_can_be_undone(workspace: Workspace) -> None:
    flow = store.create("Desk")
    store.delete(flow)
    assert flow.deleted_at is not None
    with pytest.raises(store.StoreRefused, match="was deleted"):
        store.save_draft(flow, flow.draft, 1)
    store.restore(flow)
    assert store.save_draft(flow, flow.draft + " ", 1).revision == 2


def test_a_system_flow_stays(workspace: Workspace) -> None:
    # LG-conversation-04
    flow = store.import_flow(text_of({**question(), "kind": "system"}))
    with pytest.raises(store.StoreRefused, match="system flow"):
        store.delete(flow)
    store.make_version(flow)
    broken = store.save_draft(flow, flow.draft + "}", 1)
    with pytest.raises(store.StoreRefused, match="system flow"):
        store.delete(broken)


def with_code(flow: Flow) -> None:
    document = check(flow.draft).flow
    assert document is not None
    for spec in units_of(document):
        if spec.kind != "router":
            code = f"async def {spec.name}(): …"
            Unit.objects.create(flow=flow, kind=spec.kind, name=spec.name, key=spec.key, code=code, origin="generated")


def test_a_version_holds_the_flow_and_its_code(workspace: Workspace) -> None:
    flow = store.import_flow(text_of(every_kind()))
    with_code(flow)
    version = store.make_version(flow, note="First")
    assert (version.number, version.engine, version.note) == (1, store.ENGINE, "First")
    assert list(version.units) == ["service:shop", "handler:countTry", "router:routePlan", "tool:changeOrder"]
    # A router with regular sentences needs no model.
    assert 'return "change"' in version.units["router:routePlan"]
    assert Unit.objects.get(flow=flow, kind="router").origin == "regular"
    stored = FlowVersion.objects.get(pk=version.pk)
    assert stored.document == every_kind()
    assert json.dumps(stored.document["nodes"][0]["fields"]) == json.dumps(every_kind()["nodes"][0]["fields"])
    assert check(stored.document).ok


def test_the_same_draft_is_one_version(workspace: Workspace) -> None:
    flow = store.create("Desk")
    first = store.make_version(flow)
    shuffled = json.dumps(dict(reversed(json.loads(flow.draft).items())))
    assert store.make_version(store.save_draft(flow, shuffled, 1)).pk == first.pk
    second = store.make_version(store.save_draft(flow, flow.draft.replace("Answers questions", "Answers"), 2))
    assert second.number == 2
    back = store.make_version(store.save_draft(flow, flow.draft, 3))
    assert back.pk == first.pk and FlowVersion.objects.filter(flow=flow).count() == 2


def test_the_order_of_fields_makes_a_version(workspace: Workspace) -> None:
    # A form is drawn in the order of its fields: publishing another order is publishing something.
    flow = store.import_flow(text_of(every_kind()))
    with_code(flow)
    first = store.make_version(flow)
    turned = every_kind()
    turned["nodes"][0]["fields"] = dict(reversed(turned["nodes"][0]["fields"].items()))
    second = store.make_version(store.save_draft(flow, text_of(turned), 1))
    assert second.number == first.number + 1
    assert list(FlowVersion.objects.get(pk=second.pk).document["nodes"][0]["fields"]) == ["since", "orderId"]


def test_a_broken_draft_is_no_version(workspace: Workspace) -> None:
    flow = store.import_flow(text_of({**question(), "start": "nowhere"}))
    with pytest.raises(store.VersionRefused) as refused:
        store.make_version(flow)
    assert [problem.code for problem in refused.value.problems] == ["NODE_NOT_FOUND"]
    assert 'There is no node "nowhere".' in refused.value.message


def test_a_version_needs_its_code(workspace: Workspace) -> None:
    flow = store.import_flow(text_of(every_kind()))
    Unit.objects.create(
        flow=flow, kind="handler", name="countTry", key="k", origin="generated", refused="It imports os."
    )
    with pytest.raises(store.VersionRefused) as refused:
        store.make_version(flow)
    assert [problem.message for problem in refused.value.problems] == [
        'The service "shop" has no code.',
        'The handler "countTry" has no code. It was refused: It imports os.',
        'The tool "changeOrder" has no code.',
    ]
    assert not FlowVersion.objects.exists()


@pytest.mark.parametrize(
    ("change", "code", "words"),
    [
        ({"refused": "It imports os."}, "UNIT_REFUSED", "is refused: It imports os."),
        ({"key": "0" * 64}, "UNIT_STALE", "was written from an older description"),
        ({"code": " "}, "UNIT_MISSING", "has no code"),
    ],
)
def test_code_that_may_not_run_makes_no_version(workspace: Workspace, change: Json, code: str, words: str) -> None:
    flow = store.import_flow(text_of(every_kind()))
    with_code(flow)
    Unit.objects.filter(name="countTry").update(**change)
    with pytest.raises(store.VersionRefused, match=words) as refused:
        store.make_version(flow)
    assert [problem.code for problem in refused.value.problems] == [code]
    Unit.objects.filter(name="countTry").update(origin="edited", refused="", code="async def countTry(): …")
    assert store.make_version(flow).number == 1


def test_only_what_was_seen_becomes_a_version(workspace: Workspace) -> None:
    flow = store.import_flow(text_of(every_kind()))
    with_code(flow)
    made = store.make_version(flow)
    seen = store.Seen(flow.revision, made.units_sha)
    assert store.make_version(flow, seen=seen).pk == made.pk
    Unit.objects.filter(name="countTry").update(code="async def countTry(): another")
    with pytest.raises(store.VersionChanged):
        store.make_version(flow, seen=seen)
    Unit.objects.filter(name="countTry").update(code="async def countTry(): …")
    store.save_draft(flow, flow.draft.replace('"name"', '"name" '), 1)
    with pytest.raises(store.VersionChanged):
        store.make_version(flow, seen=seen)


def test_a_row_keeps_what_lists_show_of_its_draft(workspace: Workspace) -> None:
    flow = store.import_flow(text_of({**every_kind(), "description": "Counts.", "kind": "system"}))
    assert (flow.about, flow.errors, flow.system) == ("Counts.", 0, True)
    broken = store.save_draft(flow, text_of({**every_kind(), "description": "Counts.", "start": "nowhere"}), 1)
    assert (broken.about, broken.errors, broken.system) == ("Counts.", 1, False)
    unreadable = store.save_draft(broken, "{", 2)
    assert (unreadable.about, unreadable.errors) == ("Counts.", 1)


def test_remembered_checks_are_bounded_by_their_size() -> None:
    for number in range(40):
        recent.checked('{"name": "' + "x" * 100_000 + f'{number}"}}')
    assert recent.held() <= recent.MOST
    before = recent.held()
    recent.checked("x" * (recent.MOST + 1))
    assert recent.held() == before


def test_a_router_edited_by_hand_is_kept(workspace: Workspace) -> None:
    flow = store.import_flow(text_of(every_kind()))
    with_code(flow)
    Unit.objects.create(
        flow=flow, kind="router", name="routePlan", key="k", code="async def mine(): …", origin="edited"
    )
    assert store.make_version(flow).units["router:routePlan"] == "async def mine(): …"
