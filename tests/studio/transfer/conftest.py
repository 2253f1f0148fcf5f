"""A project of several flows, as a folder would hold it."""

from __future__ import annotations

import json
from typing import Any

import pytest

from tests.flows.test_placed import child, parent

Json = Any


def text(value: Json) -> str:
    return json.dumps(value, ensure_ascii=False, indent=2) + "\n"


def desk(address: str = "./find/flow.json") -> Json:
    """A flow with a handler that runs another flow, and needs a secret and a setting."""
    document = parent(address)
    document["nodes"].append(
        {"id": "sign", "handler": "sign", "description": "Puts the office's name under the answer."}
    )
    document["edges"] = [{"from": "look", "to": "sign"}, {"from": "sign", "to": "END"}]
    document["requires"] = {
        "env": ["OFFICE_KEY"],
        "settings": {"office": {"default": "Nicosia", "description": "Which office answers."}},
    }
    return document


SIGN = '''"""The office's own words."""

import textwrap

WIDTH = 70


# Wraps what is long.
def wrapped(words):
    return textwrap.fill(words, WIDTH)


async def sign(state, *, services, settings, env):
    return {"answer": wrapped(state["answer"]) + "\\n" + settings.office}
'''

TEST: Json = {
    "flow": "../flow.json",
    "tests": [{"name": "Answers", "input": {"question": "Who?"}, "mock": {"nodes": {"look/reply": "Ada."}}}],
}


@pytest.fixture
def project() -> dict[str, str]:
    """A project with a flow, one that it runs, and everything that may stand beside them."""
    return {
        "flow.json": text(desk()),
        "handlers.py": SIGN,
        "layout.json": text({"nodes": {"look": {"x": 10, "y": 20.5}}, "comments": []}),
        "triggers.json": text({"flow": "flow.json", "triggers": []}),
        "agents.json": text({"agents": {"finder": {"flow": "find/flow.json"}}}),
        "tests/first.test.json": text(TEST),
        "evals/good.eval.json": text(
            {"flow": "../flow.json", "criteria": {"kind": {"description": "Kind?"}}, "dataset": "cases.json"}
        ),
        "evals/cases.json": text([{"name": "One", "input": {"question": "Who?"}}]),
        "find/flow.json": text(child()),
        "find/tests/one.test.json": text({"flow": "../flow.json", "tests": []}),
    }
