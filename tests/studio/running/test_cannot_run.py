"""A flow with a step that this installation cannot run stays a draft: it is refused in words wherever it would run."""

from __future__ import annotations

import json

import pytest

from flows import panels, store
from flows.kinds.ask import Ask
from flows.models import Flow, FlowVersion
from runtime.models import ModelEntry
from studio.ask import tools
from studio.ask.working import Working
from studio.publishing import readiness
from tests.studio.running.conftest import Clients, Edit

STEP = {"id": "which", "type": "ask", "ask": "Which?", "output": "answer"}
WORDS = 'The step "which" is of the kind "ask", which this installation cannot run.'


@pytest.fixture
def asking(edit: Edit, monkeypatch: pytest.MonkeyPatch) -> Flow:
    """A draft with an ask step, where ask steps cannot run."""
    monkeypatch.setattr(Ask, "runs", False)
    edit('"nodes": [', f'"nodes": [\n    {json.dumps(STEP)},')
    edit('"to": "END"', '"to": "which"')
    return edit('"edges": [', '"edges": [\n    {"from": "which", "to": "END"},')


def test_it_cannot_be_tried_or_published(asking: Flow, member_client: Clients, model: ModelEntry) -> None:
    reply = member_client("builder").post(f"/api/flows/{asking.pk}/try", "{}", "application/json").json()
    assert not reply["ready"]
    assert [(one["code"], one["message"]) for one in reply["barriers"]] == [("KIND_CANNOT_RUN", WORDS)]
    ready = readiness(asking)
    assert (ready.ready, [one.message for one in ready.errors]) == (False, [WORDS])
    page = member_client("operator").get(f"/flows/{asking.pk}/publish").content.decode()
    assert WORDS.replace('"', "&quot;") in page
    with pytest.raises(store.VersionRefused) as refused:
        store.make_version(asking)
    assert refused.value.problems == ready.errors
    assert not FlowVersion.objects.exists()


def test_palette_and_ask_bar_do_not_offer_it(asking: Flow) -> None:
    panels._language.cache_clear()  # pyright: ignore[reportPrivateUsage]
    try:
        offered = {kind.type: kind.offered for kind in panels.language().kinds}
    finally:
        panels._language.cache_clear()  # pyright: ignore[reportPrivateUsage]
    assert (offered["ask"], offered["llm"]) == (False, True)
    working = Working(json.loads(asking.draft), {})
    again = working.do(tools.read("addNode", json.dumps({"node": {**STEP, "id": "again"}})))
    assert (again.ok, again.code) == (False, "KIND_CANNOT_RUN")
    assert "ask" not in again.hint.split()
    assert working.do(tools.read("removeNodes", '{"ids": ["which"]}')).ok


def test_a_file_as_input_runs(edit: Edit) -> None:
    edit('"inputs": [', '"inputs": ["paper", ')
    flow = edit('"state": {', '"state": {\n    "paper": {"type": "file", "description": "What to read."},')
    assert store.make_version(flow).number
