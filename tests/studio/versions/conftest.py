"""A flow with versions, some of them live."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from flows import store
from flows.models import Flow, FlowVersion
from runtime.models import Deployment, Publication
from tests.studio.chat.conftest import stay
from tests.studio.pages.conftest import Clients, stranger
from tests.studio.running.conftest import Edit, edit, flow

__all__ = ["Clients", "Edit", "Live", "edit", "flow", "stay", "stranger"]

Live = Callable[..., FlowVersion]


@pytest.fixture
def desk(flow: Flow) -> Deployment:
    """The flow's agent; nothing is live there yet."""
    return Deployment.objects.create(flow=flow, slug="helper-desk", name="Helper desk", link_token="t" * 32)


@pytest.fixture
def live(flow: Flow, desk: Deployment, user: Callable) -> Live:
    """`live("note")`: the draft as a version, live at the desk."""

    def publish(note: str = "", **fields: Any) -> FlowVersion:
        version = store.make_version(Flow.objects.get(pk=flow.pk), by=user("builder"), note=note)
        Deployment.objects.filter(pk=desk.pk).update(version=version, **fields)
        desk.refresh_from_db()
        Publication.objects.create(deployment=desk, version=version, by=user("operator"))
        return version

    return publish
