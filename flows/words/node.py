"""What every node has, whatever its kind."""

from __future__ import annotations

from typing import Annotated, Any

from pydantic import Field

from flows.words.approval import Approval
from flows.words.base import Dsl, Word
from flows.words.names import SKIP


class Retry(Word):
    """Run a failing node again."""

    max_attempts: Annotated[int, Field(ge=1, le=10), Dsl(widget="number", label="Attempts")] = Field(
        description="How often the node runs in all."
    )


class Node(Word):
    """One step of a flow. Its kind adds what it does."""

    id: Annotated[str, Dsl(widget="line", label="Name")] = Field(description="The node's name within the flow.")
    # Each kind narrows it to its own word, which a checker allows only over Any.
    type: Annotated[Any, Dsl(widget="shown")] = Field("handler", description="The node's kind.")
    description: Annotated[str, Field(max_length=8000), Dsl(widget="text")] = Field(
        "", description="What the node does, for people; a handler's code is written from it."
    )
    on_error: Annotated[
        str | None,
        Dsl(ref="next", since="0.3", topic="errors", tab="errors", label="When it fails, go to", values={SKIP: "0.32"}),
    ] = Field(None, description="The node that a failure goes to, instead of ending the run.")
    retry: Annotated[Retry | None, Dsl(since="0.3", topic="errors", tab="errors")] = Field(
        None, description="Run the node again when it fails."
    )
    approval: Annotated[Approval | None, Dsl(topic="approval", tab="approval")] = Field(
        None, description="A person decides before the node does anything."
    )
