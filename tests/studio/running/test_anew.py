"""A run begun anew over HTTP: what is given to be changed, on which version it runs, and who may."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import ormsgpack
import pytest

from flows.models import Flow
from runtime.models import Checkpoint, CheckpointBlob, Conversation, Deployment, Run
from studio import workbench
from studio.api import anew
from tests.studio.running.conftest import Clients
from tests.support import talk


def packed(value: Any) -> dict[str, Any]:
    return {"type": "msgpack", "body": ormsgpack.packb(value)}


def kept(run: Run, node: str, **state: Any) -> None:
    """What the engine keeps before a step of this name."""
    blobs = {f"ch.{name}": value for name, value in state.items()} | {f"branch:to:{node}": None, "at.visits": {}}
    place = {"thread": str(run.pk), "ns": ""}
    for channel, value in blobs.items():
        CheckpointBlob.objects.create(**place, channel=channel, version="000000000002", **packed(value))
    body = {"id": "1", "channel_versions": dict.fromkeys(blobs, "000000000002"), "versions_seen": {}}
    Checkpoint.objects.create(**place, checkpoint_id="1", metadata={}, **packed(body))


@pytest.fixture
def run(flow: Flow, user: Callable[..., Any], model: object) -> Run:
    bench = workbench.refresh(workbench.of(flow), user("builder"))
    made = talk.run(talk.conversation(bench, user("builder")), "done", inputs={"question": "q"})
    kept(made, "reply", question="q", answer="", history=[])
    return made


def post(client: Any, run: Run, **body: Any) -> Any:
    return client.post(f"/api/runs/{run.pk}/anew", {"step": "reply#1", **body}, "application/json")


def test_what_the_flow_held_is_given_and_begins_with_what_was_changed(run: Run, member_client: Clients) -> None:
    client = member_client("builder")
    form = client.get(f"/api/runs/{run.pk}/anew?step=reply%231").json()
    assert {one["name"]: one["value"] for one in form["channels"]} == {"question": "q", "answer": ""}
    assert (form["version"], form["inDraft"], form["title"]) == (None, True, "Reply")
    reply = post(client, run, values={"question": "Another?"})
    assert reply.status_code == 202
    begun = Run.objects.get(pk=reply.json()["run"])
    assert begun.begins["state"]["question"] == "Another?"
    assert (begun.deployment_id, begun.version_id, begun.status) == (run.deployment_id, run.version_id, "queued")
    assert client.get(f"/api/runs/{begun.pk}/steps").json()["begins"]["run"] == str(run.pk)
    assert "of another run" in client.get(f"/runs/{begun.pk}").content.decode()


def test_it_runs_on_the_newest_draft_where_that_is_wanted(run: Run, edit: Callable, member_client: Clients) -> None:
    edit("Answer the", "Answer this")
    reply = post(member_client("builder"), run, on="draft")
    assert reply.status_code == 202
    begun = Run.objects.get(pk=reply.json()["run"])
    assert begun.version_id != run.version_id
    assert "Answer this" in str(begun.version.document)


def test_what_does_not_fit_is_said_beside_its_channel(
    run: Run, member_client: Clients, monkeypatch: pytest.MonkeyPatch
) -> None:
    client = member_client("builder")
    reply = post(client, run, values={"question": 7, "nothing": 1})
    assert (reply.status_code, set(reply.json()["fields"])) == (422, {"question", "nothing"})
    assert post(client, run, step="reply#2").json()["code"] == "STEP_NOT_KEPT"
    assert post(client, run, step="each[1]").json()["code"] == "STEP_INSIDE"
    monkeypatch.setattr(anew, "LONGEST", 2)
    form = client.get(f"/api/runs/{run.pk}/anew?step=reply%231").json()
    assert [(one["value"], one["cut"]) for one in form["channels"] if one["name"] == "question"] == [(None, True)]
    assert Run.objects.count() == 1


def test_only_who_may_look_into_the_run_and_edit_flows_begins_it(
    run: Run, flow: Flow, user: Callable[..., Any], member_client: Clients
) -> None:
    assert post(member_client("builder", "Ben"), run).status_code == 404
    assert post(member_client("operator"), run).status_code == 403
    # An owner may look into what others ran; what they begin is theirs, on the draft's settings.
    live = Deployment.objects.create(flow=flow, version=run.version, slug="desk", name="Desk")
    hers = talk.run(talk.conversation(live, user("member", "Dana")), "failed")
    kept(hers, "reply", question="hers", answer="", history=[])
    reply = post(member_client("owner"), hers)
    assert reply.status_code == 202
    talk_of = Conversation.objects.get(pk=reply.json()["conversation"])
    assert (talk_of.user, talk_of.deployment) == (user("owner"), run.deployment)


def test_what_is_more_than_data_is_not_read(run: Run, member_client: Clients) -> None:
    body = ormsgpack.packb(ormsgpack.Ext(5, b"x"))
    CheckpointBlob.objects.filter(channel="ch.question").update(body=body)
    reply = post(member_client("builder"), run)
    assert (reply.status_code, reply.json()["code"]) == (409, "STEP_NOT_READABLE")
