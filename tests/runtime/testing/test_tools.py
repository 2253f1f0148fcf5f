"""Models that call tools, batches of calls, servers and models that ask: all stood in for by the same words."""

from __future__ import annotations

from typing import Any

from tests.runtime.testing.conftest import Try
from tests.runtime.testing.flows import flow, says, to
from tests.runtime.testing.test_runner import failed, passed

Json = Any

FETCH = {
    "name": "fetch", "description": "Fetches. RETURNS an object.",
    "inputs": {"what": {"type": "string", "required": True}},
}  # fmt: skip
BATCH = flow(
    [
        {"id": "plan", "type": "llm", "prompt": "Plan {{q}}.", "output": "queue"},
        {"id": "make", "type": "tools", "calls": "queue", "output": "results"},
        says(prompt="{{results}}"),
    ],
    to("plan", "make", "reply"),
    {"queue": {"type": "list"}, "results": {"type": "list"}},
    tools=[FETCH],
)
SERVER = {
    "desk": {
        "describe": "The order desk.",
        "tools": ["findOrder", {"name": "cancelOrder", "describe": "Cancels an order."}],
    }
}


def call(what: Json) -> Json:
    return {"name": "fetch", "args": {"what": what}}


# LG-tests-13, LG-tests-14
def test_a_batch_writes_the_error_beside_the_call_that_went_wrong(attempt: Try) -> None:
    mock: Json = {
        "nodes": {"plan": [call("a"), call("b"), call("c")], "reply": "ok"},
        "tools": {"fetch": {"then": [{"x": 1}, {"fails": "Closed."}, ["list"]]}},
    }  # fmt: skip
    result = attempt(
        BATCH, mock=mock,
        expect={
            "tools": [{"name": "fetch", "args": {"what": "a"}}, "fetch", "fetch"], "path": ["plan", "make", "reply"],
            "state": {
                "results.0.error": {"absent": True}, "results.1.error": {"contains": "Closed."},
                "results.2.result": ["list"], "results.length": 3, "queue": {"empty": True},
            },
        },
    )  # fmt: skip
    assert [tool.ok for tool in passed(result).tools] == [True, False, True]


# LG-tests-12, LG-tests-10
def test_a_batch_does_not_hide_what_the_test_lacks(attempt: Try) -> None:
    mock: Json = {"nodes": {"plan": [call("a"), call("b")], "reply": "ok"}}
    assert '"make" calls the tool "fetch", and nothing stands in for it' in failed(attempt(BATCH, mock=mock))
    mock["tools"] = {"fetch": {"then": [{"x": 1}]}}
    assert 'The tool "fetch" was called 2 times' in failed(attempt(BATCH, mock=mock))


# LG-tests-22
def test_a_batch_asks_for_what_a_call_lacks_and_then_for_a_yes(attempt: Try) -> None:
    asks = {
        **BATCH,
        "nodes": [BATCH["nodes"][0], {**BATCH["nodes"][1], "approval": {"ask": "Make them?"}}, BATCH["nodes"][2]],
    }
    mock: Json = {
        "nodes": {"plan": [{"name": "fetch", "args": {}}], "reply": "ok"}, "tools": {"fetch": {"x": 1}},
        "answers": {"make": [{"what": "LGFLW"}, False]},
    }  # fmt: skip
    result = attempt(asks, mock=mock, expect={"path": ["plan"], "tools": [], "approvalBefore": ["make"]})
    assert [asked.kind for asked in passed(result).asked] == ["form", "approval"]
    mock["answers"]["make"] = [{"what": "LGFLW"}, True]
    passed(attempt(asks, mock=mock, expect={"tools": [{"name": "fetch", "args": {"what": "LGFLW"}}]}))
    mock["answers"]["make"] = {"what": "LGFLW"}
    passed(attempt(asks, mock=mock, expect={"tools": ["fetch"]}))
    mock["nodes"]["plan"], mock["answers"]["make"] = [call("x")], True
    passed(attempt(asks, mock=mock, expect={"tools": ["fetch"]}))


WORK = flow(
    [
        {
            "id": "do", "type": "work", "prompt": "Do {{q}}.", "tools": ["fetch"], "output": "a", "rounds": 3,
            "approve": ["fetch"],
        }
    ],
    to("do"), tools=[FETCH], version="0.24",
)  # fmt: skip


# LG-tests-06
def test_a_model_that_works_takes_its_turns(attempt: Try) -> None:
    turns: list[Json] = [{"calls": [call("a"), call("b")]}, {"calls": [call("c")]}, "All done."]
    mock: Json = {
        "nodes": {"do": {"then": turns}},
        "tools": {"fetch": {"then": [{"x": 1}, {"fails": "Closed."}, "text"]}},
    }
    result = attempt(
        WORK, input={"q": "it"}, mock=mock,
        expect={
            "tools": [{"name": "fetch", "args": {"what": "a"}}, "fetch", {"name": "fetch", "args": {"what": "c"}}],
            "path": ["do"], "output": {"a": "All done."}, "approvalBefore": ["do"], "visits": {"do": 1},
        },
    )  # fmt: skip
    prompts = passed(result).prompts
    assert len(prompts) == 3 and "Do it." in prompts[0].text
    assert '{"x": 1}' in prompts[1].text and "It failed: Closed." in prompts[1].text
    assert [event.type for event in result.events if event.type in ("model", "tool")] == [
        "model", "tool", "tool", "model", "tool", "model"
    ]  # fmt: skip


def test_a_declined_call_is_told_to_the_model(attempt: Try) -> None:
    mock: Json = {
        "nodes": {"do": {"then": [{"calls": [call("a")]}, "It was declined."]}}, "tools": {"fetch": {"x": 1}},
        "answers": {"do": False},
    }  # fmt: skip
    result = attempt(WORK, mock=mock, expect={"tools": [], "output": {"a": "It was declined."}})
    assert "The person declined this call" in passed(result).prompts[1].text


# LG-tests-11, LG-tests-12
def test_tools_of_a_server_are_stood_in_for_like_own_ones(attempt: Try) -> None:
    flows = flow(
        [{"id": "do", "type": "work", "prompt": "Do {{q}}.", "tools": ["desk"], "output": "a"}], to("do"),
        requires={"mcp": SERVER}, version="0.24",
    )  # fmt: skip
    turns: list[Json] = [{"calls": [{"name": "findOrder", "args": {"id": 7}}]}, "Found."]
    mock: Json = {"nodes": {"do": {"then": turns}}, "tools": {"findOrder": {"order": 7}}}
    result = attempt(
        flows, mock=mock, expect={"tools": [{"name": "findOrder", "args": {"id": 7}}], "output": {"a": "Found."}}
    )
    assert '"order": 7' in passed(result).prompts[1].text
    assert result.tools[0].node == "do"
    mock["tools"] = {"findOrder": {"fails": "The desk is closed."}}
    assert "The desk is closed." in passed(attempt(flows, mock=mock)).prompts[1].text
    del mock["tools"]
    assert '"do" calls the tool "findOrder", and nothing stands in for it' in failed(attempt(flows, mock=mock))


# LG-tests-18
def test_a_model_that_asks_is_answered(attempt: Try) -> None:
    asks = flow([says(asks=True)], to("reply"))
    needs = {"needs": {"city": {"type": "string", "required": True}}, "why": "To look it up."}
    mock: Json = {"nodes": {"reply": {"then": [needs, "It rains."]}}, "answers": {"reply": {"city": "Nicosia"}}}
    result = attempt(asks, mock=mock, expect={"output": {"a": "It rains."}, "path": ["reply"], "visits": {"reply": 1}})
    assert [asked.kind for asked in passed(result).asked] == ["form"]
    assert "Nicosia" in result.prompts[1].text
    mock["answers"]["reply"] = False
    passed(attempt(asks, mock=mock, expect={"state": {"a": {"empty": True}}}))
    del mock["answers"]
    assert 'The run waits at "reply"' in failed(attempt(asks, mock=mock))
