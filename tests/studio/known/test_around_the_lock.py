"""What shows or changes a conversation from elsewhere locks too: pages of runs, tests made of them, files, inbox."""

from __future__ import annotations

import json
from typing import Any

import pytest
from django.test import Client
from django.utils import timezone

from runtime import cards
from runtime.models import Question, Run
from studio.models import Look
from tests.studio.attachments.conftest import DOCUMENT, give
from tests.studio.chat.test_deciding import inbox
from tests.studio.chat.test_talking import post
from tests.studio.known.conftest import KNOWS, knowing, silent
from tests.studio.running.test_traces import PRIVATE, finished
from tests.support import talk
from tests.support.people import PASSWORD
from tests.support.pictures import png


def looked_at(client: Client, run: Run) -> dict[str, tuple[int, str]]:
    """What every address of a run says, pages and endpoints."""
    made = {"name": "one", "path": "one.test.json"}
    replies = {
        "steps": client.get(f"/api/runs/{run.pk}/steps"),
        "step": client.get(f"/api/runs/{run.pk}/steps/plan%231"),
        "anew": client.get(f"/api/runs/{run.pk}/anew?step=plan%231"),
        "begun anew": post(client, f"/api/runs/{run.pk}/anew", {"step": "plan#1", "values": {}, "on": "version"}),
        "test": post(client, f"/api/runs/{run.pk}/test", made),
        "page": client.get(f"/runs/{run.pk}"),
        "stop": client.post(f"/runs/{run.pk}/stop"),
        "go on": client.post(f"/runs/{run.pk}/continue"),
    }
    return {
        name: (reply.status_code, reply.json()["code"] if "json" in reply["Content-Type"] else reply["Location"])
        for name, reply in replies.items()
    }


# LG-contract-21
@pytest.mark.parametrize(("role", "name"), [("owner", "Dana"), ("owner", "Omar")])
def test_what_a_run_did_is_locked_with_its_chat(workspace, user, member_client, role, name) -> None:
    run = finished(talk.run(talk.conversation(knowing(), user("owner", "Dana"))), "waiting")
    client = member_client(role, name)
    assert PRIVATE in client.get(f"/api/runs/{run.pk}/steps/plan%231").content.decode()
    Look.objects.all().delete()
    silent(client, 21)
    found = looked_at(client, run)
    away = {"page": (302, f"/unlock?next=%2Fruns%2F{run.pk}"), "stop": (302, "/unlock?next=%2F")}
    away["go on"] = away["stop"]
    assert found == {name: away.get(name, (401, "LOCKED")) for name in found}
    run.refresh_from_db()
    assert (run.status, Run.objects.count(), Look.objects.count()) == ("waiting", 1, 0)
    assert post(client, "/api/unlock", {"password": PASSWORD}).status_code == 200
    assert client.get(f"/runs/{run.pk}").status_code == 200


# LG-contract-21
def test_lists_say_how_runs_stand_and_not_why_they_failed(workspace, user, member_client) -> None:
    why = {"code": "X", "message": "ALFKI is not 12."}
    for slug, document in (("desk", KNOWS), ("plain", talk.DOCUMENT)):
        failed = talk.run(talk.conversation(talk.agent(slug, document), user("member", "Dana")), "failed", error=why)
        Run.objects.filter(pk=failed.pk).update(finished_at=timezone.now())
    client = member_client("owner")
    for minutes, times in ((0, 2), (21, 1)):
        silent(client, minutes)
        pages = [client.get(path).content.decode() for path in ("/runs", "/agents")]
        assert [page.count("ALFKI is not 12.") for page in pages] == [times, times]
        assert pages[0].count("Dana") == 2


# LG-contract-21
def test_its_files_are_locked_for_who_reviews_and_who_looks_into_runs_too(workspace, user, member_client) -> None:
    talk.agent("desk", {**DOCUMENT, "requires": {"users": True}})
    dana, rina, omar = (
        member_client("member", "Dana"),
        member_client("reviewer", "Rina"),
        member_client("owner", "Omar"),
    )
    ref = give(dana, "/api/a/desk/files", "a.png", png()).json()
    run = Run.objects.get(
        pk=post(dana, "/api/a/desk/messages", {"text": "Hi", "inputs": {"photo": ref}, "key": "k"}).json()["run"]
    )
    question = talk.ask(run, "approval", decider="reviewers")
    shown = [{"label": "Photo", "channel": "photo", "value": ref}]
    sealed = cards.seal({**cards.read(question.payload), "show": shown})
    Question.objects.filter(id=question.id).update(payload=sealed.payload, digest=sealed.digest)
    for client in (dana, rina, omar):
        opened = client.get(ref["url"])
        # A browser asks again each time: what it kept would be shown behind the lock.
        assert (opened.status_code, opened["Cache-Control"]) == (200, "private, no-store")
        silent(client, 21)
        reply = client.get(ref["url"])
        assert (reply.status_code, reply.headers.get("Location", "")) == (302, f"/unlock?next=%2Ffiles%2F{ref['id']}")
        assert client.delete(f"/api/files/{ref['id']}").json()["code"] == "LOCKED"


# LG-contract-21
def test_the_inbox_of_a_locked_session_says_that_something_waits_and_no_more(workspace, user, member_client) -> None:
    for slug, document in (("desk", KNOWS), ("plain", talk.DOCUMENT)):
        talk.ask(talk.run(talk.conversation(talk.agent(slug, document), user("member", "Dana"))), decider="reviewers")
    rina = member_client("reviewer", "Rina")
    assert [row["summary"] for row in inbox(rina)["rows"]] == ["ALFKI · 2"] * 2
    silent(rina, 21)
    locked, plain = inbox(rina)["rows"]
    assert (plain["summary"], plain["title"]) == ("ALFKI · 2", "Place this order for ALFKI?")
    assert "ALFKI" not in json.dumps(locked) and locked["summary"] == ""
    assert inbox(rina)["counts"]["mine"] == 2
    boot: Any = rina.get("/inbox").content.decode()
    assert boot.count("Place this order") == 1
