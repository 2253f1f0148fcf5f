"""How long code takes in the sandbox, cold and warm. Run it: python -m tests.bench.sandbox [calls]

Beside the figures stand bare floors of the same minute: starting the same Python, forking, a socket round trip.
"""

from __future__ import annotations

import asyncio
import os
import socket
import statistics
import subprocess
import sys
import time
from collections.abc import Callable

from runtime.units.sandbox import Lease, Sandbox

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "studio.settings")

HEAD = "*, services, settings, env"
UNITS = {
    f"handler:step{number}": f"async def step{number}(state, {HEAD}):\n    return {{'n': state['n'] + 1}}\n"
    for number in range(10)
} | {
    "tool:fetch": f"async def fetch(args, {HEAD}):\n    return (await services.http.get('https://x.example')).json()\n",
    "handler:state": f"async def state(state, {HEAD}):\n    return {{'rows': state['rows']}}\n",
}


def tell(name: str, seconds: list[float], beside: str = "") -> None:
    ordered = sorted(seconds)
    p50, p95 = statistics.median(ordered), ordered[int(len(ordered) * 0.95)]
    print(f"{name:44} p50 {p50 * 1000:8.2f} ms   p95 {p95 * 1000:8.2f} ms   n {len(ordered):5}   {beside}")


async def answer(name: str, args: object) -> object:
    return {"status": 200, "headers": {}, "text": "{}"}


async def call(lease: Lease, unit: str, given: object) -> object:
    return await lease.call(unit, given, settings={}, env=[], seed="bench", clock=0.0, services=answer)


def floors() -> None:
    """What the machine itself needs."""

    def timed(work: Callable[[], object], times: int) -> list[float]:
        taken = []
        for _ in range(times):
            began = time.perf_counter()
            work()
            taken.append(time.perf_counter() - began)
        return taken

    def fork() -> None:
        pid = os.fork()
        if pid == 0:
            os._exit(0)
        os.waitpid(pid, 0)

    ours, theirs = socket.socketpair()

    def echo() -> None:
        ours.send(b"x" * 100)
        theirs.recv(1000)

    start = [sys.executable, "-I", "-S", "-c", "pass"]
    tell("floor: start this Python", timed(lambda: subprocess.run(start, check=True), 10))
    tell("floor: fork this process and wait", timed(fork, 50))
    tell("floor: 100 bytes through a socket pair", timed(echo, 1000))


async def main(calls: int) -> None:
    floors()
    cold = []
    for _ in range(5):
        began = time.perf_counter()
        sandbox = Sandbox()
        lease = await sandbox.lease()
        await lease.load(UNITS)
        await call(lease, "handler:step0", {"n": 0})
        cold.append(time.perf_counter() - began)
        await sandbox.close()
    tell("cold: start the zygote, lease, first call", cold, "the first also looks at the interpreter")

    sandbox = Sandbox()
    began = time.perf_counter()
    await sandbox.probe()
    print(f"{'start-up check':44}     {(time.perf_counter() - began) * 1000:8.2f} ms")
    for name, pause in (("lease + first call, a spare at hand", 0.02), ("lease + first call, at full speed", 0.0)):
        first, ten = [], []
        for _ in range(max(20, calls // 20)):
            await asyncio.sleep(pause)
            began = time.perf_counter()
            lease = await sandbox.lease()
            await lease.load(UNITS)
            await call(lease, "handler:step0", {"n": 0})
            first.append(time.perf_counter() - began)
            for number in range(1, 10):
                await call(lease, f"handler:step{number}", {"n": number})
            ten.append(time.perf_counter() - began)
            await lease.close()
        tell(name, first)
        tell("  … and ten different handlers", ten)

    lease = await sandbox.lease()
    await lease.load(UNITS)
    rows = {"rows": [{"id": number, "name": f"Row {number}", "price": number / 7} for number in range(1000)]}
    for name, unit, given in (
        ("warm call", "handler:step0", {"n": 1}),
        ("warm call with one service request", "tool:fetch", None),
        ("warm call, 50 KB in and out", "handler:state", rows),
    ):
        taken = []
        for _ in range(calls):
            began = time.perf_counter()
            await call(lease, unit, given)
            taken.append(time.perf_counter() - began)
        tell(name, taken)
    began = time.perf_counter()
    await asyncio.gather(*[call(lease, "handler:step0", {"n": 1}) for _ in range(calls)])
    print(f"{'calls per second, one lease':44}     {calls / (time.perf_counter() - began):8.0f}")
    await sandbox.close()


if __name__ == "__main__":
    asyncio.run(main(int(sys.argv[1]) if len(sys.argv) > 1 else 1000))
