"""Who may chat with an agent that knows its people: nobody without a name, and nobody who is not listed."""

from __future__ import annotations

from typing import Any

import pytest
from django.test import Client

from flows.models import FlowVersion, Workspace
from runtime import runs
from runtime.models import Deployment, Run
from runtime.runs import Actor, NobodyKnown
from studio import viewer, workbench
from studio.models import Membership
from tests.studio.chat.test_chat_page import boot_of, closed
from tests.studio.chat.test_talking import say, visitor
from tests.studio.known.conftest import KNOWS, knowing
from tests.support import talk
from tests.support.people import person


# LG-contract-13: the chat asks who somebody is before anything runs, and refuses who is not known here.
def test_nobody_without_a_name_gets_in(workspace, member_client) -> None:
    desk = knowing(access="link", link_token="t" * 32)
    stranger = Client()
    for path in ("/a/desk", f"/a/desk?k={'t' * 32}"):
        reply = stranger.get(path)
        assert (reply.status_code, reply["Location"].split("?")[0]) == (302, "/sign-in")
    refused = say(stranger, desk)
    assert (refused.status_code, refused.json()["code"]) == (401, "SIGNED_OUT")
    other = Workspace.objects.create(name="Elsewhere")
    away = Client()
    away.force_login(person(other, "owner", "Mallory"))
    assert closed(away, f"/a/desk?k={'t' * 32}") == (403, "no_access")
    assert say(away, desk).status_code == 403
    assert not Run.objects.exists()
    assert say(member_client("member", "Dana"), desk).status_code == 202
    assert Run.objects.get().started_by is not None


def test_a_visitors_older_conversation_closes_with_the_version(workspace) -> None:
    desk = talk.agent("desk", access="link", link_token="t" * 32)
    browser = visitor(desk)
    place = say(browser, desk).json()["conversation"]
    version = FlowVersion.objects.create(
        flow=desk.flow, number=2, sha="2" * 64, document=KNOWS, units_sha="0" * 64, engine=1
    )
    desk.version = version
    desk.save(update_fields=["version"])
    for path in (f"/api/conversations/{place}/frames", "/api/a/desk/conversations"):
        assert (browser.get(path).status_code, browser.get(path).json()["code"]) == (401, "SIGNED_OUT")
    assert browser.get(f"/a/desk?c={place}").status_code == 302
    assert say(browser, desk, "More", conversation=place, key="k-2").status_code == 401
    # What began on the older version comes to its end.
    assert Run.objects.get().status == "queued"


def test_the_rule_of_a_flow_inside_is_the_rule_of_the_agent(workspace) -> None:
    inner = {"top": "flow.json", "flows": {"in/flow.json": {"document": KNOWS, "units": {}}}}
    desk = talk.agent("desk", access="link", link_token="t" * 32)
    assert desk.version is not None and not desk.known_people
    version = FlowVersion.objects.create(
        flow=desk.flow, number=2, sha="2" * 64, document=talk.DOCUMENT, tree=inner, units_sha="0" * 64, engine=1
    )
    desk.version = version
    desk.save()
    desk.refresh_from_db()
    assert desk.known_people
    assert Client().get(f"/a/desk?k={'t' * 32}")["Location"].startswith("/sign-in")
    # And ends with it.
    desk.version = FlowVersion.objects.get(number=1)
    desk.save(update_fields=["version"])
    desk.refresh_from_db()
    assert not desk.known_people


# LG-contract-17, LG-contract-18: whatever calls it, a run without a known person does not begin.
def test_the_runtime_itself_starts_nothing_for_nobody(workspace) -> None:
    desk = knowing()
    with pytest.raises(NobodyKnown):
        runs.start(desk, Actor(name="Visitor", visitor="v"), inputs={"question": "Hello"})
    assert not Run.objects.exists()


# LG-contract-16
def test_the_same_flow_deployed_twice_has_two_lists(workspace, user, member_client) -> None:
    one = knowing("one", access="listed")
    two = Deployment.objects.create(flow=one.flow, version=one.version, slug="two", name="Second desk", access="listed")
    one.people.set([user("member", "Dana")])
    two.people.set([user("member", "Noa")])
    dana, noa = member_client("member", "Dana"), member_client("member", "Noa")
    assert [say(dana, one).status_code, say(dana, two).status_code] == [202, 403]
    assert [say(noa, one).status_code, say(noa, two).status_code] == [403, 202]
    assert "/a/one" in dana.get("/agents").content.decode() and "/a/two" not in dana.get("/agents").content.decode()
    # Whoever may change a list is on it only once they say so, also if they own the place.
    for role in ("owner", "operator", "builder", "reviewer"):
        client = member_client(role)
        assert say(client, one).status_code == 403
        assert closed(client, "/a/one") == (403, "no_access")


def test_who_leaves_the_workspace_or_the_list_is_not_known_any_more(workspace, user, member_client) -> None:
    desk = knowing(access="listed")
    dana = user("member", "Dana")
    desk.people.set([dana])
    client = member_client("member", "Dana")
    place = say(client, desk).json()["conversation"]
    desk.people.clear()
    assert client.get(f"/api/conversations/{place}/frames").status_code == 403
    desk.people.set([dana])
    assert client.get(f"/api/conversations/{place}/frames").status_code == 200
    Membership.objects.filter(user=dana).delete()
    assert client.get(f"/api/conversations/{place}/frames").status_code == 403


def test_this_workspace_means_those_who_chat_in_it(workspace, member_client) -> None:
    desk = knowing()
    codes = {role: say(member_client(role), desk).status_code for role in ("owner", "builder", "member", "reviewer")}
    assert codes == {"owner": 202, "builder": 202, "member": 202, "reviewer": 403}


def test_builders_try_a_draft_whoever_is_listed(workspace, member_client) -> None:
    desk = knowing()
    bench = Deployment.objects.create(
        flow=desk.flow, version=desk.version, slug="draft-desk", name="Desk", workbench=True, access="listed"
    )
    assert bench.known_people and not viewer.knows_people(bench)
    assert say(member_client("builder"), desk).status_code == 202
    caller = viewer.Caller(person(workspace, "builder"), {})
    assert viewer.admit(bench, caller).role == "builder"
    with pytest.raises(Exception, match="not open to your account"):
        viewer.admit(bench, viewer.Caller(person(workspace, "member"), {}))


def test_a_draft_that_begins_to_say_so_says_it_on_its_workbench(workspace, user) -> None:
    import json

    from studio import drafts
    from tests.support.talk import DOCUMENT

    flow = drafts.import_text(json.dumps({**DOCUMENT, "version": "1.0"}), "Desk", user("builder"))
    bench = workbench.refresh(workbench.of(flow), user("builder"))
    assert not Deployment.objects.get(pk=bench.pk).known_people
    flow.refresh_from_db()
    flow.draft = json.dumps({**json.loads(flow.draft), "requires": {"users": True}})
    flow.save()
    workbench.refresh(bench, user("builder"))
    assert Deployment.objects.get(pk=bench.pk).known_people


def test_another_agents_turn_asks_nothing_about_presence(workspace, member_client) -> None:
    from django.db import connection
    from django.test.utils import CaptureQueriesContext

    plain, knows = talk.agent("plain"), knowing("knows")
    client = member_client("member", "Dana")
    say(client, plain)

    def asked(agent: Deployment, key: str) -> list[str]:
        with CaptureQueriesContext(connection) as captured:
            assert say(client, agent, "More", key=key).status_code == 202
        return [each["sql"] for each in captured.captured_queries if "studio_presence" in each["sql"]]

    assert asked(plain, "k-2") == []
    assert len(asked(knows, "k-3")) == 1


def test_the_page_says_whose_session_it_is(workspace, user, member_client) -> None:
    knowing()
    boot: Any = boot_of(member_client("member", "Dana").get("/a/desk"))
    lock = boot["lock"]
    assert lock["email"] == user("member", "Dana").email
    assert 1_190 < lock["seconds"] <= 1_200 and lock["minutes"] == 20 and lock["password"] and lock["signIn"] is None


# LG-contract-21: what a person half typed on a card is kept by the tab for them alone.
def test_every_page_of_a_person_says_for_whom_it_is_drawn(workspace, user, member_client) -> None:
    knowing()
    client = member_client("owner", "Dana")
    for path in ("/a/desk", "/inbox", "/account"):
        assert f'data-person="{user("owner", "Dana").pk.hex}"' in client.get(path).content.decode()
    assert "data-person" not in Client().get("/sign-in").content.decode()
