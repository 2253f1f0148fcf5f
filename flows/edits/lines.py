"""A line of a list of changes: what happened to one thing, in words that the document itself bears out."""

from __future__ import annotations

from typing import Any, Literal

from pydantic import BaseModel, ConfigDict

Json = Any
Sign = Literal["+", "~", "-"]
What = Literal["node", "edge", "route", "channel", "tool", "flow", "unit", "layout"]


class ChangeLine(BaseModel):
    """sign: added, changed or removed. name: the thing's own name. words: the sentence. node: the node to show.

    path: what of it, as keys from the thing. old, new: its value before and after, where one is worth showing.
    """

    model_config = ConfigDict(extra="forbid")

    sign: Sign
    what: What
    name: str
    words: str
    node: str | None = None
    path: list[str | int] | None = None
    old: Json = None
    new: Json = None

    def wire(self) -> dict[str, Json]:
        return self.model_dump(mode="json", exclude_unset=True)
