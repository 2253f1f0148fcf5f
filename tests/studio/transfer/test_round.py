"""Taking a project in and giving it out again: whole, byte for byte, with nothing added that is secret."""

from __future__ import annotations

import io
import json
import zipfile
from typing import Any

import pytest

from flows import store
from flows.files import files_of
from flows.models import Flow, FlowFile, Unit, Workspace
from flows.placed import checked_in_place
from flows.scope import workspace as entered
from runtime.models import Deployment, Secret
from runtime.services.secrets import encrypt
from studio.models import User
from studio.refusal import Refusal
from studio.transfer.archive import pack, unpack
from studio.transfer.giving import give
from studio.transfer.parts import Contents, sort
from studio.transfer.sent import of_files
from studio.transfer.taking import Taken, take
from tests.studio.transfer.conftest import text

Json = Any
Files = dict[str, str]


def sorted_out(files: Files, name: str = "desk") -> Contents:
    return sort(of_files(name, [(path, words.encode()) for path, words in files.items()]))


@pytest.fixture
def ann(user: Any) -> User:
    return user("builder", "Ann")


def brought(files: Files, by: User, how: Any = "new", name: str = "desk") -> Taken:
    return take(sorted_out(files, name), how, by)


def without_ids(files: Files) -> Files:
    """The files as they were before their flows got ids."""
    found = {path: words for path, words in files.items() if path not in ("manifest.json", ".env.example")}
    for path, words in found.items():
        if path.endswith("flow.json"):
            document = json.loads(words)
            document.pop("id")
            found[path] = text(document)
    return found


def test_a_project_goes_round_whole(workspace: Workspace, ann: User, project: Files) -> None:
    # LG-export-02
    # LG-subflows-14: one project of the whole tree, each child at its address with its own code.
    taken = brought(project, ann)
    top, find = taken.flows
    assert (top.path, find.path) == ("desk", "desk/find")
    assert checked_in_place(Flow.objects.get(pk=top.pk)).errors == []
    assert [unit.name for unit in Unit.objects.filter(flow=top)] == ["sign"]
    assert [each.path for each in files_of(top)] == [
        "agents.json", "evals/cases.json", "evals/good.eval.json", "tests/first.test.json", "triggers.json",
    ]  # fmt: skip
    given = give(Flow.objects.get(pk=top.pk))
    assert without_ids(given.files) == project
    # From here on the flows have ids, and nothing changes any more, however often it goes round.
    again = brought(given.files, ann, "update")
    assert [flow.pk for flow in again.flows] == [top.pk, find.pk]
    assert give(Flow.objects.get(pk=top.pk)).files == given.files
    assert Flow.objects.get(pk=top.pk).revision == 1


def test_a_zip_is_the_same_bytes_each_time(workspace: Workspace, ann: User, project: Files) -> None:
    # LG-export-04
    top = brought(project, ann).flows[0]
    raw = pack(give(Flow.objects.get(pk=top.pk)).files)
    assert raw == pack(give(Flow.objects.get(pk=top.pk)).files)
    assert unpack(raw, "desk").files == give(Flow.objects.get(pk=top.pk)).files
    with zipfile.ZipFile(io.BytesIO(raw)) as archive:
        assert archive.testzip() is None
    Flow.objects.all().delete()
    take(sort(unpack(raw, "desk")), "new", ann)
    assert pack(give(Flow.objects.get(pk=top.pk)).files) == raw


def test_another_workspace_gets_the_same_flows(workspace: Workspace, ann: User, project: Files) -> None:
    top = brought(project, ann).flows[0]
    given = give(Flow.objects.get(pk=top.pk)).files
    with entered(Workspace.objects.create(name="Elsewhere").pk):
        other = brought(given, ann).flows[0]
        assert other.pk != top.pk, "An id belongs to one flow of the installation."
        theirs = give(Flow.objects.get(pk=other.pk)).files
    assert without_ids(theirs) == project


def test_a_copy_stands_beside_the_first_with_ids_of_its_own(workspace: Workspace, ann: User, project: Files) -> None:
    # LG-export-05, LG-identity-04
    top = brought(project, ann).flows[0]
    copy, find = brought(give(Flow.objects.get(pk=top.pk)).files, ann, "copy").flows
    assert (copy.path, find.path) == ("desk-2", "desk-2/find")
    assert (copy.name, find.name) == ("Desk 2", "Find 2")
    assert checked_in_place(Flow.objects.get(pk=copy.pk)).errors == []
    assert Flow.objects.count() == 4


def test_an_update_is_one_edit_that_can_be_undone(workspace: Workspace, ann: User, project: Files) -> None:
    # LG-export-05
    top = brought(project, ann).flows[0]
    before = Flow.objects.get(pk=top.pk)
    given = give(before).files
    given["flow.json"] = given["flow.json"].replace('"Answers."', '"Answers at once."')
    given["layout.json"] = text({"nodes": {"look": {"x": 1, "y": 2}}, "comments": []})
    given["tests/second.test.json"] = text({"flow": "../flow.json", "tests": []})
    del given["tests/first.test.json"]
    taken = brought(given, ann, "update")
    now = Flow.objects.get(pk=top.pk)
    assert ("at once" in now.draft, now.revision, now.layout["nodes"]["look"]["x"]) == (True, 2, 1)
    assert taken.stays == ["Desk: tests/first.test.json"]
    assert FlowFile.objects.filter(flow=top, path="tests/first.test.json").exists(), "An import takes nothing away."
    from studio import editing

    editing.undo(now, ann)
    back = Flow.objects.get(pk=top.pk)
    assert (back.draft, back.layout) == (before.draft, before.layout)


def test_what_changed_since_it_was_looked_at_is_not_overwritten(
    workspace: Workspace, ann: User, project: Files
) -> None:
    top = brought(project, ann).flows[0]
    given = give(Flow.objects.get(pk=top.pk)).files
    store.save_draft(Flow.objects.get(pk=top.pk), given["flow.json"] + " ", 1)
    with pytest.raises(Refusal, match="was changed after you looked"):
        take(sorted_out(given), "update", ann, {str(top.pk): 1})
    assert Flow.objects.get(pk=top.pk).draft == given["flow.json"] + " "


def test_nothing_secret_is_given_out(workspace: Workspace, ann: User, project: Files) -> None:
    # LG-export-03
    top = brought(project, ann).flows[0]
    bench = Deployment.objects.create(flow=top, slug="bench", name="Desk", settings={"office": "Limassol"})
    Secret.objects.create(deployment=bench, name="OFFICE_KEY", cipher=encrypt(b"canary-9f2c"), hosts=["office.test"])
    given = give(Flow.objects.get(pk=top.pk)).files
    everything = "\n".join([*given, *given.values()])
    assert not [word for word in ("canary-9f2c", "Limassol", "office.test", "bench") if word in everything]
    assert given[".env.example"] == (
        "# A secret of the flow “Desk”. It is set where the agent is published.\nOFFICE_KEY=\n\n"
        '# Which office answers. Without it: "Nicosia"\nSETTING_OFFICE=\n'
    )


def test_the_manifest_says_who_is_in_it(workspace: Workspace, ann: User, project: Files) -> None:
    # LG-studio-04: a manifest with the flow's hash. Where and when it was deployed is the deployment's to say.
    top = brought(project, ann).flows[0]
    manifest = json.loads(give(Flow.objects.get(pk=top.pk)).files["manifest.json"])
    assert [each["file"] for each in manifest["flows"]] == ["flow.json", "find/flow.json"]
    assert manifest["flows"][0]["id"] == str(top.pk)
    assert set(manifest["files"]) == {*project, ".env.example"}
    turned = json.dumps(dict(reversed(json.loads(Flow.objects.get(pk=top.pk).draft).items())))
    store.save_draft(Flow.objects.get(pk=top.pk), turned, 1)
    other = json.loads(give(Flow.objects.get(pk=top.pk)).files["manifest.json"])
    assert other["flows"][0]["sha256"] == manifest["flows"][0]["sha256"]


def test_code_keeps_its_history(workspace: Workspace, ann: User, project: Files) -> None:
    top = brought(project, ann).flows[0]
    Unit.objects.filter(flow=top).update(origin="generated", key="older")
    given = give(Flow.objects.get(pk=top.pk)).files
    Flow.objects.all().delete()
    brought(given, ann)
    unit = Unit.objects.get(flow=top.pk)
    assert (unit.origin, unit.key) == ("generated", "older"), "Stale code stays stale."
    # Whoever changes the code by hand cannot have it pass as written by a model.
    given["handlers.py"] = given["handlers.py"].replace("WIDTH = 70", "WIDTH = 60")
    Flow.objects.all().delete()
    brought(given, ann)
    assert Unit.objects.get(flow=top.pk).origin == "edited"


def test_code_that_cannot_stand_together_goes_round_alone(workspace: Workspace, ann: User, project: Files) -> None:
    top = brought(project, ann).flows[0]
    broken = "async def sign(state, *, services, settings, env:\n    return {}\n"
    Unit.objects.filter(flow=top).update(code=broken)
    given = give(Flow.objects.get(pk=top.pk)).files
    assert given["code/handler.sign.py"] == broken
    Flow.objects.all().delete()
    brought(given, ann)
    unit = Unit.objects.get(flow=top.pk)
    assert unit.code == broken
    assert unit.refused, "What may not run is kept, and says so."
    assert give(Flow.objects.get(pk=top.pk)).files == given


def test_flows_that_stand_side_by_side_go_round(workspace: Workspace, ann: User, project: Files) -> None:
    from tests.studio.transfer.conftest import child, desk

    files = {"desk/flow.json": text(desk("../find.json")), "find.json": text(child())}
    top = brought(files, ann, name="office").flows[0]
    assert sorted(Flow.objects.values_list("path", flat=True)) == ["desk", "find.json"]
    given = give(Flow.objects.get(pk=top.pk))
    assert given.top == "desk/flow.json"
    assert set(given.files) == {*files, "manifest.json", ".env.example"}
    copy = brought(given.files, ann, "copy", name="office").flows[0]
    assert copy.path == "office/desk"
    assert checked_in_place(Flow.objects.get(pk=copy.pk)).errors == []
