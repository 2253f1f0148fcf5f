"""What the files beside a flow have in common: which flow they speak of, and with what it is set."""

from __future__ import annotations

from typing import Annotated

from pydantic import Field

from flows.words.base import Dsl, Json, Word

TRIGGERS = "triggers.json"
TEST_ENDING = ".test.json"
EVAL_ENDING = ".eval.json"

MAX_NAME = 200

FlowAddress = Annotated[str, Field(min_length=1, max_length=300), Dsl(widget="line", placeholder="../flow.json")]
CodeAddress = Annotated[
    str | None, Field(min_length=1, max_length=300), Dsl(widget="line", placeholder="../handlers.py", label="Code")
]
Settings = Annotated[dict[str, Json], Field(max_length=100), Dsl(since="0.17", widget="json")]
CaseName = Annotated[str, Field(min_length=1, max_length=MAX_NAME), Dsl(widget="line")]
Inputs = Annotated[dict[str, Json], Field(max_length=100), Dsl(widget="json")]


class Beside(Word):
    """A file beside a flow."""

    flow: FlowAddress = Field(description="Where the flow is, relative to this file.")


def kind_of_file(path: str) -> str:
    """What a file beside a flow is by its name: "triggers", "test", "eval"; "" for any other."""
    name = path.rpartition("/")[2]
    if name == TRIGGERS:
        return "triggers"
    return "test" if name.endswith(TEST_ENDING) else "eval" if name.endswith(EVAL_ENDING) else ""
