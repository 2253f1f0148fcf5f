"""Workers die, everything else goes on: every run ends, no write happens twice, none is lost.

Each test prints what it did, and fails when it made fewer kills than it planned. The size for an attack by hand:

    CHAOS_RUNS=200 CHAOS_KILLS=250 CHAOS_AT_ONCE=16 CHAOS_WORKERS=4 python -m pytest tests/chaos -s -k anywhere
"""

from __future__ import annotations

import os

from runtime import crash
from tests.chaos.conftest import Attacks
from tests.support.stack import Stack

RUNS = int(os.environ.get("CHAOS_RUNS", "12"))
KILLS = int(os.environ.get("CHAOS_KILLS", "42"))
AT_ONCE = int(os.environ.get("CHAOS_AT_ONCE", "6"))
POINTS = (*crash.POINTS, *crash.NESTED)
LOOPS = ("sweeper", "dispatcher")


def test_workers_killed_anywhere_lose_and_repeat_nothing(stack: Stack, attacks: Attacks) -> None:
    # LG-subflows-08, LG-work-17, LG-forms-20: every run reads, asks by form and by model, works with approvals, makes
    # batches and copies, and runs flows that ask and agents that write; each of these writes. The office places
    # again whatever it is sent again, and the one behind the MCP server notes it again.
    attack = attacks("everything")

    def feed() -> None:
        attack.feed(RUNS, AT_ONCE)

    def runs_are_behind() -> bool:
        # The last kill is to find as much at work as the first.
        done = attack.statuses().get("done", 0)
        return sum(attack.kills.values()) / KILLS > (done + AT_ONCE) / RUNS

    feed()
    missed: list[str] = []
    number = 0
    while sum(attack.kills.values()) < KILLS or number < len(POINTS):
        name = stack.workers[number % len(stack.workers)]
        if number // len(POINTS) % 2 == 0:
            point = POINTS[number % len(POINTS)]
            if not attack.strike_at(name, point, feed):
                missed.append(point)
        elif number % 6 == 0:
            attack.strike_leader(LOOPS[number // 6 % 2])
        else:
            feed()
            attack.strike(name)
            attack.keep(attack.random.uniform(0.2, 1.2), feed)
        number += 1
        while runs_are_behind():
            attack.keep(0.2, feed)
    while len(attack.started) < RUNS:
        attack.keep(0.2, feed)
    for loop in LOOPS:
        attack.strike_leader(loop)
    attack.finish()
    attack.judge(KILLS)
    assert not missed, f"Never came to: {missed}"
