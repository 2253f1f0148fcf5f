"""Trying a draft: the newest one runs, nobody's version numbers are used up, and what is not ready is said."""

from __future__ import annotations

import json
from datetime import timedelta
from typing import Any

import pytest
from django.db import connection
from django.test import Client
from django.utils import timezone

from flows import store
from flows.models import Flow, FlowVersion
from runtime import retention, runs
from runtime.models import Conversation, Deployment, ModelEntry, Run, Secret
from studio import workbench
from tests.studio.running.conftest import Clients, Edit


def tried(client: Client, flow: Flow) -> dict[str, Any]:
    reply = client.post(f"/api/flows/{flow.pk}/try", "{}", "application/json")
    assert reply.status_code == 200, reply.content
    return reply.json()


def say(client: Client, slug: str, text: str = "Hello", **more: Any) -> Any:
    body = json.dumps({"text": text, **more})
    return client.post(f"/api/a/{slug}/messages", body, "application/json")


def test_a_try_takes_no_version_number(flow: Flow, edit: Edit, member_client: Clients, model: ModelEntry) -> None:
    client = member_client("builder")
    first = tried(client, flow)
    assert (first["ready"], first["barriers"], first["model"]["name"]) == (True, [], "House model")
    edit("Answer the question", "Answer this question")
    tried(client, flow)
    version = Deployment.objects.get(slug=first["slug"]).version
    assert version is not None and version.number is None
    made = store.make_version(Flow.objects.get(pk=flow.pk))
    assert (made.pk, made.number) == (version.pk, 1)
    # Nothing ran on the first one.
    assert workbench.forget(flow) == 1
    assert FlowVersion.objects.get().pk == version.pk


def test_publishing_numbers_the_version_that_was_tried(flow: Flow, member_client: Clients, edit: Edit) -> None:
    first = store.make_version(flow, note="First")
    edit("Answer the question", "Answer this question")
    tried(member_client("builder"), flow)
    second = store.make_version(flow, note="Second")
    assert (first.number, second.number, second.note) == (1, 2, "Second")
    assert tried(member_client("builder"), flow)["ready"]
    assert FlowVersion.objects.count() == 2


def test_every_message_runs_the_newest_draft(flow: Flow, member_client: Clients, edit: Edit) -> None:
    client = member_client("builder")
    slug = tried(client, flow)["slug"]
    talk = say(client, slug).json()["conversation"]
    edit("Answer the question", "Answer this question")
    assert say(client, slug, conversation=talk, key="two").status_code == 202
    first, second = Run.objects.order_by("created_at")
    assert "Answer the question" in json.dumps(first.version.document)
    assert "Answer this question" in json.dumps(second.version.document)


def test_a_draft_with_a_problem_is_not_run_and_says_why(flow: Flow, member_client: Clients, edit: Edit) -> None:
    client = member_client("builder")
    slug = tried(client, flow)["slug"]
    edit('"output": "answer"', '"output": "nowhere"')
    now = tried(client, flow)
    assert (now["ready"], now["empty"]) == (False, False)
    assert any('"nowhere"' in one["message"] and one["path"] for one in now["barriers"])
    reply = say(client, slug)
    assert (reply.status_code, reply.json()["code"]) == (409, "DRAFT_NOT_READY")
    assert "nowhere" in reply.json()["message"]
    assert not Run.objects.exists()


def test_missing_code_is_named(flow: Flow, member_client: Clients, edit: Edit) -> None:
    edit(
        '"id": "reply",\n      "type": "llm",',
        '"id": "sort",\n      "handler": "sort",\n      "description": "Reads \'question\', sets \'answer\' to it."\n'
        '    },\n    {\n      "id": "reply",\n      "type": "llm",',
    )
    edit('"edges": [', '"edges": [\n    {\n      "from": "sort",\n      "to": "reply"\n    },')
    edit('"start": "reply"', '"start": "sort"')
    now = tried(member_client("builder"), flow)
    assert (now["ready"], now["empty"]) == (False, True)
    assert [(one["unit"], one["path"]) for one in now["barriers"]] == [("handler:sort", "nodes[0]")]


def test_without_a_model_it_says_so_and_who_may_set_one(flow: Flow, member_client: Clients) -> None:
    model = tried(member_client("builder"), flow)["model"]
    assert model == {"needed": True, "name": "", "demo": False, "maySet": False}
    assert tried(member_client("owner"), flow)["model"]["maySet"]


@pytest.mark.parametrize("role", ["operator", "reviewer", "member"])
def test_only_builders_try(flow: Flow, member_client: Clients, role: str) -> None:
    slug = tried(member_client("builder"), flow)["slug"]
    other = member_client(role)
    assert other.post(f"/api/flows/{flow.pk}/try", "{}", "application/json").status_code == 403
    assert say(other, slug).status_code == 403
    assert other.get(f"/a/{slug}?pane=1").status_code == 403


def test_a_workbench_never_opens_by_link(flow: Flow, member_client: Clients) -> None:
    slug = tried(member_client("builder"), flow)["slug"]
    Deployment.objects.filter(slug=slug).update(access="link", link_token="t" * 30)
    reply = Client().get(f"/a/{slug}?k={'t' * 30}&pane=1")
    assert reply.status_code == 302
    assert reply["Location"].startswith("/sign-in")


def test_only_the_workbench_in_its_pane_may_be_framed(flow: Flow, member_client: Clients) -> None:
    client = member_client("builder")
    slug = tried(client, flow)["slug"]
    pane, whole = client.get(f"/a/{slug}?pane=1"), client.get(f"/a/{slug}")
    assert "frame-ancestors 'self'" in pane["Content-Security-Policy"]
    assert not pane.has_header("X-Frame-Options")
    assert (b'"pane":true' in pane.content, b'"pane":true' in whole.content) == (True, False)
    version = FlowVersion.objects.get()
    live = Deployment.objects.create(flow=flow, version=version, slug="live-desk", name="Live")
    for page in (whole, client.get(f"/a/{live.slug}?pane=1"), client.get("/flows")):
        assert "frame-ancestors 'none'" in page["Content-Security-Policy"]
        assert page["X-Frame-Options"] == "DENY"


def test_what_nothing_runs_on_is_forgotten(flow: Flow, member_client: Clients, edit: Edit) -> None:
    client = member_client("builder")
    slug = tried(client, flow)["slug"]
    say(client, slug)
    edit("Answer the question", "Answer this question")
    tried(client, flow)
    assert FlowVersion.objects.count() == 2
    # Its run waits, however old it is.
    long_ago = timezone.now() - timedelta(days=(retention.days().tries or 0) + 1)
    Conversation.objects.update(last_at=long_ago)
    assert (retention.sweep("tries"), workbench.forget(flow)) == (0, 0)
    Run.objects.update(status="done")
    assert (retention.sweep("tries"), workbench.forget(flow)) == (1, 1)
    assert not Conversation.objects.exists()
    assert FlowVersion.objects.get() == Deployment.objects.get(slug=slug).version


def test_a_message_under_way_begins_on_what_ran_until_now(flow: Flow, member_client: Clients, edit: Edit) -> None:
    client = member_client("builder")
    slug = tried(client, flow)["slug"]
    asked = Deployment.objects.get(slug=slug)
    edit("Answer the question", "Answer this question")
    tried(client, flow)
    runs.start(asked, runs.Actor("Bo"), inputs={"question": "Hi"}, text="Hi")
    connection.check_constraints()
    assert Run.objects.get().version != Deployment.objects.get(slug=slug).version
    Run.objects.update(status="done")
    Conversation.objects.all().delete()
    edit("Answer this question", "Answer that question")
    tried(client, flow)
    assert FlowVersion.objects.count() == 2


SETTINGS = (
    '"requires": {"env": ["OFFICE_KEY"], "settings": {"pageSize": {"default": 5, "description": "Rows."}}},\n'
    '  "inputs": ['
)


def settings_of(flow: Flow) -> str:
    return f"/api/flows/{flow.pk}/try/settings"


def test_what_a_draft_runs_with_is_set_by_who_may(flow: Flow, member_client: Clients, edit: Edit) -> None:
    edit('"inputs": [', SETTINGS)
    owner = member_client("owner")
    assert tried(owner, flow)["unset"] == ["OFFICE_KEY"]
    body = {
        "values": {"pageSize": "9"},
        "secrets": {"OFFICE_KEY": {"value": "s3cret-value", "hosts": "office.example"}},
        "allowedHosts": "127.0.0.1:8421",
    }
    reply = owner.put(settings_of(flow), json.dumps(body), "application/json")
    assert reply.status_code == 200, reply.content
    assert "s3cret-value" not in reply.content.decode()
    bench = Deployment.objects.get(workbench=True)
    assert (bench.settings, bench.allowed_hosts) == ({"pageSize": 9}, ["127.0.0.1:8421"])
    assert Secret.objects.get(deployment=bench).hosts == ["office.example"]
    seen = member_client("builder").get(settings_of(flow))
    assert (seen.json()["mayChange"], seen.json()["secrets"][0]["stored"]) == (False, True)
    assert "s3cret-value" not in seen.content.decode()
    assert member_client("builder").put(settings_of(flow), "{}", "application/json").status_code == 403
    assert tried(owner, flow)["unset"] == []


def test_what_does_not_fit_is_said_beside_its_field(flow: Flow, member_client: Clients, edit: Edit) -> None:
    edit('"inputs": [', SETTINGS)
    body = {"values": {"pageSize": "many"}, "allowedHosts": "no port", "model": "00000000-0000-0000-0000-000000000000"}
    reply = member_client("owner").put(settings_of(flow), json.dumps(body), "application/json")
    assert reply.status_code == 422
    assert set(reply.json()["fields"]) == {"setting:pageSize", "allowed_hosts", "model"}
    assert Deployment.objects.get(workbench=True).settings == {}


def test_a_deleted_flow_runs_no_more(flow: Flow, member_client: Clients) -> None:
    client = member_client("builder")
    slug = tried(client, flow)["slug"]
    store.delete(flow)
    assert client.post(f"/api/flows/{flow.pk}/try", "{}", "application/json").status_code == 404
    assert say(client, slug).status_code == 404
    assert client.get(f"/a/{slug}?pane=1").status_code == 404
    store.restore(flow)
    assert say(client, slug).status_code == 202


def test_another_workspace_finds_nothing(flow: Flow, member_client: Clients, stranger: Client) -> None:
    slug = tried(member_client("builder"), flow)["slug"]
    assert stranger.post(f"/api/flows/{flow.pk}/try", "{}", "application/json").status_code == 404
    assert say(stranger, slug).status_code == 403
