"""Approval: a person decides before a node does anything. Refused means that it never ran."""

from __future__ import annotations

from typing import Annotated

from pydantic import Field

from flows.words.base import Dsl, Word


class Approval(Word):
    """The card that stands before a node."""

    ask: Annotated[
        str,
        Field(min_length=1, max_length=4000),
        Dsl(ref="template", widget="prompt", topic="approval", label="Question on the card"),
    ] = Field(description="The question on the card.")
    show: Annotated[
        list[Annotated[str, Dsl(ref="channel")]], Field(max_length=50), Dsl(ref="channel", label="Shows")
    ] = Field(default_factory=list, description="The channels the person sees: the figures of the decision.")
    edit: Annotated[
        list[Annotated[str, Dsl(ref="channel")]],
        Field(max_length=50),
        Dsl(ref="channel", since="0.10", writes=True, label="May be edited"),
    ] = Field(default_factory=list, description="The channels the person may correct on the card.")
    on_reject: Annotated[str | None, Dsl(ref="next", label="If declined, go to")] = Field(
        None, description="The node that a refusal goes to, or END. Without it a refusal ends the run."
    )
    needs: Annotated[
        str | None, Field(min_length=1, max_length=64), Dsl(widget="line", since="0.27", label="Policy")
    ] = Field(None, description="The policy this approval asks for: a free name that the deployment maps.")
    why: Annotated[str | None, Dsl(ref="channel", since="0.28", label="The agent’s account", fits="string")] = Field(
        None, description="The one channel holding the agent's own account of how it got here."
    )
    exhibits: Annotated[
        list[Annotated[str, Dsl(ref="channel", fits="file")]],
        Field(max_length=20),
        Dsl(ref="channel", since="0.29", label="Documents", fits="file"),
    ] = Field(
        default_factory=list,
        description="The file channels with the documents behind the decision; each is shown apart from the figures.",
    )
