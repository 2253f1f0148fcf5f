"""Forking a conversation over HTTP: for whose it is, from a finished turn on, and so often a day."""

from __future__ import annotations

import uuid

import pytest

from runtime.events import OutputWritten, RunFinished
from runtime.models import Conversation, Run
from tests.support import talk


@pytest.fixture
def desk(workspace: object):
    return talk.agent("desk")


def finished(conversation: Conversation, answer: str) -> Run:
    run = talk.run(conversation, "done", outputs={"answer": answer}, inputs={"question": "What?"})
    talk.log(
        run,
        OutputWritten(channel="answer", label="Answer", value=answer, final=True),
        RunFinished(outputs={"answer": answer}, ms=1),
    )
    return run


def post(client, id, run):
    return client.post(f"/api/conversations/{id}/fork", {"run": str(run)}, content_type="application/json")


def test_a_fork_shows_its_turns_and_leaves_the_first_one_as_it_is(desk, user, member_client) -> None:
    first = talk.conversation(desk, user("member", "Dana"))
    runs = [finished(first, answer) for answer in ("One.", "Two.", "Three.")]
    client = member_client("member", "Dana")
    reply = post(client, first.pk, runs[1].pk)
    assert reply.status_code == 201
    made = reply.json()["conversation"]
    items = client.get(f"/api/conversations/{made}/frames?since=0").json()["frames"]
    assert [frame["item"]["value"] for frame in items if frame["item"]["type"] == "answer"] == ["One.", "Two."]
    assert [turn["answered"] for turn in Conversation.objects.get(pk=made).history] == ["One.", "Two."]
    before = client.get(f"/api/conversations/{first.pk}/frames?since=0").json()["frames"]
    assert sum(frame["item"]["type"] == "answer" for frame in before) == 3
    listed = [row["id"] for row in client.get("/api/a/desk/conversations").json()]
    assert set(listed) == {made, str(first.pk)}


def test_only_whose_conversation_it_is_forks_it_and_only_at_a_turn_of_its_own(
    desk, user, member_client, monkeypatch
) -> None:
    mine, hers = (talk.conversation(desk, user("member", name)) for name in ("Dana", "Eve"))
    run, other = finished(mine, "One."), finished(hers, "Two.")
    client = member_client("member", "Dana")
    assert post(client, hers.pk, other.pk).status_code == 404
    for wrong in (other.pk, uuid.uuid4(), "x"):
        assert post(client, mine.pk, wrong).status_code == 404
    waits = talk.run(mine, "waiting")
    assert post(client, mine.pk, waits.pk).json()["code"] == "TURN_UNFINISHED"
    monkeypatch.setattr("studio.api.forks.MOST_A_DAY", 1)
    assert post(client, mine.pk, run.pk).status_code == 201
    refused = post(client, mine.pk, run.pk)
    assert (refused.status_code, refused.json()["code"]) == (429, "TOO_MANY_FORKS")
