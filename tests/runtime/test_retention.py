"""What is taken away when it is old enough, and what never is."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

import pytest
from django.utils import timezone

from flows import scope
from flows.models import Flow, FlowVersion, Workspace
from runtime import retention
from runtime.errands import Rows
from runtime.models import (
    Checkpoint,
    CheckpointBlob,
    CheckpointWrite,
    Conversation,
    Deployment,
    ModelCall,
    Question,
    Retention,
    Run,
    RunEvent,
    ToolCall,
)
from runtime.retention import Days
from runtime.rounds import ROUND, work


@pytest.fixture
def agent(workspace: Workspace) -> Deployment:
    return deployed()


def deployed(**fields: Any) -> Deployment:
    flow = Flow.objects.create(path=f"f{Flow.objects.count()}", name="Desk", draft="{}")
    version = FlowVersion.objects.create(
        flow=flow, number=1, sha="a" * 64, document={}, units={}, units_sha="", engine=1
    )
    return Deployment.objects.create(flow=flow, version=version, slug=f"{flow.path}-{flow.pk}", name="Desk", **fields)


def ran(deployment: Deployment, days: int, status: str = "done") -> Run:
    """A run that ended so many days ago, with something of everything that is kept of one."""
    talk = Conversation.objects.create(deployment=deployment)
    at = timezone.now() - timedelta(days=days)
    Conversation.objects.filter(pk=talk.pk).update(last_at=at)
    run = Run.objects.create(
        conversation=talk, deployment=deployment, version=deployment.version, status=status,
        finished_at=at if status in Run.ENDED else None,
    )  # fmt: skip
    RunEvent.objects.create(conversation=talk, run=run, seq=1, type="run_started", payload={}, at=at)
    thread = str(run.pk)
    Checkpoint.objects.create(thread=thread, checkpoint_id="1", type="x", body=b"", metadata={})
    CheckpointBlob.objects.create(thread=thread, channel="c", version="1", type="x", body=b"secret")
    CheckpointWrite.objects.create(
        thread=thread, checkpoint_id="1", task_id="t", idx=0, channel="c", type="x", body=b""
    )
    ModelCall.objects.create(
        run=run, key="reply#1/a1/0", address="reply#1", state="done", fence=1, prompt_sha="", cost="0.5",
        messages=[{"role": "user", "content": "my name"}], entry="Big", model="m", reply="hello my name", calls=[{}],
        input_tokens=7,
    )  # fmt: skip
    ToolCall.objects.create(
        run=run, key="call#1/send/w1", address="call#1", unit="send", effect="write", state="done", fence=1,
        args_sha="", request={"method": "POST", "url": "https://x.example/a?name=me", "json": {"name": "me"}},
        response={"status": 200, "text": "hello me"},
    )  # fmt: skip
    return run


def round_of(what: str) -> int:
    total = 0
    while number := retention.sweep(what):
        total += number
    return total


def threads() -> set[str]:
    found = {set_of(model) for model in (Checkpoint, CheckpointBlob, CheckpointWrite)}
    assert len(found) == 1, "All three tables hold the same runs."
    return set(found.pop())


def set_of(model: Any) -> frozenset[str]:
    return frozenset(model.objects.values_list("thread", flat=True))


def test_checkpoints_of_ended_runs_go_after_two_weeks_unless_somebody_says_otherwise(agent: Deployment) -> None:
    # GAP-13
    old, young, waiting = ran(agent, 15), ran(agent, 13), ran(agent, 15, "waiting")
    assert retention.due(retention.days())["checkpoints"] == 1
    assert round_of("checkpoints") == 1
    assert threads() == {str(young.pk), str(waiting.pk)}
    old.refresh_from_db()
    assert old.checkpoints_gone and not old.details_gone and ModelCall.objects.get(run=old).reply
    assert [round_of(what) for what in retention.WHAT] == [0, 0, 0, 0, 0], "Everything else is kept."
    retention.set_days(Days(checkpoints=None), "Olga")
    ran(agent, 4000)
    assert round_of("checkpoints") == 0


def test_what_calls_said_goes_and_their_figures_stay(agent: Deployment) -> None:
    old, young, doubted = ran(agent, 31), ran(agent, 29), ran(agent, 31, "failed")
    Question.objects.create(
        conversation=doubted.conversation, run=doubted, kind="outcome", node="call", address="call#1", slot="ended",
        interrupt_id="i", payload=b"{}", digest="",
    )  # fmt: skip
    retention.set_days(Days(checkpoints=None, details=30), "Olga")
    assert round_of("details") == 1
    call, sent = ModelCall.objects.get(run=old), ToolCall.objects.get(run=old)
    assert (call.messages, call.reply, call.calls) == ([], "", None)
    assert (float(call.cost), call.input_tokens, call.model) == (0.5, 7, "m")
    assert sent.request == {"method": "POST", "url": "https://x.example/a"} and sent.response == {"status": 200}
    assert ModelCall.objects.get(run=young).reply and ModelCall.objects.get(run=doubted).reply
    # Nothing could be replayed any more, so such a run must not go on.
    assert str(old.pk) not in threads() and Run.objects.get(pk=old.pk).checkpoints_gone


def test_old_conversations_go_with_all_that_is_in_them(agent: Deployment) -> None:
    old, young = ran(agent, 91), ran(agent, 89)
    going, doubted, tried = ran(agent, 91, "waiting"), ran(agent, 91), ran(deployed(workbench=True), 91)
    Question.objects.create(
        conversation=doubted.conversation, run=doubted, kind="outcome", node="call", address="call#1", slot="ended",
        interrupt_id="i", payload=b"{}", digest="",
    )  # fmt: skip
    retention.set_days(Days(conversations=90, tries=None), "Olga")
    assert retention.due(retention.days())["conversations"] == 1
    assert round_of("conversations") == 1
    kept = {young.pk, going.pk, doubted.pk, tried.pk}
    assert set(Run.objects.values_list("pk", flat=True)) == kept
    for model in (RunEvent, ModelCall, ToolCall):
        assert set(model.objects.values_list("run", flat=True)) == kept
    assert not Conversation.objects.filter(pk=old.conversation_id).exists()
    assert threads() == {str(id) for id in kept}
    retention.set_days(Days(tries=30), "Olga")
    assert round_of("tries") == 1 and not Run.objects.filter(pk=tried.pk).exists()


def test_one_workspace_s_days_are_not_another_s(agent: Deployment) -> None:
    mine = ran(agent, 50)
    other = Workspace.objects.create(name="Elsewhere")
    with scope.workspace(other.pk):
        ran(deployed(), 50)
        retention.set_days(Days(conversations=30), "Mallory")
        assert round_of("conversations") == 1
        assert retention.days().conversations == 30
    assert retention.days() == Days() and Run.objects.filter(pk=mine.pk).exists()


def test_checkpoints_without_a_run_go(agent: Deployment) -> None:
    kept = ran(agent, 1)
    for thread in ("0" * 8, str(kept.pk)[:-1], "zz"):
        Checkpoint.objects.create(thread=thread, checkpoint_id="1", type="x", body=b"", metadata={})
    last, rounds = "", 0
    while (last := retention.orphans(last, 1)) and rounds < 10:
        rounds += 1
    assert rounds >= 3 and set_of(Checkpoint) == {str(kept.pk)}


class Desk:
    """As much of a worker as a round needs."""

    name, lease_seconds, stopping = "w", 30.0, False

    class Here:
        async def write(self, act: Any) -> Any:
            from asgiref.sync import sync_to_async

            return await sync_to_async(act)()

        read = write

    database: Rows = Here()


def test_a_round_goes_through_everything_and_says_what_went(agent: Deployment) -> None:
    from asgiref.sync import async_to_sync

    retention.set_days(Days(conversations=90, tries=1), "Olga")
    for _ in range(retention.TALKS_AT_ONCE + 1):
        ran(agent, 100)
    ran(agent, 20)
    ran(deployed(workbench=True), 2)
    async_to_sync(work)(Desk(), ROUND)
    row = Retention.objects.get()
    assert row.swept == {"conversations": retention.TALKS_AT_ONCE + 1, "tries": 1, "checkpoints": 1}
    assert Run.objects.count() == 1 and row.swept_at is not None
