"""The words of a script: what a request must be, what is said to it, and in which manner."""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Literal, Self

from pydantic import BaseModel, ConfigDict, Field, field_validator, model_validator

from runtime.demo import fill

Json = Any


class Word(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)


def _several(value: Json) -> Json:
    return [value] if isinstance(value, str) else value


class When(Word):
    """What a request must be. Everything given must hold; texts are looked for in the last user message, in any case.

    contains: all of these. any: one of these. without: none of these. regex: all of these; named groups are kept.
    system: all of these in the system messages. schema: true, false, or the response format's name. model: its name.
    tools: for requests that bring tools; texts are looked for in the first user message there. Without it a rule is for
    requests without tools.
    nth: only the nth time (1 is the first) that the rest holds.
    """

    contains: tuple[str, ...] = ()
    any: tuple[str, ...] = ()
    without: tuple[str, ...] = ()
    regex: tuple[str, ...] = ()
    system: tuple[str, ...] = ()
    structured: bool | str | None = Field(None, alias="schema")
    model: str | None = None
    tools: bool = False
    nth: tuple[int, ...] = ()

    lists = field_validator("contains", "any", "without", "regex", "system", mode="before")(_several)

    @field_validator("nth", mode="before")
    @classmethod
    def _numbers(cls, value: Json) -> Json:
        return [value] if isinstance(value, int) else value

    @field_validator("contains", "any", "without", "system")
    @classmethod
    def _lowered(cls, value: tuple[str, ...]) -> tuple[str, ...]:
        return tuple(text.lower() for text in value)

    @field_validator("regex")
    @classmethod
    def _compiles(cls, value: tuple[str, ...]) -> tuple[str, ...]:
        for pattern in value:
            try:
                re.compile(pattern)
            except re.error as error:
                raise ValueError(f"the regex {pattern!r} does not parse: {error}") from error
        return value

    @cached_property
    def patterns(self) -> tuple[re.Pattern[str], ...]:
        return tuple(re.compile(pattern) for pattern in self.regex)

    def holds(self, asked: Asked, groups: dict[str, Json]) -> bool:
        """Whether all but nth holds; adds the named groups that were found."""
        text = asked.lowered
        if not all(piece in text for piece in self.contains) or any(piece in text for piece in self.without):
            return False
        if self.any and not any(piece in text for piece in self.any):
            return False
        if self.system and not all(piece in asked.system for piece in self.system):
            return False
        if self.structured is not None and not asked.has_schema(self.structured):
            return False
        if self.model is not None and self.model != asked.model:
            return False
        for pattern in self.patterns:
            found = pattern.search(asked.prompt)
            if found is None:
                return False
            groups.update((name, value) for name, value in found.groupdict().items() if value is not None)
        return True


class Fail(Word):
    """An HTTP error instead of an answer. retry_after: seconds. body: the whole reply, else an OpenAI error object."""

    status: int = Field(500, ge=400, le=599)
    message: str = "The scripted server was told to fail."
    retry_after: float | None = None
    body: Json = None


class Usage(Word):
    prompt_tokens: int
    completion_tokens: int


class Manner(Word):
    """How an answer is given. Times in milliseconds; None leaves it to what is above: group, script, server.

    first_delay: before the first word. pace: between chunks. chunk: words per chunk. cut_after, hang_after: drop the
    line, or say nothing more, after so many characters; hold_after: go on when a test releases it. raw: these bytes as
    the body. drop: hang up without a reply.
    usage: false for a server that reports none. finish: the finish_reason.
    """

    first_delay: float | None = Field(None, ge=0)
    pace: float | None = Field(None, ge=0)
    chunk: int | None = Field(None, ge=1)
    cut_after: int | None = Field(None, ge=0)
    hang_after: int | None = Field(None, ge=0)
    hold_after: int | None = Field(None, ge=0)
    drop: bool | None = None
    raw: str | None = None
    fail: Fail | None = None
    usage: Usage | Literal[False] | None = None
    finish: str | None = None


MANNERS = tuple(Manner.model_fields)
PLAIN = Manner.model_construct()


class Turn(Word):
    """One answer of several in a conversation with tools. calls: what is to be called; arguments that are a text are
    sent as they are, well-formed or not.
    """

    say: str = ""
    calls: tuple[Called, ...] = ()


class Called(Word):
    name: str
    arguments: Json = {}

    def wire(self, id: str) -> dict[str, str]:
        given = self.arguments
        return {
            "id": id,
            "name": self.name,
            "arguments": given if isinstance(given, str) else json.dumps(given, ensure_ascii=False),
        }


class Rule(Manner):
    """One thing to say. A rule with `rules` is a group: its when, read and manner hold for each of them too.

    read: name -> the words in the prompt after which its JSON value stands. means: group -> found text (in lower case)
    -> the value it stands for. answer: text, or JSON sent as text. answers: the first time the first, and so on; the
    last repeats. times: how often the rule may be used.
    turns: instead of an answer, one for each time the model speaks in this conversation; the last repeats. act: the
    name of a part of `acts.py` that makes the turns from the request, for the flow of `example`.
    overlay: not an answer but a manner, laid over whatever rule answers.
    """

    name: str = ""
    note: str = ""
    when: When = When()  # pyright: ignore[reportCallIssue]
    read: dict[str, str] = {}
    means: dict[str, dict[str, Json]] = {}
    answer: Json = None
    answers: tuple[Json, ...] = ()
    turns: tuple[Turn, ...] = ()
    act: Literal["build", "approve", "reword", "explain", "code"] | None = None
    example: str = ""
    times: int | None = Field(None, ge=1)
    overlay: bool = False
    rules: tuple[Rule, ...] = ()

    @model_validator(mode="after")
    def _whole(self) -> Self:
        if self.answer is not None and self.answers:
            raise ValueError("a rule has an answer or answers, not both")
        if (self.turns or self.act) and (self.answer is not None or self.answers):
            raise ValueError("a rule has turns or an answer, not both")
        if self.rules and (self.answer is not None or self.answers or self.times or self.overlay):
            raise ValueError("a group has rules of its own and no answer, times or overlay")
        try:
            fill.check([self.answer, *self.answers])
        except fill.FillRefused as refused:
            raise ValueError(str(refused)) from refused
        return self


class Script(Manner):
    """A script file: title, what holds for all of its rules, and the rules.

    patterns: name -> a piece of regex. `{{name}}` in a regex, or in a later pattern, stands for it.
    """

    title: str = ""
    patterns: dict[str, str] = {}
    rules: tuple[Rule, ...]


@dataclass
class Asked:
    """A request as rules see it. prompt: the user message that they look into. said: all that the user said."""

    prompt: str
    instructions: str = ""
    model: str = ""
    schema_name: str | None = None
    structured: bool = False
    tools: bool = False
    turn: int = 0
    said: str = ""

    @cached_property
    def lowered(self) -> str:
        return self.prompt.lower()

    @cached_property
    def system(self) -> str:
        return self.instructions.lower()

    def has_schema(self, wanted: bool | str) -> bool:
        return self.schema_name == wanted if isinstance(wanted, str) else self.structured == wanted
