"""Messages over HTTP: who may send them, what they must say, and that the same one twice is one."""

from __future__ import annotations

import json
import uuid
from decimal import Decimal
from typing import Any

import pytest
from django.test import Client

from flows import scope
from flows.models import Flow, Workspace
from runtime.models import Conversation, Deployment, ModelCall, Run
from studio.models import Membership, User
from studio.viewer import _cookie_name
from tests.support import talk

KEY = "k-1"


def post(client: Client, path: str, body: Any = None) -> Any:
    text = body if isinstance(body, str) else json.dumps({} if body is None else body)
    return client.post(path, text, content_type="application/json")


def say(client: Client, agent: Deployment, text: Any = "Hello", **body: Any) -> Any:
    return post(client, f"/api/a/{agent.slug}/messages", {"conversation": None, "text": text, "key": KEY, **body})


def visitor(agent: Deployment, key: str | None = None) -> Client:
    """A browser that came by the open link."""
    client = Client()
    reply = client.get(f"/a/{agent.slug}?k={agent.link_token if key is None else key}")
    assert reply.status_code == 302
    assert "k=" not in reply["Location"]
    return client


@pytest.fixture
def desk(workspace) -> Deployment:
    return talk.agent("desk")


@pytest.fixture
def open_desk(workspace) -> Deployment:
    return talk.agent("open-desk", access="link", link_token="t" * 32)


def test_a_message_starts_a_run_and_the_next_one_waits_its_turn(desk, member_client) -> None:
    client = member_client("member")
    first = say(client, desk)
    assert first.status_code == 202
    body = first.json()
    assert body["queued"] is False
    second = say(client, desk, "And then?", conversation=body["conversation"], key="k-2")
    assert (second.status_code, second.json()["queued"]) == (202, True)
    run = Run.objects.get(id=body["run"])
    assert (run.inputs, run.status, run.version_id) == ({"question": "Hello"}, "queued", desk.version_id)
    assert Conversation.objects.get().title == "Hello"


def test_the_same_message_twice_is_one(desk, member_client) -> None:
    client = member_client("member")
    first = say(client, desk).json()
    assert say(client, desk).json() == first
    assert say(client, desk, conversation=first["conversation"]).json() == first
    assert (Conversation.objects.count(), Run.objects.count()) == (1, 1)
    assert say(client, desk, key="k-2").json()["conversation"] != first["conversation"]


# LG-contract-02
def test_further_inputs_are_fields_and_all_that_is_wrong_is_said_at_once(workspace, member_client) -> None:
    document = {
        **talk.DOCUMENT,
        "inputs": ["days", "question", "urgent"],
        "state": {
            "days": {"type": "number"},
            "question": {"type": "string"},
            "urgent": {"type": "boolean"},
            "answer": {"type": "string"},
        },
    }
    agent, client = talk.agent("fields", document), member_client("member")
    wrong = say(client, agent, "", inputs={"days": "many", "extra": 1})
    assert wrong.status_code == 422
    assert set(wrong.json()["fields"]) == {"days", "extra", "text"}
    right = say(client, agent, "When?", inputs={"days": "3", "urgent": True})
    assert right.status_code == 202
    assert Run.objects.get().inputs == {"question": "When?", "days": 3, "urgent": True}


# LG-contract-04, LG-forms-13
def test_a_flow_without_inputs_starts_by_itself_and_takes_no_message(workspace, member_client) -> None:
    agent, client = talk.agent("opens", {**talk.DOCUMENT, "inputs": []}), member_client("member")
    opened = post(client, f"/api/a/{agent.slug}/conversations")
    assert opened.status_code == 201
    assert str(Run.objects.get().id) == opened.json()["run"]
    refused = say(client, agent, "Hello", conversation=opened.json()["conversation"])
    assert (refused.status_code, list(refused.json()["fields"])) == (422, ["text"])


def test_opening_a_conversation_of_another_flow_starts_nothing(desk, member_client) -> None:
    client = member_client("member")
    assert post(client, "/api/a/desk/conversations").json()["run"] is None
    assert Run.objects.count() == 0
    # Nothing was said in it, so it is no history.
    assert client.get("/api/a/desk/conversations").json() == []


@pytest.mark.parametrize(
    "body",
    [
        '{"text": "a", "text": "b"}',
        '{"text": NaN}',
        '{"text": "\\ud800"}',
        '{"text": ' + "[" * 70 + "]" * 70 + "}",
        '{"text": "a"',
        "[]",
        '"text"',
        "null",
    ],
)
def test_what_is_no_strict_json_is_refused_in_words(desk, member_client, body) -> None:
    reply = post(member_client("member"), "/api/a/desk/messages", body)
    assert reply.status_code in (400, 422)
    assert reply.json()["message"]
    assert Run.objects.count() == 0


# reliability R2
@pytest.mark.parametrize("key", ["flow", "version", "document", "state", "deployment", "status", "user"])
def test_a_message_can_name_nothing_but_its_own_words(desk, member_client, key) -> None:
    assert say(member_client("member"), desk, **{key: "x"}).status_code == 422
    assert Run.objects.count() == 0


# The page sends a failed message again from what this holds.
@pytest.mark.parametrize("same", ["ALFKI", "Other"])
def test_a_message_holds_its_fields_by_name_and_its_text_once(workspace, member_client, same) -> None:
    document = talk.DOCUMENT | {
        "inputs": ["question", "customer"],
        "state": talk.DOCUMENT["state"] | {"customer": {"type": "string"}},
    }
    agent, client = talk.agent("two-inputs", document), member_client("member")
    sent = say(client, agent, "ALFKI", inputs={"customer": same}).json()
    frames = client.get(f"/api/conversations/{sent['conversation']}/frames").json()["frames"]
    item = next(frame["item"] for frame in frames if frame["id"].startswith("msg:"))
    assert item["text"] == "ALFKI"
    assert item["values"] == [{"label": "Customer", "value": same, "channel": "customer"}]


@pytest.mark.parametrize(
    "body", [{"text": 5}, {"inputs": []}, {"key": "a b"}, {"key": "x" * 65}, {"conversation": "zz"}]
)
def test_values_of_another_kind_are_refused(desk, member_client, body) -> None:
    assert post(member_client("member"), "/api/a/desk/messages", {"text": "a", "key": "k", **body}).status_code == 422


@pytest.mark.parametrize(
    ("access", "role", "status"),
    [
        ("workspace", "member", 202),
        ("workspace", "owner", 202),
        ("workspace", "builder", 202),
        ("workspace", "reviewer", 403),
        ("listed", "member", 403),
        ("listed", "operator", 202),
        ("link", "member", 202),
        ("workspace", None, 401),
        ("listed", None, 401),
        ("link", None, 401),
    ],
)
def test_who_may_chat(workspace, member_client, access, role, status) -> None:
    agent = talk.agent("door", access=access, link_token="t" * 32)
    client = member_client(role) if role else Client()
    assert say(client, agent).status_code == status
    assert client.get("/api/a/door/conversations").status_code == (200 if status == 202 else status)


def test_a_listed_person_may_chat_and_a_person_who_left_may_not(workspace, member_client, user) -> None:
    agent = talk.agent("listed", access="listed")
    person = user("reviewer", "Rina")
    agent.people.add(person)
    client = member_client("reviewer", "Rina")
    sent = say(client, agent)
    assert sent.status_code == 202
    Membership.objects.filter(user=person).delete()
    assert say(client, agent, key="k-2").status_code == 403
    assert client.get(f"/api/conversations/{sent.json()['conversation']}/frames").status_code == 403


def test_a_stranger_of_another_workspace_stays_outside(desk, client) -> None:
    other = Workspace.objects.create(name="Other")
    stranger = User.objects.create_user("stranger@example.test", "x", name="Stranger")
    Membership.everywhere.create(workspace=other, user=stranger, role="owner")
    client.force_login(stranger)
    assert say(client, desk).status_code == 403
    assert client.get("/a/desk").status_code == 403


def test_the_workbench_is_for_those_who_edit(workspace, member_client) -> None:
    agent = talk.agent("bench", workbench=True, access="link", link_token="t" * 32)
    Flow.objects.filter(pk=agent.flow_id).update(draft=json.dumps(talk.DOCUMENT))
    assert say(member_client("builder"), agent).status_code == 202
    assert say(member_client("operator"), agent).status_code == 403
    assert Client().get(f"/a/bench?k={agent.link_token}").status_code == 302  # to the sign-in page
    assert say(Client(), agent).status_code == 401


def test_nothing_is_said_to_an_agent_that_is_paused_or_not_published(workspace, member_client) -> None:
    client = member_client("member")
    paused = say(client, talk.agent("paused", paused=True, paused_words="Back on Monday."))
    assert (paused.status_code, paused.json()["code"], paused.json()["message"]) == (
        409,
        "AGENT_PAUSED",
        "Back on Monday.",
    )
    empty = say(client, talk.agent("empty", version=None))
    assert (empty.status_code, empty.json()["code"]) == (409, "NOT_PUBLISHED")


def test_everything_of_a_conversation_is_its_persons_only(desk, open_desk, member_client, user) -> None:
    """reliability R19, R21, F5: every address, for the person, others of the workspace, visitors and nobody."""
    own = talk.conversation(desk, user("member", "Dana"))
    run, held = talk.run(own, "running"), talk.run(own, "held")
    question = talk.ask(run)
    there = talk.conversation(open_desk, visitor="a" * 64)
    other_run = talk.run(there, "running")
    strangers = [member_client("owner"), member_client("member", "Eve"), visitor(open_desk), Client()]
    gone = [member_client("member", "Dana"), *strangers[:3], Client()]
    for clients, talks in ((strangers, (own, run, held, question)), (gone, (there, other_run, other_run, None))):
        conversation, active, queued, asked = talks
        for client in clients:
            for method, path in (
                ("get", f"/api/conversations/{conversation.id}/frames"),
                ("get", f"/api/conversations/{conversation.id}/stream?item=x"),
                ("post", f"/api/runs/{active.id}/cancel"),
                ("delete", f"/api/runs/{queued.id}"),
                *(
                    (("get", f"/api/questions/{asked.id}"), ("post", f"/api/questions/{asked.id}/answer"))
                    if asked
                    else ()
                ),
            ):
                body = {"digest": "0", "decision": "approve"} if path.endswith("answer") else {}
                reply = getattr(client, method)(path, body, content_type="application/json")
                assert reply.status_code in (401, 404), (path, reply.status_code)
    for row in (run, held, other_run):
        row.refresh_from_db()
    assert (run.status, held.status, other_run.status) == ("running", "held", "running")


def test_a_conversation_of_one_agent_is_none_of_another(desk, open_desk, member_client, user) -> None:
    there = talk.conversation(open_desk, user("member", "Dana"))
    reply = say(member_client("member", "Dana"), desk, conversation=str(there.id))
    assert reply.status_code == 404


def test_the_csrf_token_is_asked_of_people_and_visitors(desk, open_desk, member_client) -> None:
    signed_in = member_client("member", csrf=True)
    assert say(signed_in, desk).json()["code"] == "CSRF_FAILED"
    browser = Client(enforce_csrf_checks=True)
    browser.get(f"/a/{open_desk.slug}?k={open_desk.link_token}", follow=True)
    assert say(browser, open_desk).status_code == 403
    token = browser.cookies["csrftoken"].value
    path = f"/api/a/{open_desk.slug}/messages"
    body = json.dumps({"text": "Hello", "key": KEY})
    assert browser.post(path, body, content_type="application/json", headers={"X-CSRFToken": token}).status_code == 202


def test_a_visitor_keeps_its_history_and_no_other_sees_it(open_desk) -> None:
    one, two = visitor(open_desk), visitor(open_desk)
    sent = say(one, open_desk).json()
    assert [row["id"] for row in one.get("/api/a/open-desk/conversations").json()] == [sent["conversation"]]
    assert two.get("/api/a/open-desk/conversations").json() == []
    assert one.get(f"/api/conversations/{sent['conversation']}/frames").status_code == 200
    assert two.get(f"/api/conversations/{sent['conversation']}/frames").status_code == 404
    assert Conversation.objects.get().user is None


def test_a_renewed_link_ends_older_ones_and_keeps_the_history(open_desk) -> None:
    browser = visitor(open_desk)
    sent = say(browser, open_desk).json()
    Deployment.objects.filter(id=open_desk.id).update(link_token="n" * 32)
    for path in ("/a/open-desk", f"/a/open-desk?k={'t' * 32}"):
        page = browser.get(path)
        assert page.status_code == 410
        assert "new link" in page.content.decode()
    assert say(browser, open_desk, key="k-2").json()["code"] == "LINK_RENEWED"
    assert browser.get(f"/api/conversations/{sent['conversation']}/frames").status_code == 410
    browser.get(f"/a/open-desk?k={'n' * 32}")
    assert [row["id"] for row in browser.get("/api/a/open-desk/conversations").json()] == [sent["conversation"]]


@pytest.mark.parametrize("cookie", ["", "x", "a:b:c", "WyJhIiwiYiJd:1abc:zz", "é"])
def test_a_made_up_cookie_is_nobody(open_desk, cookie) -> None:
    client = Client()
    client.cookies[_cookie_name(open_desk)] = cookie
    assert say(client, open_desk).status_code == 401
    assert client.get("/a/open-desk").status_code == 302


def test_the_cookie_of_one_agent_opens_no_other(workspace, open_desk) -> None:
    other = talk.agent("other-desk", access="link", link_token="o" * 32)
    browser = visitor(open_desk)
    browser.cookies[_cookie_name(other)] = browser.cookies[_cookie_name(open_desk)].value
    assert say(browser, other).status_code == 410


def test_a_visitor_has_a_number_of_messages_a_day(open_desk) -> None:
    Deployment.objects.filter(id=open_desk.id).update(visitor_limit=2)
    browser = visitor(open_desk)
    assert [say(browser, open_desk, key=f"k-{n}").status_code for n in range(3)] == [202, 202, 429]
    # What was sent before is still answered the same.
    assert say(browser, open_desk, key="k-0").status_code == 202
    assert say(visitor(open_desk), open_desk, key="k-9").status_code == 202


@pytest.mark.parametrize(
    ("access", "terms", "status"),
    [
        ("link", {"token_ceiling": 100}, 429),
        ("link", {"token_ceiling": 101}, 202),
        ("link", {"cost_ceiling": Decimal("0.05")}, 429),
        ("workspace", {"token_ceiling": 100}, 202),
        ("workspace", {"cost_ceiling": Decimal("0.05")}, 429),
        ("workspace", {"cost_ceiling": Decimal("0.06")}, 202),
    ],
)
def test_an_agent_has_a_ceiling_a_day(workspace, member_client, access, terms, status) -> None:
    agent = talk.agent("ceiling", access=access, link_token="t" * 32, **terms)
    run = talk.run(talk.conversation(agent), "done")
    ModelCall.objects.create(
        run=run, key="k", address="a", fence=1, prompt_sha="", messages=[], entry="e", model="m",
        input_tokens=60, output_tokens=40, cost=Decimal("0.05"),
    )  # fmt: skip
    reply = say(member_client("member"), agent)
    assert reply.status_code == status
    assert status == 202 or "tomorrow" in reply.json()["message"]


def test_a_queued_message_is_taken_back_until_its_turn(desk, member_client, user) -> None:
    client = member_client("member", "Dana")
    first = say(client, desk).json()
    second = say(client, desk, "More", conversation=first["conversation"], key="k-2").json()
    assert client.delete(f"/api/runs/{second['run']}").status_code == 204
    again = client.delete(f"/api/runs/{first['run']}")
    assert (again.status_code, again.json()["code"]) == (409, "TURN_BEGUN")
    assert post(client, f"/api/runs/{first['run']}/cancel").json() == {"status": "cancelled"}
    page = client.get(f"/api/conversations/{first['conversation']}/frames?since=0").json()
    assert [frame["item"]["type"] for frame in page["frames"] if frame["op"] == "put"] == ["message", "status", "end"]
    assert client.get(f"/api/conversations/{first['conversation']}/frames?since={page['seq']}").json()["frames"] == []


def test_the_history_says_whose_turn_it_is(desk, member_client, user) -> None:
    dana = user("member", "Dana")
    states = {
        "idle": ("done", None), "working": ("running", None), "waiting_you": ("waiting", "starter"),
        "waiting_others": ("waiting", "reviewers"),
    }  # fmt: skip
    made = {}
    for state, (status, decider) in states.items():
        run = talk.run(talk.conversation(desk, dana), status)
        made[str(run.conversation_id)] = state
        if decider:
            talk.ask(run, decider=decider)
    rows = member_client("member", "Dana").get("/api/a/desk/conversations").json()
    assert {row["id"]: row["state"] for row in rows} == made
    assert [row["lastAt"] for row in rows] == sorted((row["lastAt"] for row in rows), reverse=True)


def test_nothing_there_is_a_plain_404(member_client, workspace) -> None:
    client = member_client("member")
    for path in ("/api/a/nowhere/conversations", f"/api/conversations/{uuid.uuid4()}/frames"):
        reply = client.get(path)
        assert (reply.status_code, reply.json()["code"]) == (404, "NOT_FOUND")
    with scope.workspace(workspace.id):
        assert client.get("/a/nowhere").status_code == 404
