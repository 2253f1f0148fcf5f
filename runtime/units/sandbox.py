"""Run generated code where it can reach nothing: no network, file, environment, secret or process of this machine.

A worker process keeps one warm zygote under bubblewrap. A lease is a run's own processes, forked from it; each call
runs a unit in one of them. Whatever the code wants from outside it asks the worker for, through `services`.
Everything here belongs to the worker's one event loop.
"""

from __future__ import annotations

import asyncio
import contextlib
import hashlib
import hmac
from collections.abc import Mapping

from django.conf import settings as django_settings

from flows.kinds.base import Json
from runtime.units.faults import (
    CodeError,
    CodeFailed,
    CodeGone,
    CodeLimit,
    SandboxUnavailable,
    ServiceFailed,
)
from runtime.units.probe import probe
from runtime.units.process import DEFAULT, Call, Limits, Process, Services
from runtime.units.warm import Warm

__all__ = [
    "CodeError",
    "CodeFailed",
    "CodeGone",
    "CodeLimit",
    "Lease",
    "Limits",
    "Sandbox",
    "SandboxUnavailable",
    "ServiceFailed",
    "Services",
    "env_marks",
]

MEMORY = 256 << 20
INTERPRETER = 40 << 20
PACKAGES = 48 << 20
"""What the packages themselves need, where there are any."""
AT_ONCE = 8
SPARE = 2


def env_marks(env: list[str], seed: str) -> dict[str, str]:
    """{mark: name}: the text that stands for env.NAME in what code sends, to be replaced outside.

    A mark follows from the seed and this installation's key: a re-run sends the same bytes, and nobody can type one
    into a message to have a secret put there.
    """
    return {f"{{{{env:{name}:{_keyed('env', f'{seed}/{name}')[:16]}}}}}": name for name in env}


def _keyed(purpose: str, text: str) -> str:
    """A hash that only this installation can make, so that run ids, which people see, foretell nothing."""
    key = django_settings.SECRET_KEY.encode()
    return hmac.new(key, f"units.{purpose}:{text}".encode(), hashlib.sha256).hexdigest()


class Sandbox:
    """The zygote and its leases. Started at the first lease; a dead zygote is replaced at the next call."""

    def __init__(self, memory: int = MEMORY, packages: tuple[str, ...] = ()) -> None:
        """memory: bytes that one process may map, beyond the interpreter's own. packages: folders and files of Python
        packages that code may import beside the standard library."""
        self.memory = memory
        self.packages = packages
        self._stocked: Sandbox | None = None
        self._warm: Warm | None = None
        self._spare: list[Process] = []
        self._refilling: asyncio.Task[None] | None = None
        self._starting = asyncio.Lock()

    def stocked(self, packages: tuple[str, ...]) -> Sandbox:
        """The one beside this that has packages, for flows that declare some. It starts at its first lease."""
        if self._stocked is None:
            self._stocked = Sandbox(self.memory + PACKAGES, packages)
        return self._stocked

    async def probe(self) -> None:
        """Attack the sandbox from inside, once, at start-up. Raises SandboxUnavailable where anything got out."""
        lease = await self.lease()
        try:
            await probe(lease)
        finally:
            await lease.close()

    async def lease(self) -> Lease:
        """Processes for one run and one claim of it. Raises SandboxUnavailable."""
        lease = Lease(self)
        await lease.open()
        return lease

    async def fork(self) -> Process:
        """A process that no code has run in. Raises SandboxUnavailable."""
        while self._spare:
            process = self._spare.pop()
            if process.fresh:
                break
        else:
            process = await self._fork()
        if self._refilling is None or self._refilling.done():
            self._refilling = asyncio.create_task(self._refill())
        return process

    async def _refill(self) -> None:
        # What keeps a spare from being made is said by the next fork that somebody waits for.
        with contextlib.suppress(SandboxUnavailable):
            while len(self._spare) < SPARE and self._warm is not None and self._warm.alive:
                await asyncio.sleep(0)
                self._spare.append(await self._fork())

    async def _fork(self) -> Process:
        for _ in range(2):
            warm = await self._alive()
            try:
                return await Process.fork(warm)
            except OSError:
                warm.stop()
        raise SandboxUnavailable("The sandbox ends as soon as it has started. The worker's log says more.")

    async def close(self) -> None:
        """End every process."""
        if self._stocked is not None:
            await self._stocked.close()
        if self._refilling is not None:
            self._refilling.cancel()
            await asyncio.wait([self._refilling])
        if self._warm is not None:
            self._warm.stop()

    async def _alive(self) -> Warm:
        async with self._starting:
            if self._warm is None or not self._warm.alive:
                self._warm = await Warm.start(self.memory + INTERPRETER, self.packages)
            return self._warm


class Lease:
    """A run's processes. Calls that overlap, as in a fan-out, each get one of their own, up to AT_ONCE."""

    def __init__(self, sandbox: Sandbox) -> None:
        self._sandbox = sandbox
        self._units: dict[str, str] = {}
        self._barred: dict[str, str] = {}
        self._idle: list[Process] = []
        self._busy: set[Process] = set()
        self._places = asyncio.Semaphore(AT_ONCE)
        self._closed = False

    async def open(self) -> None:
        """Fork the first process, so that the first call finds it ready."""
        self._idle.append(await self._sandbox.fork())

    async def load(self, units: dict[str, str], barred: Mapping[str, str] | None = None) -> None:
        """Give the lease a version's units: {"handler:plan": code}. A process gets each code once.

        barred: packages of this sandbox that the flow does not declare, each with the reason.
        """
        self._units |= units
        self._barred |= barred or {}
        for process in self._idle:
            process.load(self._units, self._barred)

    async def call(
        self,
        unit: str,
        given: Json,
        *,
        settings: dict[str, Json],
        env: list[str],
        seed: str,
        clock: float,
        services: Services,
        limits: Limits = DEFAULT,
    ) -> Json:
        """Run a unit: a handler's channel writes, a router's route name, a tool's result.

        given: the state, or a tool's arguments. env: names of requires.env. seed and clock (seconds since 1970): the
        same ones on a re-run. services(name, args) serves http.request, files.read, files.save and sign; it runs in
        this call's context. Raises CodeFailed, CodeLimit, CodeGone, SandboxUnavailable, or what services raised.
        """
        if unit not in self._units:
            raise CodeFailed(f"{unit.partition(':')[2]} has no code yet. Generate its code, then run again.")
        marks = {name: mark for mark, name in env_marks(env, seed).items()}
        call = Call(unit, given, settings, marks, _keyed("seed", seed), clock, services, limits)
        async with self._places:
            process = await self._take()
            try:
                return await self._use(process, call)
            except CodeGone:
                if not process.spoilt or self._closed:
                    raise
            return await self._use(await self._sandbox.fork(), call)

    async def close(self) -> None:
        """End the processes, busy ones too."""
        self._closed = True
        for process in [*self._idle, *self._busy]:
            process.kill()
        self._idle.clear()

    async def _use(self, process: Process, call: Call) -> Json:
        self._busy.add(process)
        try:
            process.load(self._units, self._barred)
            return await process.run(call)
        finally:
            self._busy.discard(process)
            if process.fresh and not self._closed:
                self._idle.append(process)
            else:
                process.kill()

    async def _take(self) -> Process:
        while self._idle:
            process = self._idle.pop()
            if process.fresh:
                return process
            process.kill()
        if self._closed:
            raise CodeGone("The run's lease on the sandbox has ended.")
        return await self._sandbox.fork()
