"""Versions over HTTP: what the draft changes, the list, one, the difference of two, and going back."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import pytest
from django.test import Client

from flows import store
from flows.models import Flow, FlowVersion
from runtime.models import Conversation, Deployment, Publication, Run
from tests.studio.versions.conftest import Clients, Edit, Live
from tests.support import talk


def versions(client: Client, flow: Flow, rest: str = "") -> Any:
    reply = client.get(f"/api/flows/{flow.pk}/versions{rest}")
    assert reply.status_code == 200, reply.content
    return reply.json()


def words(lines: list[dict[str, Any]]) -> list[str]:
    return [f"{line['sign']} {line['words']}" for line in lines]


def test_before_anything_is_published_it_says_so(flow: Flow, member_client: Clients) -> None:
    found = versions(member_client("builder"), flow)
    assert (found["base"], found["changes"], found["versions"], found["history"]) == (None, [], [], [])
    assert (found["canEdit"], found["canPublish"]) == (True, True)


def test_the_drafts_changes_count_from_what_is_live(flow: Flow, edit: Edit, live: Live, member_client: Clients) -> None:
    live()
    client = member_client("builder")
    assert versions(client, flow)["changes"] == []
    edit("Answer the question", "Answer this question")
    found = versions(client, flow)
    assert (found["base"], found["baseAgent"]) == (1, "Helper desk")
    (line,) = found["changes"]
    assert (line["sign"], line["what"], line["node"]) == ("~", "node", "reply")


def test_a_draft_nobody_can_read_is_not_compared(flow: Flow, live: Live, member_client: Clients) -> None:
    live()
    now = Flow.objects.get(pk=flow.pk)
    store.save_draft(now, "{ not JSON", now.revision)
    found = versions(member_client("builder"), flow)
    assert (found["readable"], found["changes"]) == (False, [])
    assert versions(member_client("builder"), flow, "/1/draft")["new"].startswith("{ not")


def test_the_list_says_what_is_live_and_what_still_runs(
    flow: Flow, edit: Edit, live: Live, desk: Deployment, member_client: Clients, user: Callable
) -> None:
    live("First")
    run = talk.run(talk.conversation(desk, user("member")), "waiting")
    edit("Answer the question", "Answer this question")
    live("Second")
    # A tried draft has no number and is no version of the list.
    edit("Answer this question", "Answer that question")
    store.try_version(Flow.objects.get(pk=flow.pk))
    found = versions(member_client("builder"), flow)
    rows = [(row["number"], row["note"], row["live"], row["wasLive"], row["waits"]) for row in found["versions"]]
    assert rows == [(2, "Second", ["Helper desk"], [], 0), (1, "First", [], ["helper-desk"], 1)]
    assert found["versions"][0]["by"] == "Builder"
    assert [(one["version"], one["by"], one["now"]) for one in found["history"]] == [
        (2, "Operator", True),
        (1, "Operator", False),
    ]
    (agent,) = found["agents"]
    assert agent["waits"] == [{"version": 1, "count": 1, "live": False}]
    Run.objects.filter(pk=run.pk).update(status="done")
    assert versions(member_client("builder"), flow)["agents"][0]["waits"] == []


def test_a_version_is_read_with_its_code(flow: Flow, live: Live, member_client: Clients) -> None:
    version = live("First")
    FlowVersion.objects.filter(pk=version.pk).update(units={"handler:plan": "async def plan(): ..."})
    found = versions(member_client("builder"), flow, "/1")
    assert (found["number"], found["note"], found["by"]) == (1, "First", "Builder")
    assert json.loads(found["text"]) == version.document
    assert found["units"] == {"handler:plan": "async def plan(): ..."}
    assert versions(member_client("builder"), flow, "/draft")["number"] is None


@pytest.mark.parametrize("name", ["2", "0", "one", "1/7", "-1", "9" * 30, "draft/nothing"])
def test_what_is_no_version_is_not_found(flow: Flow, live: Live, member_client: Clients, name: str) -> None:
    live()
    assert member_client("builder").get(f"/api/flows/{flow.pk}/versions/{name}").status_code == 404


def test_two_versions_differ_in_words_in_text_and_in_code(
    flow: Flow, edit: Edit, live: Live, member_client: Clients
) -> None:
    first = live()
    edit("Answer the question", "Answer this question")
    second = live()
    FlowVersion.objects.filter(pk=first.pk).update(units={"router:r": "old", "tool:same": "same"})
    FlowVersion.objects.filter(pk=second.pk).update(units={"router:r": "new", "tool:same": "same"})
    found = versions(member_client("builder"), flow, "/1/2")
    assert ("the question" in found["old"], "this question" in found["new"]) == (True, True)
    assert [line["what"] for line in found["lines"]] == ["node", "unit"]
    assert found["units"] == [{"id": "router:r", "old": "old", "new": "new"}]
    assert versions(member_client("builder"), flow, "/2/2")["lines"] == []


def test_an_earlier_version_is_made_live_again(
    flow: Flow, edit: Edit, live: Live, desk: Deployment, member_client: Clients
) -> None:
    first = live()
    edit("Answer the question", "Answer this question")
    live()
    reply = relive(member_client("operator"), 1)
    assert (reply.status_code, reply.json()) == (200, {"version": 1})
    desk.refresh_from_db()
    assert desk.version_id == first.pk
    assert Publication.objects.filter(deployment=desk).count() == 3


def test_a_version_that_was_never_live_there_is_refused(
    flow: Flow, edit: Edit, live: Live, desk: Deployment, member_client: Clients
) -> None:
    live()
    edit("Answer the question", "Answer this question")
    store.make_version(Flow.objects.get(pk=flow.pk))
    reply = relive(member_client("operator"), 2)
    assert (reply.status_code, reply.json()["code"]) == (404, "NEVER_LIVE")


APPROVAL = '"approval": {"ask": "Answer this?"},\n      "output": "answer"'


def test_visitors_who_would_approve_their_own_writes_need_a_yes(
    flow: Flow, edit: Edit, live: Live, desk: Deployment, member_client: Clients
) -> None:
    edit('"output": "answer"', APPROVAL)
    first = live()
    edit(APPROVAL, '"output": "answer"')
    second = live(access="link", deciders="starter")
    client = member_client("operator")
    reply = relive(client, 1)
    assert (reply.status_code, reply.json()["code"]) == (409, "OWN_YES_MISSING")
    desk.refresh_from_db()
    assert desk.version_id == second.pk
    assert relive(client, 1, ownYes=True).status_code == 200
    desk.refresh_from_db()
    assert desk.version_id == first.pk


def relive(client: Client, version: int, **more: Any) -> Any:
    return client.post("/api/agents/helper-desk/live", json.dumps({"version": version, **more}), "application/json")


def test_who_may_not_publish_changes_nothing(
    flow: Flow, edit: Edit, live: Live, desk: Deployment, member_client: Clients, stranger: Client
) -> None:
    live()
    edit("Answer the question", "Answer this question")
    second = live()
    for role in ("reviewer", "member"):
        assert relive(member_client(role), 1).status_code == 403
    assert relive(stranger, 1).status_code == 404
    assert stranger.get(f"/api/flows/{flow.pk}/versions").status_code == 404
    assert stranger.get(f"/api/flows/{flow.pk}/versions/1/draft").status_code == 404
    desk.refresh_from_db()
    assert desk.version_id == second.pk
    assert not Conversation.objects.exists()
