"""A flow that a builder tries, and what its runs leave in the log."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from flows import store
from flows.models import Flow, Workspace
from runtime.models import ModelChoice, ModelEntry
from tests.studio.chat.conftest import stay
from tests.studio.pages.conftest import Clients, stranger

__all__ = ["Clients", "Edit", "stay", "stranger"]

Edit = Callable[[str, str], Flow]


@pytest.fixture
def model(workspace: Workspace) -> ModelEntry:
    """The model that answers in this workspace."""
    entry = ModelEntry.objects.create(name="House model", base_url="http://127.0.0.1:9/v1", model="m")
    ModelChoice.objects.create(purpose="answers", entry=entry)
    return entry


@pytest.fixture
def flow(workspace: Workspace, user: Callable) -> Flow:
    """A new flow: question, model, answer."""
    return store.create("Helper desk", user("builder"))


@pytest.fixture
def edit(flow: Flow) -> Edit:
    """`edit("Answer the", "Answer this")`: the draft with one text in place of another."""

    def change(old: str, new: str) -> Flow:
        now = Flow.objects.get(pk=flow.pk)
        assert old in now.draft
        return store.save_draft(now, now.draft.replace(old, new), now.revision)

    return change
