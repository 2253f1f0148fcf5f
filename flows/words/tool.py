"""Tools: what a flow may call. Each tool's code is written from its description."""

from __future__ import annotations

from typing import Annotated

from pydantic import Field as Declared

from flows.words.base import Dsl, Word
from flows.words.fields import Field


class Tool(Word):
    """One thing the flow may call."""

    name: Annotated[str, Dsl(widget="line", topic="tools", unit="tool")] = Declared(
        description="The name of the tool's function."
    )
    description: Annotated[str, Declared(max_length=8000), Dsl(widget="text")] = Declared(
        "",
        description="Which service it calls and how, and at the end exactly what it returns, in the shape of the "
        "channel the calling node writes.",
    )
    inputs: Annotated[dict[str, Field] | None, Declared(max_length=60), Dsl(widget="fields", since="0.10")] = Declared(
        None, description="Its arguments, as fields. Arguments that are not declared pass through untouched."
    )
