"""*.test.json: what a flow must do. Every answer from outside is stood in for; everything else is real."""

from __future__ import annotations

from typing import Annotated, Any

from pydantic import Discriminator, Field, Tag

from flows.words.base import Dsl, Json, Word
from flows.words.beside import Beside, CaseName, CodeAddress, Inputs, Settings

MAX_TESTS = 500
SINCE = "0.16"

THEN = "then"
FAILS = "fails"
NOTHING_FOUND = "nothingFound"

ByNode = Annotated[dict[str, Json], Field(max_length=200)]


class Mock(Word):
    """What stands in for everything outside of the flow. { "then": [ … ] } says what comes each time."""

    nodes: Annotated[ByNode, Dsl(widget="json", topic="tests")] = Field(
        default_factory=dict[str, Any],
        description="Node id → what its model answered: text for its own words, anything else for the JSON that it "
        'wrote. A work node takes its model\'s turns: { "then": [ { "calls": [ { name, args } ] }, "the answer" ] }.',
    )
    tools: Annotated[ByNode, Dsl(widget="json")] = Field(
        default_factory=dict[str, Any],
        description='Tool name → what the call returned, or { "fails": "why" } for one that goes wrong.',
    )
    reads: Annotated[ByNode, Dsl(since="0.17", widget="json")] = Field(
        default_factory=dict[str, Any],
        description='Id of a read node → the text, or the whole document as an object, or { "fails": "why" }.',
    )
    answers: Annotated[ByNode, Dsl(widget="json")] = Field(
        default_factory=dict[str, Any],
        description="Node id → what the person did: true or false for an approval, text for an ask, an object for a "
        "form; false closes a form. A list says what happens each time.",
    )
    knowledge: Annotated[ByNode, Dsl(since="0.30", widget="json")] = Field(
        default_factory=dict[str, Any],
        description='Id of a knowledge node → the passages, each { text, source }, or { "nothingFound": true }.',
    )
    index: Annotated[ByNode, Dsl(since="0.31", widget="json")] = Field(
        default_factory=dict[str, Any], description="Id of an index node → { passages }: how many were kept."
    )
    database: Annotated[ByNode, Dsl(since="0.33", widget="json")] = Field(
        default_factory=dict[str, Any],
        description='Id of a database node → the records, the schema, { refused, gate }, or { "fails": "why" }.',
    )


class SentCall(Word):
    """A call of a tool, with what was sent."""

    name: str = Field(description="The tool.")
    args: Annotated[dict[str, Json], Dsl(widget="json")] = Field(
        default_factory=dict, description="Arguments that must have been sent, each a value or a matcher."
    )


def _entry(value: Json) -> str:
    return "<call>" if isinstance(value, dict) else "<name>"


class Expect(Word):
    """What must be so when the run has ended."""

    state: Annotated[dict[str, Json], Field(max_length=200), Dsl(widget="json", topic="tests")] = Field(
        default_factory=dict, description="Path into the state → the value there, or a matcher."
    )
    output: Annotated[dict[str, Json], Field(max_length=200), Dsl(widget="json")] = Field(
        default_factory=dict, description="Path into what the flow gives back → the value there, or a matcher."
    )
    path: Annotated[list[str], Field(max_length=1000), Dsl(widget="list")] = Field(
        default_factory=list, description="Every node that finished, in order; a fan-out's copies count as one."
    )
    visits: Annotated[dict[str, Annotated[int, Field(ge=0)]], Field(max_length=200), Dsl(widget="json")] = Field(
        default_factory=dict, description="Node id → how often it finished."
    )
    not_visited: Annotated[list[str], Field(max_length=200), Dsl(widget="list")] = Field(
        default_factory=list, description="Nodes that must not have run."
    )
    tools: Annotated[
        list[Annotated[Annotated[str, Tag("<name>")] | Annotated[SentCall, Tag("<call>")], Discriminator(_entry)]],
        Field(max_length=200),
        Dsl(widget="json"),
    ] = Field(
        default_factory=list, description="The tools called, in order, by name; or { name, args } for what was sent."
    )
    asked: Annotated[dict[str, Json], Field(max_length=200), Dsl(widget="json")] = Field(
        default_factory=dict, description="Node id → words that the person was asked, or a matcher for them."
    )
    approval_before: Annotated[list[str], Field(max_length=200), Dsl(widget="list")] = Field(
        default_factory=list, description="Nodes before which a person was asked for a yes."
    )
    fails: Annotated[str | None, Field(min_length=1, max_length=1000), Dsl(widget="line")] = Field(
        None, description="The run fails, and these words are in what it says."
    )
    views: Annotated[list[str], Field(max_length=200), Dsl(widget="list")] = Field(
        default_factory=list, description="The views that were shown, by id."
    )

    def says(self, name: str) -> bool:
        """Did the author write this expectation (`path`), even an empty one?"""
        return name in self.model_fields_set


class FlowTest(Word):
    """One test: what goes in, what stands in for the outside, what must come of it."""

    name: CaseName = Field(description="What the test shows, in words.")
    input: Inputs = Field(default_factory=dict, description="The inputs of the run, by name.")
    settings: Settings = Field(default_factory=dict, description="Settings for this test; they win over the file's.")
    mock: Annotated[Mock, Dsl(topic="tests")] = Field(
        Mock.model_validate({}), description="What stands in for models, tools, documents and people."
    )
    expect: Annotated[Expect, Dsl(topic="tests")] = Field(
        Expect.model_validate({}), description="What must be so. Without it, only that the run comes to its end."
    )


class FlowTests(Beside):
    """A file of tests."""

    handlers: CodeAddress = Field(
        None, description="The Python file with the flow's code, relative to this file; else handlers.py by the flow."
    )
    settings: Settings = Field(default_factory=dict, description="Settings for every test of the file.")
    tests: Annotated[list[FlowTest], Field(max_length=MAX_TESTS), Dsl(topic="tests")] = Field(
        description="The tests, each run by itself."
    )
