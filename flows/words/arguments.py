"""The arguments of a tool call: a card shows, a digest names and the call sends exactly what this makes."""

from __future__ import annotations

from collections.abc import Mapping

from flows.words.base import Json
from flows.words.fields import Fields
from flows.words.form import check_values, prefilled


def known(filled: Mapping[str, Json]) -> dict[str, Json]:
    """The arguments that have a value; a template that finds nothing leaves its argument out."""
    return {name: value for name, value in filled.items() if value is not None}


def complete(
    inputs: Fields, filled: Mapping[str, Json], given: Mapping[str, Json] | None = None
) -> tuple[dict[str, Json], dict[str, str]]:
    """(the arguments, {argument: why it is refused}).

    inputs: the tool's declared fields. filled: the node's args with their templates filled in. given: what a person
    typed into the tool's form, checked already; it replaces every declared argument. Undeclared ones pass untouched.
    """
    have = known(filled)
    rest = {name: value for name, value in have.items() if name not in inputs}
    if given is not None:
        return {**rest, **given}, {}
    values, errors = check_values(inputs, prefilled(inputs, have))
    return {**rest, **values}, errors
