"""A program starts a run and follows it as server-sent events, through a lost connection, to its end."""

from __future__ import annotations

import json
import threading
from collections.abc import Iterator
from typing import Any

import httpx
import pytest
from playwright.sync_api import expect

from tests.e2e.company import Company


class Caller:
    """A program with a token that somebody made on the page."""

    def __init__(self, url: str, token: str) -> None:
        self.http = httpx.Client(base_url=f"{url}/api/v1", headers={"Authorization": f"Bearer {token}"}, timeout=60)

    def start(self, agent: str, **inputs: Any) -> dict[str, Any]:
        reply = self.http.post(f"/agents/{agent}/runs", json={"inputs": inputs})
        assert reply.status_code == 202, reply.text
        return reply.json()

    def follow(self, run: str, after: int = 0) -> Iterator[tuple[str, str, dict[str, Any]]]:
        """(event, id, data) as they come."""
        with self.http.stream("GET", f"/runs/{run}/stream", headers={"Last-Event-ID": str(after)}) as reply:
            assert reply.headers["content-type"].startswith("text/event-stream")
            event, id = "", ""
            for line in reply.iter_lines():
                name, _, value = line.partition(": ")
                if name == "event":
                    event = value
                elif name == "id":
                    id = value
                elif name == "data":
                    yield event, id, json.loads(value)
                    event, id = "", ""


@pytest.fixture
def caller(company: Company) -> Iterator[Caller]:
    page = company.page("operator", "/settings/tokens")
    page.get_by_role("button", name="New token").click()
    page.get_by_role("textbox", name="Name").fill("Back office")
    page.get_by_label("May approve").check()
    page.get_by_role("button", name="Make the token").click()
    expect(page.get_by_text("it is not shown again")).to_be_visible()
    made = Caller(company.stack.url, page.locator("#token-text").input_value())
    yield made
    made.http.close()


@pytest.mark.at_once
def test_an_answer_streams_word_by_word_to_its_end(company: Company, caller: Caller) -> None:
    agent = company.echo()
    words = " ".join(f"word{n}" for n in range(60))
    company.says("Say a lot", words, pace=20)
    company.stack.demo.set(speed=1)
    run = caller.start(agent["slug"], question="Say a lot")
    heard = list(caller.follow(run["id"]))
    kinds = [event for event, _, _ in heard]
    assert kinds[0] == "message_sent"
    assert kinds[-2:] == ["run_finished", "end"]
    assert heard[-1][2]["outputs"] == {"answer": words}
    deltas = [data for event, _, data in heard if event == "delta"]
    assert deltas, "No word came before the answer was whole."
    for delta in deltas:
        assert words[delta["offset"] :].startswith(delta["text"])
    # A connection that broke goes on behind the last number: nothing twice, nothing lost.
    numbered = [(event, id) for event, id, _ in heard if id]
    half = int(numbered[len(numbered) // 2][1])
    rest = [(event, id) for event, id, _ in caller.follow(run["id"], after=half) if id]
    assert rest == [one for one in numbered if int(one[1]) > half]


@pytest.mark.at_once
def test_a_program_orders_answers_and_says_yes(company: Company, caller: Caller) -> None:
    agent = company.deploy(example="order-desk")
    run = caller.start(agent["slug"], question="Order 12 jars of heather honey for Meridian Foods")
    answered: list[str] = []
    for event, _, data in caller.follow(run["id"]):
        if event == "question_asked":
            question = caller.http.get(f"/questions/{data['fields']['question']}").json()
            decision = {"approval": "approve"}.get(question["kind"], "answer")
            item = question["item"]
            body: dict[str, Any] = {"digest": item["digest"], "decision": decision}
            if question["kind"] == "form":
                body["values"] = item["values"]
            reply = caller.http.post(f"/questions/{question['id']}/answer", json=body)
            assert reply.status_code == 200, reply.text
            answered.append(question["kind"])
        if event == "end":
            assert data["status"] == "done", data["error"]
    assert "approval" in answered
    books = company.stack.demo.writes()
    assert (books["placed"], len(books["placed_twice"])) == (1, 0)


@pytest.mark.at_once
def test_a_stream_waits_with_its_run_and_ends_when_somebody_stops_it(company: Company, caller: Caller) -> None:
    agent = company.echo()
    company.says("Take your time", "Done at last.", first_delay=60_000)
    company.stack.demo.set(speed=1)
    run = caller.start(agent["slug"], question="Take your time")
    heard: list[str] = []
    began = threading.Event()

    def listen() -> None:
        for event, _, _ in caller.follow(run["id"]):
            heard.append(event)
            if event == "run_started":
                began.set()

    listener = threading.Thread(target=listen)
    listener.start()
    assert began.wait(30)
    assert caller.http.post(f"/runs/{run['id']}/cancel").status_code == 200
    listener.join(30)
    assert heard[-2:] == ["run_cancelled", "end"]
