"""A step that is run again does the same: the clock, chance, and what a call leaves behind."""

import pytest

from runtime.units.sandbox import Sandbox
from tests.runtime.units.handlers import HEAD

pytestmark = pytest.mark.asyncio(loop_scope="module")

CHANCE = f"""
import datetime, random, secrets, time, uuid
async def f(args, {HEAD}):
    made = [random.random(), random.Random().random(), random.SystemRandom().random(), random.sample(range(99), 5)]
    made += [str(uuid.uuid4()), str(uuid.uuid1()), secrets.token_hex(4), secrets.token_urlsafe(4)]
    made += [time.time(), time.monotonic(), time.time_ns(), time.strftime("%Y-%m-%d"), time.localtime()[:6]]
    made += [str(datetime.datetime.now()), str(datetime.datetime.now(datetime.timezone.utc))]
    made += [str(datetime.date.today()), str(datetime.datetime.utcnow()), list({{"b", "a", "c", "d", "e"}}), hash("x")]
    return made
"""


async def test_the_same_clock_and_seed_give_the_same(sandbox, lease, run):
    once = await run(lease, CHANCE, seed="a", clock=1_700_000_000.5)
    assert await run(lease, CHANCE, seed="a", clock=1_700_000_000.5) == once
    other = await sandbox.lease()
    assert await run(other, CHANCE, seed="a", clock=1_700_000_000.5) == once
    await other.close()
    # Another worker process: not even the order of a set differs.
    elsewhere = Sandbox()
    lease = await elsewhere.lease()
    assert await run(lease, CHANCE, seed="a", clock=1_700_000_000.5) == once
    await elsewhere.close()


async def test_another_seed_gives_another_and_the_clock_is_the_given_one(lease, run):
    first = await run(lease, CHANCE, seed="a", clock=1_700_000_000.5)
    second = await run(lease, CHANCE, seed="b", clock=1_700_000_000.5)
    assert not set(map(str, first[:8])) & set(map(str, second[:8]))
    assert first[8:] == second[8:]
    assert first[8] == 1_700_000_000.5
    assert first[11:16] == [
        "2023-11-14",
        [2023, 11, 14, 22, 13, 20],
        "2023-11-14 22:13:20.500000",
        "2023-11-14 22:13:20.500000+00:00",
        "2023-11-14",
    ]


async def test_nothing_outlives_a_call(lease, run):
    code = f"seen = []\nasync def f(args, {HEAD}):\n    seen.append(args)\n    return seen"
    assert [await run(lease, code, n) for n in (1, 2)] == [[1], [2]]
