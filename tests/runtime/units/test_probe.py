"""The start-up check: it passes where isolation holds, and refuses in words where it does not."""

import shutil

import pytest

from runtime.units import jail
from runtime.units.sandbox import Sandbox, SandboxUnavailable

pytestmark = pytest.mark.asyncio(loop_scope="module")


async def test_isolation_holds_here(sandbox):
    await sandbox.probe()


async def test_no_bubblewrap_is_said_with_what_to_do(monkeypatch):
    monkeypatch.setattr(jail, "programs", list)
    with pytest.raises(SandboxUnavailable, match=r"there is no bubblewrap program. Install bubblewrap"):
        await Sandbox().probe()


async def test_a_bubblewrap_that_fails_is_quoted(monkeypatch):
    monkeypatch.setattr(jail, "programs", lambda: [shutil.which("false"), "/nowhere/bwrap"])
    with pytest.raises(SandboxUnavailable, match=r"Code cannot run on this machine: .*; .*No such file"):
        await Sandbox().probe()


async def test_the_second_bubblewrap_is_tried(monkeypatch):
    found = jail.programs()
    monkeypatch.setattr(jail, "programs", lambda: [shutil.which("false"), *found])
    sandbox = Sandbox()
    await sandbox.probe()
    await sandbox.close()


async def test_a_way_out_is_refused(monkeypatch):
    # Without the system call filter, processes can be made: the check must notice.
    whole = jail.command
    monkeypatch.setattr(
        jail,
        "command",
        lambda *words: [
            word.replace(
                "from inside.zygote import main;",
                "from inside.zygote import main, seccomp; seccomp.Filter.install = lambda self: None;",
            )
            for word in whole(*words)
        ],
    )
    sandbox = Sandbox()
    with pytest.raises(SandboxUnavailable, match=r"Code in the sandbox could .*start a process"):
        await sandbox.probe()
    await sandbox.close()
