"""A conversation forked at a turn: what it holds, what it goes on from, and what it leaves where it was."""

from __future__ import annotations

import uuid
from collections.abc import Callable

import pytest

from runtime import forking
from runtime.demo.testing import Scripted
from runtime.engine import ledger
from runtime.forking import NotForked
from runtime.journal import since
from runtime.models import Conversation, ModelCall, Question
from runtime.tracing import spans
from tests.runtime.engine.conftest import VISITOR, Desk, flow

Deploy = Callable[..., Desk]
COUNT = {"id": "count", "handler": "count", "description": "Adds what was said to 'seen', and answers with it."}
CODE = {
    "handler:count": "async def count(state, *, services, settings, env):\n"
    "    seen = [*state['seen'], state['question']]\n"
    "    asked = [turn['asked'] for turn in state['history']]\n"
    "    return {'seen': seen, 'answer': f'{seen} after {asked}'}\n"
}
SEEN = {"seen": {"type": "list", "remembers": True, "description": "Everything said so far."}}


def test_a_fork_goes_on_from_its_turn_and_knows_nothing_of_what_came_later(deploy: Deploy) -> None:
    # LG-conversation-07, LG-conversation-08, LG-conversation-09
    desk = deploy(flow([COUNT], state=SEEN), CODE)
    runs = [desk.say(question=word) for word in ("one", "two", "three")]
    talk = Conversation.objects.get(id=desk.conversation and desk.conversation.id)
    made = forking.fork(talk, runs[1].id, VISITOR)
    assert [turn["asked"] for turn in made.history] == ["one", "two"]
    assert made.remembered == {"seen": ["one", "two"]}
    told = [(entry.seq, entry.run) for entry in since(made.id, 0)]
    assert [seq for seq, _ in told] == list(range(1, made.next_seq))
    assert {run for _, run in told} == {runs[0].id, runs[1].id}
    desk.conversation = made
    assert desk.say(question="other").outputs == {"answer": "['one', 'two', 'other'] after ['one', 'two']"}
    desk.conversation = talk
    assert desk.say(question="four").outputs["answer"].startswith("['one', 'two', 'three', 'four']")
    # A fork of the fork, at a turn that it only tells.
    again = forking.fork(Conversation.objects.get(id=made.id), runs[0].id, VISITOR)
    assert (again.remembered, len(again.history)) == ({"seen": ["one"]}, 1)


def test_steps_that_a_fork_tells_count_once_for_their_run(deploy: Deploy) -> None:
    desk = deploy(flow([COUNT], state=SEEN), CODE)
    run = desk.say(question="one")
    assert desk.conversation is not None
    exported = [span.name for span in spans.of(run).spans]
    forking.fork(desk.conversation, run.id, VISITOR)
    assert ledger.load(desk.engine.database, run).steps == 1
    assert [span.name for span in spans.of(run).spans] == exported


def test_turns_are_told_and_not_had_again(deploy: Deploy, demo: Scripted) -> None:
    demo.add({"when": {"contains": "q"}, "answer": "Here."})
    ask = {"id": "more", "type": "ask", "ask": "Which?", "output": "question"}
    desk = deploy(flow([ask, {"id": "reply", "type": "llm", "prompt": "{{question}}", "output": "answer"}]))
    run = desk.say(question="q")
    assert desk.conversation is not None
    with pytest.raises(NotForked) as early:
        forking.fork(desk.conversation, run.id, VISITOR)
    assert early.value.code == "TURN_UNFINISHED"
    run = desk.answer(run, "answer", text="q then")
    made = forking.fork(desk.conversation, run.id, VISITOR)
    assert (Question.objects.count(), ModelCall.objects.count()) == (1, 1)
    assert not any(entry.event.model_dump().get("written") for entry in since(made.id, 0))
    with pytest.raises(NotForked) as gone:
        forking.fork(desk.conversation, uuid.uuid4(), VISITOR)
    assert gone.value.code == "TURN_GONE"
