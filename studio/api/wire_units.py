"""What the editor says to the server about the code of a unit, and hears from it."""

from __future__ import annotations

from typing import Literal

from pydantic import Field

from studio.frames.items import Wire

LARGEST_CODE = 200_000


class CodeBody(Wire):
    """Code as a person typed it. was: the mark of the code that they began from."""

    code: str = Field(max_length=LARGEST_CODE)
    was: str = Field(max_length=64)


class GenerateBody(Wire):
    """yes: replace code that a person wrote. keep: take what is written at once; else it is shown first."""

    yes: bool = False
    keep: bool = True


class TakeBody(Wire):
    """Take code that was shown. seal: says that it is the one that was written. yes: over a person's code."""

    code: str = Field(max_length=LARGEST_CODE)
    seal: str = Field(max_length=2_000)
    was: str = Field(max_length=64)
    yes: bool = False


class UnitCode(Wire):
    """The code of one handler, router, tool or service. mark: tells whether it is still the one that a page showed.

    regular: its sentences are written into code without a model. turned_down: why the last code of a model was not
    taken in place of this.
    """

    kind: Literal["handler", "router", "tool", "service"]
    name: str
    state: Literal["current", "stale", "edited", "missing", "refused"]
    origin: Literal["generated", "regular", "edited", ""]
    reason: str
    description: str
    code: str
    mark: str
    regular: bool
    turned_down: str


class Proposed(Wire):
    """Code that was written and not taken yet. problems: why it may not run; then it cannot be taken, only mended."""

    code: str
    problems: list[str]
    by_model: bool
    seal: str


class UnitReply(Wire):
    """proposed: what was written, where it is to be shown before it is taken."""

    unit: UnitCode
    revision: int
    proposed: Proposed | None = None
