"""What ships as an example is worth imitating: without a problem, with all its code, and with a script to try it."""

from __future__ import annotations

import json
import uuid

import pytest

from flows.check import check
from flows.kinds.llm import LlmNode
from flows.units import units_of
from runtime.demo.script import FOLDER as SCRIPTS
from runtime.units.handlerfile import parse_handlers
from runtime.units.lint import Ground, lint
from tests.examples.conftest import NAMES, document, text, units


@pytest.mark.parametrize("name", NAMES)
def test_it_has_no_problem_at_all(name: str) -> None:
    # LG-edges-14, LG-forms-23, LG-llm-05
    found = check(text(name, "flow.json"))
    assert [(problem.code, problem.path, problem.message) for problem in found.problems] == []
    assert found.ok


@pytest.mark.parametrize("name", NAMES)
def test_its_code_is_whole_and_nothing_more(name: str) -> None:
    specs = {spec.id: spec for spec in units_of(document(name))}
    channels = {name: channel.type for name, channel in document(name).state.items()}
    for key, code in units(name).items():
        assert lint(Ground.of(specs[key], channels), code) == [], key
    written = set(parse_handlers(text(name, "handlers.py")))
    assert written == {spec.name for spec in specs.values() if spec.kind != "router"}


@pytest.mark.parametrize("name", NAMES)
def test_it_says_what_it_is(name: str) -> None:
    # LG-conversation-12
    about, flow = json.loads(text(name, "about.json")), document(name)
    assert set(about) == {"title", "summary", "shows", "try", "settings", "allowedHosts"}
    assert about["title"] == flow.name
    assert set(about["settings"]) == set(flow.requires.settings)
    assert 3 <= len(flow.suggestions) <= 5
    assert all(channel.description for channel in flow.state.values())
    assert all(node.description for node in flow.nodes)
    assert uuid.UUID(flow.id)


def test_every_example_has_a_script_and_an_identity_of_its_own() -> None:
    # The demo model also plays the Ask bar, which is no flow.
    assert {path.stem for path in SCRIPTS.glob("*.json")} - {"ask"} == set(NAMES)
    assert set(NAMES) == {"order-desk", "request-desk", "word-quiz"}
    assert len({document(name).id for name in NAMES}) == len(NAMES)


@pytest.mark.parametrize("name", NAMES)
def test_a_prompt_says_nothing_twice(name: str) -> None:
    # LG-llm-07, LG-llm-43: no word about JSON, no names of properties, and history for whoever decides or answers
    for node in document(name).nodes:
        if isinstance(node, LlmNode):
            assert "json" not in node.prompt.lower()
            assert "{{history}}" in node.prompt
            for prop in node.answer.plain().get("properties", {}) if node.answer else {}:
                assert f'"{prop}"' not in node.prompt and f"{prop}:" not in node.prompt
