"""What most tests need: a workspace, people in it with a role, their signed-in clients, and a real Valkey."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING

import pytest

from tests.support import postgres, valkeys

if TYPE_CHECKING:
    from django.test import Client

    from flows.models import Workspace
    from runtime.demo.testing import Scripted
    from studio.models import User

pytest_plugins = ["tests.support.databases"]


@pytest.fixture(scope="session", autouse=True)
def valkey() -> Iterator[str]:
    """A real Valkey for the whole run, at the address the settings name. Yields that address."""
    from django.conf import settings

    with valkeys.serve(settings.VAR) as url:
        yield url


@pytest.fixture(scope="session")
def django_db_modify_db_settings(django_db_modify_db_settings: None) -> None:
    """On PostgreSQL each run has a database of its own, so that two runs at once do not meet."""
    from django.conf import settings

    postgres.name_test_database(settings.DATABASES["default"])


@pytest.fixture
def demo() -> Iterator[Scripted]:
    """A scripted model and back office of this test's own, over real HTTP, with no scripted delays."""
    from runtime.demo.testing import scripted

    with scripted() as server:
        yield server


@pytest.fixture
def workspace(db: None) -> Iterator[Workspace]:
    """A workspace, entered: queries of this test are scoped to it."""
    from flows import scope
    from flows.models import Workspace

    row = Workspace.objects.create(name="Acme")
    with scope.workspace(row.id):
        yield row


@pytest.fixture
def user(workspace: Workspace) -> Callable[..., User]:
    """`user("builder")`: a person with that role in the workspace; asked again, the same person."""
    from tests.support.people import person

    def find(role: str, name: str = "") -> User:
        return person(workspace, role, name)

    return find


@pytest.fixture
def member_client(user: Callable[..., User]) -> Callable[..., Client]:
    """`member_client("reviewer")`: an HTTP client signed in as such a person, with CSRF checks as in a browser."""
    from django.test import Client

    def sign_in(role: str, name: str = "", *, csrf: bool = False) -> Client:
        client = Client(enforce_csrf_checks=csrf)
        client.force_login(user(role, name))
        return client

    return sign_in
