"""An agent that takes files, and what a page does with it. A request leaves no workspace; these tests go back."""

from __future__ import annotations

from typing import Any

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client

from runtime.models import Deployment
from tests.studio.chat.conftest import stay  # noqa: F401 - the fixture
from tests.support import talk

DOCUMENT: dict[str, Any] = {
    **talk.DOCUMENT,
    "inputs": ["question", "photo", "paper"],
    "state": {
        "question": {"type": "string"},
        "photo": {"type": "file", "accept": "image/*", "description": "The goods."},
        "paper": {"type": "file"},
        "answer": {"type": "string"},
    },
}


@pytest.fixture
def desk(workspace: Any) -> Deployment:
    return talk.agent("desk", DOCUMENT)


def give(client: Client, path: str, name: str, content: bytes, input: str = "photo") -> Any:
    """A reply to a file sent to `/api/…`."""
    return client.post(f"{path}?input={input}", {"file": SimpleUploadedFile(name, content)})
