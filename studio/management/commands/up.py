"""`manage.py up`: prepare the database, then become the supervisor of every process."""

from __future__ import annotations

import fcntl
import io
import os
import sys
from typing import Any

from django.core.management import CommandError, call_command
from django.core.management.base import BaseCommand, CommandParser
from django.db import OperationalError, connection
from django.db.migrations.executor import MigrationExecutor

from runtime.processes import ROOT, place_from, refusal
from studio.oidc import provider


class Command(BaseCommand):
    help = "Start the web server, the worker, the demo model and Valkey, and keep them running."
    requires_system_checks = []  # pyright: ignore[reportAssignmentType] - the stubs know the older spelling only

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("--no-demo", action="store_true", help="leave the demo model out")

    def handle(self, *args: Any, no_demo: bool = False, **options: Any) -> None:
        if unfit := provider.wrong():
            raise CommandError(unfit)
        os.umask(0o077)  # the database, its key and the queue are nobody else's
        place = place_from(os.environ)
        place.var.mkdir(parents=True, exist_ok=True)
        lock = self._lock(place.var / "up.lock")
        words = refusal(place, with_demo=not no_demo)
        if words:
            raise CommandError(words)
        self._migrate()
        # The supervisor needs none of what Django has loaded here: replacing this process gives the memory back.
        os.set_inheritable(lock, True)
        argv = [sys.executable, "-m", "runtime.supervisor", "--welcome-fd", str(self._welcome())]
        if no_demo:
            argv.append("--no-demo")
        os.chdir(ROOT)
        sys.stdout.flush()
        os.execve(sys.executable, argv, {**os.environ, "LGSTUDIO_VAR": str(place.var)})  # noqa: S606

    def _lock(self, path: os.PathLike[str]) -> int:
        """Hold the folder for this product; the kernel lets go when the supervisor ends. Returns the open file."""
        lock = os.open(path, os.O_RDWR | os.O_CREAT, 0o600)
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            owner = os.read(lock, 20).decode() or "?"
            raise CommandError(
                f"LGStudio already runs from this folder (process {owner.strip()}). "
                "Stop it there with Ctrl+C, or set LGSTUDIO_VAR, PORT and DEMO_PORT to run a second one."
            ) from None
        os.truncate(lock, 0)
        os.write(lock, f"{os.getpid()}\n".encode())
        return lock

    def _migrate(self) -> None:
        try:
            executor = MigrationExecutor(connection)
            behind = executor.migration_plan(executor.loader.graph.leaf_nodes())
            if behind:
                self.stdout.write(f"Preparing the database: {len(behind)} steps.")
                call_command("migrate", verbosity=0, interactive=False)
        except OperationalError as error:
            raise CommandError(
                f"The database does not answer: {str(error).strip()}\n"
                "Check DATABASE_URL, or unset it to use SQLite in the var folder."
            ) from error

    def _welcome(self) -> int:
        """The first sign-in, in a pipe that only the supervisor reads: it is a secret, so no argument or variable."""
        text = io.StringIO()
        call_command("first_sign_in", stdout=text)
        address = text.getvalue().strip()
        if "/start/" in address:
            lines = ["Make the first account here (the address works once):", address]
        else:
            lines = ["Open", address]
        read, write = os.pipe()
        os.write(write, "\n".join(lines).encode()[:4096])
        os.close(write)
        os.set_inheritable(read, True)
        return read
