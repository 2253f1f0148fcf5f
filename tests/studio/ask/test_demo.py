"""The three asks that the demo model knows: the order desk from nothing, an approval, one prompt."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

from flows import store
from flows.check import check
from flows.words.document import Document
from runtime.demo import acts
from runtime.models import ModelChoice, ModelEntry
from runtime.units import shelf
from studio import shelving
from tests.studio.ask.conftest import Bar

Json = Any


def meaning(document: Json) -> Json:
    """A flow up to its names, its layout and the order of its keys."""
    left = {
        key: value for key, value in document.items() if key not in ("id", "name", "version", "nodes", "edges", "tools")
    }
    nodes = {node["id"]: node for node in document["nodes"]}
    tools = {tool["name"]: tool for tool in document["tools"]}
    return {**left, "nodes": nodes, "tools": tools, "edges": {edge["from"]: edge for edge in document["edges"]}}


def test_the_order_desk_is_built_from_a_new_flow(
    make_bar: Callable[..., Bar], user: Callable, model: ModelEntry
) -> None:
    bar = make_bar()
    bar.flow = store.create("My desk", user("builder"))
    ask = bar.ask("Build the order desk from nothing")
    assert (ask["state"], ask["refused"], ask["newErrors"]) == ("proposed", [], []), ask["note"]
    assert ask["demo"] and "order desk" in ask["reply"]
    assert bar.accept(ask["id"]).status_code == 200
    found, wanted = check(bar.now.draft), acts.document("order-desk")
    assert found.problems == check(json.dumps(wanted)).problems
    assert meaning(bar.document) == meaning(wanted)
    assert bar.document["id"] == str(bar.flow.pk) and bar.document["name"] == "My desk"

    # Its code is written by the demo model too, unit by unit, and may run.
    ModelChoice.objects.create(purpose="code", entry=model)
    flow, document = bar.now, found.flow
    assert isinstance(document, Document)
    for one in shelf.units(flow, document):
        if one.state == "missing" and one.kind != "router":
            written = shelving.generate(flow, one.kind, one.name)
            assert written.state == "current", written.reason
    ready = shelf.ready(flow, document)
    assert ready.ok, ready.problems


def test_an_approval_is_added_to_the_step_that_writes(bar: Bar) -> None:
    before = bar.document
    ask = bar.ask("Add an approval before the order is placed")
    assert ask["state"] == "proposed" and ask["refused"] == [] and ask["newErrors"] == []
    bar.accept(ask["id"])
    after = bar.document
    approval = after["nodes"][1].pop("approval")
    assert json.dumps(after) == json.dumps(before)
    assert approval["show"] == ["question"] and approval["onReject"] == "reply"
    again = bar.ask("Add an approval")
    assert again["state"] == "answered" and again["lines"] == []


def test_one_prompt_is_changed_and_every_other_part_stays(bar: Bar) -> None:
    before = bar.now.draft.splitlines()
    ask = bar.ask("Let the prompt of reply end with “Say it in French.”")
    assert ask["state"] == "proposed" and [line["path"] for line in ask["lines"]] == [["prompt"]]
    bar.accept(ask["id"])
    changed = [new for old, new in zip(before, bar.now.draft.splitlines(), strict=True) if old != new]
    assert len(changed) == 1 and "Say it in French." in changed[0]


def test_a_step_is_explained_and_nothing_changed(bar: Bar) -> None:
    for text, selection, words in (
        ("What does place do?", [], "Place is a step of the kind tool."),
        ("What does this do?", ["reply"], "Reply is a step of the kind llm."),
        ("What does the flow do?", [], "Answers questions, and places orders."),
    ):
        ask = bar.ask(text, selection)
        assert ask["state"] == "answered" and ask["reply"].startswith(words), ask["reply"]
        assert ask["note"] == "Nothing in the flow was changed."


def test_what_the_demo_model_does_not_know_it_says(bar: Bar) -> None:
    ask = bar.ask("Paint it blue")
    assert ask["state"] == "answered" and "Settings → Models" in ask["reply"] and ask["demo"]
