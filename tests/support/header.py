"""Says at the head of a run which database it was on."""

from __future__ import annotations

import pytest


def pytest_report_header(config: pytest.Config) -> str:
    from django.conf import settings

    return f"database: {settings.DATABASES['default']['ENGINE'].rsplit('.', 1)[-1]}"
