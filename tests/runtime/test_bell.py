"""Doorbells of work that is due, on their way to the broker beside whoever rang."""

from __future__ import annotations

import os
import subprocess
import sys
import threading
import uuid
from typing import Any

import pytest
import redis
from django.conf import settings

from runtime import bell
from runtime.bell import Messenger
from runtime.processes import ROOT

RING = """
import sys, uuid, django
django.setup()
from runtime import bell
bell.messenger.put(("", uuid.UUID(sys.argv[1])))
"""


def test_what_is_rung_just_before_a_process_ends_reaches_the_broker() -> None:
    due = uuid.uuid4()
    environment = {**os.environ, "DJANGO_SETTINGS_MODULE": "studio.settings"}
    subprocess.run([sys.executable, "-c", RING, str(due)], cwd=ROOT, env=environment, timeout=60, check=True)
    waiting: Any = redis.Redis.from_url(settings.REDIS_URL).lrange("celery", 0, -1)
    assert any(str(due).encode() in message for message in waiting)


def test_a_broker_that_hangs_holds_up_nobody_who_rings_and_no_end_of_a_process_for_long(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    begun, hangs, carried = threading.Event(), threading.Event(), list[bell.Due]()

    def publish(due: bell.Due) -> None:
        carried.append(due)
        begun.set()
        assert hangs.wait(30)
        if len(carried) == 2:
            raise ConnectionError

    monkeypatch.setattr(bell, "_publish", publish)
    monkeypatch.setattr(bell, "MESSENGERS", 1)
    messenger, dues = Messenger(), [("", uuid.uuid4()) for _ in range(4)]
    messenger.put(dues[0])
    assert begun.wait(30)
    for due in (dues[1], dues[1], dues[2]):
        messenger.put(due)
    assert not messenger.settle(0.01)
    hangs.set()
    assert messenger.settle(30)
    # Nothing is carried twice for being rung twice, and what waits behind a failure is left to the dispatcher.
    assert carried == dues[:2]
    messenger.put(dues[3])
    assert messenger.settle(30) and carried == [*dues[:2], dues[3]]
