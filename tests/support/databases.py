"""Which database a run is on, and which tests it can make a difference to."""

from __future__ import annotations

import pytest


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption(
        "--database-only",
        action="store_true",
        help="leave out the tests that say the same on every database, most of them because they touch none",
    )


def pytest_configure(config: pytest.Config) -> None:
    config.addinivalue_line(
        "markers",
        "any_database: touches a database and says nothing about it, so that saying it on one is enough",
    )


def pytest_report_header(config: pytest.Config) -> str:
    from django.conf import settings

    return f"database: {settings.DATABASES['default']['ENGINE'].rsplit('.', 1)[-1]}"


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    if not config.getoption("--database-only"):
        return
    kept = [item for item in items if _touches_database(item) and item.get_closest_marker("any_database") is None]
    config.hook.pytest_deselected(items=list(set(items) - set(kept)))
    items[:] = kept


def _touches_database(item: pytest.Item) -> bool:
    fixtures = {"db", "transactional_db", "django_db_serialized_rollback"}
    return bool(fixtures & set(getattr(item, "fixturenames", ()))) or item.get_closest_marker("django_db") is not None
