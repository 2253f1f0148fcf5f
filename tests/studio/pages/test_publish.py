"""Publishing: what stands in the way, on which terms an agent goes live, and going back."""

from __future__ import annotations

import json
from collections.abc import Callable

import pytest
from django.test import Client

from flows.models import Flow, FlowVersion, Unit
from runtime.models import Deployment, ModelEntry, Publication, Secret
from runtime.services.secrets import decrypt
from studio import publishing
from tests.studio.pages.conftest import TERMS, Clients, seen
from tests.studio.pages.test_drafts import save


def test_publishing_writes_a_version_and_makes_it_live(
    agent: Deployment, user: Callable, member_client: Clients
) -> None:
    version = FlowVersion.objects.get()
    assert (agent.version_id, version.number) == (version.pk, 1)
    assert set(version.units) >= {"tool:placeOrder", "handler:pickCustomer"}
    assert Publication.objects.get().by == user("operator")
    assert (agent.access, agent.deciders, agent.not_starter) == ("workspace", "reviewers", True)
    assert agent.allowed_hosts == ["127.0.0.1:8421"]
    page = member_client("operator").get("/agents/order-desk/published").content.decode()
    assert "/a/order-desk" in page
    assert "Open as a customer" in page


def test_a_flow_with_problems_is_not_published(flow: Flow, publish: Callable, member_client: Clients) -> None:
    save(member_client("builder"), flow, '{"version": "0.33"}', 1)
    reply = publish()
    assert reply.status_code == 409
    assert "This cannot go live yet" in reply.content.decode()
    assert not FlowVersion.objects.exists()


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"code": ""}, "has no code"),
        ({"refused": "It imports os."}, "It imports os."),
        ({"origin": "generated", "key": "0" * 64}, "was generated from an older description"),
    ],
)
def test_code_that_cannot_run_is_not_published(flow: Flow, publish: Callable, change: dict, words: str) -> None:
    Unit.objects.filter(flow=flow, name="placeOrder").update(**change)
    reply = publish()
    assert reply.status_code == 409
    assert words in reply.content.decode()
    assert not Deployment.objects.filter(workbench=False).exists()


def test_hand_written_code_with_a_new_description_is_asked_about(flow: Flow, publish: Callable) -> None:
    Unit.objects.filter(flow=flow, name="placeOrder").update(origin="edited", key="0" * 64)
    reply = publish(keep_edited=None)
    assert reply.status_code == 422
    assert "say that it still fits" in reply.content.decode()
    assert publish().status_code == 302


@pytest.mark.parametrize(
    ("wrong", "words"),
    [
        ({"slug": "Not A Slug"}, "Use lower-case letters"),
        ({"slug": ""}, "Give the agent an address"),
        ({"slug": "x" * 200}, "Use lower-case letters"),
        ({"name": " "}, "Give the agent a name"),
        ({"access": "everybody"}, "Choose one of these"),
        ({"access": "listed"}, "Choose at least one person"),
        ({"access": "link", "cost_ceiling": ""}, "Write an amount above 0"),
        ({"access": "link", "cost_ceiling": "0.001"}, "Write an amount above 0"),
        ({"access": "link", "cost_ceiling": "nan"}, "Write an amount above 0"),
        ({"access": "link", "cost_ceiling": "1e999"}, "Write an amount above 0"),
        ({"access": "link", "cost_ceiling": "5", "visitor_limit": "0"}, "Write a whole number from 1"),
        ({"access": "link", "cost_ceiling": "5", "visitor_limit": "²"}, "Write a whole number from 1"),
        ({"deciders": ""}, "Choose one of these"),
        ({"approval_hours": "-1"}, "Write a whole number from 1"),
        ({"allowed_hosts": "http://127.0.0.1:8421"}, "is no host with a port"),
        ({"allowed_hosts": "127.0.0.1"}, "is no host with a port"),
        ({"allowed_hosts": "127.0.0.1:99999"}, "is no host with a port"),
        ({"idempotent_hosts": "api.example.com/path"}, "is no host name"),
        ({"model": "8d9c9a51-0000-0000-0000-000000000000"}, "Choose one of these"),
        ({"model": "nonsense"}, "Choose one of these"),
    ],
)
def test_a_wrong_term_says_so_beside_it(publish: Callable, wrong: dict, words: str) -> None:
    reply = publish(**wrong)
    assert reply.status_code == 422
    page = reply.content.decode()
    assert words in page
    assert TERMS["setting:officeUrl"] in page
    assert not FlowVersion.objects.exists()


def test_nothing_goes_live_that_the_page_did_not_show(
    agent: Deployment, flow: Flow, publish: Callable, member_client: Clients
) -> None:
    opened = seen(flow)
    document = json.loads(flow.draft) | {"suggestions": ["Order everything"]}
    assert save(member_client("builder", "Bea"), flow, json.dumps(document), flow.revision).status_code == 200
    reply = publish(to="order-desk", **opened, note="My own words")
    page = reply.content.decode()
    assert reply.status_code == 409
    assert "Bea saved it last. Nothing went live" in page
    assert "My own words" in page
    assert "suggestions" in page.split('id="changes-title"')[1].split('id="where-title"')[0]
    assert FlowVersion.objects.count() == 1


def test_code_that_changed_after_the_page_was_opened_does_not_go_live(
    agent: Deployment, flow: Flow, publish: Callable, monkeypatch: pytest.MonkeyPatch
) -> None:
    opened = seen(flow)
    unit = Unit.objects.get(flow=flow, name="pickCustomer")
    change = Unit.objects.filter(pk=unit.pk)
    change.update(code=unit.code + "# colleague\n")
    for body in (opened, {"revision": None}, {"revision": "x"}, {"units_sha": None}):
        reply = publish(to="order-desk", **body)
        assert reply.status_code == 409
        assert "# colleague" in reply.content.decode()
    # Between the page's own look and the lock.
    go = publishing.publish

    def later(*args: object, **given: object) -> object:
        change.update(code=unit.code + "# later\n")
        return go(*args, **given)  # type: ignore[arg-type]

    monkeypatch.setattr(publishing, "publish", later)
    reply = publish(to="order-desk")
    assert (reply.status_code, "# later" in reply.content.decode()) == (409, True)
    assert (FlowVersion.objects.count(), Publication.objects.count()) == (1, 1)
    assert publish(to="order-desk").status_code == 302


def test_a_taken_address_is_refused(agent: Deployment, publish: Callable) -> None:
    reply = publish()
    assert reply.status_code == 422
    assert "/a/order-desk is taken" in reply.content.decode()


def test_an_open_link_whose_visitors_approve_their_own_writes_needs_a_yes(publish: Callable) -> None:
    # design §6: an explicit yes.
    open_link = {"access": "link", "deciders": "starter", "cost_ceiling": "5", "visitor_limit": "30"}
    reply = publish(**open_link, token_ceiling="100000")
    assert reply.status_code == 422
    assert "Say yes to this" in reply.content.decode()
    assert publish(**open_link, token_ceiling="100000", own_yes="1").status_code == 302
    agent = Deployment.objects.get(slug="order-desk")
    assert (agent.access, agent.visitor_limit, agent.token_ceiling) == ("link", 30, 100_000)
    assert len(agent.link_token) >= 32


def test_listed_people_are_of_this_workspace(publish: Callable, user: Callable, stranger: Client) -> None:
    from studio.models import User

    away = User.objects.get(name="Mallory")
    reply = publish(access="listed", people=[str(away.pk)])
    assert reply.status_code == 422
    publish(access="listed", people=[str(user("member").pk), str(away.pk)])
    assert list(Deployment.objects.get(slug="order-desk").people.all()) == [user("member")]


def test_a_builder_publishes_but_sets_nothing_operated(publish: Callable, flow: Flow) -> None:
    entry = ModelEntry.objects.create(name="Dear", base_url="http://127.0.0.1:9/v1", model="m")
    publish("builder", allowed_hosts="10.0.0.1:80", model=str(entry.pk), **{"setting:officeUrl": "http://10.0.0.1/"})
    agent = Deployment.objects.get(slug="order-desk")
    # It begins with what the example brought, and with nothing that a builder sent.
    assert agent.allowed_hosts == ["127.0.0.1:8421"]
    assert agent.model_entry is None
    assert "10.0.0.1" not in json.dumps(agent.settings)


def with_secret(flow: Flow, client: Client) -> None:
    document = json.loads(flow.draft)
    document["requires"]["env"] = ["OFFICE_KEY"]
    document["requires"]["settings"] |= {
        "strict": {"default": True, "description": "Whether."}, "most": {"default": 3, "description": "How many."}
    }  # fmt: skip
    assert save(client, flow, json.dumps(document), 1).status_code == 200


def test_secrets_are_kept_encrypted_and_never_shown(flow: Flow, publish: Callable, member_client: Clients) -> None:
    # LG-contract-05: the flow names its secrets; their values are the deployment's.
    with_secret(flow, member_client("builder"))
    value = "hunter2-very-secret"
    lost = publish(**{"secret:OFFICE_KEY": value, "hosts:OFFICE_KEY": ""})
    assert lost.status_code == 422
    assert value not in lost.content.decode()
    publish(**{"secret:OFFICE_KEY": value, "hosts:OFFICE_KEY": "office.example.com"})
    secret = Secret.objects.get()
    assert (decrypt(secret.cipher).decode(), secret.hosts) == (value, ["office.example.com"])
    assert value.encode() not in bytes(secret.cipher)
    client = member_client("operator")
    page = client.get("/agents/order-desk/settings").content.decode()
    assert value not in page
    assert "A value is stored" in page
    # Left empty, the value stays.
    body = {**TERMS, "hosts:OFFICE_KEY": "office.example.com", "setting:most": "4"}
    assert client.post("/agents/order-desk/settings", body).status_code == 302
    secret.refresh_from_db()
    assert (decrypt(secret.cipher).decode(), secret.hosts) == (value, ["office.example.com"])


def test_settings_keep_their_type_and_only_what_differs(flow: Flow, publish: Callable, member_client: Clients) -> None:
    with_secret(flow, member_client("builder"))
    assert publish(**{"setting:most": "many"}).status_code == 422
    publish(**{"setting:most": "4"})
    agent = Deployment.objects.get(slug="order-desk")
    assert agent.settings["most"] == 4
    assert agent.settings["strict"] is False
    publish(to="order-desk", **{"setting:most": "3", "setting:strict": "1"})
    agent.refresh_from_db()
    assert "most" not in agent.settings
    assert "strict" not in agent.settings


def test_the_next_version_and_going_back(agent: Deployment, publish: Callable, member_client: Clients) -> None:
    client, flow = member_client("builder"), agent.flow
    document = json.loads(flow.draft)
    document["description"] += " And more."
    save(client, flow, json.dumps(document), flow.revision)
    page = client.get(f"/flows/{flow.pk}/publish").content.decode()
    assert "Compared with version 1" in page
    assert "description" in page
    assert publish(to="order-desk", note="Says more").status_code == 302
    agent.refresh_from_db()
    assert agent.version.number == 2
    settings = client.get("/agents/order-desk/settings").content.decode()
    assert "Says more" in settings
    assert "Make live again" in settings
    first = FlowVersion.objects.get(number=1)
    assert client.post("/agents/order-desk/live", {"version": str(first.pk)}).status_code == 302
    agent.refresh_from_db()
    assert agent.version_id == first.pk
    assert Publication.objects.filter(deployment=agent).count() == 3
    for wrong in ("", "nonsense", "8d9c9a51-0000-0000-0000-000000000000"):
        assert client.post("/agents/order-desk/live", {"version": wrong}).status_code == 404


def test_publishing_the_same_again_is_the_same_version(agent: Deployment, publish: Callable) -> None:
    # LG-identity-06: going live changes nothing in the flow.
    publish(to="order-desk")
    assert FlowVersion.objects.count() == 1
    assert Publication.objects.count() == 2


def test_a_version_of_another_flow_never_goes_live_here(agent: Deployment, member_client: Clients) -> None:
    client = member_client("builder")
    other = client.post("/flows/example", {"name": "word-quiz"})["Location"]
    quiz = Flow.objects.get(pk=other.rsplit("/", 1)[1])
    client.post(f"{other}/publish", {**TERMS, **seen(quiz), "slug": "quiz", "name": "Quiz"})
    foreign = Deployment.objects.get(slug="quiz").version
    reply = client.post("/agents/order-desk/live", {"version": str(foreign.pk)})
    assert reply.status_code == 404


def test_renewing_the_link_and_pausing(agent: Deployment, member_client: Clients) -> None:
    client, before = member_client("builder"), agent.link_token
    client.post("/agents/order-desk/link")
    client.post("/agents/order-desk/pause", {"words": "Back at two."})
    agent.refresh_from_db()
    assert agent.link_token != before
    assert (agent.paused, agent.paused_words) == (True, "Back at two.")
    assert "Back at two." in client.get("/agents/order-desk/settings").content.decode()
    client.post("/agents/order-desk/pause", {"resume": "1"})
    agent.refresh_from_db()
    assert not agent.paused


def test_agents_are_listed_for_those_who_may_chat(agent: Deployment, user: Callable, member_client: Clients) -> None:
    member = member_client("member")
    assert "Order desk" in member.get("/agents").content.decode()
    assert "/agents/order-desk/settings" not in member.get("/agents").content.decode()
    agent.access = "listed"
    agent.save()
    assert "Order desk" not in member.get("/agents").content.decode()
    agent.people.add(user("member"))
    assert "Order desk" in member.get("/agents").content.decode()
    # The flow's workbench is no agent.
    bench = Deployment.objects.get(workbench=True)
    assert member_client("owner").get(f"/agents/{bench.slug}/settings").status_code == 404
