"""What each kind asks, and what it writes, seen as the engine sees it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import pytest

from flows.kinds import kind_of
from flows.kinds.base import Given, ModelReply, NodeFailed, Pause, Prompt
from flows.words import template
from flows.words.document import Document
from tests.flows.flow_of import accepted, every_kind, question

Json = Any


@dataclass
class Visit:
    """One visit to a node, in memory: what it may read, and what it asked of the outside."""

    flow: Document
    state: Mapping[str, Json] = field(default_factory=dict)
    answers: Mapping[str, Given] = field(default_factory=dict)
    says: str = ""
    gives: Json = None
    address: str = "here#1"
    prompts: list[Prompt] = field(default_factory=list)
    calls: list[tuple[str, str, Json]] = field(default_factory=list)

    def fill(self, text: str) -> str:
        return template.fill(text, self.state)

    def value(self, given: Json) -> Json:
        return template.value(given, self.state)

    async def model(self, prompt: Prompt) -> ModelReply:
        self.prompts.append(prompt)
        return ModelReply(self.says, self.gives)

    async def code(self, kind: str, name: str, given: Json) -> Json:
        self.calls.append((kind, name, given))
        return self.gives

    def off(self, tool: str) -> str:
        return ""

    async def call(self, tool: str, args: Mapping[str, Json], place: str = "") -> Json:
        return await self.code("tool", tool, args)


def desk(**changed: Json) -> Document:
    flow = every_kind()
    flow["state"].update(changed.pop("state", {}))
    for id, words in changed.items():
        next(node for node in flow["nodes"] if node["id"] == id).update(words)
    found = accepted(flow).flow
    assert found is not None
    return found


def pause(visit: Visit, id: str) -> Pause | None:
    node = visit.flow.node(id)
    return kind_of(node.type).pause(node, visit)


async def run(visit: Visit, id: str) -> dict[str, Json]:
    node = visit.flow.node(id)
    wrote = await kind_of(node.type).run(node, visit)
    assert isinstance(wrote, dict)
    return wrote


async def test_ask_puts_its_question_and_writes_the_reply() -> None:
    # LG-ask-01, LG-ask-02
    visit = Visit(desk(which={"ask": "Which of {{order.n}}?"}), {"order": {"n": 2}})
    asked = pause(visit, "which")
    assert asked == Pause(
        "ask", "ask", {"text": "Which of 2?", "show": [{"label": "Order", "channel": "order", "value": {"n": 2}}]}
    )
    visit.answers = {"ask": Given("the red one")}
    assert pause(visit, "which") is None
    assert await run(visit, "which") == {"choice": "the red one"}


async def test_a_form_asks_and_writes_one_object() -> None:
    # LG-forms-16, LG-forms-17
    visit = Visit(desk())
    asked = pause(visit, "details")
    assert asked is not None and asked.slot == "form" and asked.kind == "form"
    assert asked.body["title"] == "Which order?"
    assert list(asked.body["fields"]) == ["orderId", "since"] and asked.body["values"] == {}
    visit.answers = {"form": Given({"orderId": "A1"})}
    assert pause(visit, "details") is None
    assert await run(visit, "details") == {"details": {"orderId": "A1"}}


async def test_a_closed_form_fails_the_node() -> None:
    # LG-forms-12, LG-llm-31, TRAP-03
    visit = Visit(desk(), answers={"form": Given(closed=True)})
    with pytest.raises(NodeFailed, match='The form "Which order\\?" was closed') as failed:
        await run(visit, "details")
    assert failed.value.code == "FORM_CLOSED"


def test_a_form_takes_its_fields_from_a_channel() -> None:
    # LG-forms-21, LG-forms-22
    flow = desk(
        details={"fields": "{{tool_schema}}", "title": ""},
        state={"tool_schema": {"type": "object", "description": "What the tool takes."}},
    )
    taken = {"type": "object", "properties": {"city": {"type": "string", "default": "Berlin"}}, "required": ["city"]}
    asked = pause(Visit(flow, {"tool_schema": taken}), "details")
    assert asked is not None and asked.body == {
        "title": "Details",
        "fields": {"city": {"type": "string", "required": True, "default": "Berlin"}},
        "values": {"city": "Berlin"},
    }


@pytest.mark.parametrize("held", [None, {}, [], "", {"type": "object", "properties": {}}, "text", {"a": 1}])
def test_a_form_that_would_open_empty_names_the_channel(held: Json) -> None:
    # LG-forms-23
    flow = desk(
        details={"fields": "{{tool_schema}}"},
        state={"tool_schema": {"type": "any", "description": "What the tool takes."}},
    )
    with pytest.raises(NodeFailed, match='"tool_schema"'):
        pause(Visit(flow, {"tool_schema": held}), "details")


ORDER = {"details": {"orderId": "A1"}, "choice": "x"}


async def test_a_tool_gets_its_arguments_flat_and_typed() -> None:
    # LG-tools-02, LG-overview-14, LG-tools-13
    args = {"orderId": "{{details.orderId}}", "note": "For {{choice}}", "rows": "{{tries}}", "gone": "{{missing}}"}
    args = {key: each for key, each in args.items() if key != "gone"} | {"gone": "{{details.nothing}}"}
    visit = Visit(desk(change={"args": args}), {**ORDER, "tries": [1, 2]}, gives={"id": "A1"})
    assert pause(visit, "change") is None
    assert await run(visit, "change") == {"order": {"id": "A1"}}
    assert visit.calls == [("tool", "changeOrder", {"orderId": "A1", "note": "For x", "rows": [1, 2]})]


@pytest.mark.parametrize(
    ("known", "values"),
    [
        ({}, {}),
        ({"orderId": ""}, {"orderId": ""}),
        ({"orderId": "A12345"}, {"orderId": "A12345"}),
        ({"orderId": 7}, {"orderId": 7}),
    ],
)
async def test_a_missing_or_refused_argument_stops_with_a_form(known: Json, values: Json) -> None:
    # LG-tools-11: filled in with what is known; nothing is called until it passes.
    visit = Visit(desk(change={"args": {"orderId": "{{details.orderId}}", "note": "n"}}), {"details": known})
    asked = pause(visit, "change")
    assert asked is not None and (asked.slot, asked.kind) == ("args", "form")
    assert list(asked.body["fields"]) == ["orderId", "lines"] and asked.body["values"] == values
    visit.answers, visit.gives = {"args": Given({"orderId": "B2"})}, {}
    assert pause(visit, "change") is None
    await run(visit, "change")
    assert visit.calls == [("tool", "changeOrder", {"note": "n", "orderId": "B2"})]


async def test_a_closed_argument_form_calls_nothing() -> None:
    visit = Visit(desk(), {}, {"args": Given(closed=True)})
    with pytest.raises(NodeFailed, match="nothing was called"):
        await run(visit, "change")
    assert visit.calls == []


async def test_a_prompt_is_filled_and_its_reply_written() -> None:
    # LG-llm-01, LG-llm-40: a string channel keeps the text, JSON or not.
    visit = Visit(desk(), {"history": [], "__approval": None, "__error": {"node": "x"}}, says='{"a": 1}')
    assert await run(visit, "reply") == {"answer": '{"a": 1}'}
    assert visit.prompts == [Prompt('[]  {"node": "x"}', where="answer", channel="answer")]


async def test_a_schema_goes_along_and_only_the_value_is_written() -> None:
    # LG-llm-04, LG-llm-06
    visit = Visit(desk(), {"question": "?"}, says="ignored", gives={"wish": "talk"})
    assert await run(visit, "plan") == {"plan": {"wish": "talk"}}
    (prompt,) = visit.prompts
    assert prompt.schema == every_kind()["nodes"][1]["schema"] and prompt.where == "plan" and prompt.channel is None


def written_to(type: str, **said: Json) -> Document:
    flow = question()
    flow["state"]["answer"] = {"type": type, "description": "The answer.", **said}
    found = accepted(flow).flow
    assert found is not None
    return found


@pytest.mark.parametrize(
    ("type", "said", "reply", "wrote"),
    [
        ("object", {}, 'Sure:\n```json\n{"a": 1}\n```', {"a": 1}),  # LG-llm-36, LG-llm-37
        ("list", {}, "[1, 2]", [1, 2]),
        ("list", {"reducer": "append"}, '{"a": 1}', {"a": 1}),  # LG-llm-41
        ("list", {"reducer": "append"}, '[{"a": 1}]', [{"a": 1}]),
        ("any", {}, "[1]", "[1]"),
    ],
)
async def test_json_in_the_reply(type: str, said: Json, reply: str, wrote: Json) -> None:
    visit = Visit(written_to(type, **said), says=reply)
    assert await run(visit, "reply") == {"answer": wrote}


@pytest.mark.parametrize(("type", "reply"), [("object", "[1]"), ("object", "none"), ("list", '{"a": [1]}')])
async def test_a_reply_without_that_json_fails_the_node(type: str, reply: str) -> None:
    # LG-llm-38
    with pytest.raises(NodeFailed, match=f"holds no JSON {type}") as failed:
        await run(Visit(written_to(type), says=reply), "reply")
    assert failed.value.code == "ANSWER_NOT_JSON"


async def test_a_handler_is_given_the_state_and_writes_what_it_returns() -> None:
    # LG-handlers-02
    visit = Visit(desk(), {"choice": "x"}, gives={"tries": [{"choice": "x"}]})
    assert await run(visit, "count") == {"tries": [{"choice": "x"}]}
    assert visit.calls == [("handler", "countTry", {"choice": "x"})]
    assert await run(Visit(desk(), gives=None), "count") == {}


@pytest.mark.parametrize(
    ("gives", "words"),
    [
        ({"tires": []}, 'Handler "countTry" wrote to "tires", which the flow does not declare'),
        ({"answer": 3}, 'Channel "answer" holds text, and a number was written to it'),
        (["tries"], "must return an object of the channels"),
        ({"__error": None}, 'wrote to "__error"'),
    ],
)
async def test_a_handler_writes_declared_channels_only(gives: Json, words: str) -> None:
    with pytest.raises(NodeFailed, match=words):
        await run(Visit(desk(), gives=gives), "count")
