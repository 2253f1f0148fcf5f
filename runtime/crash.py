"""Named points at which a test may end the process as a power cut would.

LGSTUDIO_CRASH is `point:chance` entries, comma separated; unset in every deployment.
"""

from __future__ import annotations

import os
import random
import signal

POINTS = (
    "claim.before", "claim.after", "model.started", "model.answered", "tool.started", "tool.sent", "tool.answered",
    "tool.done", "checkpoint.before", "checkpoint.after", "question.before", "question.after", "finish.before",
    "finish.after",
)  # fmt: skip

NESTED = ("flow.entered", "flow.left", "copies.before", "copies.after")
"""Points that only flows come to that run something inside something."""

_planned: dict[str, float] = {}
for _entry in filter(None, os.environ.get("LGSTUDIO_CRASH", "").split(",")):
    _name, _, _chance = _entry.partition(":")
    _planned[_name] = float(_chance or 1)


def point(name: str) -> None:
    """End the process here, if the environment plans it."""
    chance = _planned.get(name)
    if chance and random.random() < chance:  # noqa: S311
        os.kill(os.getpid(), signal.SIGKILL)
