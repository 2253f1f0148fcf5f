"""A message becomes a run, and a run an answer."""

from __future__ import annotations

from collections.abc import Callable

from runtime.demo.testing import Scripted
from runtime.models import Conversation, ModelCall, RunStream
from tests.runtime.engine.conftest import Desk, flow

REPLY = {"id": "reply", "type": "llm", "prompt": "{{history}}\nQuestion: {{question}}", "output": "answer"}


def test_an_llm_answers(deploy: Callable[..., Desk], demo: Scripted) -> None:
    # LG-llm-01, LG-overview-18
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


def test_events_are_numbered_without_gaps(deploy: Callable[..., Desk], demo: Scripted) -> None:
    from runtime.journal import since

    demo.add({"when": {"contains": "q"}, "answer": "a"})
    desk = deploy(flow([REPLY]))
    for _ in range(3):
        desk.say(question="q")
    assert desk.conversation is not None
    numbers = [entry.seq for entry in since(desk.conversation.id, 0)]
    assert numbers == list(range(1, len(numbers) + 1))


def test_one_turn_at_a_time(deploy: Callable[..., Desk], demo: Scripted) -> None:
    demo.add({"when": {"contains": "q"}, "answer": "a", "first_delay": 300})
    desk = deploy(flow([REPLY]))
    first = desk.send(question="q1")
    second = desk.send(question="q2")
    assert desk.settle(first).status == "done"
    assert desk.settle(second).status == "done"
    begun = [event for event in desk.events(second) if event.type == "message_sent"]
    assert begun[0].queued is True
