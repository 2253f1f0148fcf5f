"""A request leaves no workspace behind it; these tests look at rows after requests, so they go back into theirs."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from django.core.signals import request_finished

from flows import scope
from flows.models import Workspace


@pytest.fixture(autouse=True)
def stay(request: pytest.FixtureRequest) -> Iterator[None]:
    if "workspace" not in request.fixturenames:
        yield
        return
    workspace: Workspace = request.getfixturevalue("workspace")

    def back(**_: object) -> None:
        scope.enter(workspace.id)

    request_finished.connect(back)
    yield
    request_finished.disconnect(back)
