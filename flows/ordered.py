"""A JSON column that keeps the order of keys, which PostgreSQL's jsonb does not."""

from __future__ import annotations

import json
from typing import Any

from django.db import models


class OrderedJSON(models.JSONField):
    """A JSON value stored as its text. Forms are drawn, and routes tried, in the order in which they were written.

    It cannot be searched by its keys.
    """

    def get_internal_type(self) -> str:
        return "TextField"

    def get_db_prep_value(self, value: Any, connection: Any, prepared: bool = False) -> str | None:
        return None if value is None else json.dumps(value, ensure_ascii=False, allow_nan=False)

    def from_db_value(self, value: str | None, expression: Any, connection: Any) -> Any:
        return None if value is None else json.loads(value)
