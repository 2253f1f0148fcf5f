"""SQLite for several processes that write: whoever wants the write lock looks again soon, not after a long sleep.

SQLite's own busy handler sleeps up to 100 ms between looks, so two writers that meet cost each other tens of
milliseconds. Here a transaction first takes a file lock beside the database, looking every half millisecond; BEGIN
IMMEDIATE behind it finds the database free. The lock goes with the transaction, and with the process.
"""

# The stubs of Django leave out what a database wrapper is made of.
# pyright: reportAttributeAccessIssue=false

from __future__ import annotations

import fcntl
import os
import time
from typing import Any

from django.db import OperationalError
from django.db.backends.sqlite3 import base

SOON = 0.0002
LATER = 0.002


class DatabaseWrapper(base.DatabaseWrapper):
    """The lock file is `<database>-turn`. In-memory databases have none."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self._turnstile: tuple[int, str] | None = None
        self._has_turn = False

    def _start_transaction_under_autocommit(self) -> None:
        self._take_turn()
        try:
            super()._start_transaction_under_autocommit()
        except BaseException:
            self._end_turn()
            raise

    def _commit(self) -> None:
        try:
            super()._commit()
        finally:
            if not self.in_transaction():
                self._end_turn()

    def _rollback(self) -> None:
        try:
            super()._rollback()
        finally:
            self._end_turn()

    def _close(self) -> None:
        try:
            super()._close()
        finally:
            self._end_turn()
            if self._turnstile is not None:
                os.close(self._turnstile[0])
                self._turnstile = None

    def in_transaction(self) -> bool:
        """Whether the connection still holds one, as after a commit that failed."""
        return self.connection is not None and self.connection.in_transaction

    def _take_turn(self) -> None:
        file = self._lock_file()
        if file is None or self._has_turn:
            return
        until = time.monotonic() + float(self.settings_dict["OPTIONS"].get("timeout", 5))
        pause = SOON
        while True:
            try:
                fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except OSError:
                if time.monotonic() > until:
                    raise OperationalError("database is locked") from None
                time.sleep(pause)
                pause = min(pause * 1.5, LATER)
            else:
                self._has_turn = True
                return

    def _end_turn(self) -> None:
        if self._has_turn and self._turnstile is not None:
            fcntl.flock(self._turnstile[0], fcntl.LOCK_UN)
        self._has_turn = False

    def _lock_file(self) -> int | None:
        name = str(self.settings_dict["NAME"])
        if self.is_in_memory_db() or not name:
            return None
        if self._turnstile is None or self._turnstile[1] != name:
            if self._turnstile is not None:
                os.close(self._turnstile[0])
            self._turnstile = (os.open(f"{name}-turn", os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600), name)
        return self._turnstile[0]
