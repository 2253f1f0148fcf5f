"""Kinds that cannot be run here: they are checked like all others, and named before anything would run."""

from __future__ import annotations

import pytest

from flows.check import check
from flows.kinds.form import Form
from flows.runnable import added, cannot_run
from tests.flows.flow_of import every_kind, question


@pytest.fixture(autouse=True)
def barred(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Form, "runs", False)


def test_each_kind_that_cannot_run_is_named_once_with_its_steps() -> None:
    flow = every_kind()
    found = cannot_run(check(flow))
    assert [(each.code, each.level, each.path) for each in found] == [("KIND_CANNOT_RUN", "error", "nodes[0]")]
    assert found[0].message == 'The step "details" is of the kind "form", which this installation cannot run.'
    assert found[0].hint
    form = flow["nodes"][0]
    flow["nodes"][1:1] = [{**form, "id": f"more{number}"} for number in range(7)]
    assert '"more0", "more1", "more2", "more3", "more4" and 2 more are of' in cannot_run(check(flow))[0].message
    del flow["nodes"][3:8]
    assert 'steps "details", "more0" and "more1" are of' in cannot_run(check(flow))[0].message
    assert cannot_run(check(question())) == []
    assert cannot_run(check("{")) == []


def test_a_flow_with_other_mistakes_says_it_too_without_a_place() -> None:
    flow = every_kind()
    flow["nodes"].insert(0, {"id": "odd"})
    found = cannot_run(check(flow))
    assert [(each.code, each.path) for each in found] == [("KIND_CANNOT_RUN", "")]


def test_an_edit_that_adds_one_is_told_from_one_that_keeps_it() -> None:
    flow = every_kind()
    assert added(question(), flow) == "form"
    assert added(flow, flow) == added(flow, question()) == ""
    assert added(None, {"nodes": [7, {"type": []}, {"type": "formm"}]}) == ""
