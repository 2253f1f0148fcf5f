"""Code in the sandbox attacks it. Each attack is contained, ends in words, and the next legitimate call works.

Attacks of one kind go on side by side, each in a lease of its own, as those of different runs do.
"""

# LG-handlers-02: the code is given services, settings and env, and nothing else.

from __future__ import annotations

import asyncio
import os
import platform
import socket
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import pytest_asyncio

from runtime.units.sandbox import CodeError, CodeFailed, Lease, Limits, Sandbox
from tests.attacks import escapes, walks

in_module = pytest.mark.asyncio(loop_scope="module")
AT_ONCE = 6
CANARY = "canary-3b1f00d5"
HEAVY = ("bombs", "the channel", "time and memory", "other processes")
HONEST = "async def honest(state, *, services, settings, env):\n    return {'sum': state['a'] + 1}"
DEFAULT, LIMITS = Limits(), Limits(seconds=1.0, services=50)

DUG_OUT = {
    "files": escapes.FILES,
    "network": escapes.NETWORK,
    "processes": escapes.PROCESSES,
    "bombs": escapes.BOMBS,
    "the channel": escapes.FRAMES,
    "system calls": escapes.RAW_CALLS if platform.machine() == "x86_64" else [],
}
TABLES = {name: (escapes.PRELUDE, table) for name, table in DUG_OUT.items()} | {
    name: (walks.BARE, table) for name, table in walks.WALKS.items()
}


@pytest_asyncio.fixture(loop_scope="module", scope="module")
async def sandbox():
    sandbox = Sandbox()
    # Another run's state, in a process of its own, while all of this goes on.
    other = await sandbox.lease()
    await other.load({"handler:honest": HONEST, "handler:keeps": KEEPS})
    await call(other, "handler:keeps", {"a": 41, "secret": CANARY})
    yield sandbox
    assert await call(other, "handler:honest", {"a": 41}) == {"sum": 42}
    await other.close()
    await sandbox.close()


KEEPS = """async def keeps(state, *, services, settings, env):
    import asyncio
    asyncio.left = [state["secret"]]
    return {}
"""


@pytest.fixture
def around(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[dict[str, Any]]:
    """What an attacker might want, and whether any of it was touched."""
    file = tmp_path / "canary.py"
    file.write_text(CANARY)
    monkeypatch.setenv("CANARY_SECRET", CANARY)
    listeners = [socket.create_server(("127.0.0.1", 0)), socket.socket(socket.AF_UNIX), socket.socket(socket.AF_UNIX)]
    listeners[1].bind(f"\0canary-{os.getpid()}")
    listeners[2].bind(str(tmp_path / "s"))
    for listener in listeners[1:]:
        listener.listen()
    yield {
        "file": str(file),
        "folder": str(tmp_path),
        "env": "CANARY_SECRET",
        "port": listeners[0].getsockname()[1],
        "abstract": f"canary-{os.getpid()}",
        "masks": 14 if platform.machine() == "x86_64" else 135,
    }
    for listener in listeners:
        listener.setblocking(False)
        with pytest.raises(BlockingIOError):
            listener.accept()
        listener.close()
    assert file.read_text() == CANARY
    assert sorted(path.name for path in tmp_path.iterdir()) == ["canary.py", "s"]


async def answer(name: str, args: Any) -> Any:
    """The worker's side of a service: a signature, or an empty page."""
    return "00" if name == "sign" else {"status": 200, "headers": {}, "text": "{}"}


async def call(lease: Lease, unit: str, given: Any, limits: Limits = DEFAULT) -> Any:
    return await lease.call(
        unit, given, settings={}, env=["CANARY_KEY"], seed="s", clock=1.7e9, services=answer, limits=limits
    )


async def ending(lease: Lease, given: Any) -> str:
    """How the attack ended, in one line."""
    try:
        value = await asyncio.wait_for(call(lease, "tool:attack", given, LIMITS), 40)
    except CodeFailed as error:
        return f"CodeFailed {error}"
    except CodeError as error:
        return f"{type(error).__name__} {error}"
    return f"same:{value}"


def resident() -> int:
    with open("/proc/self/statm") as file:
        return int(file.read().split()[1]) * os.sysconf("SC_PAGE_SIZE")


def children(sandbox: Sandbox) -> int:
    """How many processes the zygote has, whatever they do."""
    assert sandbox._warm is not None
    family, found = {sandbox._warm._process.pid}, 0
    parents = {}
    for stat in Path("/proc").glob("[0-9]*/stat"):
        try:
            pid, _, rest = stat.read_text().partition(" (")
        except OSError:
            continue
        parents[int(pid)] = int(rest.rpartition(") ")[2].split()[1])
    while more := {pid for pid, parent in parents.items() if parent in family} - family:
        family, found = family | more, found + len(more)
    return found


def judged(told: str, ends: tuple[str, ...]) -> bool:
    return CANARY not in told and "got through" not in told and any(word in told for word in ends)


@in_module
@pytest.mark.parametrize("table", TABLES)
async def test_each_attack_is_contained(sandbox: Sandbox, around: dict[str, Any], table: str) -> None:
    prelude, attacks = TABLES[table]
    places = asyncio.Semaphore(AT_ONCE)
    before = resident()

    async def one(name: str, body: str, ends: tuple[str, ...]) -> dict[str, str]:
        async with places:
            lease = await sandbox.lease()
            await lease.load({"tool:attack": f"{prelude}    {body.strip()}\n", "handler:honest": HONEST})
            told = await ending(lease, around)
            # The same run goes on as ever.
            honest = await call(lease, "handler:honest", {"a": 41})
            await lease.close()
        # On a machine with much else to do, what is heavy may also run out of time.
        also = ("CodeLimit",) if table in HEAVY else ()
        return {} if judged(told, (*ends, *also)) and honest == {"sum": 42} else {name: told[:500]}

    found = await asyncio.gather(*(one(*attack) for attack in attacks))
    assert {name: told for each in found for name, told in each.items()} == {}
    assert resident() - before < 128 << 20


@in_module
async def test_what_looks_for_others_would_find_them(sandbox: Sandbox, around: dict[str, Any]) -> None:
    for name, body, _ in walks.OTHERS[:3]:
        lease = await sandbox.lease()
        await lease.load({"tool:attack": f"{walks.BARE}    {body.strip()}\n", "handler:keeps": KEEPS})
        await call(lease, "handler:keeps", {"secret": CANARY})
        told = await ending(lease, around)
        assert CANARY in told, name
        await lease.close()


@in_module
async def test_no_attack_outlives_its_limits(sandbox: Sandbox) -> None:
    """After all of them: what is left is the other run's process, its spare ones, and what holds them."""
    for _ in range(200):
        left = children(sandbox)
        if left <= 2 + 1 + 2:
            break
        await asyncio.sleep(0.05)
    assert left <= 2 + 1 + 2, left


def test_the_tables_are_whole() -> None:
    assert sum(len(attacks) for _, attacks in TABLES.values()) >= 250
    for _, attacks in TABLES.values():
        names = [name for name, _, _ in attacks]
        assert len(names) == len(set(names))
