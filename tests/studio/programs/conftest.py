"""Tokens and the programs that use them. A request leaves no workspace behind it; these tests go back into theirs."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from typing import Any

import pytest
from django.core.signals import request_finished
from django.test import Client

from flows import scope
from flows.models import Workspace
from runtime.models import Deployment
from studio.programs.tokens import make
from tests.support import talk


@pytest.fixture(autouse=True)
def stay(workspace: Workspace) -> Iterator[None]:
    def back(**_: object) -> None:
        scope.enter(workspace.id)

    request_finished.connect(back)
    yield
    request_finished.disconnect(back)


class Program:
    """A program with a token: every reply as (status, JSON)."""

    def __init__(self, text: str) -> None:
        self.client = Client(enforce_csrf_checks=True)
        self.headers = {"Authorization": f"Bearer {text}"}

    def get(self, path: str, **headers: str) -> tuple[int, Any]:
        reply = self.client.get(f"/api/v1/{path}", headers={**self.headers, **headers})
        return reply.status_code, reply.json()

    def post(self, path: str, body: Any = None, **headers: str) -> tuple[int, Any]:
        text = body if isinstance(body, str) else json.dumps({} if body is None else body)
        reply = self.client.post(f"/api/v1/{path}", text, "application/json", headers={**self.headers, **headers})
        return reply.status_code, reply.json()


Programs = Callable[..., Program]


@pytest.fixture
def program(workspace: Workspace) -> Programs:
    """`program(agents=[…], approves=True)`: a program with a token of its own."""

    def begin(name: str = "Back office", **terms: Any) -> Program:
        return Program(make(name, by=None, **{"days": 30, **terms})[1])

    return begin


@pytest.fixture
def desk(workspace: Workspace) -> Deployment:
    return talk.agent("desk")
