"""Processes come and go: cancelled calls, a dead zygote, a closed lease, a killed worker."""

import asyncio
import subprocess
import sys

import pytest

from runtime.units.sandbox import CodeGone, Sandbox
from tests.runtime.units.handlers import HEAD

pytestmark = pytest.mark.asyncio(loop_scope="module")


async def test_a_cancelled_call_leaves_a_lease_that_works(lease, run):
    task = asyncio.create_task(run(lease, f"async def f(args, {HEAD}):\n    while True: pass"))
    await asyncio.sleep(0.1)
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    assert await run(lease, f"async def f(args, {HEAD}):\n    return 7") == 7


async def test_a_dead_zygote_is_replaced(run):
    sandbox = Sandbox()
    lease = await sandbox.lease()
    code = f"async def f(args, {HEAD}):\n    return args"
    endless = asyncio.create_task(run(lease, f"async def g(args, {HEAD}):\n    while True: pass"))
    await asyncio.sleep(0.2)
    sandbox._warm._process.kill()
    with pytest.raises(CodeGone) as gone:
        await endless
    assert gone.value.again
    assert await run(lease, code, 2) == 2
    assert await run(await sandbox.lease(), code, 3) == 3
    await sandbox.close()


async def test_a_closed_lease_ends_its_processes(sandbox, run):
    lease = await sandbox.lease()
    endless = asyncio.create_task(run(lease, f"async def f(args, {HEAD}):\n    while True: pass"))
    await asyncio.sleep(0.2)
    await lease.close()
    with pytest.raises(CodeGone):
        await endless
    with pytest.raises(CodeGone, match="lease on the sandbox has ended"):
        await run(lease, f"async def f(args, {HEAD}):\n    return 1")


async def test_a_lease_ends_with_the_worker():
    code = """
import asyncio, os, sys
from runtime.units.sandbox import Sandbox
async def main():
    sandbox = Sandbox()
    await sandbox.lease()
    print(sandbox._warm._process.pid, flush=True)
    os.kill(os.getpid(), 9)
asyncio.run(main())
"""
    worker = await asyncio.create_subprocess_exec(sys.executable, "-c", code, stdout=subprocess.PIPE)
    told, _ = await asyncio.wait_for(worker.communicate(), 60)
    for _ in range(100):
        if not lives(int(told)):
            return
        await asyncio.sleep(0.05)
    raise AssertionError("The zygote outlived its worker.")


def lives(pid: int) -> bool:
    try:
        with open(f"/proc/{pid}/stat") as file:
            return file.read().rpartition(")")[2].split()[0] != "Z"
    except FileNotFoundError:
        return False
