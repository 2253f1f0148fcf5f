"""Matchers: what a test expects of a value where it does not say the value itself, `{ "notEmpty": true }`."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import Field

from flows.words.base import Dsl, Json, OnlyTrue, Word, declared

Number = Annotated[float, Field(allow_inf_nan=False)]


class Matcher(Word):
    """What a value must be like. Several words together must all hold."""

    not_empty: Annotated[OnlyTrue, Dsl(topic="tests")] = Field(
        True, description="There is something: not nothing, and no empty text, list or object."
    )
    empty: OnlyTrue = Field(True, description="There is nothing, or an empty text, list or object.")
    contains: Json = Field(
        None, description="A text has this text in it, a list this entry, an object at least these keys and values."
    )
    matches: Annotated[str, Field(min_length=1, max_length=500)] = Field(
        "", description="A regular expression that is found somewhere in the text."
    )
    one_of: Annotated[list[Json], Field(min_length=1, max_length=200)] = Field(
        default_factory=list[Any], description="The value equals one of these."
    )
    length: Annotated[int, Field(ge=0)] = Field(0, description="How many characters, entries or keys there are.")
    min: Number = Field(0, description="The number is at least this.")
    max: Number = Field(0, description="The number is at most this.")
    type: Literal["string", "number", "boolean", "list", "object"] = Field(
        "string", description="What kind of value it is: string, number, boolean, list or object."
    )
    absent: OnlyTrue = Field(True, description="There is no value at all.")

    def says(self, name: str) -> bool:
        """Did the author write this word (`not_empty`)?"""
        return name in self.model_fields_set


MATCHERS = tuple(key for key, _ in declared(Matcher).values())


def is_matcher(value: Json) -> bool:
    """Is an expected value a matcher, and not the value itself? It is when it has a matcher's word."""
    return isinstance(value, dict) and any(word in value for word in MATCHERS)
