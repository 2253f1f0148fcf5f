"""Code in the sandbox attacks it. Each attack is contained, and the next legitimate call works."""

# LG-handlers-02: the code is given services, settings and env, and nothing else.

import asyncio
import os
import platform
import socket

import pytest

from runtime.units.sandbox import CodeError, CodeFailed, Lease, Limits, Sandbox
from tests.runtime.units import attacks

pytestmark = pytest.mark.asyncio(loop_scope="module")

ALL = [*attacks.ATTACKS, *(attacks.RAW_CALLS if platform.machine() == "x86_64" else [])]
HONEST = "async def honest(state, *, services, settings, env):\n    return {'sum': state['a'] + 1}"
CANARY = "canary-3b1f"


def resident() -> int:
    with open("/proc/self/statm") as file:
        return int(file.read().split()[1]) * os.sysconf("SC_PAGE_SIZE")


@pytest.fixture
def around(tmp_path, monkeypatch):
    """What an attacker might want, and whether any of it was touched."""
    file = tmp_path / "canary.py"
    file.write_text(CANARY)
    monkeypatch.setenv("CANARY_SECRET", CANARY)
    server = socket.create_server(("127.0.0.1", 0))
    server.setblocking(False)
    abstract = socket.socket(socket.AF_UNIX)
    abstract.bind(f"\0canary-{os.getpid()}")
    abstract.listen()
    abstract.setblocking(False)
    yield {
        "file": str(file),
        "folder": str(tmp_path),
        "env": "CANARY_SECRET",
        "port": server.getsockname()[1],
        "abstract": f"canary-{os.getpid()}",
    }
    for listener in (server, abstract):
        with pytest.raises(BlockingIOError):
            listener.accept()
        listener.close()
    assert file.read_text() == CANARY
    assert [path.name for path in tmp_path.iterdir()] == ["canary.py"]


async def ending(lease: Lease, given, asked) -> str:
    """How the attack ended, in one line."""
    try:
        value = await asyncio.wait_for(
            lease.call(
                "tool:attack",
                given,
                settings={},
                env=[],
                seed="s",
                clock=1.7e9,
                services=asked(),
                limits=Limits(seconds=1.0, services=50),
            ),
            30,
        )
    except CodeFailed as error:
        return f"CodeFailed {error}"
    except CodeError as error:
        return f"{type(error).__name__} {error}"
    return f"same:{value}"


@pytest.mark.parametrize(("body", "ends"), [pytest.param(body, ends, id=name) for name, body, ends in ALL])
async def test_attack_is_contained(sandbox: Sandbox, lease: Lease, around, asked, body, ends):
    await lease.load({"tool:attack": attacks.PRELUDE + "    " + body.strip() + "\n", "handler:honest": HONEST})
    before = resident()
    told = await ending(lease, around, asked)
    assert CANARY not in told
    assert "got through" not in told
    assert any(word in told for word in ends), told
    assert resident() - before < 96 << 20

    for one in (lease, await sandbox.lease()):
        await one.load({"handler:honest": HONEST})
        more = {"settings": {}, "env": [], "seed": "s", "clock": 0.0, "services": asked()}
        assert await one.call("handler:honest", {"a": 41}, **more) == {"sum": 42}
    await one.close()
