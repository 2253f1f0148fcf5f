"""What the editor says to the server about a pasted request, and hears from it."""

from __future__ import annotations

from typing import Any

from pydantic import Field

from studio.frames.items import Wire


class PastedBody(Wire):
    """text: a curl command or an OpenAPI description. operation: the one of its operations that is wanted."""

    text: str = Field(min_length=1, max_length=1_000_000)
    operation: str = Field("", max_length=2_000)


class PastedOperation(Wire):
    id: str
    summary: str


class PastedSecret(Wire):
    """A secret that the tool needs, and where it may be sent. value: as it was pasted, "" when it was not."""

    name: str
    host: str
    value: str


class PastedTool(Wire):
    """tool: as it stands in a flow. code: what it runs. notes: what was left out, and why."""

    tool: dict[str, Any]
    code: str
    secrets: list[PastedSecret]
    notes: list[str]


class PastedReply(Wire):
    """tool: null where one of several operations is to be chosen first."""

    tool: PastedTool | None
    operations: list[PastedOperation]
