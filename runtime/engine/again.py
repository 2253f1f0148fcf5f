"""What a run that was let go on tries once more: which steps had ended it, and how often."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from runtime.models import Run, RunEvent

if TYPE_CHECKING:
    from runtime.engine.lease import Lease

EACH = 100
"""So many attempts lie between those of one going on and those of the next, so that none is taken for another."""


def tried(run: Run) -> dict[str, int]:
    """How often each step had ended the run when somebody let it go on, by address. Scoped.

    The log says it, so that every worker that has the run after that numbers its attempts alike.
    """
    if not run.continued:
        return {}
    found: Counter[str] = Counter()
    since: set[str] = set()
    types = ("step_failed", "run_failed", "run_continued")
    rows = RunEvent.objects.filter(conversation_id=run.conversation_id, run=run, type__in=types).order_by("seq")
    for type, payload in rows.values_list("type", "payload").iterator():
        if type == "run_continued":
            found.update(since)
            since = set()
        elif payload.get("address") and payload.get("next", "end") == "end":
            since.add(payload["address"])
    return dict(found)


def left(lease: Lease) -> dict[str, Any]:
    """The outcome of a copy that did not begin, because another one had ended the run."""
    return {"skipped": True, "left": lease.fence}


def is_tried(lease: Lease, outcome: Mapping[str, Any]) -> bool:
    """Whether a copy is made once more: it ended the run, or was left, before somebody let the run go on."""
    ended = outcome["failed"].get("fence", 0) if "failed" in outcome else outcome.get("left")
    return ended is not None and 0 < lease.run.continued >= ended
