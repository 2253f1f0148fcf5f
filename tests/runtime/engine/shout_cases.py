"""What holds of a kind that was added by one module. Run in a copy of the product, by tests/newkind."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import pytest
from jsonschema import Draft202012Validator

from flows import panels, reference
from flows.check import check
from flows.edits.apply import apply
from flows.schema import schema
from runtime.demo.testing import Scripted
from runtime.processes import ROOT
from studio.management.commands.generate import outputs
from tests.runtime.engine.conftest import Desk, flow

SHOUT = {"id": "call", "type": "shout", "text": "hear {{question}}", "times": 2, "output": "answer"}


def test_the_kind_is_not_the_product_s_own() -> None:
    assert (ROOT / "flows/kinds/shout.py").is_file()
    assert ROOT.name == "product"


def test_it_checks() -> None:
    assert check(flow([SHOUT], version="1.0")).ok
    misspelt = check(flow([{**SHOUT, "tetx": "x"}], version="1.0")).errors
    assert [(each.code, each.hint) for each in misspelt] == [("UNKNOWN_KEY", 'Did you mean "text"?')]
    unread = check(flow([{**SHOUT, "text": "{{nobody}}"}], version="1.0")).errors
    assert [each.code for each in unread] == ["CHANNEL_NOT_DECLARED"]
    numbers = {"question": {"type": "string"}, "answer": {"type": "number"}}
    assert "SHOUT_NOT_TEXT" in [each.code for each in check(flow([SHOUT], version="1.0", state=numbers)).errors]
    assert "VERSION_TOO_LOW" in [each.code for each in check(flow([SHOUT], version="0.33")).errors]
    assert "SHOUT_NOT_TEXT" in reference.topic("checks").text


def test_it_runs(deploy: Callable[..., Desk]) -> None:
    run = deploy(flow([SHOUT], version="1.0")).say(question="me")
    assert run.status == "done", run.error
    assert run.outputs == {"answer": "HEAR ME! HEAR ME!"}


def test_it_fails_and_goes_elsewhere(deploy: Callable[..., Desk], demo: Scripted) -> None:
    demo.add({"when": {"contains": "nothing to shout"}, "answer": "Too quiet."})
    nodes = [
        {**SHOUT, "text": "{{error_free}}", "onError": "calm"},
        {"id": "calm", "type": "llm", "prompt": "Say: {{__error}}", "output": "answer"},
    ]
    state = {name: {"type": "string", "description": name} for name in ("question", "answer", "error_free")}
    run = deploy(flow(nodes, version="1.0", state=state)).say(question="me")
    assert run.outputs == {"answer": "Too quiet."}


def test_it_waits_for_an_approval_that_names_what_it_will_do(deploy: Callable[..., Desk]) -> None:
    approval = {"ask": "Shout it?", "edit": ["question"]}
    desk = deploy(flow([{**SHOUT, "approval": approval}], version="1.0"))
    run = desk.say(question="me")
    assert run.status == "waiting"
    question = desk.question(run)
    assert json.loads(bytes(question.payload))["does"]["args"] == {"text": "hear me"}
    assert desk.answer(run, "approve").outputs == {"answer": "HEAR ME! HEAR ME!"}


def test_it_is_in_the_palette_and_has_a_panel() -> None:
    (shape,) = [kind for kind in panels.language().wire()["kinds"] if kind["type"] == "shout"]
    assert (shape["title"], shape["group"], shape["icon"]) == ("Shout", "data", "megaphone")
    assert shape["summary"] == "Says it loudly."
    fields = {field["key"]: field for field in shape["fields"]}
    assert [fields[key]["widget"] for key in ("text", "times", "output")] == ["text", "number", "channel"]
    assert {"onError", "retry", "approval"} <= fields.keys()
    assert shape["blank"]["type"] == "shout"
    assert "text" in shape["reads"] and "output" in shape["writes"]


def test_it_is_served_to_the_editor(workspace: Any, client: Any) -> None:
    from tests.support.people import person

    client.force_login(person(workspace, "builder", "Bea"))
    served = client.get("/api/language")
    assert served.status_code == 200
    assert "shout" in [kind["type"] for kind in served.json()["kinds"]]
    page = client.get("/reference/shout").content.decode()
    assert "What is shouted." in page and "Capitals are text" in page


def test_it_is_in_the_reference() -> None:
    page = reference.topic("shout")
    assert page.title == "Shout: the node kind `shout`"
    assert "one module" in page.text and "| `times` | whole number; 1 to 9; else `1` |" in page.text
    assert "| `shout` | Shout |" in reference.overview()
    assert "the kind `shout`" in reference.topic("versions").text


def test_it_is_in_the_schema_and_in_the_types() -> None:
    made = schema()
    assert made["$defs"]["ShoutNode"]["x-kind"]["title"] == "Shout"
    validator = Draft202012Validator(made)
    whole = flow([SHOUT], version="1.0")
    assert validator.is_valid(whole)
    assert not validator.is_valid(flow([{**SHOUT, "times": "often"}], version="1.0"))
    files = outputs()
    assert "export interface ShoutNode" in files["frontend/src/generated/flow.ts"]
    assert "docs/reference/shout.md" in files
    assert '"ShoutNode"' in files["docs/schema/flow.schema.json"]


@pytest.mark.parametrize("op", ["addNode", "renameChannel", "renameNode"])
def test_edits_know_its_references(op: str) -> None:
    document = flow([SHOUT], version="1.0")
    operations = {
        "addNode": [{"op": "addNode", "node": {**SHOUT, "id": "again"}}],
        "renameChannel": [{"op": "renameChannel", "name": "question", "to": "words"}],
        "renameNode": [{"op": "renameNode", "id": "call", "to": "cry"}],
    }[op]
    text = apply(json.dumps(document), operations).text
    assert {"addNode": '"again"', "renameChannel": "hear {{words}}", "renameNode": '"cry"'}[op] in text
