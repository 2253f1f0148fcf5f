"""What a run reaches, whatever address its code, its documents and its messages name: nothing inside."""

# LG-read-06, LG-contract-07; reliability A2

from __future__ import annotations

import json
from collections.abc import Callable

import pytest

from runtime.models import ToolCall
from tests.attacks.conftest import Canary
from tests.attacks.test_addresses import written
from tests.runtime.engine.conftest import Desk, flow

# What is refused is refused before any row is written.
pytestmark = pytest.mark.any_database

TRIES = """
import json

URLS = json.loads({forms!r})

async def {name}(state, *, services, settings, env):
    told = []
    for url in URLS:
        try:
            await services.http.get(url, timeout=5)
            told.append(url)
        except Exception as error:
            if len(str(error)) < 15:
                told.append(url + " " + str(error))
    return {{"answer": json.dumps(told) if told else "none"}}
"""


def test_code_in_a_run_reaches_nothing(deploy: Callable[..., Desk], canary: Canary) -> None:
    """Every other of them by services.http in the real sandbox, through the real ledger."""
    forms = written(canary.port)[::2]
    parts = [forms[at : at + 190] for at in range(0, len(forms), 190)]
    names = [f"try{number}" for number in range(len(parts))]
    units = {
        f"handler:{name}": TRIES.format(forms=json.dumps(part), name=name)
        for name, part in zip(names, parts, strict=True)
    }
    nodes = [{"id": name, "handler": name, "description": "Writes 'answer'."} for name in names]
    desk = deploy(flow(nodes), units)
    run = desk.say(question="go")
    assert (run.status, run.outputs) == ("done", {"answer": "none"}), run.error
    calls = ToolCall.objects.filter(run=run)
    assert {call.state for call in calls} == {"failed"} and calls.count() > 50
    assert canary.touched() == 0


def test_read_nodes_in_a_run_reach_nothing(deploy: Callable[..., Desk], canary: Canary) -> None:
    forms = written(canary.port)[::8]
    document = flow(
        [
            {"id": "spread", "type": "fanout", "over": "urls", "as": "url", "to": "load"},
            {"id": "load", "type": "read", "from": ["{{url}}"], "output": "docs", "allowPrivate": True,
             "onError": "SKIP"},
            {"id": "count", "handler": "count", "description": "Writes how many 'docs' there are to 'answer'."},
        ],
        [{"from": "load", "to": "count"}, {"from": "count", "to": "END"}],
        state={
            "urls": {"type": "list", "default": forms, "description": "Addresses."},
            "docs": {"type": "list", "reducer": "append", "description": "The documents."},
        },
    )  # fmt: skip
    code = "async def count(state, *, services, settings, env):\n    return {'answer': str(len(state['docs']))}"
    run = deploy(document, {"handler:count": code}).say(question="go")
    assert (run.status, run.outputs) == ("done", {"answer": "0"}), run.error
    assert canary.touched() == 0
