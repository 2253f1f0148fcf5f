"""Channels, versions, the canonical form, and what is derived from the words."""

from __future__ import annotations

import copy
import json
import random
from typing import Any

import jsonschema
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from flows.check import check
from flows.kinds import KINDS
from flows.schema import schema
from flows.units import key_of, units_of
from flows.words.base import Word, declared, read
from flows.words.canonical import canonical, order, sha
from flows.words.channel import Channel, ChannelRefused, initial, reduce
from flows.words.document import Document
from flows.words.versions import NEWEST, below, is_known, parse
from tests.flows.flow_of import accepted, every_kind, found, question

Json = Any


def channel(**said: Json) -> Channel:
    return Channel.model_validate(said).named("facts")


@pytest.mark.parametrize(
    ("said", "old", "new", "after"),
    [
        ({"type": "string"}, "a", "b", "b"),  # LG-channels-04
        ({"type": "string"}, "a", None, None),
        ({"type": "number"}, 1, 2.5, 2.5),
        ({"type": "any"}, 1, {"a": 1}, {"a": 1}),
        ({"type": "list", "reducer": "append"}, ["a"], ["b", "c"], ["a", "b", "c"]),  # LG-channels-05
        ({"type": "list", "reducer": "append"}, None, {"a": 1}, [{"a": 1}]),  # LG-llm-41
        ({"type": "list", "reducer": "append"}, ["a"], None, ["a"]),
        ({"type": "list"}, ["a"], ["b"], ["b"]),
        ({"type": "object", "reducer": "merge"}, {"a": 1, "b": 1}, {"b": 2}, {"a": 1, "b": 2}),  # LG-channels-06
        ({"type": "object", "reducer": "merge"}, None, {"b": 2}, {"b": 2}),
        ({"type": "object"}, {"a": 1}, {"b": 2}, {"b": 2}),
    ],
)
def test_a_second_write(said: Json, old: Json, new: Json, after: Json) -> None:
    before = copy.deepcopy(old)
    assert reduce(channel(**said), old, new) == after
    assert old == before


@pytest.mark.parametrize(
    ("type", "new", "words"),
    [
        ("string", 3, 'Channel "facts" holds text, and a number was written to it.'),
        ("number", "3", 'Channel "facts" holds a number, and text was written to it.'),
        ("number", True, 'Channel "facts" holds a number, and true was written to it.'),
        ("boolean", 0, 'Channel "facts" holds true or false, and a number was written to it.'),
        ("list", {}, 'Channel "facts" holds a list, and an object was written to it.'),
        ("object", [], 'Channel "facts" holds an object, and a list was written to it.'),
        ("file", "x.pdf", 'Channel "facts" holds a file, and text was written to it.'),
    ],
)  # LG-channels-02
def test_a_value_of_another_type_is_refused(type: str, new: Json, words: str) -> None:
    with pytest.raises(ChannelRefused) as refused:
        reduce(channel(type=type), None, new)
    assert refused.value.message == words


def test_where_channels_start() -> None:
    # LG-channels-10
    default = channel(type="list", default=[1])
    assert initial(default) == [1] and initial(default) is not initial(default)
    starts = {type: initial(channel(type=type)) for type in ("string", "list", "object", "number", "boolean", "any")}
    assert starts == {"string": "", "list": [], "object": {}, "number": None, "boolean": None, "any": None}


def test_versions_compare_part_by_part() -> None:
    # LG-versions-02
    assert below("0.9", "0.10") and not below("0.10", "0.9") and not below("0.33", "0.33")
    assert parse("0.10") == (0, 10) and parse("0.010") is None and parse("1") is None


@pytest.mark.parametrize(
    ("version", "known"),
    [
        *((version, True) for version in ("0.1", "0.33", "0.34", "0.53", "1.0")),
        *(
            (version, False)
            for version in ("0.54", "0.99", "1.1", "2.0", "0.0", "0.330", "v0.33", "0.33.1", "", " 0.33")
        ),
    ],
)
def test_known_versions(version: str, known: bool) -> None:
    assert is_known(version) is known
    assert (("VERSION_UNKNOWN", "version") in found({**question(), "version": version})) is not known


SINCE = [
    ("0.1", "0.2", lambda f: _routes(f, limits={"again": {"max": 2, "then": "done"}})),
    ("0.2", "0.3", lambda f: _routes(f, limits={"again": {"max": 2, "then": "done", "per": "reply"}})),
    ("0.2", "0.3", lambda f: f["nodes"][0].update(retry={"maxAttempts": 2})),
    ("0.2", "0.3", lambda f: f["nodes"][0].update(onError="reply")),
    ("0.6", "0.7", lambda f: f.update(description="What it does.")),
    ("0.6", "0.7", lambda f: f.update(inputs=["question"])),
    ("0.6", "0.7", lambda f: f.update(requires={})),
    ("0.8", "0.9", lambda f: f.update(conversation=True)),
    ("0.8", "0.9", lambda f: f["state"]["question"].update(remembers=True)),
    ("0.8", "0.9", lambda f: f["state"].update(photo={"type": "file", "description": "A picture."})),
    ("0.9", "0.10", lambda f: f.update(suggestions=["Where is it?"])),
    ("0.9", "0.10", lambda f: f["nodes"][0].update(approval={"ask": "Answer?", "edit": ["question"]})),
    ("0.14", "0.15", lambda f: f["nodes"][0].update(schema={"type": "string"})),
    ("0.20", "0.21", lambda f: f.update(name="Desk")),
    ("0.26", "0.27", lambda f: f["nodes"][0].update(approval={"ask": "Answer?", "needs": "two-eyes"})),
    ("0.27", "0.28", lambda f: f["nodes"][0].update(approval={"ask": "Answer?", "why": "question"})),
]


def _routes(flow: Json, **more: Json) -> None:
    flow["edges"] = [
        {
            "from": "reply",
            "type": "conditional",
            "router": "route",
            "routes": {"again": "reply", "done": "END"},
            "when": {"again": "'answer' is empty", "done": "anything else"},
            **more,
        }
    ]


@pytest.mark.parametrize(("old", "new", "use"), SINCE)
def test_a_word_below_its_version_is_refused(old: str, new: str, use: Any) -> None:
    # LG-versions-01, LG-versions-04; raising the version is always enough (LG-versions-03)
    flow = {key: each for key, each in question().items() if key in ("start", "state", "nodes", "edges")}
    flow = json.loads(json.dumps(flow).replace("{{history}}", ""))
    use(flow)
    low = check({**flow, "version": old}).errors
    assert [problem.code for problem in low] == ["VERSION_TOO_LOW"]
    assert low[0].hint.startswith(f'Raise "version" to "{new}"')
    for version in (new, "0.33", "0.40", NEWEST):
        assert check({**flow, "version": version}).errors == []


def test_the_kind_of_a_file_is_not_versioned() -> None:
    # LG-versions-06, LG-conversation-01
    flow = {**question(), "version": "0.1", "kind": "system"}
    assert "kind" not in {problem.path for problem in check(flow).errors}


def shuffled(value: Json, seed: random.Random) -> Json:
    if isinstance(value, dict):
        keys = list(value)
        seed.shuffle(keys)
        return {key: shuffled(value[key], seed) for key in keys}
    return [shuffled(each, seed) for each in value] if isinstance(value, list) else value


@settings(max_examples=60, deadline=None)
@given(st.randoms(use_true_random=False))
def test_the_canonical_form_does_not_know_the_order_of_keys(seed: random.Random) -> None:
    flow = every_kind()
    other = shuffled(flow, seed)
    assert canonical(other) == canonical(flow)
    one, two = check(flow).flow, check(other).flow
    assert one is not None and two is not None
    assert sha(one) == sha(two)


def test_every_change_changes_the_hash() -> None:
    flow = accepted(every_kind()).flow
    changed = every_kind()
    changed["nodes"][0]["fields"]["orderId"]["required"] = False
    other = accepted(changed).flow
    assert flow is not None and other is not None and sha(flow) != sha(other)


def test_the_order_of_fields_is_known_apart() -> None:
    flow = every_kind()
    fields = flow["nodes"][0]["fields"]
    flow["nodes"][0]["fields"] = dict(reversed(fields.items()))
    assert order(flow) != order(every_kind()) and sha(flow) == sha(every_kind())


def test_a_document_is_written_as_its_author_wrote_it() -> None:
    flow = accepted(every_kind()).flow
    assert flow is not None and flow.as_json() == every_kind()


def test_words_are_frozen() -> None:
    node = accepted(question()).flow
    assert node is not None
    with pytest.raises(ValueError, match="frozen"):
        node.start = "other"  # pyright: ignore[reportAttributeAccessIssue]


def test_the_published_schema_takes_what_check_takes() -> None:
    made = schema()
    jsonschema.Draft202012Validator.check_schema(made)
    strict = jsonschema.Draft202012Validator(made)
    for flow in (question(), every_kind()):
        strict.validate(flow)
    for key, wrong in (("promt", "x"), ("prompt", 1)):
        flow = question()
        flow["nodes"][0][key] = wrong
        assert not strict.is_valid(flow)
    node = made["$defs"]["LlmNode"]
    assert node["properties"]["schema"]["x-since"] == "0.15"
    assert node["properties"]["output"]["x-ref"] == "channel"
    assert node["x-kind"]["group"] == "model"
    assert made["properties"]["conversation"]["x-since"] == "0.9"


def every_word(word: type[Word], seen: set[type[Word]]) -> set[type[Word]]:
    if word in seen:
        return seen
    seen.add(word)
    for info in word.model_fields.values():
        stack = [info.annotation]
        while stack:
            here = stack.pop()
            if isinstance(here, type) and issubclass(here, Word):
                every_word(here, seen)
            stack += getattr(here, "__args__", ())
    return seen


def test_every_field_says_what_it_means() -> None:
    words: set[type[Word]] = set()
    for word in (Document, *(kind.fields for kind in KINDS)):
        every_word(word, words)
    assert len(words) > 12
    for word in words:
        assert word.__doc__, word
        for name, (key, dsl) in declared(word).items():
            assert word.model_fields[name].description, (word, name)
            assert dsl.ref or dsl.widget or dsl.topic or dsl.since != "0.1", (word, key)


def test_keys_are_named_as_in_json_only() -> None:
    # A snake_case key is a key that nobody documented.
    word, problems = read(Channel, {"type": "file", "accept_": "x"}, "state.a", 'channel "a"')
    assert word is None and problems[0].hint == 'Did you mean "accept"?'
    flow = question()
    flow["nodes"][0]["on_error"] = "reply"
    assert found(flow) == [("UNKNOWN_KEY", "nodes[0].on_error")]


def test_units_are_what_the_flow_needs() -> None:
    flow = every_kind()
    flow["tools"].append({"name": "unusedTool", "description": "GETs something over http and returns it as text."})
    document = check(flow).flow
    assert document is not None
    specs = {spec.id: spec for spec in units_of(document)}
    assert list(specs) == ["service:shop", "handler:countTry", "router:routePlan", "tool:changeOrder"]
    assert list(specs["router:routePlan"].when) == ["change", "talk"]
    assert specs["tool:changeOrder"].inputs["orderId"]["maxLength"] == 5
    assert specs["tool:changeOrder"].services == {"shop": "The shop's REST API, called with GET and POST."}
    assert specs["tool:changeOrder"].packages == {"python-dateutil": ">=2.9,<3"}


def test_a_units_key_changes_with_its_words_only() -> None:
    document = accepted(every_kind()).flow
    moved = every_kind()
    moved["nodes"][4]["id"] = "counting"
    moved["edges"][2]["to"] = moved["edges"][3]["from"] = "counting"
    moved["state"]["answer"]["description"] = "Other words."
    other = accepted(moved).flow
    assert document is not None and other is not None
    assert [spec.key for spec in units_of(document)] == [spec.key for spec in units_of(other)]
    when = {"a": "'n' is 1", "b": "'n' is at least 1"}
    keys = {
        key_of("router", "r", when=when),
        key_of("router", "r", when=dict(reversed(when.items()))),
        key_of("router", "q", when=when),
        key_of("handler", "r"),
        key_of("handler", "r", "Reads 'n'."),
        key_of("tool", "r"),
        key_of("tool", "r", inputs={"a": {"type": "string"}}),
    }
    assert len(keys) == 7
