"""Versions of the language: which there are, how they compare, and that every word knows the one that brought it."""

from __future__ import annotations

import copy
from typing import Any

import pytest

from flows.blocks import PIECES, VIEWS
from flows.check import check
from flows.kinds import KINDS
from flows.kinds.base import Kind
from flows.kinds.form import Form
from flows.tables import words_in
from flows.words.base import Word, declared
from flows.words.document import Document
from flows.words.edge import ConditionalEdge, PlainEdge
from flows.words.versions import BROUGHT, NEWEST, below, is_known
from tests.flows.flow_of import question

Json = Any

WORDS = words_in([Document, PlainEdge, ConditionalEdge, *VIEWS.values(), *PIECES.values(), *(k.fields for k in KINDS)])


def whole() -> dict[str, Json]:
    """A flow that uses each versioned word of a flow's own sections once."""
    flow = question()
    flow |= {
        "version": "0.33", "id": "8f14e45f-ceea-467a-9f1a-2b0f8e5c91aa", "name": "Desk", "createdBy": "Mara",
        "lastUpdatedBy": "Mara", "kind": "user", "suggestions": ["Where is it?"],
        "requires": {"env": ["KEY"], "packages": {"lxml": ">=5"}},
        "views": [{"id": "score", "type": "card", "place": "pinned", "title": "Score", "text": "{{answer}}"}],
        "page": {"title": "Desk", "layout": {"pinned": "side"}, "logo": True, "who": True, "colors": {"rule": "#fff"}},
        "shell": {"brand": {"initials": "D"}, "above": [{"type": "note", "text": "Hello."}]},
    }  # fmt: skip
    flow["state"] |= {
        "case": {"type": "string", "remembers": True, "description": "How it came to this."},
        "invoice": {"type": "file", "accept": ".pdf", "description": "The invoice."},
        "details": {"type": "object", "description": "What was filled in."},
        "tool_schema": {"type": "object", "description": "Fields to ask for."},
    }
    flow["tools"] = [
        {"name": "pay", "description": "Pays by env.KEY over the bank's REST API. Returns the receipt, an object.",
         "inputs": {"sum": {"type": "number"}}},
    ]  # fmt: skip
    approval = {"ask": "Pay?", "edit": ["case"], "needs": "two-eyes", "why": "case", "exhibits": ["invoice"]}
    flow["nodes"] = [
        {"id": "collect", "type": "form", "fields": "{{tool_schema}}", "output": "details", "onError": "reply"},
        {"id": "which", "type": "ask", "ask": "Which?", "show": ["invoice"], "output": "case"},
        {"id": "pay", "type": "tool", "tool": "pay", "args": {"sum": "{{details.sum}}"}, "output": "details",
         "approval": approval, "retry": {"maxAttempts": 2}},
        {**flow["nodes"][0], "schema": {"type": "string"}, "asks": True, "onCancel": "Cancelled."},
    ]  # fmt: skip
    flow["start"] = "collect"
    flow["edges"] = [
        {"from": "collect", "to": "which"},
        {"from": "which", "to": "pay"},
        {"from": "pay", "type": "conditional", "router": "routePay", "routes": {"again": "which", "done": "reply"},
         "when": {"again": "'case' is empty", "done": "anything else"},
         "limits": {"again": {"max": 2, "then": "done", "per": "collect"}}},
        {"from": "reply", "to": "END"},
    ]  # fmt: skip
    return flow


# Path → the version that brought it, as the language settles it.
SINCE = {
    "description": "0.7", "inputs": "0.7", "outputs": "0.7", "requires": "0.7", "conversation": "0.9",
    "state.case.remembers": "0.9", "state.invoice.type": "0.9", "state.invoice.accept": "0.9",
    "requires.packages": "0.9", "suggestions": "0.10", "tools[0].inputs": "0.10", "nodes[0].type": "0.10",
    "nodes[1].show": "0.10", "nodes[2].approval.edit": "0.10", "views": "0.11", "page": "0.12",
    "nodes[3].schema": "0.15", "nodes[0].fields": "0.17", "nodes[3].asks": "0.17", "nodes[3].onCancel": "0.17",
    "id": "0.21", "name": "0.21", "createdBy": "0.21", "lastUpdatedBy": "0.21", "shell": "0.25", "page.layout": "0.26",
    "page.logo": "0.26", "page.who": "0.26", "page.colors": "0.26", "nodes[2].approval.needs": "0.27",
    "nodes[2].approval.why": "0.28", "nodes[2].approval.exhibits": "0.29", "nodes[0].onError": "0.3",
    "nodes[2].retry": "0.3", "edges[2].limits": "0.2", "edges[2].limits.again.per": "0.3",
}  # fmt: skip


def too_low(version: str) -> set[str]:
    problems = check({**whole(), "version": version}).problems
    return {each.path for each in problems if each.code == "VERSION_TOO_LOW"}


def test_the_flow_itself_is_right() -> None:
    assert check(whole()).errors == []


@pytest.mark.parametrize("version", [f"0.{minor}" for minor in range(1, 34)])
def test_each_feature_needs_at_least_its_version(version: str) -> None:  # LG-versions-01, LG-versions-04
    young = {path for path, since in SINCE.items() if below(version, since)}
    # What stands inside a word that is too young is not told beside it.
    inside = {path for path in young if any(path.startswith((f"{each}.", f"{each}[")) for each in young)}
    told = too_low(version)
    assert young - inside <= told <= young


def test_the_words_of_the_refusal() -> None:  # LG-versions-04
    problem = next(each for each in check({**whole(), "version": "0.24"}).errors if each.path == "shell")
    assert problem.message == '"shell" needs version 0.25, and this flow says 0.24.'
    assert problem.hint == 'Raise "version" to "0.25" or later; raising it never breaks a flow.'


def test_versions_compare_part_by_part() -> None:  # LG-versions-02, LG-versions-05
    assert below("0.9", "0.10") and not below("0.10", "0.9")
    assert "suggestions" in too_low("0.9") and "suggestions" not in too_low("0.10")
    assert below("0.33", "1.0") and not below("1.0", "0.33")


@pytest.mark.parametrize("version", [*(f"0.{minor}" for minor in range(34, 54)), "1.0"])
def test_later_versions_mean_the_same(version: str) -> None:  # LG-versions-03
    assert check({**whole(), "version": version}).errors == []


@pytest.mark.parametrize(
    "version",
    ["0.0", "0.54", "0.99", "1.1", "2.0", "0.033", "0.33.0", "1", "", "v0.33", "0.3 ", "٠.٩", "0." + "9" * 99],
)
def test_other_versions_are_refused(version: str) -> None:
    assert not is_known(version)
    assert [each.code for each in check({**whole(), "version": version}).errors] == ["VERSION_UNKNOWN"]


@pytest.mark.parametrize("version", ["0.33", "0.34", "0.53"])
def test_a_word_of_this_product_needs_version_one(version: str, monkeypatch: pytest.MonkeyPatch) -> None:
    # What is added to the reference is 1.0, above every number that means the reference.
    monkeypatch.setattr(Form, "since", NEWEST)
    flow = {**whole(), "version": version}
    (problem,) = check(flow).errors
    assert (problem.code, problem.path) == ("VERSION_TOO_LOW", "nodes[0].type")
    assert problem.message == f'The node kind "form" needs version 1.0, and this flow says {version}.'
    assert check({**flow, "version": "1.0"}).errors == []


KIND_SINCE = {
    "llm": "0.1", "ask": "0.1", "handler": "0.1", "tool": "0.1", "tools": "0.1", "read": "0.1", "fanout": "0.1",
    "form": "0.10", "flow": "0.13", "agent": "0.19", "work": "0.24", "knowledge": "0.30", "index": "0.31",
    "database": "0.33",
}  # fmt: skip


@pytest.mark.parametrize("kind", KINDS, ids=lambda kind: kind.type)
def test_each_kind_came_with_its_version(kind: Kind) -> None:  # LG-versions-01
    assert kind.since == KIND_SINCE[kind.type]


def test_the_files_kind_is_of_no_version() -> None:  # LG-versions-06, LG-conversation-01
    flow = {"version": "0.1", "kind": "system", "start": "a", "nodes": [], "edges": []}
    flow["nodes"] = [{"id": "a", "type": "llm", "prompt": "Hello.", "output": "b"}]
    flow |= {"state": {"b": {"type": "string"}}, "edges": [{"from": "a", "to": "END"}]}
    assert check(flow).errors == []


def test_skip_is_a_value_of_its_own_version() -> None:  # LG-errors-04
    flow = copy.deepcopy(whole())
    flow["nodes"][0]["onError"] = "SKIP"
    flow["version"] = "0.31"
    assert ("VERSION_TOO_LOW", "nodes[0].onError") in {(each.code, each.path) for each in check(flow).errors}


def words() -> list[tuple[str, type[Word]]]:
    return sorted(WORDS.items())


@pytest.mark.parametrize(("name", "word"), words(), ids=lambda each: each if isinstance(each, str) else "")
def test_each_word_says_which_version_brought_it(name: str, word: type[Word]) -> None:  # LG-versions-01
    for key, dsl in declared(word).values():
        for since in (dsl.since, *dsl.values.values(), *dsl.shapes.values()):
            assert since in BROUGHT, f"{key} of {name}: {since} is no version that brought something"


def test_each_version_that_brought_something_has_words() -> None:
    used = {since for word in WORDS.values() for _, dsl in declared(word).values() for since in (dsl.since,)}
    used |= {kind.since for kind in KINDS}
    assert used <= set(BROUGHT)
    assert list(BROUGHT) == sorted(BROUGHT, key=lambda each: tuple(map(int, each.split("."))))
    assert all(is_known(version) and BROUGHT[version] for version in BROUGHT)
