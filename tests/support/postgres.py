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
from collections.abc import Iterator
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


@contextlib.contextmanager
def cluster() -> Iterator[str]:
    """A running, empty cluster. Yields its DATABASE_URL."""
    bin_folder = programs()
    if bin_folder is None:
        raise SystemExit(
            "The tests need PostgreSQL's server programs (initdb) and found none.\n"
            "On Debian and Ubuntu: apt-get install postgresql"
        )
    account = _account()
    folder = Path(tempfile.mkdtemp(prefix="lgstudio-pg-"))
    run: dict[str, Any] = {
        "user": account,
        "cwd": folder,
        "env": {"PATH": "/usr/bin:/bin", "LC_ALL": "C.UTF-8", "TZ": "UTC"},
        "stderr": subprocess.STDOUT,
    }
    try:
        if account:
            shutil.chown(folder, account)
        create = [bin_folder / "initdb", "-D", folder / "db", "-U", "lgstudio", "-A", "trust", "-E", "UTF8", "-N"]
        subprocess.run(create, check=True, stdout=subprocess.DEVNULL, **run)
        options = [word for name, value in SETTINGS.items() for word in ("-c", f"{name}={value}")]
        command = [bin_folder / "postgres", "-D", folder / "db", "-k", folder, *options]
        with (folder / "log").open("w") as log:
            # Tied to this process, so that a killed test run leaves no server behind.
            server = subprocess.Popen(command, stdout=log, preexec_fn=tie_to_parent, **run)
        try:
            url = f"postgres://lgstudio@{quote(str(folder), safe='')}/postgres"
            _wait(server, url, folder / "log")
            yield url
        finally:
            server.send_signal(signal.SIGQUIT)
            server.wait(20)
    finally:
        shutil.rmtree(folder, ignore_errors=True)


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
