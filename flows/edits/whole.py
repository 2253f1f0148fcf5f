"""Operations on many parts at once: pasting, and putting a whole text in place of the draft."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import Field

from flows.edits.operation import Operation, Position
from flows.words.strictjson import MAX_BYTES

Json = Any
Many = Field(max_length=5000)


class Paste(Operation):
    """Add copied nodes with their edges, channels and tools. What has a name that is taken gets another, and
    everything in the copy that names it follows; a channel or tool that is the same in both is shared.
    """

    op: Literal["paste"]
    nodes: Annotated[list[dict[str, Json]], Many] = Field(description="The copied nodes.")
    edges: Annotated[list[dict[str, Json]], Many] = Field(
        default_factory=list, description="The edges that leave them. Where one leads out of the copy, it is left out."
    )
    channels: Annotated[dict[str, dict[str, Json]], Many] = Field(
        default_factory=dict, description="The channels that they name, by name."
    )
    tools: Annotated[list[dict[str, Json]], Many] = Field(default_factory=list, description="The tools that they call.")
    positions: dict[str, Position] | None = Field(None, description="Where they stood, by id.")
    offset: Position | None = Field(None, description="How far from there the copies are put.")


class SetDocument(Operation):
    """Put a whole flow in place of the draft: a text as typed in the JSON view, or a version that is restored."""

    op: Literal["setDocument"]
    text: str = Field(max_length=MAX_BYTES, description="The flow as JSON text. It keeps this flow's id.")
