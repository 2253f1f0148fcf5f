"""agents.json: the registry beside a project, which says which flow an agent's name means."""

from __future__ import annotations

from typing import Annotated

from pydantic import Field

from flows.words.base import Dsl, Word
from flows.words.names import is_name

FILE = "agents.json"
MAX_AGENTS = 200


class RegisteredAgent(Word):
    """One agent."""

    flow: Annotated[
        str,
        Field(min_length=1, max_length=300),
        Dsl(widget="line", topic="agents", placeholder="./agents/sql/flow.json"),
    ] = Field(description="Where the agent's flow is, relative to the registry.")


class Registry(Word):
    """The agents that flows of a project may call."""

    agents: Annotated[dict[str, RegisteredAgent], Field(max_length=MAX_AGENTS), Dsl(topic="agents")] = Field(
        description="Name → the agent."
    )


def names_fault(name: str) -> str:
    """What makes a text no agent's name, as the end of a sentence; "" when it is one."""
    if is_name(name):
        return ""
    if "/" in name or "\\" in name or name.endswith(".json"):
        return "is an address and no name"
    return "is no name"
