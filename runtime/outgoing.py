"""An outgoing call as the journal tells it and people read it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any
from urllib.parse import urlsplit

from runtime.events import ToolCalled
from runtime.models import ToolCall


def told(row: ToolCall) -> ToolCalled:
    """What the journal says of a call, as far as it came. One that is still started was sent and not answered."""
    state: Any = "failed" if row.state == "started" else row.state
    kind: Any = row.effect
    return ToolCalled(
        address=row.address, key=row.key, unit=row.unit, effect=kind, state=state, method=row.request["method"],
        target=target(row.request), status=row.response["status"] if row.response else None, ms=row.ms,
    )  # fmt: skip


def target(request: Mapping[str, Any]) -> str:
    """The address as people read it: host and path, without a query."""
    parts = urlsplit(str(request["url"]))
    return f"{parts.netloc}{parts.path}"
