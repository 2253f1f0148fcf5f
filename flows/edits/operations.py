"""Every operation there is. A new one is a class in its module and a line here."""

from __future__ import annotations

from typing import Annotated, Any

from pydantic import Discriminator

from flows.edits.edges import Connect, Disconnect, Reconnect, RenameRoute
from flows.edits.fields import SetField
from flows.edits.layout import AddComment, ChangeComment, Move, RemoveComment
from flows.edits.names import AddChannel, AddTool, RemoveChannel, RemoveTool, RenameChannel, RenameTool
from flows.edits.nodes import AddNode, RemoveNodes, RenameNode, SetStart
from flows.edits.operation import Operation
from flows.edits.whole import Paste, SetDocument

Json = Any

AnyOperation = Annotated[
    AddNode
    | RemoveNodes
    | RenameNode
    | SetField
    | Connect
    | Disconnect
    | Reconnect
    | RenameRoute
    | SetStart
    | AddChannel
    | RemoveChannel
    | RenameChannel
    | AddTool
    | RemoveTool
    | RenameTool
    | Paste
    | SetDocument
    | Move
    | AddComment
    | ChangeComment
    | RemoveComment,
    Discriminator("op"),
]

OPERATIONS: dict[str, type[Operation]] = {
    kind.model_fields["op"].annotation.__args__[0]: kind  # type: ignore[union-attr]
    for kind in AnyOperation.__origin__.__args__  # type: ignore[attr-defined]
}
"""Operation by the word in "op"."""
