"""The reference says everything that the language has, and nothing that the language refuses."""

from __future__ import annotations

import ast
import json
import re
from typing import Any, get_args

import pytest

from flows import reference
from flows.beside.around import Around
from flows.beside.doors import BESIDE_CODES, check_beside
from flows.check import check
from flows.checks import CODES
from flows.kinds import KINDS
from flows.reference import Topic, TopicUnknown
from flows.tables import words_in
from flows.tree import TREE_CODES
from flows.vocabulary import FAMILIES, family_of, roots
from flows.words import strictjson
from flows.words.agents import Registry
from flows.words.answer import AnswerType
from flows.words.base import declared, read
from flows.words.callables import named_on_servers
from flows.words.channel import ChannelType
from flows.words.fields import FieldType
from flows.words.names import END, SKIP
from flows.words.node import Node
from flows.words.template import reads
from flows.words.versions import BROUGHT, NEWEST, below


def blocks(topic: Topic, language: str) -> list[str]:
    """The examples of a topic that are written in a language."""
    return re.findall(rf"^```{language}\n(.*?)^```", topic.text, re.MULTILINE | re.DOTALL)


WORDS = words_in(roots(KINDS))
EXAMPLES = [
    pytest.param(topic, found, id=f"{topic.name}-{index}")
    for topic in reference.topics()
    for index, found in enumerate(blocks(topic, "json"))
]
CODE = [found for topic in reference.topics() for found in blocks(topic, "python")]
EVERYTHING = "\n".join(topic.text for topic in reference.topics())


def whole(part: dict[str, Any]) -> dict[str, Any]:
    """A flow around an example: what it names and does not show is added."""
    if "from" in part:
        flow: dict[str, Any] = {"edges": [part]}
    elif "id" in part and ("type" in part or "handler" in part):
        flow = {"nodes": [part]}
    else:
        flow = dict(part)
    nodes, edges = list(flow.get("nodes", [])), list(flow.get("edges", []))
    wanted = [edge["from"] for edge in edges]
    wanted += [to for edge in edges for to in (edge.get("to"), *edge.get("routes", {}).values())]
    wanted += [each for node in nodes for each in (node.get("onError"), node.get("approval", {}).get("onReject"))]
    known = {SKIP, *(node["id"] for node in nodes)}
    shown = bool(nodes)
    for id in dict.fromkeys(wanted):
        if id and id != END and id not in known:
            nodes.append({"id": id, "type": "ask", "ask": "And then?", "output": "then"})
    if not nodes:
        nodes.append({"id": "only", "type": "ask", "ask": "What?", "output": "then"})
    left = {edge["from"] for edge in edges}
    edges += [{"from": node["id"], "to": END} for node in nodes if node["id"] not in left]
    tools = flow.get("tools", [])
    called = {node["tool"] for node in nodes if node.get("type") == "tool"} - {tool["name"] for tool in tools}
    called -= {name for names in named_on_servers(flow.get("requires")).values() for name in names}
    called |= {"anyTool"} if not tools and any(node.get("type") == "tools" for node in nodes) else set()
    tools = [*tools, *({"name": name, "description": "Returns what it finds there."} for name in sorted(called))]
    made = {"version": NEWEST, "start": nodes[0]["id"], **flow, "nodes": nodes, "edges": edges, "tools": tools}
    if not shown:
        # An example of a single edge: everything else is there to be led to.
        made["start"] = wanted[0] if wanted else nodes[0]["id"]
    if "state" not in flow or not shown:
        made["state"] = {**{name: {"type": "any"} for name in named(made)}, **flow.get("state", {})}
    else:
        made["state"] = {"then": {"type": "string"}, **flow["state"]}
    return made


def named(flow: dict[str, Any]) -> set[str]:
    """Every channel that a flow names."""
    found = set(flow.get("inputs", [])) | set(flow.get("outputs", [])) | {"then"}
    for node in flow["nodes"]:
        approval = node.get("approval", {})
        found |= reads(node) | {node["output"]} if "output" in node else reads(node)
        found |= {*approval.get("show", []), *approval.get("edit", []), *node.get("show", [])}
    for edge in flow["edges"]:
        for words in edge.get("when", {}).values():
            found |= {path.split(".")[0] for path in re.findall(r"'([\w.]+)'", words)}
    return {name for name in found if not name.startswith("__")}


BESIDE = {"triggers": "triggers.json", "tests": "tests/one.test.json", "evals": "evals/one.eval.json"}
"""The list that an example of a file beside a flow has → where such a file stands."""


@pytest.mark.parametrize(("topic", "example"), EXAMPLES)
def test_each_example_has_no_problems(topic: Topic, example: str) -> None:
    part = strictjson.loads(example)
    beside = next((file for key, file in BESIDE.items() if key in part), None)
    if beside:
        flow = next((found for found in blocks(topic, "json") if {"version", "nodes"} <= json.loads(found).keys()), "")
        assert not check_beside(beside, part, Around.of({"flow.json": flow}) if flow else None).problems
    elif part.keys() == {"agents"}:
        assert read(Registry, part, "", "the registry")[1] == []
    elif {"version", "nodes"} <= part.keys():
        assert not check(part).problems
    else:
        assert not check(whole(part)).errors


def test_the_examples_are_found() -> None:
    # Else the test above could pass by looking at none.
    assert len(EXAMPLES) >= 15 and len(CODE) >= 2


@pytest.mark.parametrize("code", CODE)
def test_each_function_has_the_one_signature(code: str) -> None:
    function = ast.parse(code).body[-1]
    assert isinstance(function, ast.FunctionDef | ast.AsyncFunctionDef)
    assert [each.arg for each in function.args.kwonlyargs] == ["services", "settings", "env"]
    first = [["state"], ["args"]] if isinstance(function, ast.AsyncFunctionDef) else [[]]
    assert [each.arg for each in function.args.args] in first


@pytest.mark.parametrize("kind", KINDS, ids=lambda kind: kind.type)
def test_each_kind_is_explained(kind: Any) -> None:  # LG-doc-04
    page = reference.topic(kind.type)
    assert f"the node kind `{kind.type}`\n" in page.text
    assert reference.summary_of(kind) in reference.overview()
    for name, (key, _) in declared(kind.fields).items():
        if name not in Node.model_fields:
            assert f"| `{key}` |" in page.text


def test_each_type_is_explained() -> None:  # LG-doc-04
    types = reference.topic("types").text
    for name in {*get_args(ChannelType), *get_args(FieldType), *get_args(AnswerType)}:
        assert f"| `{name}` |" in types
    for name in get_args(ChannelType):
        assert f"`{name}`" in reference.topic("channels").text
    for name in get_args(FieldType):
        assert f"`{name}`" in reference.topic("forms").text


def test_the_table_of_types_says_who_has_which() -> None:
    rows = re.findall(r"^\| `(\w+)` \| (\w+)[^|]*\| (\w+)[^|]*\| (\w+)", reference.topic("types").text, re.MULTILINE)
    for column, types in ((1, ChannelType), (2, FieldType), (3, AnswerType)):
        assert {row[0] for row in rows if row[column] == "yes"} == set(get_args(types))


@pytest.mark.parametrize("word", WORDS.values(), ids=WORDS)
def test_each_word_has_its_table(word: Any) -> None:  # LG-doc-04
    own = [
        key
        for name, (key, _) in declared(word).items()
        if word in FAMILIES or name not in getattr(family_of(word), "model_fields", ())
    ]
    holding = [topic for topic in reference.topics() if all(f"| `{key}` |" in topic.text for key in own)]
    if word.__name__ != "Edge":
        assert holding, own


WANTED = (
    "overview", "channels", "handlers", "llm", "tools", "work", "forms", "approval", "edges", "errors", "fanout", "ask",
    "read", "knowledge", "databases", "conversation", "contract", "services", "files", "recipes", "patterns", "views",
    "page", "shell", "subflows", "agents", "triggers", "identity", "tests", "evals", "types", "versions",
)  # fmt: skip


@pytest.mark.parametrize("name", WANTED)
def test_each_topic_of_the_language_is_there(name: str) -> None:  # LG-doc-03
    assert reference.topic(name).name == name


def test_each_feature_of_a_version_is_in_the_table() -> None:  # LG-doc-04
    text = reference.topic("versions").text
    assert [version for version, brought in BROUGHT.items() if f"| {version} | {brought} |" not in text] == []


def test_a_word_is_as_old_as_what_it_stands_in() -> None:
    # A field that is never younger than its word would have said so by itself.
    assert "| `weight` | number; 0 to 1 |" in reference.topic("evals").text
    for name, since in (
        ("tests", "0.16"),
        ("evals", "0.18"),
        ("triggers", "0.20"),
        ("work", "0.24"),
        ("shell", "0.25"),
    ):
        tables = re.findall(r"^\| `\w+` \| .* \| ([\d.]+) \|$", reference.topic(name).text, re.MULTILINE)
        assert tables and not [found for found in tables if below(found, since)]


def test_each_version_that_brought_something_is_in_the_table() -> None:  # LG-doc-04
    text = reference.topic("versions").text
    for word in WORDS.values():
        for _, dsl in declared(word).values():
            for since in (dsl.since, *dsl.values.values(), *dsl.shapes.values()):
                assert f"| {since} |" in text
    assert all(f"| {kind.since} |" in text for kind in KINDS)


def test_the_reference_says_the_newest_version() -> None:  # LG-doc-05
    assert f'"version": "{NEWEST}"' in reference.topic("versions").text
    assert f'"version": "{NEWEST}"' in reference.overview()


def test_each_code_is_explained() -> None:
    text = reference.topic("checks").text
    assert [code for code in (*CODES, *TREE_CODES, *BESIDE_CODES) if f"`{code}`" not in text] == []
    assert not re.search(r"\| (error|warning) \| +\|", text), "A rule without a docstring explains nothing."


def test_each_topic_that_a_word_names_is_there() -> None:
    names = {topic.name for topic in reference.topics()}
    meant = {dsl.topic for word in WORDS.values() for _, dsl in declared(word).values() if dsl.topic}
    assert meant <= names
    assert set(reference.ORDER) == names


def test_each_link_leads_to_a_topic() -> None:
    names = {topic.name for topic in reference.topics()}
    assert set(re.findall(r"\]\((\w+)\.md", EVERYTHING)) <= names


def test_nothing_is_left_unfilled() -> None:
    assert "<!--" not in EVERYTHING


@pytest.mark.parametrize("topic", reference.topics(), ids=lambda topic: topic.name)
def test_a_topic_begins_with_its_title(topic: Topic) -> None:
    assert topic.text.startswith(f"# {topic.title}\n\n{topic.summary[:20]}")
    assert topic.summary.endswith(".")
    assert topic.text.count("\n# ") == 0


def test_the_overview_lists_every_topic() -> None:  # LG-doc-02
    text = reference.overview()
    assert all(f"[{topic.name}]({topic.name}.md)" in text for topic in reference.topics())
    # It is part of everything that the Ask bar says to a model.
    assert len(text) < 14_000


def test_a_topic_that_is_not_there_says_which_are() -> None:
    with pytest.raises(TopicUnknown, match='Did you mean "channels"'):
        reference.topic("chanels")
    with pytest.raises(TopicUnknown, match="Its topics are overview, channels"):
        reference.topic("zzz")
