"""What panels are told of the language is the language: every word, its limits, its meaning, and nothing made up."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Annotated, Any, Literal, get_args

import pytest
from pydantic import Field

from flows import kinds, panels
from flows.check import check
from flows.kinds import KINDS
from flows.kinds.base import Kind, Step
from flows.panels import LISTED, Input, KindShape, fields_of, language
from flows.panels import Field as PanelField
from flows.words.answer import Schema
from flows.words.base import Dsl, Word, declared
from flows.words.channel import Channel
from flows.words.document import Document
from flows.words.edge import ConditionalEdge, Limit, PlainEdge
from flows.words.fields import Field as FormField
from flows.words.node import Node
from flows.words.requires import Setting
from flows.words.tool import Tool
from tests.flows.flow_of import every_kind

Json = Any


def walk(fields: list[PanelField], above: str = "") -> Iterator[tuple[str, PanelField]]:
    for field in fields:
        path = f"{above}{field.key}"
        yield path, field
        yield from walk(field.item, f"{path}.")
        if field.of is not None:
            yield from walk([field.of], f"{path}.*")


def kind(type: str) -> KindShape:
    return next(each for each in language().kinds if each.type == type)


def field(fields: list[PanelField], key: str) -> PanelField:
    return next(each for each in fields if each.key == key)


def sections() -> dict[type[Word], list[PanelField]]:
    """Every word that a panel draws at its top, with the fields it is told."""
    said = language()
    found: dict[type[Word], list[PanelField]] = {
        Channel: said.channel, Tool: said.tool, PlainEdge: said.plain_edge, ConditionalEdge: said.conditional_edge,
        FormField: said.form_field, Schema: said.answer, Document: said.flow,
    }  # fmt: skip
    return found | {each.fields: kind(each.type).fields for each in KINDS}


# Each field of each word is there once, with its own description.
@pytest.mark.parametrize("word", sections(), ids=lambda word: word.__name__)
def test_no_word_is_left_out_and_none_is_made_up(word: type[Word]) -> None:
    drawn = sections()[word]
    wanted = {key for key, _ in declared(word).values()} - (set(LISTED) if word is Document else set())
    assert {each.key for each in drawn} == wanted
    assert len(drawn) == len(wanted)
    for name, (key, dsl) in declared(word).items():
        if key in wanted:
            said = field(drawn, key)
            assert said.help == word.model_fields[name].description
            assert said.since == dsl.since
            assert said.required is word.model_fields[name].is_required()


def test_words_inside_words_are_told_as_deep_as_they_go() -> None:
    approval = field(kind("llm").fields, "approval")
    assert [each.key for each in approval.item] == ["ask", "show", "edit", "onReject", "needs", "why", "exhibits"]
    limits = field(language().conditional_edge, "limits")
    assert limits.of is not None
    assert {each.key for each in limits.of.item} == {key for key, _ in declared(Limit).values()}
    requires = field(language().flow, "requires")
    settings = field(requires.item, "settings")
    assert settings.of is not None
    assert {each.key for each in settings.of.item} == {key for key, _ in declared(Setting).values()}


def test_every_field_has_an_input_and_a_meaning() -> None:
    for fields in sections().values():
        for path, each in walk(fields):
            assert each.widget in get_args(Input)
            if not path.endswith("*"):
                assert each.help, f"{path} has no description"
                assert each.label, path
            # JSON is the last resort, where the language itself takes any value.
            if each.widget == "json":
                assert each.type == "json", path


def test_what_a_text_names_picks_its_input() -> None:
    fields = kind("llm").fields
    assert (field(fields, "output").widget, field(fields, "output").writes) == ("channel", True)
    assert (field(fields, "onError").widget, field(fields, "onError").ref) == ("node", "next")
    assert (field(fields, "prompt").widget, field(fields, "prompt").ref) == ("prompt", "template")
    assert field(kind("tool").fields, "tool").widget == "tool"
    assert field(kind("tool").fields, "args").keys == "tool"
    shows = field(field(fields, "approval").item, "show")
    assert shows.widget == "list"
    assert shows.of is not None
    assert shows.of.widget == "channel"


def test_limits_and_choices_are_the_words_own() -> None:
    attempts = field(field(kind("llm").fields, "retry").item, "maxAttempts")
    assert (attempts.widget, attempts.type, attempts.min, attempts.max) == ("number", "integer", 1, 10)
    assert field(language().flow, "suggestions").max == 8
    types = language().channel_types
    assert [each.value for each in types] == ["string", "number", "boolean", "list", "object", "any", "file"]
    assert all(each.help for each in types)
    assert next(each for each in types if each.value == "file").since == "0.9"
    assert field(language().channel, "reducer").default == "replace"
    assert field(language().answer, "minimum").belongs == ["number"]


def test_an_object_that_a_text_may_stand_for_is_told_with_its_fields() -> None:
    requires = field(language().flow, "requires")
    servers = field(requires.item, "mcp")
    assert servers.of is not None
    tools = field(servers.of.item, "tools")
    assert tools.of is not None
    assert (tools.widget, tools.of.widget, tools.of.short) == ("list", "object", "name")
    assert [each.key for each in tools.of.item] == ["name", "remote", "describe", "inputs"]
    # A map of words is no such choice, nor is text or a template.
    assert servers.short == "" and field(kind("agent").fields, "input").short == ""


def test_one_value_that_may_be_left_out_is_chosen_and_the_only_one_is_shown() -> None:
    collections = field(field(language().flow, "requires").item, "knowledge")
    assert collections.of is not None
    assert field(collections.of.item, "reader").widget == "choice"
    assert field(kind("read").fields, "type").widget == "shown"


def test_what_is_given_once_is_shown_and_never_typed() -> None:
    shown = {each.key for each in language().flow if each.widget == "shown"}
    assert shown == {"id", "createdBy", "lastUpdatedBy"}
    assert field(kind("ask").fields, "type").widget == "shown"


def test_only_what_means_nothing_when_it_is_left_out_is_added_and_removed() -> None:
    assert field(kind("llm").fields, "approval").adds
    assert field(kind("llm").fields, "schema").adds
    assert not field(language().flow, "requires").adds


@pytest.mark.parametrize("each", KINDS, ids=lambda each: each.type)
def test_a_new_node_lacks_only_what_a_person_must_say(each: Kind) -> None:
    """A blank node is of its kind: nothing in it is unknown, of the wrong type, or missing."""
    document = every_kind()
    document["nodes"].append({"id": "fresh", **kind(each.type).blank})
    path = f"nodes[{len(document['nodes']) - 1}]"
    codes = {one.code for one in check(document).problems if one.path.startswith(path)}
    assert not codes & {"UNKNOWN_KEY", "WRONG_TYPE", "MISSING_KEY", "KIND_UNKNOWN", "NOT_ONE_OF"}


def test_what_a_kind_reads_and_writes_is_read_off_its_fields() -> None:
    assert kind("llm").writes == ["output", "approval.edit"]
    assert "prompt" in kind("llm").reads
    assert "approval.ask" in kind("llm").reads
    assert set(kind("tool").reads) >= {"args", "approval.show"}


class ToyNode(Node):
    """Waits for a while."""

    type: Annotated[Literal["toy"], Dsl(topic="toys")] = Field(description='"toy"')
    seconds: Annotated[int, Field(ge=1, le=60), Dsl(widget="number", since="1.0")] = Field(description="How long.")
    into: Annotated[str, Dsl(ref="channel", writes=True, fits="number")] = Field(description="Where it is written.")


class Toy(Kind):
    type = "toy"
    title = "Wait"
    group = "flow"
    icon = "clock"
    since = "1.0"
    fields = ToyNode

    async def run(self, node: ToyNode, step: Step) -> dict[str, Json]:
        return {node.into: node.seconds}


def test_a_new_kind_is_told_with_no_other_change(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(kinds, "KINDS", (*KINDS, Toy()))
    said = panels.language()
    toy = next(each for each in said.kinds if each.type == "toy")
    assert (toy.summary, toy.topic, toy.group) == ("Waits for a while.", "toys", "flow")
    assert toy.blank == {"type": "toy", "seconds": 1, "into": ""}
    assert toy.writes == ["into", "approval.edit"]
    assert [each.key for each in toy.fields][:5] == ["id", "description", "type", "seconds", "into"]
    assert field(toy.fields, "seconds").max == 60
    assert "flow" in {part.name for part in said.groups}
    # And without it the language is as it was.
    monkeypatch.undo()
    assert "toy" not in {each.type for each in panels.language().kinds}


def test_a_field_of_a_word_that_is_told_nothing_else_is_drawn_by_its_type() -> None:
    class Plain(Word):
        words: Annotated[str | None, Field(max_length=5)] = Field(None, description="Words.")
        many: list[int] = Field(default_factory=list, description="Many.")
        named: dict[str, bool] = Field(default_factory=dict, description="Named.")
        free: Any = Field(None, description="Free.")
        small: float = Field(description="Small.")
        either: str | list[str] = Field("", description="One or several.")
        parts: list[Limit] = Field(default_factory=list, description="Words in a list.")

    found = {each.key: each for each in fields_of(Plain)}
    assert {key: each.widget for key, each in found.items()} == {
        "words": "line", "many": "list", "named": "map", "free": "json", "small": "number",
        "either": "json", "parts": "list",
    }  # fmt: skip
    assert found["words"].max == 5
    assert found["parts"].of is not None
    assert [each.key for each in found["parts"].of.item] == ["max", "then", "per"]
    assert found["many"].of is not None
    assert found["many"].of.widget == "number"
    assert found["named"].of is not None
    assert found["named"].of.widget == "switch"
