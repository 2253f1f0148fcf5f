"""A JSON column that keeps the order of keys, which PostgreSQL's jsonb does not."""

from __future__ import annotations

import json
from typing import Any

from django.db import models


class OrderedJSON(models.TextField):
    """A JSON value stored as its text. Forms are drawn, and routes tried, in the order in which they were written."""

    def from_db_value(self, value: str | None, expression: Any, connection: Any) -> Any:
        return None if value is None else json.loads(value)

    def to_python(self, value: Any) -> Any:
        return json.loads(value) if isinstance(value, str) else value

    def get_prep_value(self, value: Any) -> str | None:
        return None if value is None else json.dumps(value, ensure_ascii=False, allow_nan=False)
