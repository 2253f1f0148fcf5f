"""A PostgreSQL of the test run's own: a temporary cluster on a socket, ended with the run.

python -m tests.support.postgres COMMAND…     runs the command with DATABASE_URL naming that cluster
python -m tests.support.postgres --find       says where the machine's is; exit code 1 when it has none
"""

from __future__ import annotations

import contextlib
import os
import pwd
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from urllib.parse import quote

# Nothing in a test outlives the machine's power, so nothing waits for the disk.
SETTINGS = {
    "fsync": "off",
    "synchronous_commit": "off",
    "full_page_writes": "off",
    "listen_addresses": "''",
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
    try:
        if account:
            shutil.chown(folder, account)
        run = {"user": account, "cwd": folder, "env": {"PATH": "/usr/bin:/bin", "LC_ALL": "C.UTF-8", "TZ": "UTC"}}
        create = [bin_folder / "initdb", "-D", folder / "db", "-U", "lgstudio", "-A", "trust", "-E", "UTF8", "-N"]
        subprocess.run(create, check=True, stdout=subprocess.DEVNULL, **run)
        options = [word for name, value in SETTINGS.items() for word in ("-c", f"{name}={value}")]
        start = f"{' '.join(options)} -k {folder}"
        control = [bin_folder / "pg_ctl", "-D", folder / "db", "-w"]
        started = subprocess.run(
            [*control, "-l", folder / "log", "-o", start, "start"], check=False, stdout=subprocess.DEVNULL, **run
        )
        if started.returncode:
            raise SystemExit(f"PostgreSQL did not start:\n{(folder / 'log').read_text()}")
        try:
            yield f"postgres://lgstudio@{quote(str(folder), safe='')}/postgres"
        finally:
            subprocess.run([*control, "-m", "immediate", "stop"], check=False, stdout=subprocess.DEVNULL, **run)
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def name_test_database(database: dict) -> None:
    """Give this process's test database a name of its own."""
    if database["ENGINE"].endswith("postgresql"):
        database["TEST"]["NAME"] = f"test_lgstudio_{os.getpid()}"


def main() -> int:
    if sys.argv[1:] == ["--find"]:
        print(programs() or "no initdb was found")
        return 0 if programs() else 1
    with cluster() as url:
        return subprocess.run(sys.argv[1:], check=False, env={**os.environ, "DATABASE_URL": url}).returncode


if __name__ == "__main__":
    sys.exit(main())
