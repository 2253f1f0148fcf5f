"""Operations on the layout: where nodes stand, and comments. None of it is in the flow's document."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import Field

from flows.edits.naming import missing, taken
from flows.edits.operation import Number, Position, Quiet, Size
from flows.edits.work import Work
from flows.problem import quoted
from flows.words.base import Word

Json = Any
CommentId = Annotated[str, Field(min_length=1, max_length=64)]
Text = Annotated[str, Field(max_length=8000)]


class Comment(Word):
    """A note on the canvas, with an id that no other has."""

    id: CommentId
    x: Number
    y: Number
    width: Size
    height: Size
    text: Text


class Layout(Word):
    """What is kept beside the document: where nodes stand, by id, and the comments."""

    nodes: dict[str, Position]
    comments: list[Comment]


class Move(Quiet):
    """Say where nodes stand on the canvas."""

    op: Literal["move"]
    positions: Annotated[dict[str, Position], Field(max_length=5000)] = Field(description="Where they stand, by id.")

    def act(self, work: Work) -> None:
        # Where a node stood that somebody removed meanwhile matters to nobody.
        there = set(work.node_ids)
        for id, position in self.positions.items():
            if id in there:
                work.place(id, position.x, position.y)

    def words(self) -> str:
        return f"Move {quoted(next(iter(self.positions)))}" if len(self.positions) == 1 else "Move nodes"


class AddComment(Quiet):
    """Put a comment on the canvas."""

    op: Literal["addComment"]
    comment: Comment

    def act(self, work: Work) -> None:
        if work.comment_at(self.comment.id) is not None:
            raise taken("comment", self.comment.id)
        work.add_comment(self.comment.plain())

    def words(self) -> str:
        return "Add a comment"


class ChangeComment(Quiet):
    """Move, resize or rewrite a comment; what is left out stays."""

    op: Literal["changeComment"]
    id: CommentId = Field(description="The comment's id.")
    x: Number | None = Field(None, description="Its left edge.")
    y: Number | None = Field(None, description="Its upper edge.")
    width: Size | None = Field(None, description="How wide it is.")
    height: Size | None = Field(None, description="How high it is.")
    text: Text | None = Field(None, description="What it says.")

    def act(self, work: Work) -> None:
        index = work.comment_at(self.id)
        if index is None:
            raise missing("comment", self.id, ())
        for key, value in self.plain().items():
            if key not in ("op", "id") and value is not None:
                work.put(["comments", index, key], value, doc="layout")

    def words(self) -> str:
        return "Change a comment"


class RemoveComment(Quiet):
    """Remove a comment."""

    op: Literal["removeComment"]
    id: CommentId = Field(description="The comment's id.")

    def act(self, work: Work) -> None:
        index = work.comment_at(self.id)
        if index is None:
            raise missing("comment", self.id, ())
        work.drop(["comments", index], doc="layout")

    def words(self) -> str:
        return "Remove a comment"
