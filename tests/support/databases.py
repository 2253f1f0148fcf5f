"""Which database a run is on, and which tests it can make a difference to."""

from __future__ import annotations

import pytest


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption(
        "--database-only",
        action="store_true",
        help="leave out the tests that touch no database: another one cannot change what they say",
    )


def pytest_report_header(config: pytest.Config) -> str:
    from django.conf import settings

    return f"database: {settings.DATABASES['default']['ENGINE'].rsplit('.', 1)[-1]}"


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    if not config.getoption("--database-only"):
        return
    without = [item for item in items if not _touches_database(item)]
    config.hook.pytest_deselected(items=without)
    items[:] = [item for item in items if _touches_database(item)]


def _touches_database(item: pytest.Item) -> bool:
    fixtures = {"db", "transactional_db", "django_db_serialized_rollback"}
    return bool(fixtures & set(getattr(item, "fixturenames", ()))) or item.get_closest_marker("django_db") is not None
