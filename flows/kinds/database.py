"""A database node reads a database: what its tables are, or what a statement finds.

Nothing in it says where the database is or who may sign in. Four nodes make an answer: one asks for the schema, a
model writes a statement, one runs it, a model answers from the rows. They are four so that a poor answer can be traced
to one of them.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Annotated, ClassVar, Literal

from pydantic import Field

from flows.draft import Draft
from flows.kinds.base import WrittenOnly
from flows.problem import Finding, at, quoted, rule
from flows.shapes import Shape
from flows.words.base import Dsl
from flows.words.node import Node

MOST_ROWS = 200
"""How many rows may come back, and do when the node does not say it."""

_MODES = {"sql": "Runs a statement that reads.", "schema": "Tells the tables, and what joins to what."}


ROWS = Shape(
    "an object { rows: list of objects, of: how many rows there were in all, cut: true when rows has fewer, "
    "nothingFound: true when there were none, dropped: list of the columns that are not shown, renamed: list of "
    "{ name, shownAs } for the columns that come under another name }. With say: a text for models, when there were no "
    "rows or a column is not shown. A statement that was turned away has rows: [], refused: the reason, for a person, "
    'gate: "read-only" or "diagram", say, and no nothingFound.',
    (
        "Where a person reads of the rows, name each column in dropped as not shown here, even when every row came "
        "back; never say or imply that the database has no such column.",
        "Where a person reads of the rows, call each column in renamed by its shownAs, and read it by that key.",
        "When cut is true, a person is told how many of how many are shown.",
        "When refused is there, what a person reads is that reason; say is for models and never shown.",
    ),
)
"""What a statement gives."""
SCHEMA = Shape(
    "an object { engine: text, connection: text, dialect: list of texts, dialectUnknown: true or false, tables: list "
    "of { schema, table, columns: list of { name, type, nullable, shownAs? } }, relationships: list of { from: "
    '{ schema, table, column }, to: the same, origin: "declared", "person" or "detected" } }; where nothing can be '
    "seen, nothingFound: true and say.",
    ("To a person a column is its shownAs where it has one; in a statement it is its name.",),
)
"""What a request for the schema gives."""


class DatabaseNode(Node):
    """Reads a database."""

    refuses: ClassVar[Mapping[str, str]] = {
        "ask": "A database node sends a statement and no question: let an llm node write it, and run that by "
        '"sql": "{{…}}".',
        "question": "A database node sends a statement and no question: let an llm node write it, and run that by "
        '"sql": "{{…}}".',
        "database": 'The database is named by "from".',
        "tables": "Which tables may be read is decided where the database is connected.",
    }

    type: Annotated[Literal["database"], Dsl(topic="databases")] = Field(description='"database"')
    from_: Annotated[str, Dsl(ref="database", label="Read")] = Field(
        alias="from", description="The database, by its name in requires.database."
    )
    mode: Annotated[Literal["sql", "schema"], Dsl(widget="choice", says=_MODES)] = Field(
        "sql", description="What is asked: sql runs a statement, schema tells the tables."
    )
    sql: Annotated[
        str | None, Field(min_length=1, max_length=100_000), Dsl(ref="template", widget="prompt", label="Statement")
    ] = Field(None, description="In mode sql: the statement, usually one template. It runs exactly as it is written.")
    most: Annotated[
        int | None, Field(ge=1, le=MOST_ROWS), Dsl(widget="number", label="Most rows", placeholder=str(MOST_ROWS))
    ] = Field(None, description="In mode sql: how many rows may come back, up to 200, and 200 when it is left out.")
    output: Annotated[str, Dsl(ref="channel", writes=True, fits="object")] = Field(
        description="The channel that the answer is written to."
    )


@rule("SQL_MISSING")
def statements_are_given(draft: Draft, node: DatabaseNode, path: str) -> Iterator[Finding]:
    """A node that asks for no schema runs a statement, so it has one."""
    if node.mode == "sql" and (node.sql is None or not node.sql.strip()):
        yield (
            path,
            f"Database node {quoted(node.id)} has no statement to run.",
            'Add "sql": "{{…}}", the channel that the statement was written to; or "mode": "schema" for the tables.',
        )


@rule("SCHEMA_TAKES_NO_ROWS")
def schemas_are_asked_alone(draft: Draft, node: DatabaseNode, path: str) -> Iterator[Finding]:
    """A request for the schema runs no statement and counts no rows; with either, nobody could say which was meant."""
    for key in ("sql", "most") if node.mode == "schema" else ():
        if getattr(node, key) is not None:
            yield (
                at(path, key),
                f'Database node {quoted(node.id)} asks for the schema, which takes no "{key}".',
                f'Remove "{key}", or remove "mode" to run a statement.',
            )


@rule("OUTPUT_NOT_FOR_ROWS")
def answers_are_objects(draft: Draft, node: DatabaseNode, path: str) -> Iterator[Finding]:
    """Rows come with how many there were and what was left out, and a schema with its dialect: each is an object."""
    channel = draft.channel(node.output)
    if channel is not None and channel.type not in ("object", "any") and not channel.appends:
        yield (
            at(path, "output"),
            f"Database node {quoted(node.id)} writes an object to {quoted(node.output)}, a channel of type "
            f"{quoted(channel.type)}.",
            f'Give the channel the type "object". The rows are then {{{{{node.output}.rows}}}}.'
            if node.mode == "sql"
            else 'Give the channel the type "object".',
        )


class Database(WrittenOnly):
    type = "database"
    title = "Database"
    summary = "Reads a database: its tables, or what a statement finds."
    group = "data"
    icon = "database"
    since = "0.33"
    fields = DatabaseNode
    rules = (statements_are_given, schemas_are_asked_alone, answers_are_objects)

    def gives(self, node: DatabaseNode) -> Shape:
        return SCHEMA if node.mode == "schema" else ROWS
