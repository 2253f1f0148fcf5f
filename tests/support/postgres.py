"""A PostgreSQL of the test run's own: a temporary cluster on a socket, ended with the run.

python -m tests.support.postgres COMMAND…     runs the command with DATABASE_URL naming that cluster
python -m tests.support.postgres --find       says where the machine's is; exit code 1 when it has none
"""

from __future__ import annotations

import contextlib
import os
import pwd
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any
from urllib.parse import quote

from runtime.supervisor import tie_to_parent

# Nothing in a test outlives the machine's power, so nothing waits for the disk.
SETTINGS = {
    "fsync": "off",
    "synchronous_commit": "off",
    "full_page_writes": "off",
    "listen_addresses": "",
    "max_connections": "200",
    "shared_buffers": "64MB",
}


def programs() -> Path | None:
    """The folder with initdb and postgres: the newest of the machine's; None when it has none."""
    installed = [
        folder
        for folder in Path("/usr/lib/postgresql").glob("*/bin")
        if folder.parent.name.isdigit() and (folder / "initdb").exists()
    ]
    if installed:
        return max(installed, key=lambda folder: int(folder.parent.name))
    found = shutil.which("initdb")
    return Path(found).resolve().parent if found else None


def _account() -> str | None:
    """Whom the server runs as: PostgreSQL refuses to run as root."""
    if os.getuid() != 0:
        return None
    known = {entry.pw_name for entry in pwd.getpwall()}
    return "postgres" if "postgres" in known else "nobody"


class Cluster:
    """A server on a folder of its own, which a test may stop and start again."""

    def __init__(self, bin_folder: Path, folder: Path, settings: Mapping[str, str]) -> None:
        self.url = f"postgres://lgstudio@{quote(str(folder), safe='')}/postgres"
        self._folder = folder
        self._run: dict[str, Any] = {
            "user": _account(),
            "cwd": folder,
            "env": {"PATH": "/usr/bin:/bin", "LC_ALL": "C.UTF-8", "TZ": "UTC"},
            "stderr": subprocess.STDOUT,
        }
        create = [bin_folder / "initdb", "-D", folder / "db", "-U", "lgstudio", "-A", "trust", "-E", "UTF8", "-N"]
        subprocess.run(create, check=True, stdout=subprocess.DEVNULL, **self._run)
        options = [word for name, value in settings.items() for word in ("-c", f"{name}={value}")]
        self._command = [bin_folder / "postgres", "-D", folder / "db", "-k", folder, *options]

    def start(self) -> None:
        """Start, and return once it takes connections."""
        with (self._folder / "log").open("a") as log:
            # Tied to this process, so that a killed test run leaves no server behind.
            self._server = subprocess.Popen(self._command, stdout=log, preexec_fn=tie_to_parent, **self._run)
        _wait(self._server, self.url, self._folder / "log")

    def stop(self, how: signal.Signals = signal.SIGQUIT) -> None:
        """End it at once, as a power cut would (SIGQUIT), or ending what is under way (SIGINT)."""
        self._server.send_signal(how)
        self._server.wait(20)


@contextlib.contextmanager
def restartable(**settings: str) -> Iterator[Cluster]:
    """A running, empty cluster. settings: beside SETTINGS, or instead of these."""
    bin_folder = programs()
    if bin_folder is None:
        raise SystemExit(
            "The tests need PostgreSQL's server programs (initdb) and found none.\n"
            "On Debian and Ubuntu: apt-get install postgresql"
        )
    folder = Path(tempfile.mkdtemp(prefix="lgstudio-pg-"))
    try:
        if account := _account():
            shutil.chown(folder, account)
        found = Cluster(bin_folder, folder, {**SETTINGS, **settings})
        found.start()
        try:
            yield found
        finally:
            found.stop()
    finally:
        shutil.rmtree(folder, ignore_errors=True)


@contextlib.contextmanager
def cluster() -> Iterator[str]:
    """A running, empty cluster. Yields its DATABASE_URL."""
    with restartable() as found:
        yield found.url


def _wait(server: subprocess.Popen[bytes], url: str, log: Path) -> None:
    import psycopg

    until = time.monotonic() + 60
    while True:
        try:
            psycopg.connect(url).close()
            return
        except psycopg.OperationalError:
            if server.poll() is not None or time.monotonic() > until:
                raise SystemExit(f"PostgreSQL did not start:\n{log.read_text()}") from None
            time.sleep(0.05)


def name_test_database(database: dict) -> None:
    """Give this process's test database a name of its own."""
    if database["ENGINE"].endswith("postgresql"):
        database["TEST"]["NAME"] = f"test_lgstudio_{os.getpid()}"


def main() -> int:
    if sys.argv[1:] == ["--find"]:
        print(programs() or "no initdb was found")
        return 0 if programs() else 1
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))  # end the cluster on the way out
    with cluster() as url:
        environment = {**os.environ, "DATABASE_URL": url}
        return subprocess.run(sys.argv[1:], check=False, env=environment, preexec_fn=tie_to_parent).returncode


if __name__ == "__main__":
    sys.exit(main())
