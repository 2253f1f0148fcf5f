"""Agents that answer only people whom they know, and sessions in which nobody was there for a while."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import timedelta
from typing import Any

import pytest
from django.test import Client
from django.utils import timezone

from runtime.models import Deployment
from studio import presence
from studio.models import Presence
from tests.studio.chat.conftest import stay
from tests.support import talk

__all__ = ["KNOWS", "knowing", "silent", "stay"]

KNOWS: dict[str, Any] = {**talk.DOCUMENT, "requires": {"users": True}}


def knowing(slug: str = "desk", **terms: Any) -> Deployment:
    return talk.agent(slug, KNOWS, **terms)


def silent(client: Client, minutes: float) -> None:
    """So long nobody has given a sign of life in this browser."""
    key = presence.key_of(client.session.session_key or "")
    assert Presence.objects.filter(session=key).update(at=timezone.now() - timedelta(minutes=minutes))


@pytest.fixture(autouse=True)
def nothing_written_yet() -> Iterator[None]:
    """No sign of life of another test counts as this one's."""
    presence._refreshed.clear()
    yield
    presence._refreshed.clear()
