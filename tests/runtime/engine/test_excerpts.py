"""The journal keeps what each step read and wrote, durably, and never all of a large value."""

from __future__ import annotations

import json
from collections.abc import Callable

from flows.check import check
from flows.mentions import reads
from runtime.demo.testing import Scripted
from runtime.engine.excerpts import LONGEST, MOST, excerpt
from runtime.events import StepFailed, StepFinished, StepStarted
from tests.runtime.engine.conftest import Desk, flow

LLM = {"id": "reply", "type": "llm", "prompt": "Q: {{question}} {{history}}", "output": "answer"}
PLAN = {"id": "plan", "handler": "plan", "description": "Reads 'question', sets 'kind'."}
PLAN_CODE = "async def plan(state, services, env, settings):\n    return {'kind': 'order'}\n"


def started(desk: Desk, run: object) -> dict[str, StepStarted]:
    return {one.node: one for one in desk.events(run) if isinstance(one, StepStarted)}  # type: ignore[arg-type]


def test_a_step_leaves_what_it_read_and_wrote(deploy: Callable[..., Desk], demo: Scripted) -> None:
    desk = deploy(
        flow([PLAN, LLM], state={"kind": {"type": "string"}, "unused": {"type": "string"}}), {"handler:plan": PLAN_CODE}
    )
    run = desk.say(question="Where is ALFKI?")
    assert run.status == "done", run.error
    begun = started(desk, run.id)
    # Code is given the whole state: what is in it. A prompt names what it reads, also where that holds nothing.
    assert begun["plan"].read == {"question": "Where is ALFKI?"}
    assert begun["reply"].read == {"history": [], "question": "Where is ALFKI?"}
    done = {one.node: one for one in desk.events(run.id) if isinstance(one, StepFinished)}
    assert done["plan"].written == {"kind": "order"}
    assert list(done["reply"].written) == ["answer"]
    assert not begun["plan"].cut
    assert not done["reply"].cut


def test_a_large_value_is_kept_in_part_and_says_so(deploy: Callable[..., Desk], demo: Scripted) -> None:
    code = "async def plan(state, services, env, settings):\n    return {'kind': 'x' * 100_000}\n"
    desk = deploy(flow([PLAN, LLM], state={"kind": {"type": "string"}}), {"handler:plan": code})
    run = desk.say(question="y" * 50_000)
    begun = started(desk, run.id)["plan"]
    assert (begun.read["question"], begun.cut) == ("y" * LONGEST, ["question"])
    done = next(one for one in desk.events(run.id) if isinstance(one, StepFinished))
    assert (len(done.written["kind"]), done.cut) == (LONGEST, ["kind"])


def test_another_attempt_does_not_repeat_what_was_read(deploy: Callable[..., Desk], demo: Scripted) -> None:
    failing = "async def plan(state, services, env, settings):\n    raise ValueError('no')\n"
    node = {**PLAN, "retry": {"maxAttempts": 2}}
    desk = deploy(flow([node, LLM], state={"kind": {"type": "string"}}), {"handler:plan": failing})
    run = desk.say(question="Hello")
    assert [one.read for one in desk.events(run.id) if isinstance(one, StepStarted)] == [{"question": "Hello"}, {}]
    assert [one.next for one in desk.events(run.id) if isinstance(one, StepFailed)] == ["retry", "end"]


def test_what_a_node_reads_is_what_its_words_name() -> None:
    form = {"id": "ask", "type": "ask", "ask": "Which of {{rows.0.name}}?", "show": ["found"], "output": "answer"}
    document = flow([form], state={"rows": {"type": "list"}, "found": {"type": "any"}})
    checked = check(document).flow
    assert checked is not None
    assert reads(checked.node("ask")) == ("found", "rows")


def test_excerpts_end_where_there_is_no_more_room() -> None:
    deep = {"list": [{"name": "x" * 500, "n": n} for n in range(1_000)]}
    kept, cut = excerpt({"deep": deep, "small": [1, None, True, "é"], "empty": {}})
    assert cut == ["deep"]
    assert 1 < len(kept["deep"]["list"]) < 1_000
    assert kept["deep"]["list"][0] == {"name": "x" * 500, "n": 0}
    assert (kept["small"], kept["empty"]) == ([1, None, True, "é"], {})
    many, cut = excerpt({f"c{n}": "y" * LONGEST for n in range(10)})
    assert len(json.dumps(many)) < MOST + 1_000
    assert cut == [f"c{n}" for n in range(MOST // LONGEST, 10)]
