"""Channels: what a flow's state holds, how a second write combines with the first, and where each starts."""

from __future__ import annotations

import copy
from collections.abc import Iterator
from typing import Annotated, Literal

from pydantic import Field, PrivateAttr

from flows.problem import Finding, at, quoted, rule
from flows.words.base import Dsl, Json, Word, shape

ChannelType = Literal["string", "number", "boolean", "list", "object", "any", "file"]

_HOLDS = {
    "string": "Text.",
    "number": "A number, whole or not.",
    "boolean": "True or false.",
    "list": "Entries in an order.",
    "object": "Named values.",
    "any": "Whatever is written to it.",
    "file": "A file that a person gives.",
}
_COMBINES = {
    "replace": "Takes the place of the first.",
    "append": "Adds its entries to the list.",
    "merge": "Adds its keys to the object.",
}
_EMPTY: dict[str, Json] = {"string": "", "list": [], "object": {}}


class Channel(Word):
    """One named value of a flow's state."""

    type: Annotated[ChannelType, Dsl(widget="choice", values={"file": "0.9"}, topic="channels", says=_HOLDS)] = Field(
        description="What it holds: string, number, boolean, list, object, any or file."
    )
    description: Annotated[str, Field(max_length=4000), Dsl(widget="text")] = Field(
        "", description="What it holds, in the shape code will see it. Generated code is written against these words."
    )
    reducer: Annotated[
        Literal["replace", "append", "merge"], Dsl(widget="choice", label="A second write", says=_COMBINES)
    ] = Field(
        "replace", description="How a second write combines with the first: replace, append (lists) or merge (objects)."
    )
    default: Annotated[Json, Dsl(widget="json")] = Field(None, description="The value it starts from.")
    remembers: Annotated[bool, Dsl(widget="switch", since="0.9")] = Field(
        False, description="Whether its value is kept into the next message of the conversation."
    )
    accept: Annotated[
        str | None, Field(max_length=200), Dsl(widget="line", since="0.9", belongs=("file",), placeholder=".pdf,.docx")
    ] = Field(None, description='On a file channel: what a person may choose, such as "image/*" or ".pdf,.docx".')
    _name: str = PrivateAttr("")

    def named(self, name: str) -> Channel:
        """The channel, knowing its name, so that refusals can say it."""
        self._name = name
        return self

    @property
    def name(self) -> str:
        return self._name

    @property
    def appends(self) -> bool:
        return self.reducer == "append"


class ChannelRefused(TypeError):
    """A value that the channel cannot hold was written to it. The message is a sentence."""

    def __init__(self, message: str) -> None:
        super().__init__(message)
        self.message = message


def fits(type: str, value: Json) -> bool:
    """May a channel of this type hold the value? Null is "nothing", which every channel can hold."""
    if value is None or type == "any":
        return True
    if type == "string":
        return isinstance(value, str)
    if type == "number":
        return isinstance(value, int | float) and not isinstance(value, bool)
    if type == "boolean":
        return isinstance(value, bool)
    return isinstance(value, list) if type == "list" else isinstance(value, dict)


def judge(channel: Channel, value: Json) -> None:
    """Raise ChannelRefused for a value that the channel cannot take. A channel that appends takes any entry."""
    if not channel.appends and not fits(channel.type, value):
        name = f"Channel {quoted(channel.name)}" if channel.name else "This channel"
        raise ChannelRefused(f"{name} holds {_TYPE_WORDS[channel.type]}, and {shape(value)} was written to it.")


def initial(channel: Channel) -> Json:
    """Where a channel starts: its default, else "" for a string, [] for a list, {} for an object, else null."""
    start = channel.default if channel.default is not None else _EMPTY.get(channel.type)
    return copy.deepcopy(start)


def reduce(channel: Channel, old: Json, new: Json) -> Json:
    """What the channel holds after `new` is written over `old`. Raises ChannelRefused for a value of another type.

    replace: the new value. append: a list adds its items, any other value is added as one entry, null adds
    nothing. merge: adds the keys of the new object, null adds nothing.
    """
    if channel.reducer == "append":
        if new is None:
            return old or []
        return [*(old or []), *(new if isinstance(new, list) else [new])]
    judge(channel, new)
    if channel.reducer == "merge":
        return {**(old or {}), **(new or {})}
    return new


_TYPE_WORDS = {
    "string": "text",
    "number": "a number",
    "boolean": "true or false",
    "list": "a list",
    "object": "an object",
    "file": "a file",
}


@rule("REDUCER_TYPE")
def reducer_fits(channel: Channel, path: str) -> Iterator[Finding]:
    """append gathers list items and merge gathers keys, so they need a list and an object channel."""
    needed = {"append": "list", "merge": "object"}.get(channel.reducer)
    if needed and channel.type != needed:
        yield (
            at(path, "reducer"),
            f"Channel {quoted(channel.name)} has the reducer {quoted(channel.reducer)} and the type "
            f"{quoted(channel.type)}; {channel.reducer} needs the type {quoted(needed)}.",
            f'Make its type {quoted(needed)}, or its reducer "replace".',
        )


@rule("CHANNEL_DEFAULT")
def default_fits(channel: Channel, path: str) -> Iterator[Finding]:
    """The default is the first value, so it has the channel's type."""
    if not fits(channel.type, channel.default):
        yield (
            at(path, "default"),
            f"Channel {quoted(channel.name)} holds {_TYPE_WORDS[channel.type]}, and its default is "
            f"{shape(channel.default)}.",
            "Write a default of that type, or change the type.",
        )


@rule("ACCEPT_NOT_FILE")
def accept_is_for_files(channel: Channel, path: str) -> Iterator[Finding]:
    """accept says which files a person may choose; no other channel has a choice to limit."""
    if channel.accept is not None and channel.type != "file":
        yield (
            at(path, "accept"),
            f'Channel {quoted(channel.name)} has "accept" and the type {quoted(channel.type)}; '
            "only a file channel may have it.",
            'Remove "accept", or make the type "file".',
        )


RULES = (reducer_fits, default_fits, accept_is_for_files)
