"""The pages of the files beside a flow: a list with what is wrong, a text to edit, and where the flow stands."""

from __future__ import annotations

import json
from collections.abc import Callable

import pytest
from django.test import Client

from flows import files, store
from flows.models import Flow, FlowFile
from flows.placed import checked_in_place
from tests.flows.test_placed import child, parent


@pytest.fixture
def ann(flow: Flow, member_client: Callable[..., Client]) -> Client:
    return member_client("builder", "Ann")


def said(client: Client, address: str) -> str:
    return client.get(address).content.decode()


@pytest.mark.parametrize(
    "path", ["tests/first.test.json", "evals/a.eval.json", "triggers.json", "agents.json", "evals/cases.json"]
)
def test_a_new_file_begins_as_its_kind_does(ann: Client, flow: Flow, path: str) -> None:
    reply = ann.post(f"/flows/{flow.pk}/files/new", {"path": path})
    assert reply["Location"] == f"/flows/{flow.pk}/files/{path}"
    assert path in said(ann, f"/flows/{flow.pk}/files")
    kept = files.find(flow, path)
    assert kept is not None
    assert [each.code for each in kept.problems if each.code.startswith(("FLOW_", "JSON_", "WRONG_", "MISSING_"))] == []
    twice = ann.post(f"/flows/{flow.pk}/files/new", {"path": path})
    assert twice.status_code == 409
    assert "already. Open it, or choose another path." in twice.content.decode()


def test_a_path_that_no_file_may_have_is_said_beside_it(ann: Client, flow: Flow) -> None:
    reply = ann.post(f"/flows/{flow.pk}/files/new", {"path": "../x.json"})
    page = reply.content.decode()
    assert reply.status_code == 422
    assert 'value="../x.json"' in page
    assert "Write a path such as tests/first.test.json." in page
    assert not FlowFile.objects.exists()


def test_a_file_is_edited_and_its_mistakes_stand_beside_it(ann: Client, flow: Flow) -> None:
    here = f"/flows/{flow.pk}/files/triggers.json"
    kept = files.keep(flow, "triggers.json", "{}", "")
    assert 'data-code="json">{}</textarea>' in said(ann, here)
    ann.post(here, {"act": "save", "was": kept.sha, "code": '{"flow": "flow.json", "triggers": [{"id": "x"}]}'})
    page = said(ann, here)
    assert "Saved, with 1 problem." in page
    assert "triggers[0]" in page
    stale = ann.post(here, {"act": "save", "was": kept.sha, "code": "mine"})
    page = stale.content.decode()
    assert stale.status_code == 409
    assert ">mine</textarea>" in page
    assert "What Ann saved" in page
    now = FlowFile.objects.get()
    # Having seen both, the person may save theirs.
    assert f'name="was" value="{now.sha}"' in page
    assert ann.post(here, {"act": "save", "was": now.sha, "code": "mine"}).status_code == 302
    ann.post(here, {"act": "remove", "was": FlowFile.objects.get().sha})
    assert not FlowFile.objects.exists()
    gone = ann.post(here, {"act": "save", "was": now.sha, "code": "mine"})
    assert (gone.status_code, ">mine</textarea>" in gone.content.decode()) == (409, True)
    assert ann.get(here).status_code == 404


def test_a_removal_that_comes_too_late_shows_what_is_there_now(ann: Client, flow: Flow) -> None:
    kept = files.keep(flow, "triggers.json", "{}", "")
    files.keep(flow, "triggers.json", '{"a": 1}', kept.sha)
    late = ann.post(f"/flows/{flow.pk}/files/triggers.json", {"act": "remove", "was": kept.sha})
    page = late.content.decode()
    assert (late.status_code, FlowFile.objects.count()) == (409, 1)
    assert ">{&quot;a&quot;: 1}</textarea>" in page
    assert "theirs-title" not in page


def test_what_a_file_says_is_shown_as_text(ann: Client, flow: Flow) -> None:
    files.keep(flow, "a'&#%.json", "</textarea><script>alert(1)</script>", "")
    page = said(ann, f"/flows/{flow.pk}/files")
    assert "a%27%26%23%25.json" in page
    assert "<script>alert(1)" not in said(ann, f"/flows/{flow.pk}/files/a%27%26%23%25.json")


def test_a_flow_is_moved_and_found_there(ann: Client) -> None:
    desk = store.import_flow(json.dumps(parent("../shared/find/flow.json")))
    find = store.import_flow(json.dumps(child()))
    assert [each.code for each in checked_in_place(desk).errors] == ["FLOW_NOT_FOUND"]
    reply = ann.post(f"/flows/{find.pk}/place", {"place": "shared/find/flow.json"})
    assert reply.status_code == 302
    assert Flow.objects.get(pk=find.pk).path == "shared/find"
    assert checked_in_place(desk).errors == []
    taken = ann.post(f"/flows/{desk.pk}/place", {"place": "shared/find"})
    assert (taken.status_code, "stands at shared/find already" in taken.content.decode()) == (409, True)
    # A deleted flow keeps its place, and is said to be deleted: nobody would find it in the list.
    ann.post(f"/flows/{find.pk}/delete")
    taken = ann.post(f"/flows/{desk.pk}/place", {"place": "shared/find"})
    assert (taken.status_code, "keeps its place" in taken.content.decode()) == (409, True)


@pytest.mark.parametrize("place", ["", "..", "../x", "a//b", "flow.json", "x" * 201, "a\x00b", ".hidden", "C:\\x"])
def test_a_place_that_no_flow_may_have_is_refused(ann: Client, flow: Flow, place: str) -> None:
    reply = ann.post(f"/flows/{flow.pk}/place", {"place": place})
    assert reply.status_code in (400, 422)
    assert Flow.objects.get(pk=flow.pk).path == "answer-desk"


def test_whoever_only_looks_gets_no_buttons(flow: Flow, member_client: Callable[..., Client]) -> None:
    files.keep(flow, "agents.json", '{"agents": {}}', "")
    page = said(member_client("operator", "Olga"), f"/flows/{flow.pk}/files/agents.json")
    assert "readonly" in page
    assert 'value="save"' not in page
    assert 'value="remove"' not in page
