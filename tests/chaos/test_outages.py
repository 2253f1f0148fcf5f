"""What workers depend on goes away and comes back, or they sleep: nothing is lost, and nothing is done twice."""

from __future__ import annotations

import contextlib
import os
import signal
import time
import uuid
from collections import Counter
from collections.abc import Iterator

import httpx
import pytest

from tests.chaos import desk
from tests.chaos.attack import Attack
from tests.chaos.conftest import Attacks
from tests.support import postgres
from tests.support.stack import Stack

SLEEPS = int(os.environ.get("CHAOS_SLEEPS", "4"))
RESTARTS = int(os.environ.get("CHAOS_RESTARTS", "2"))
WAITING = int(os.environ.get("CHAOS_WAITING", "50"))
PATIENCE = 4.0
"""Seconds that somebody waits for a page. A broker that hangs keeps whoever asks it longer than that."""
TOKEN = "c" * 32


@pytest.fixture(scope="module")
def server() -> Iterator[postgres.Cluster]:
    """A PostgreSQL that can be stopped, and that keeps what it said it would."""
    with postgres.restartable(synchronous_commit="on") as found:
        yield found


@pytest.fixture(scope="module")
def database(server: postgres.Cluster) -> str:
    return server.url


def test_an_unknown_outcome_becomes_a_question_and_never_a_retry(stack: Stack, attacks: Attacks) -> None:
    attack = attacks("desk")
    stack.demo.office(slow=1500)
    attack.begin(6)
    until = time.monotonic() + 60
    while not stack.demo.writes()["writes"]:
        assert time.monotonic() < until, "Nothing was ordered."
        attack.tend()
        time.sleep(0.05)
    for name in stack.workers:
        attack.strike(name)
    stack.demo.office(slow=0)
    attack.finish()
    assert attack.judge(2)["outcomes_asked"] >= 1


def test_a_receiver_that_knows_repeats_is_asked_again_by_itself(stack: Stack, attacks: Attacks) -> None:
    host = f"127.0.0.1:{stack.place.demo_port}"
    stack.call("tests.chaos.desk:knows_repeats", host=host, really=True)
    try:
        attack = attacks("desk")
        stack.demo.office(idempotent=True, slow=200)
        attack.begin(6)
        for point in ("tool.sent", "tool.answered"):
            assert attack.strike_at(stack.workers[0], point, lambda: attack.feed(10, 4)), point
        attack.finish()
        assert attack.judge(4)["outcomes_asked"] == 0
    finally:
        stack.call("tests.chaos.desk:knows_repeats", host=host, really=False)


def test_losing_the_broker_costs_a_delay_and_no_run(stack: Stack, attacks: Attacks) -> None:
    attack = attacks("desk")
    attack.begin(3)
    attack.keep(0.5)
    # One that hangs, then one that is gone with all that it knew.
    os.kill(stack.children["valkey"].pid, signal.SIGSTOP)
    _said(stack, attack)
    stack.kill("valkey")
    for file in (stack.folder / "valkey").rglob("*"):
        if file.is_file():
            file.unlink()
    _said(stack, attack)
    attack.begin(2)
    attack.tend()
    stack.start_process("valkey")
    attack.finish()
    attack.judge(0)


def _said(stack: Stack, attack: Attack) -> None:
    """A person says something to the desk, and is answered before they lose patience."""
    cookies = {**stack.cookies("owner"), "csrftoken": TOKEN}
    headers = {"x-csrftoken": TOKEN, "origin": stack.url}
    with httpx.Client(base_url=stack.url, cookies=cookies, headers=headers, timeout=PATIENCE) as person:
        body = {"text": desk.TEXTS[0], "inputs": {}, "key": uuid.uuid4().hex}
        said = person.post("/api/a/desk/messages", json=body)
    assert said.status_code == 202, said.text
    attack.started.append(said.json()["run"])
    attack.refs.append(attack.started[-1])


def test_workers_that_slept_through_their_leases_write_nothing(stack: Stack, attacks: Attacks) -> None:
    attack = attacks("everything")
    attack.begin(5)
    for number in range(SLEEPS):
        attack.keep(attack.random.uniform(0.3, 1.0))
        worker = stack.children[stack.workers[number % 2]]
        os.killpg(worker.pid, signal.SIGSTOP)
        attack.count_calls()
        # Longer than its lease. It may sleep with a row held that the other worker or a person waits for.
        time.sleep(3.0)
        os.killpg(worker.pid, signal.SIGCONT)
        attack.feed(5 + number, 4)
    attack.finish()
    print(f"\nstops={SLEEPS}")
    attack.judge(0, spare=SLEEPS)


def test_a_database_that_goes_away_costs_a_delay_and_no_run(
    stack: Stack, attacks: Attacks, server: postgres.Cluster
) -> None:
    attack = attacks("everything")
    attack.begin(4)
    for number in range(RESTARTS):
        attack.keep(attack.random.uniform(0.5, 1.5))
        attack.count_calls()
        # As a power cut would, and in good order.
        server.stop((signal.SIGQUIT, signal.SIGINT)[number % 2])
        time.sleep(attack.random.uniform(0.2, 3.0))
        server.start()
        _answers_again(attack.tend)
        attack.feed(4 + number, 4)
    attack.finish()
    print(f"\nrestarts={RESTARTS}")
    attack.judge(0, spare=10 * RESTARTS)


def _answers_again(act: object) -> None:
    """The desk's own connection was cut off as well: its next question finds that out, and the one after it works."""
    with contextlib.suppress(AssertionError):
        act()  # type: ignore[operator]


def test_runs_that_wait_finish_on_their_version_when_a_newer_one_names_everything_otherwise(
    stack: Stack, attacks: Attacks
) -> None:
    # LG-subflows-08, LG-subflows-14: a run waits inside the tree that its version pins
    host = f"127.0.0.1:{stack.place.demo_port}"
    stack.call("tests.chaos.renamed:prepare", host=host)
    attack = attacks("renamed")
    attack.begin(WAITING)
    until = time.monotonic() + 120
    while attack.statuses() != {"waiting": WAITING}:
        assert time.monotonic() < until, attack.statuses()
        time.sleep(0.1)
    stack.call("tests.chaos.renamed:redeploy", host=host)
    for name in stack.workers:
        # What they have compiled is gone with them.
        attack.strike(name)
    attack.begin(1)
    attack.finish()
    attack.judge(2)
    assert stack.call("tests.chaos.renamed:versions", runs=attack.started) == {"1": WAITING, "2": 1}
    notes = Counter(write["body"]["note"] for write in stack.demo.writes()["writes"])
    assert notes == Counter(f"{ref}/renamed" for ref in attack.refs)


def test_stopping_everything_in_the_middle_of_an_order_places_one(stack: Stack, attacks: Attacks) -> None:
    attack = attacks("desk")
    stack.demo.office(slow=300)
    attack.begin(4)
    attack.keep(1.0)
    for name in [*stack.workers, "web", "valkey"]:
        stack.stop(name)
    for name in ["valkey", "web", *stack.workers]:
        stack.start_process(name)
    attack.finish()
    attack.judge(0)
