"""A description that comes back finds the code that a version had for it, and what is kept of the draft stays."""

from __future__ import annotations

import json
from typing import Any

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from flows import store
from flows.models import Flow, FlowVersion, Unit, Workspace
from flows.store import VersionRefused
from runtime.units import shelf
from studio import drafts
from tests.flows.flow_of import question

FIRST, SECOND = "Reads 'question', sets 'answer' to it.", "Reads 'question', sets 'answer' to its length."


def described(words: str) -> dict[str, Any]:
    plan = {"id": "plan", "handler": "plan", "description": words}
    return {**question(), "start": "plan", "nodes": [plan], "edges": [{"from": "plan", "to": "END"}]}


@pytest.fixture
def flow(workspace: Workspace) -> Flow:
    made = store.import_flow(json.dumps(described(FIRST)))
    write(made, "first")
    return made


def save(flow: Flow, words: str) -> Flow:
    now = Flow.objects.get(pk=flow.pk)
    return store.save_draft(now, json.dumps({**described(words), "id": str(flow.pk)}), now.revision)


def write(flow: Flow, code: str, origin: str = "generated") -> None:
    document = drafts.checked(Flow.objects.get(pk=flow.pk).draft).flow
    assert document is not None
    (one,) = shelf.units(flow, document)
    shelf.write(flow, one.spec, code, origin)  # type: ignore[arg-type]


def state(flow: Flow) -> tuple[str, str]:
    now = Flow.objects.get(pk=flow.pk)
    document = drafts.checked(now.draft).flow
    assert document is not None
    (one,) = shelf.units(now, document)
    return one.state, one.code


def test_the_code_of_a_version_comes_back_with_its_description(flow: Flow) -> None:
    store.make_version(flow)
    save(flow, SECOND)
    assert state(flow) == ("stale", "first")
    write(flow, "second")
    store.make_version(flow)
    save(flow, FIRST)
    assert state(flow) == ("current", "first")
    assert store.make_version(Flow.objects.get(pk=flow.pk)).number == 1
    # Nothing was written over: the newer description has its own code still.
    assert Unit.objects.get(flow=flow).code == "second"
    save(flow, SECOND)
    assert state(flow) == ("current", "second")


def test_what_no_version_had_stays_missing(flow: Flow) -> None:
    save(flow, SECOND)
    assert state(flow) == ("stale", "first")
    with pytest.raises(VersionRefused):
        store.make_version(Flow.objects.get(pk=flow.pk))


def test_what_a_person_wrote_is_never_passed_over(flow: Flow) -> None:
    store.make_version(flow)
    save(flow, SECOND)
    write(flow, "mine", "edited")
    save(flow, FIRST)
    assert state(flow) == ("edited", "mine")


def test_another_flows_versions_are_not_looked_at(flow: Flow) -> None:
    store.make_version(flow)
    other = store.import_flow(json.dumps(described(FIRST)))
    assert state(other)[0] == "missing"
    assert FlowVersion.objects.count() == 1


def test_documents_and_code_of_versions_are_not_read_with_every_edit(flow: Flow) -> None:
    for words in (FIRST, SECOND):
        save(flow, words)
        write(flow, words)
        store.make_version(Flow.objects.get(pk=flow.pk))
    save(flow, "Reads 'question', sets 'answer' to nothing.")
    assert state(flow)[0] == "stale"
    with CaptureQueriesContext(connection) as asked:
        assert state(flow)[0] == "stale"
    read = [each["sql"] for each in asked.captured_queries if "flows_flowversion" in each["sql"]]
    assert len(read) == 1 and '"document"' not in read[0] and '"units"' not in read[0]
