"""Operations on channels and tools: what a flow declares by name."""

from __future__ import annotations

from typing import Any, Literal

from pydantic import Field

from flows.edits.naming import (
    follow,
    follow_channels,
    judge_channel_name,
    judge_code_name,
    let_go,
    missing,
    taken,
)
from flows.edits.operation import Operation
from flows.edits.references import references
from flows.edits.work import UnitMove, Work
from flows.problem import quoted

Json = Any
Name = Field(min_length=1, max_length=64, description="The name: letters, digits and _, beginning with a letter.")


class AddChannel(Operation):
    """Declare a channel in the flow's state."""

    op: Literal["addChannel"]
    name: str = Name
    channel: dict[str, Json] = Field(description='The channel: "type", "description", and what else it says.')

    def act(self, work: Work) -> None:
        judge_channel_name(work, self.name)
        work.section("state", {}, before=["nodes", "edges"])
        if self.name in work.mapped("state"):
            raise taken("channel", self.name)
        work.put(["state", self.name], self.channel)

    def makes(self) -> set[str]:
        return {self.name}

    def words(self) -> str:
        return f"Add the channel {quoted(self.name)}"


class RemoveChannel(Operation):
    """Remove a channel, also from inputs, outputs and cards. Prompts and outputs that still name it are said."""

    op: Literal["removeChannel"]
    name: str = Name

    def act(self, work: Work) -> None:
        if self.name not in work.mapped("state"):
            raise missing("channel", self.name, work.mapped("state"))
        work.drop(["state", self.name])
        for found in reversed(list(references(work.document, "channel"))):
            if found.text == self.name:
                let_go(work, found)

    def words(self) -> str:
        return f"Remove the channel {quoted(self.name)}"


class RenameChannel(Operation):
    """Give a channel another name. Every field, template and condition that names it follows."""

    op: Literal["renameChannel"]
    name: str = Name
    to: str = Name

    def act(self, work: Work) -> None:
        if self.name not in work.mapped("state"):
            raise missing("channel", self.name, work.mapped("state"))
        judge_channel_name(work, self.to)
        if self.to == self.name:
            return
        if self.to in work.mapped("state"):
            raise taken("channel", self.to)
        work.rename_key(["state", self.name], self.to)
        follow_channels(work, {self.name: self.to})

    def makes(self) -> set[str]:
        return {self.to}

    def words(self) -> str:
        return f"Rename the channel {quoted(self.name)} to {quoted(self.to)}"


class AddTool(Operation):
    """Declare a tool that the flow may call."""

    op: Literal["addTool"]
    tool: dict[str, Json] = Field(description='The tool: "name", "description" and, as fields, its "inputs".')

    def act(self, work: Work) -> None:
        name = self.tool.get("name")
        judge_code_name("tool", name)
        if name in work.tool_names:
            raise taken("tool", str(name))
        work.section("tools", [], before=["state", "nodes", "edges"])
        work.insert(["tools", len(work.listed("tools"))], self.tool)

    def makes(self) -> set[str]:
        return {str(self.tool.get("name"))}

    def words(self) -> str:
        return f"Add the tool {quoted(self.tool.get('name'))}"


class RemoveTool(Operation):
    """Remove a tool. Nodes that still call it are said."""

    op: Literal["removeTool"]
    name: str = Name

    def act(self, work: Work) -> None:
        index = next((index for index, name, _ in work.tools() if name == self.name), None)
        if index is None:
            raise missing("tool", self.name, work.tool_names)
        work.drop(["tools", index])
        for found in reversed(list(references(work.document, "tool"))):
            if found.text == self.name and isinstance(found.path[-1], int):
                let_go(work, found)

    def words(self) -> str:
        return f"Remove the tool {quoted(self.name)}"


class RenameTool(Operation):
    """Give a tool another name. The nodes that call it and its code follow."""

    op: Literal["renameTool"]
    name: str = Name
    to: str = Name

    def act(self, work: Work) -> None:
        places = [index for index, name, _ in work.tools() if name == self.name]
        if not places:
            raise missing("tool", self.name, work.tool_names)
        judge_code_name("tool", self.to)
        if self.to == self.name:
            return
        if self.to in work.tool_names:
            raise taken("tool", self.to)
        work.put(["tools", places[-1], "name"], self.to)
        if len(places) == 1:
            follow(work, ("tool",), self.name, self.to)
            work.moves.append(UnitMove("tool", self.name, self.to))

    def makes(self) -> set[str]:
        return {self.to}

    def words(self) -> str:
        return f"Rename the tool {quoted(self.name)} to {quoted(self.to)}"
