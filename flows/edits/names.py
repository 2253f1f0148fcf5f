"""Operations on channels and tools: what a flow declares by name."""

from __future__ import annotations

from typing import Any, Literal

from pydantic import Field

from flows.edits.operation import Operation

Json = Any
Name = Field(min_length=1, max_length=64, description="The name: letters, digits and _, beginning with a letter.")


class AddChannel(Operation):
    """Declare a channel in the flow's state."""

    op: Literal["addChannel"]
    name: str = Name
    channel: dict[str, Json] = Field(description='The channel: "type", "description", and what else it says.')


class RemoveChannel(Operation):
    """Remove a channel, also from inputs, outputs and cards. Prompts and outputs that still name it are said."""

    op: Literal["removeChannel"]
    name: str = Name


class RenameChannel(Operation):
    """Give a channel another name. Every field, template and condition that names it follows."""

    op: Literal["renameChannel"]
    name: str = Name
    to: str = Name


class AddTool(Operation):
    """Declare a tool that the flow may call."""

    op: Literal["addTool"]
    tool: dict[str, Json] = Field(description='The tool: "name", "description" and, as fields, its "inputs".')


class RemoveTool(Operation):
    """Remove a tool. Nodes that still call it are said."""

    op: Literal["removeTool"]
    name: str = Name


class RenameTool(Operation):
    """Give a tool another name. The nodes that call it and its code follow."""

    op: Literal["renameTool"]
    name: str = Name
    to: str = Name
