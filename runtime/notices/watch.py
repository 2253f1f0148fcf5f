"""A web process looks whether any worker is there, and tells of it when none is: no worker could."""

from __future__ import annotations

import asyncio
import logging
import os
import socket
import threading
import time
import uuid

from django.db import Error as DatabaseError
from django.db import close_old_connections

from flows import scope
from runtime.leading import is_silent, lead
from runtime.notices import errand, sending
from runtime.notices.failing import Undelivered

log = logging.getLogger(__name__)

EVERY_SECONDS = 30.0
SILENT_SECONDS = 60.0
SEEN_SECONDS = 90.0
"""So long a process sees no sign of life by itself before it says so: at a start everything is silent."""
LEADER, SWEEPER = "notices", "sweeper"


class Watchman:
    """One for each web process."""

    def __init__(self) -> None:
        self.name = f"{socket.gethostname()}:{os.getpid()}:web"
        self._silent_since: float | None = None

    def look(self) -> bool:
        """Look once; True when no worker is there and this process tells of it."""
        if not is_silent(SWEEPER, SILENT_SECONDS):
            self._silent_since = None
            return False
        self._silent_since = self._silent_since or time.monotonic()
        if time.monotonic() - self._silent_since < SEEN_SECONDS or not lead(LEADER, self.name, 2 * EVERY_SECONDS):
            return False
        for workspace in errand.workspaces():
            with scope.workspace(workspace):
                errand.look(without_worker=True)
        for id in errand.due_ids():
            send(id)
        return True


def send(id: uuid.UUID) -> None:
    """Send one message, where no loop runs. Harmless for one that is not due."""
    delivery = errand.take(id)
    if delivery is None:
        return
    with scope.workspace(delivery.workspace_id):
        try:
            asyncio.run(sending.send(delivery))
        except Undelivered as failed:
            errand.put_off(delivery, failed)
        else:
            errand.arrived(delivery)


def start() -> threading.Thread:
    """Look for as long as this process lives."""

    def run() -> None:
        watchman = Watchman()
        while True:
            time.sleep(EVERY_SECONDS)
            try:
                close_old_connections()
                watchman.look()
            except DatabaseError as error:
                log.warning("The watch for workers waits for the database: %s", type(error).__name__)
            except Exception:
                log.exception("The watch for workers met a fault and goes on")

    thread = threading.Thread(target=run, name="watchman", daemon=True)
    thread.start()
    return thread
