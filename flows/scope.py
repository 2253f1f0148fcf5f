"""The workspace scope: every query of a scoped table sees one workspace, and refuses to work without one."""

from __future__ import annotations

import contextlib
import uuid
from collections.abc import Iterator
from contextvars import ContextVar

from django.db import models

_current: ContextVar[uuid.UUID | None] = ContextVar("workspace", default=None)


class NoWorkspace(RuntimeError):
    """A scoped table was queried while no workspace was entered. Enter one with `workspace(id)`."""


def current() -> uuid.UUID:
    """The workspace that queries are scoped to. Raises NoWorkspace when none was entered."""
    found = _current.get()
    if found is None:
        raise NoWorkspace("This query names no workspace. Enter one with flows.scope.workspace(id) first.")
    return found


@contextlib.contextmanager
def workspace(id: uuid.UUID | None) -> Iterator[None]:
    """Scope every query inside the block, in this task or thread, to one workspace; None refuses every query."""
    token = _current.set(id)
    try:
        yield
    finally:
        _current.reset(token)


def enter(id: uuid.UUID | None) -> None:
    """Scope the rest of this task or thread; requests and worker tasks that own their context use it."""
    _current.set(id)


class ScopedManager(models.Manager):
    """The only everyday manager: filters by the current workspace, and fills it in on create()."""

    def get_queryset(self) -> models.QuerySet:
        return super().get_queryset().filter(workspace_id=current())

    def create(self, **fields):
        fields.setdefault("workspace_id", current())
        return super().create(**fields)


class Scoped(models.Model):
    """A row that belongs to a workspace. `everywhere` is for the engine's own loops and migrations only."""

    workspace = models.ForeignKey("flows.Workspace", models.CASCADE, related_name="+")
    workspace_id: uuid.UUID

    everywhere = models.Manager()
    objects = ScopedManager()

    class Meta:
        abstract = True
        base_manager_name = "everywhere"
        default_manager_name = "objects"

    def save(self, *args, **kwargs) -> None:
        if self.workspace_id is None:
            self.workspace_id = current()
        super().save(*args, **kwargs)
