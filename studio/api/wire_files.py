"""What pages say to the server about the files beside a flow, and hear from it."""

from __future__ import annotations

from datetime import datetime
from typing import Annotated, Literal

from pydantic import Field

from studio.frames.items import Wire

LARGEST_TEXT = 1_000_000
FileKind = Literal["triggers", "agents", "test", "eval", "dataset"]
FileMark = Annotated[str, Field(max_length=64)]


class FileBody(Wire):
    """A file as a person typed it. was: the sha of the text that they began from; "" for a new file."""

    text: str = Field(max_length=LARGEST_TEXT)
    was: FileMark


class FileProblem(Wire):
    code: str
    level: Literal["error", "warning"]
    path: str
    message: str
    hint: str


class FlowFileLine(Wire):
    """A file beside a flow, as lists show it. size: in characters."""

    path: str
    kind: FileKind
    sha: str
    size: int
    errors: int
    warnings: int
    by: str
    at: datetime


class FlowFileReply(FlowFileLine):
    """A file with its text, and everything that is wrong with it beside the draft as it is now."""

    text: str
    problems: list[FileProblem]


class FlowFileList(Wire):
    """The files beside a flow, by path. path: where the flow stands in its workspace."""

    path: str
    files: list[FlowFileLine]


class CalleeValue(Wire):
    """An input or an output of a flow that may be run."""

    name: str
    type: str
    description: str


class Callee(Wire):
    """A flow that a step may run. address: where it is, seen from the flow that is edited; of an agent, its name."""

    address: str
    name: str
    description: str
    inputs: list[CalleeValue]
    outputs: list[CalleeValue]


class Callees(Wire):
    """What a flow may run: the other flows of the workspace, and the agents that its registry names."""

    flows: list[Callee]
    agents: list[Callee]


class FilesNews(Wire):
    """What the flow's socket says: a file beside it was saved, or removed."""

    type: Literal["files"]
    path: str
    by: str
