"""A message becomes a run, and a run an answer."""

from __future__ import annotations

from collections.abc import Callable

from flows.words.when import compile_router
from runtime.demo.testing import Scripted
from runtime.models import Conversation, ModelCall, RunStream
from tests.runtime.engine.conftest import Desk, flow

REPLY = {"id": "reply", "type": "llm", "prompt": "{{history}}\nQuestion: {{question}}", "output": "answer"}


def test_an_llm_answers(deploy: Callable[..., Desk], demo: Scripted) -> None:
    # LG-llm-01, LG-overview-18, LG-overview-22, LG-contract-03
    demo.add({"when": {"contains": "Where is Kyoto"}, "answer": "In **Japan**."})
    desk = deploy(flow([REPLY]))
    run = desk.say(question="Where is Kyoto?")
    assert run.status == "done", run.error
    assert run.outputs == {"answer": "In **Japan**."}
    assert desk.types(run) == [
        "message_sent", "run_started", "step_started", "model_called", "step_finished", "output_written",
        "output_written", "run_finished",
    ]  # fmt: skip
    assert not RunStream.objects.exists()
    call = ModelCall.objects.get(run=run)
    assert (call.state, call.reply, call.demo) == ("done", "In **Japan**.", True)


def test_the_conversation_keeps_its_turns(deploy: Callable[..., Desk], demo: Scripted) -> None:
    # LG-conversation-05, LG-overview-19
    demo.add(
        {"when": {"contains": "Question: one"}, "answer": "First."},
        {"when": {"contains": "Question: two"}, "answer": "Second."},
    )
    desk = deploy(flow([REPLY]))
    desk.say(question="one")
    run = desk.say(question="two")
    prompt = ModelCall.objects.get(run=run).messages[0]["content"]
    assert '"asked": "one"' in prompt and '"answered": "First."' in prompt
    history = Conversation.objects.get().history
    assert [(turn["asked"], turn["answered"]) for turn in history] == [("one", "First."), ("two", "Second.")]


def test_the_last_twenty_turns_are_kept_and_none_twice(deploy: Callable[..., Desk], demo: Scripted) -> None:
    # LG-conversation-07, LG-conversation-08
    demo.add({"when": {"contains": "Question: new"}, "answer": "Newest."})
    desk = deploy(flow([REPLY]))
    desk.say(question="new")
    assert desk.conversation is not None
    old = [{"at": f"2026-01-01T00:00:{number:02d}", "asked": str(number), "answered": "x"} for number in range(20)]
    Conversation.objects.filter(id=desk.conversation.id).update(history=old)
    run = desk.say(question="new")
    history = Conversation.objects.get().history
    assert [turn["asked"] for turn in history] == [*(str(number) for number in range(1, 20)), "new"]
    assert history[-1]["at"] == run.created_at.isoformat()
    assert len({turn["at"] for turn in history}) == 20


def test_events_are_numbered_without_gaps(deploy: Callable[..., Desk], demo: Scripted) -> None:
    from runtime.journal import since

    demo.add({"when": {"contains": "q"}, "answer": "a"})
    desk = deploy(flow([REPLY]))
    for _ in range(3):
        desk.say(question="q")
    assert desk.conversation is not None
    numbers = [entry.seq for entry in since(desk.conversation.id, 0)]
    assert numbers == list(range(1, len(numbers) + 1))


def test_a_channel_that_gathers_starts_anew_unless_it_remembers(deploy: Callable[..., Desk], demo: Scripted) -> None:
    # LG-channels-08, LG-channels-09, LG-channels-11, LG-conversation-09
    demo.add({"when": {"contains": "q"}, "answer": '["one more"]'})
    nodes = [
        {"id": "note", "type": "llm", "prompt": "q", "output": "seen"},
        {"id": "keep", "type": "llm", "prompt": "q", "output": "kept"},
        {"id": "reply", "type": "llm", "prompt": "q", "output": "answer"},
    ]
    gathers = {"type": "list", "reducer": "append", "description": "One entry for each message."}
    state = {"seen": gathers, "kept": {**gathers, "remembers": True}}
    desk = deploy(flow(nodes, state=state, outputs=["seen", "kept"]))
    desk.say(question="q")
    run = desk.say(question="q")
    assert run.outputs == {"seen": ["one more"], "kept": ["one more", "one more"]}


def test_one_turn_at_a_time(deploy: Callable[..., Desk], demo: Scripted) -> None:
    demo.add({"when": {"contains": "q"}, "answer": "a", "first_delay": 300})
    desk = deploy(flow([REPLY]))
    first = desk.send(question="q1")
    second = desk.send(question="q2")
    assert desk.settle(first).status == "done"
    assert desk.settle(second).status == "done"
    begun = [event for event in desk.events(second) if event.type == "message_sent"]
    assert begun[0].queued is True


def test_views_change_nothing_of_a_run(deploy: Callable[..., Desk], demo: Scripted) -> None:
    # LG-views-21, LG-views-23
    demo.add({"when": {"contains": "Where is Kyoto"}, "answer": "In Japan."})
    card = {"id": "last", "type": "card", "place": "pinned", "title": "Last answer", "text": "{{answer}}"}
    plain, drawn = deploy(flow([REPLY])), deploy({**flow([REPLY]), "views": [card]})
    first, second = plain.say(question="Where is Kyoto?"), drawn.say(question="Where is Kyoto?")
    assert (first.status, second.status) == ("done", "done"), second.error
    assert first.outputs == second.outputs
    assert plain.types(first) == drawn.types(second)


def test_a_count_begins_again_where_the_flow_says_so(deploy: Callable[..., Desk]) -> None:
    # LG-edges-06, LG-edges-08
    log = "async def {0}(state, *, services, settings, env):\n    return {{'log': ['{0}']}}\n"
    routes, when = {"again": "b", "round": "a", "end": "END"}, {
        "again": "'log' is not empty", "round": "'log' is empty", "end": "anything else",
    }  # fmt: skip
    document = flow(
        [
            {"id": "a", "handler": "a", "description": "Adds a word to 'log', which is `a`."},
            {"id": "b", "handler": "b", "description": "Adds a word to 'log', which is `b`."},
        ],
        state={"log": {"type": "list", "reducer": "append", "description": "What ran."}},
        outputs=["log"],
    )
    limits = {"again": {"max": 1, "then": "round", "per": "a"}, "round": {"max": 1, "then": "end"}}
    document["edges"] = [
        {"from": "a", "to": "b"},
        {"from": "b", "type": "conditional", "router": "next", "routes": routes, "when": when, "limits": limits},
    ]
    units = {"handler:a": log.format("a"), "handler:b": log.format("b")}
    units["router:next"] = str(compile_router("next", routes, when))
    run = deploy(document, units).say(question="go")
    assert run.status == "done", run.error
    assert run.outputs == {"log": ["a", "b", "b", "a", "b", "b"]}
