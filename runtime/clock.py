"""The database's own clock: no process's clock decides about a lease."""

from __future__ import annotations

from datetime import timedelta

from django.db import models
from django.db.models.functions import Now


def after(seconds: float) -> models.expressions.Combinable:
    """So many seconds from now; before now when negative."""
    return models.ExpressionWrapper(Now() + timedelta(seconds=seconds), output_field=models.DateTimeField())
