"""What goes wrong ends in words, is tried again where the flow says so, and never breaks a conversation."""

from __future__ import annotations

import time
from collections.abc import Callable

from runtime import runs
from runtime.demo.testing import Scripted
from runtime.models import ModelCall, ModelChoice, ModelEntry, Run
from tests.runtime.engine.conftest import Desk, flow

REPLY = {"id": "reply", "type": "llm", "prompt": "Question: {{question}}", "output": "answer"}


def test_retry_runs_the_node_again(deploy: Callable[..., Desk], demo: Scripted) -> None:
    # LG-errors-01
    demo.add({"when": {"contains": "q"}, "answer": "Here."})
    demo.fail(500, times=2)
    desk = deploy(flow([{**REPLY, "retry": {"maxAttempts": 3}}]))
    run = desk.say(question="q")
    assert run.outputs == {"answer": "Here."}
    assert [event.next for event in desk.events(run.id) if event.type == "step_failed"] == ["retry", "retry"]
    assert ModelCall.objects.filter(run=run).count() == 3


def test_without_on_error_the_run_ends_in_words(deploy: Callable[..., Desk], demo: Scripted) -> None:
    # LG-errors-07
    demo.fail(500, times=1)
    desk = deploy(flow([REPLY]))
    run = desk.say(question="q")
    assert run.status == "failed"
    assert run.error["code"] == "MODEL_FAILED"
    assert desk.types(run)[-1] == "run_failed"


def test_a_conversation_goes_on_after_a_failure(deploy: Callable[..., Desk], demo: Scripted) -> None:
    demo.add({"when": {"contains": "q"}, "answer": "Here."})
    demo.fail(500, times=1)
    desk = deploy(flow([REPLY]))
    assert desk.say(question="q").status == "failed"
    assert desk.say(question="q").status == "done"


def test_a_wrong_shape_names_the_field_and_writes_nothing(deploy: Callable[..., Desk], demo: Scripted) -> None:
    # LG-llm-04, LG-llm-17, LG-llm-18, LG-llm-19
    demo.add(
        {"when": {"contains": "Why: {"}, "answer": "It did not fit."},
        {"when": {"contains": "Sort"}, "answer": {"category": "gossip"}},
    )
    desk = deploy(flow(
        [
            {"id": "classify", "type": "llm", "prompt": "Sort: {{question}}", "output": "kind", "onError": "reply",
             "schema": {"type": "object", "required": ["category"],
                        "properties": {"category": {"type": "string", "enum": ["technical", "billing"]}}}},
            {"id": "reply", "type": "llm", "prompt": "Why: {{__error}} Held: {{kind}}", "output": "answer"},
        ],
        state={"kind": {"type": "object", "description": "The category."}},
    ))  # fmt: skip
    run = desk.say(question="q")
    assert run.outputs == {"answer": "It did not fit."}, run.error
    prompt = ModelCall.objects.get(run=run, address="reply#1").messages[0]["content"]
    assert "kind.category must be one of: technical, billing" in prompt
    assert "Held: {}" in prompt


def test_a_missing_model_says_what_to_set_and_where(deploy: Callable[..., Desk]) -> None:
    desk = deploy(flow([REPLY]))
    ModelChoice.objects.all().delete()
    ModelEntry.objects.all().delete()
    run = desk.say(question="q")
    assert run.status == "failed"
    assert "Settings → Models" in run.error["message"]


def test_cancel_stops_a_stream(deploy: Callable[..., Desk], demo: Scripted) -> None:
    demo.set(speed=1)
    demo.add({"when": {"contains": "long"}, "answer": "word " * 400, "pace": 50})
    desk = deploy(flow([REPLY]))
    id = desk.send(question="long")
    demo.wait_for(1)
    time.sleep(0.2)
    assert runs.cancel(id, by="Vera") == "running"
    run = desk.settle(id)
    assert run.status == "cancelled"
    assert run.outputs == {}


def test_a_handler_error_names_its_line(deploy: Callable[..., Desk]) -> None:
    # LG-handlers-02
    desk = deploy(
        flow(
            [
                {
                    "id": "count",
                    "handler": "count",
                    "description": "Reads 'question' and writes its length in words to 'answer'.",
                }
            ]
        ),
        {"handler:count": "async def count(state, *, services, settings, env):\n    return {'answer': 1 / 0}\n"},
    )
    run = desk.say(question="q")
    assert run.status == "failed"
    assert "line 2" in run.error["message"] and "division" in run.error["message"]


def test_a_router_that_chooses_nonsense_is_named(deploy: Callable[..., Desk]) -> None:
    # LG-edges-02, LG-edges-03
    nodes = [
        {"id": "count", "handler": "count", "description": "Reads 'question' and writes it to 'answer' unchanged."}
    ]
    edges = [{"from": "count", "type": "conditional", "router": "pick", "routes": {"a": "END", "b": "count"},
              "when": {"a": "'answer' is \"x\"", "b": "anything else"}}]  # fmt: skip
    count = "async def count(state, *, services, settings, env):\n    return {'answer': state['question']}\n"
    units = {
        "handler:count": count,
        "router:pick": "async def pick(state, *, services, settings, env):\n    return 'c'\n",
    }
    run = deploy(flow(nodes, edges), units).say(question="q")
    assert run.error["code"] == "ROUTE_UNKNOWN"
    assert '"c"' in run.error["message"]


def test_limits_send_a_loop_on(deploy: Callable[..., Desk]) -> None:
    # LG-edges-06, LG-edges-07
    nodes = [{"id": "count", "handler": "count", "description": "Adds one 'x' to 'answer' each time it runs."}]
    edges = [{"from": "count", "type": "conditional", "router": "pick", "routes": {"more": "count", "done": "END"},
              "when": {"more": "'answer' is not empty", "done": "anything else"},
              "limits": {"more": {"max": 3, "then": "done"}}}]  # fmt: skip
    count = "async def count(state, *, services, settings, env):\n    return {'answer': state['answer'] + 'x'}\n"
    units = {
        "handler:count": count,
        "router:pick": "async def pick(state, *, services, settings, env):\n    return 'more'\n",
    }
    desk = deploy(flow(nodes, edges), units)
    run = desk.say(question="q")
    assert run.outputs == {"answer": "xxxx"}, run.error
    assert [event.limited for event in desk.events(run.id) if event.type == "route_taken"] == [
        False,
        False,
        False,
        True,
    ]


def test_steps_are_limited_in_words(deploy: Callable[..., Desk]) -> None:
    nodes = [{"id": "count", "handler": "count", "description": "Adds one 'x' to 'answer' each time it runs."}]
    edges = [{"from": "count", "type": "conditional", "router": "pick", "routes": {"more": "count", "done": "END"},
              "when": {"more": "'answer' is not empty", "done": "anything else"}}]  # fmt: skip
    count = "async def count(state, *, services, settings, env):\n    return {'answer': state['answer'] + 'x'}\n"
    units = {
        "handler:count": count,
        "router:pick": "async def pick(state, *, services, settings, env):\n    return 'more'\n",
    }
    run = deploy(flow(nodes, edges), units, limits={"steps": 12}).say(question="q")
    assert run.error["code"] == "TOO_MANY_STEPS"
    assert "12 steps" in run.error["message"]


def test_a_broken_version_does_not_run(deploy: Callable[..., Desk]) -> None:
    desk = deploy({"version": "0.33", "start": "nowhere", "nodes": [], "edges": []})
    run = desk.say(question="q")
    assert run.error["code"] == "VERSION_BROKEN"
    assert Run.objects.filter(status="failed").count() == 1
