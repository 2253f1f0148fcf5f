"""What an operation is: fields that say what to do, an act that does it, and words for what was done."""

from __future__ import annotations

from typing import Annotated, Any, ClassVar

from pydantic import Discriminator, Field, Tag

from flows.edits.work import Work
from flows.words.base import OnlyTrue, Word

Json = Any
NodeId = Annotated[str, Field(min_length=1, max_length=64, description="The id of a node.")]
Next = Annotated[str, Field(min_length=1, max_length=64, description="The id of a node, or END.")]
Number = Annotated[float, Field(ge=-1_000_000, le=1_000_000)]
Size = Annotated[float, Field(gt=0, le=20_000)]


class Operation(Word):
    """One thing to do to a draft. Its docstring and its fields' descriptions are what models and the reference read."""

    op: Any

    reads_text: ClassVar[bool] = False
    """Can it be done to a draft that is no JSON object?"""

    def act(self, work: Work) -> None:
        """Do it. Raises work's Mistake, in words, when it cannot be done; what it did by then is taken back."""
        raise AssertionError(f"{type(self).__name__} says no act.")

    def makes(self) -> set[str]:
        """The names that there are once it is done; operations after it may use them."""
        return set()

    def words(self) -> str:
        """What it does, for a list of changes and for "Undo …": `Add the step "reply"`."""
        raise AssertionError(f"{type(self).__name__} says no words.")


class Position(Word):
    """Where the top left corner of something stands on the canvas."""

    x: Number
    y: Number


class NodeTarget(Word):
    """A node."""

    node: NodeId


class EdgeEnds(Word):
    """The ends of an edge."""

    from_: NodeId = Field(alias="from", description="The id of the node that the edge leaves.")
    to: Next | None = Field(
        None, description="The node it leads to, or END; left out for the conditional edge that leaves the node."
    )


class EdgeTarget(Word):
    """An edge."""

    edge: EdgeEnds


class ChannelTarget(Word):
    """A channel of the state."""

    channel: str = Field(max_length=64, description="The channel's name.")


class ToolTarget(Word):
    """A tool."""

    tool: str = Field(max_length=64, description="The tool's name.")


class FlowTarget(Word):
    """The flow itself: its name, description, inputs, outputs, start …"""

    flow: OnlyTrue = Field(
        description='True says the flow itself; a part of it is named by "node", "edge", "channel" or "tool" instead.'
    )


def _target(value: Any) -> str:
    given = value.model_fields_set if isinstance(value, Word) else value if isinstance(value, dict) else ()
    return next((f"<{name}>" for name in ("node", "edge", "channel", "tool") if name in given), "<flow>")


Target = Annotated[
    Annotated[NodeTarget, Tag("<node>")]
    | Annotated[EdgeTarget, Tag("<edge>")]
    | Annotated[ChannelTarget, Tag("<channel>")]
    | Annotated[ToolTarget, Tag("<tool>")]
    | Annotated[FlowTarget, Tag("<flow>")],
    Discriminator(_target),
]


class Quiet(Operation):
    """An operation on the layout alone: where things stand, and comments."""

    reads_text = True
