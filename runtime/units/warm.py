"""The worker's side of the zygote: start it, fork a process for a lease, kill one, hear how one ended."""

from __future__ import annotations

import asyncio
import os
import socket
import subprocess

from runtime.units import interpreter, jail
from runtime.units.faults import SandboxUnavailable

READY_SECONDS = 30.0
CPU_SECONDS = 60

_ADVICE = (
    "Code cannot run on this machine: {why} Install bubblewrap (apt install bubblewrap) and allow user namespaces "
    "(sysctl kernel.unprivileged_userns_clone=1 or kernel.apparmor_restrict_unprivileged_userns=0; in a container: "
    "the seccomp and AppArmor settings of docker-compose.yml). Flows without handlers, routers and tools still run."
)


class Warm:
    """One zygote. Not alive any more: make another one."""

    def __init__(self, process: subprocess.Popen[bytes], control: socket.socket) -> None:
        self._process = process
        self._control = control
        self._loop = asyncio.get_running_loop()
        self._ready: asyncio.Future[None] = self._loop.create_future()
        self._ends: dict[int, asyncio.Future[int]] = {}
        self._last = 0
        self.alive = True
        self._loop.add_reader(control.fileno(), self._listen)

    @classmethod
    async def start(cls, memory: int, packages: tuple[str, ...] = ()) -> Warm:
        """Try each bubblewrap of this machine. Raises SandboxUnavailable with what each of them said."""
        try:
            view = await asyncio.to_thread(interpreter.view, packages)
        except interpreter.NoView as error:
            raise SandboxUnavailable(_ADVICE.format(why=str(error))) from None
        said = []
        for program in jail.programs():
            try:
                warm = cls(*jail.start(program, view, memory, CPU_SECONDS, packages))
            except OSError as error:
                said.append(str(error))
                continue
            try:
                await asyncio.wait_for(warm._ready, READY_SECONDS)
            except (TimeoutError, EOFError):
                said.append(await asyncio.to_thread(warm._last_words))
                continue
            return warm
        why = "; ".join(said) if said else "there is no bubblewrap program."
        raise SandboxUnavailable(_ADVICE.format(why=why))

    def fork(self) -> tuple[int, socket.socket, asyncio.Future[int]]:
        """A new process: its number, the worker's end of its socket, and its wait status once it ended.

        The status is cancelled when the zygote goes first. Raises OSError when the zygote is gone.
        """
        self._last += 1
        ours, theirs = socket.socketpair()
        with theirs:
            try:
                socket.send_fds(self._control, [f"fork {self._last}".encode()], [theirs.fileno()])
            except OSError:
                ours.close()
                self.stop()
                raise
        end = self._ends[self._last] = self._loop.create_future()
        return self._last, ours, end

    def kill(self, number: int) -> None:
        """End a process at once, whatever it does. A zygote that cannot be told is ended with all its processes."""
        if number not in self._ends or not self.alive:
            return
        try:
            self._control.send(f"kill {number}".encode())
        except OSError:
            self.stop()
            return
        self._loop.call_later(2.0, self._insist, number)

    def _insist(self, number: int) -> None:
        if number in self._ends and self.alive:
            self.stop()

    def stop(self) -> None:
        """End the zygote and everything it forked."""
        if not self.alive:
            return
        self.alive = False
        self._loop.remove_reader(self._control.fileno())
        self._control.close()
        self._process.kill()
        self._process.wait()
        if self._process.stderr is not None:
            self._process.stderr.close()
        if not self._ready.done():
            self._ready.set_exception(EOFError())
        for future in self._ends.values():
            future.cancel()
        self._ends.clear()

    def _listen(self) -> None:
        try:
            message = self._control.recv(256)
        except BlockingIOError:
            return
        except OSError:
            message = b""
        if not message:
            if not self._ready.done():
                self._ready.set_exception(EOFError())
                self._loop.remove_reader(self._control.fileno())
                return
            self.stop()
        elif message == b"ready":
            if not self._ready.done():
                self._ready.set_result(None)
        else:
            _, number, status = message.split()
            future = self._ends.pop(int(number), None)
            if future is not None and not future.done():
                future.set_result(int(status))

    def _last_words(self) -> str:
        """What a zygote that did not start wrote, after ending it."""
        self._process.kill()
        stderr = self._process.stderr
        said = os.read(stderr.fileno(), 4000).decode("utf-8", "replace").strip() if stderr is not None else ""
        self._loop.call_soon_threadsafe(self.stop)
        return (said.splitlines() or ["it ended without a word."])[-1]
