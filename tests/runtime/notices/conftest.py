"""An agent with runs that ended one way or another, places to tell of it, and a clock that the test moves."""

from __future__ import annotations

import uuid
from collections.abc import Callable
from datetime import datetime, timedelta
from typing import Any

import pytest
from django.utils import timezone

from flows.models import Flow, FlowVersion, Workspace
from runtime.models import Conversation, Deployment, NoticePlace, Run
from runtime.notices import sending
from runtime.notices.errand import look

KINDS = ["failing", "key", "server", "worker", "budget"]


@pytest.fixture
def agent(workspace: Workspace) -> Deployment:
    flow = Flow.objects.create(path="desk", name="Desk", draft="{}")
    version = FlowVersion.objects.create(
        flow=flow, number=1, sha="a" * 64, document={}, units={}, units_sha="", engine=1
    )
    return Deployment.objects.create(flow=flow, version=version, slug="desk", name="Desk")


@pytest.fixture
def ran(agent: Deployment) -> Callable[..., Run]:
    """`ran("failed", "No stock.")`: a run that ended so, now."""

    def end(status: str, words: str = "", deployment: Deployment = agent, ago: timedelta = timedelta()) -> Run:
        talk = Conversation.objects.create(deployment=deployment)
        error = {"code": "X", "message": words} if words else None
        return Run.objects.create(
            conversation=talk, deployment=deployment, version=deployment.version, status=status, error=error,
            finished_at=timezone.now() - ago if status in Run.ENDED else None,
        )  # fmt: skip

    return end


@pytest.fixture
def place(workspace: Workspace) -> Callable[..., NoticePlace]:
    """`place(way="email", address="a@b.example")`: one that is told of everything, half an hour apart."""

    def make(**fields: Any) -> NoticePlace:
        secret = sending.new_secret()
        given: dict[str, Any] = {
            "name": uuid.uuid4().hex[:8], "way": "webhook", "address": "http://127.0.0.1:9/hook", "inside": True,
            "kinds": KINDS, "secret_cipher": sending.seal(secret),
        }  # fmt: skip
        return NoticePlace.objects.create(**{**given, **fields})

    return make


class Clock:
    """The time as Django tells it in this process."""

    def __init__(self, now: datetime) -> None:
        self.now = now

    def __call__(self) -> datetime:
        return self.now

    def later(self, **span: float) -> None:
        """Let time pass, and look what is wrong then."""
        self.now += timedelta(**span)
        look()


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> Clock:
    found = Clock(timezone.now())
    monkeypatch.setattr(timezone, "now", found)
    return found
