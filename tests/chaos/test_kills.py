"""Workers die, everything else goes on: every run ends, no write happens twice, none is lost.

Each test prints what it did, and fails when it made fewer kills than it planned.
"""

from __future__ import annotations

import os
import signal
import time
from collections.abc import Iterator

import pytest

from runtime import crash
from tests.chaos.attack import Attack
from tests.chaos.nest import WRITES
from tests.support.stack import Stack, running

HURRY = {"LEASE_SECONDS": "2", "SWEEP_SECONDS": "0.5", "LOST_AFTER": "50"}
RUNS = int(os.environ.get("CHAOS_RUNS", "34"))
KILLS = int(os.environ.get("CHAOS_KILLS", "42"))
NESTED = (*crash.NESTED, "question.before", "question.after", "checkpoint.before", "checkpoint.after", "tool.started",
          "tool.sent", "tool.answered", "tool.done", "model.answered")  # fmt: skip
NESTED_RUNS = int(os.environ.get("CHAOS_NESTED_RUNS", "6"))
NESTED_KILLS = int(os.environ.get("CHAOS_NESTED_KILLS", "16"))
SEED = int(os.environ.get("CHAOS_SEED", "7"))


@pytest.fixture
def stack() -> Iterator[Stack]:
    with running(workers=2, env=HURRY) as product:
        yield product


def _host(stack: Stack) -> str:
    return f"127.0.0.1:{stack.place.demo_port}"


def _judge(attack: Attack, planned: int, writes: int = 1) -> None:
    """The promises, whatever was done to the workers. writes: how many orders each run places."""
    stack, runs = attack.stack, len(attack.started)
    books = stack.call("tests.chaos.desk:books")
    office = stack.demo.writes()
    asked = len([one for one in stack.demo.requests() if one.get("outcome") != "refused"])
    extra = asked - books["model_calls"]
    print(
        f"\nkills={sum(attack.kills.values())} {dict(attack.kills)} runs={runs} done={books['statuses'].get('done', 0)}"
        f" twice={len(office['placed_twice'])} placed={office['placed']} unknown={books['outcomes_asked']}"
        f" model_calls={books['model_calls']} extra={extra} in_flight={attack.in_flight}"
    )
    assert sum(attack.kills.values()) >= planned, "Fewer kills than planned"
    assert books["statuses"] == {"done": runs}, (books["statuses"], books["errors"])
    assert office["placed_twice"] == {}
    assert office["placed"] == runs * writes, "A write was lost"
    assert books["gaps"] == 0
    assert extra <= attack.in_flight + len(attack.kills), "More than one extra model call for a call in flight"


def test_workers_killed_anywhere_lose_and_repeat_nothing(stack: Stack) -> None:
    # Plain writes: the office places again whatever it is sent again.
    stack.call("tests.chaos.desk:prepare", host=_host(stack))
    stack.demo.set(speed=1)
    attack = Attack(stack, SEED)
    attack.begin(RUNS // 2)
    number = 0
    missed = []
    for point in crash.POINTS:
        number += 1
        if not attack.strike_at(stack.workers[number % 2], point):
            missed.append(point)
        if len(attack.started) < RUNS:
            attack.begin(1)
    while sum(attack.kills.values()) < KILLS:
        number += 1
        if len(attack.started) < RUNS or not stack.call("tests.chaos.desk:statuses").get("running"):
            attack.begin(1)
        name = stack.workers[number % 2]
        attack.keep(attack.random.uniform(0.1, 0.6))
        attack.strike(name)
        stack.wait_listening_or_dead(name)
        attack.keep(attack.random.uniform(0.8, 1.6))
    attack.finish()
    _judge(attack, KILLS)
    assert not missed, f"Never came to: {missed}"


def test_workers_killed_inside_copies_flows_and_agents_lose_and_repeat_nothing(stack: Stack) -> None:
    # LG-subflows-08: every run holds copies of a flow that asks, is approved and writes, and an agent that writes.
    stack.call("tests.chaos.nest:prepare", host=_host(stack))
    stack.demo.set(speed=1)
    attack = Attack(stack, SEED, "tests.chaos.nest")
    attack.begin(3)
    missed = []
    for number, point in enumerate(NESTED):
        if not attack.strike_at(stack.workers[number % 2], point):
            missed.append(point)
        if len(attack.started) < NESTED_RUNS:
            attack.begin(1)
    number = 0
    while sum(attack.kills.values()) < NESTED_KILLS:
        number += 1
        if len(attack.started) < NESTED_RUNS or not stack.call("tests.chaos.desk:statuses").get("running"):
            attack.begin(1)
        name = stack.workers[number % 2]
        attack.keep(attack.random.uniform(0.1, 0.6))
        attack.strike(name)
        stack.wait_listening_or_dead(name)
        attack.keep(attack.random.uniform(0.8, 1.6))
    attack.finish()
    _judge(attack, NESTED_KILLS, WRITES)
    for answer in stack.call("tests.chaos.desk:books")["answers"]:
        # The lines stand in the order of the items, whoever was faster; some are what a person said of the call.
        lines = answer.split("; ")
        known = [int(line.split()[1]) for line in lines if not line.startswith("A person")]
        assert len(lines) == WRITES and known == sorted(known), answer
    assert not missed, f"Never came to: {missed}"


def test_an_unknown_outcome_becomes_a_question_and_never_a_retry(stack: Stack) -> None:
    stack.call("tests.chaos.desk:prepare", host=_host(stack))
    attack = Attack(stack, SEED)
    stack.demo.office(slow=1500)
    attack.begin(6)
    before = stack.demo.writes()["placed"]
    while stack.demo.writes()["placed"] == before and not stack.demo.writes()["writes"]:
        attack.tend()
        time.sleep(0.05)
    for name in stack.workers:
        attack.strike(name)
    stack.demo.office(slow=0)
    attack.finish()
    _judge(attack, 2)
    assert stack.call("tests.chaos.desk:books")["outcomes_asked"] >= 1


def test_a_receiver_that_knows_repeats_is_asked_again_by_itself(stack: Stack) -> None:
    stack.call("tests.chaos.desk:prepare", host=_host(stack), idempotent=True)
    stack.demo.office(idempotent=True, slow=400)
    attack = Attack(stack, SEED)
    attack.begin(8)
    for point in ("tool.started", "tool.sent", "tool.answered", "tool.done"):
        attack.strike_at(stack.workers[0], point)
    attack.finish()
    _judge(attack, 3)
    assert stack.call("tests.chaos.desk:books")["outcomes_asked"] == 0


def test_losing_the_broker_costs_a_delay_and_no_run(stack: Stack) -> None:
    stack.call("tests.chaos.desk:prepare", host=_host(stack))
    attack = Attack(stack, SEED)
    attack.begin(10)
    attack.keep(0.5)
    stack.kill("valkey")
    for file in (stack.folder / "valkey").rglob("*"):
        if file.is_file():
            file.unlink()
    attack.begin(5)
    attack.tend()
    stack.start_process("valkey")
    attack.finish()
    _judge(attack, 0)


def test_stopping_everything_in_the_middle_of_an_order_places_one(stack: Stack) -> None:
    stack.call("tests.chaos.desk:prepare", host=_host(stack))
    attack = Attack(stack, SEED)
    stack.demo.office(slow=300)
    attack.begin(4)
    attack.keep(1.5)
    for name in [*stack.workers, "web", "valkey"]:
        stack.stop(name)
    for name in ["valkey", "web", *stack.workers]:
        stack.start_process(name)
    attack.finish()
    _judge(attack, 0)


def test_a_worker_that_slept_through_its_lease_writes_nothing(stack: Stack) -> None:
    stack.call("tests.chaos.desk:prepare", host=_host(stack))
    stack.demo.set(speed=1)
    attack = Attack(stack, SEED)
    attack.begin(10)
    stops = 0
    for number in range(6):
        attack.keep(0.4)
        child = stack.children[stack.workers[number % 2]]
        os.killpg(child.pid, signal.SIGSTOP)
        # Nobody else writes meanwhile: it may sleep in the middle of a transaction, with the database's lock.
        time.sleep(3.0)
        os.killpg(child.pid, signal.SIGCONT)
        stops += 1
        if len(attack.started) < 16:
            attack.begin(1)
    attack.finish()
    print(f"\nstops={stops}")
    books = stack.call("tests.chaos.desk:books")
    office = stack.demo.writes()
    assert books["statuses"] == {"done": len(attack.started)}, books["errors"]
    assert office["placed_twice"] == {} and office["placed"] == len(attack.started)
    assert books["gaps"] == 0
