"""The warm process under bubblewrap: everything is imported once, then each lease is one fork of it.

Control messages, one per packet. From the worker: `fork N` with the lease's socket, `kill N`. To the worker:
`ready`, `gone N STATUS` with the wait status. It runs no unit and reads nothing a child writes.
"""

import gc
import os
import resource
import select
import signal
import socket
import sys

from . import child, clock, modules, seccomp, zones

SOCKET = 3


class Zygote:
    def __init__(self, control: socket.socket, memory: int, cpu: int) -> None:
        self.control = control
        self.memory = memory
        self.cpu = cpu
        self.filter = seccomp.Filter()
        self.loop = child.prepare(SOCKET)
        self.pids: dict[str, int] = {}
        self.wake, wake_end = socket.socketpair()
        for end in (self.wake, wake_end):
            end.setblocking(False)
        self.wake_end = wake_end
        signal.signal(signal.SIGCHLD, lambda *_: None)
        signal.set_wakeup_fd(wake_end.fileno(), warn_on_full_buffer=False)

    def serve(self) -> None:
        """Until the worker hangs up."""
        self.control.send(b"ready")
        poller = select.poll()
        poller.register(self.control, select.POLLIN)
        poller.register(self.wake, select.POLLIN)
        while True:
            for fd, _ in poller.poll():
                if fd == self.wake.fileno():
                    self.wake.recv(4096)
                    self.reap()
                elif not self.obey():
                    return

    def obey(self) -> bool:
        message, fds, _, _ = socket.recv_fds(self.control, 256, 1)
        if not message:
            return False
        verb, number = message.decode().split()
        if verb == "fork":
            self.fork(number, fds[0])
        elif number in self.pids:
            os.kill(self.pids[number], signal.SIGKILL)
        return True

    def fork(self, number: str, fd: int) -> None:
        pid = os.fork()
        if pid == 0:
            self.become_child(fd)
        os.close(fd)
        self.pids[number] = pid

    def reap(self) -> None:
        while self.pids:
            pid, status = os.waitpid(-1, os.WNOHANG)
            if pid == 0:
                return
            number = next((number for number, known in self.pids.items() if known == pid), None)
            if number is not None:
                del self.pids[number]
                self.control.send(f"gone {number} {status}".encode())

    def become_child(self, fd: int) -> None:
        try:
            signal.set_wakeup_fd(-1)
            signal.signal(signal.SIGCHLD, signal.SIG_DFL)
            os.dup2(fd, SOCKET)
            os.closerange(SOCKET + 1, 4096)
            os.dup2(1, 2)
            self.lock()
            self.loop.run_forever()
        finally:
            os._exit(70)

    def lock(self) -> None:
        self.filter.prctl(1, signal.SIGKILL)  # PR_SET_PDEATHSIG
        self.filter.prctl(4, 0)  # PR_SET_DUMPABLE: no process may look into this one
        for kind, most in (
            (resource.RLIMIT_AS, self.memory),
            (resource.RLIMIT_NOFILE, 16),
            (resource.RLIMIT_FSIZE, 0),
            (resource.RLIMIT_CORE, 0),
            (resource.RLIMIT_MEMLOCK, 0),
            (resource.RLIMIT_MSGQUEUE, 0),
        ):
            resource.setrlimit(kind, (most, most))
        resource.setrlimit(resource.RLIMIT_CPU, (self.cpu, self.cpu + 1))
        self.filter.install()


def main() -> None:
    """Arguments: memory in bytes, processor seconds, the control socket's descriptor, folders of packages."""
    memory, cpu, fd = (int(word) for word in sys.argv[1:4])
    modules.load(sys.argv[4:])
    zones.load()
    clock.freeze()
    zygote = Zygote(socket.socket(fileno=fd), memory, cpu)
    gc.collect()
    gc.freeze()
    zygote.serve()
