"""What holds for every flow there could be. CHECK_FLOWS=20000 looks at more of them."""

from __future__ import annotations

import json
import os
from functools import cache
from pathlib import Path
from random import Random
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from flows.beside.around import Around
from flows.beside.doors import check_beside
from flows.check import MAX_PROBLEMS, Checked, check
from flows.checks import CODES
from flows.edits.apply import Sketch, apply
from flows.kinds import KINDS
from flows.problem import Problem, steps_of
from flows.tree import TREE_CODES, check_tree
from flows.words import strictjson
from flows.words.canonical import canonical, sha
from tests.cases.beside import BESIDE_CODES
from tests.cases.regenerate import CASES
from tests.flows import later_kinds
from tests.flows.files_beside import EVALS, TESTS, TRIGGERS
from tests.flows.flow_of import every_kind, question
from tests.flows.grown import MAKERS, Grown
from tests.flows.mutations import garbled, mutated, shuffled

Json = Any
FLOWS = int(os.environ.get("CHECK_FLOWS", "1500"))
SEEDS = st.integers(0, 2**48)
BESIDE = {"triggers.json": TRIGGERS, "tests/a.test.json": TESTS, "evals/a.eval.json": EVALS}


def some(part: float) -> settings:
    """So many of the flows that are looked at in all."""
    return settings(max_examples=max(20, int(FLOWS * part)), deadline=None, database=None)


@cache
def known() -> tuple[Json, ...]:
    """Flows to begin from: every kind, the examples, and each golden case with its own mistakes."""
    files = [*CASES.glob("*/flow.json"), *(Path(__file__).parents[2] / "flows" / "examples").glob("*/flow.json")]
    found: list[Json] = [every_kind(), question(), *(each() for each in later_kinds.ALL)]
    for file in sorted(files):
        try:
            found.append(strictjson.loads(file.read_bytes()))
        except strictjson.JsonRefused:
            continue
    return tuple(each for each in found if len(json.dumps(each)) < 20_000)


def begun(chance: Random) -> Json:
    return Grown(chance).flow() if chance.random() < 0.5 else chance.choice(known())


def codes(problems: list[Problem]) -> list[str]:
    """Which mistakes, and how many. Of two alike, the one that stands second is blamed, so places follow the order."""
    return sorted(problem.code for problem in problems)


def well_said(problem: Problem, codes: tuple[str, ...], value: Json) -> None:
    """A problem has a code, a place that is there, a sentence, and what to do."""
    assert problem.code in codes
    assert problem.level in ("error", "warning")
    assert problem.message[-1] in ".?!" and problem.hint, problem
    assert len(problem.message) < 2000, problem
    place = steps_of(problem.path)
    assert bool(place) == bool(problem.path), f"{problem.path} cannot be read."
    for at, step in enumerate(place):
        if str(step).endswith("…") or (at + 1 == len(place) and step not in _steps_of(value)):
            # A key that is too long to read, or one that is missing.
            break
        assert isinstance(value, dict | list), (problem, step)
        value = value[step]


def _steps_of(value: Json) -> Any:
    return value if isinstance(value, dict) else range(len(value)) if isinstance(value, list) else ()


def judged(found: Checked, value: Json) -> None:
    assert len(found.problems) <= MAX_PROBLEMS
    assert found.ok == (found.flow is not None and not found.errors)
    for problem in found.problems:
        well_said(problem, CODES, value)


def test_every_kind_is_grown() -> None:
    assert set(MAKERS) == {kind.type for kind in KINDS}


@some(0.2)
@given(SEEDS)
def test_what_is_right_is_accepted_read_back_and_compiled(seed: int) -> None:
    flow = Grown(Random(seed)).flow()
    found = check(flow)
    assert found.flow is not None and not found.errors
    assert found.flow.as_json() == flow
    assert check(json.dumps(flow)) == found
    assert check(found.flow.as_json()).problems == found.problems


@some(0.1)
@given(SEEDS)
def test_form_and_hash_depend_on_no_order_of_keys(seed: int) -> None:
    chance = Random(seed)
    flow = mutated(chance, begun(chance), [*known()]) if chance.random() < 0.5 else begun(chance)
    other = shuffled(chance, flow)
    assert canonical(flow) == canonical(other) and sha(flow) == sha(other)
    one, two = check(flow), check(other)
    assert codes(one.problems) == codes(two.problems)
    if one.flow is not None and two.flow is not None:
        assert sha(one.flow) == sha(two.flow)


@some(0.05)
@given(SEEDS)
def test_form_and_hash_depend_on_no_layout(seed: int) -> None:
    chance = Random(seed)
    flow = Grown(chance).flow()
    places = {each["id"]: {"x": chance.randint(-900, 900), "y": chance.random()} for each in flow["nodes"]}
    comment = {"id": "note", "x": 1, "y": 2, "width": 300, "height": 90, "text": "Here."}
    moved = apply(
        Sketch(flow, {"nodes": {}, "comments": []}),
        [{"op": "move", "positions": places}, {"op": "addComment", "comment": comment}],
    )
    assert moved.layout["nodes"] == places and moved.layout["comments"]
    assert sha(moved.document) == sha(flow)


@some(0.4)
@given(SEEDS)
def test_whatever_is_wrong_is_named(seed: int) -> None:
    chance = Random(seed)
    flow = mutated(chance, begun(chance), [*known()])
    found = check(flow)
    judged(found, flow)
    assert check(flow) == found


@some(0.05)
@given(SEEDS)
def test_texts_that_broke_on_their_way_are_told(seed: int) -> None:
    chance = Random(seed)
    found = check(garbled(chance, begun(chance)))
    assert all(problem.code in CODES and problem.message for problem in found.problems)


@some(0.05)
@given(
    st.recursive(
        st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=20),
        lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=8), inner, max_size=4),
        max_leaves=12,
    )
)
def test_values_of_any_shape_are_told(value: Json) -> None:
    for each in (
        value,
        {**question(), "nodes": value},
        {**question(), "requires": value},
        {**question(), "page": value},
    ):
        assert all(problem.code in CODES and problem.message for problem in check(each).problems)


@some(0.05)
@given(SEEDS)
def test_trees_of_flows_are_told(seed: int) -> None:
    chance = Random(seed)
    names = ["flow.json", "flows/lookup.json", "agents/sql/flow.json", "agents/papers/flow.json"]
    starts = [later_kinds.parent(), later_kinds.child(), later_kinds.orchestrator(), Grown(chance).flow()]
    files: dict[str, str | bytes] = {
        name: json.dumps(mutated(chance, chance.choice(starts), starts, 2)) for name in names
    }
    registry = {"agents": {"sql": {"flow": "./agents/sql/flow.json"}, "papers": {"flow": "./agents/papers/flow.json"}}}
    files["agents.json"] = json.dumps(mutated(chance, registry, starts, 2) if chance.random() < 0.5 else registry)
    for path, found in check_tree(files).items():
        assert path in files
        for problem in found.problems:
            well_said(problem, (*CODES, *TREE_CODES), json.loads(files[path]))


@some(0.1)
@given(SEEDS)
def test_files_beside_a_flow_are_told(seed: int) -> None:
    chance = Random(seed)
    name = chance.choice(list(BESIDE))
    value = mutated(chance, BESIDE[name], [*BESIDE.values()])
    flow = mutated(chance, every_kind(), [*known()], 1) if chance.random() < 0.5 else question()
    for problem in check_beside(name, json.dumps(value), Around.of({"flow.json": json.dumps(flow)})).problems:
        well_said(problem, (*CODES, *TREE_CODES, *BESIDE_CODES), value)


def row(count: int, **more: Json) -> dict[str, Json]:
    """So many steps in a row."""
    nodes = [{"id": f"n{n}", "type": "llm", "prompt": "{{question}}", "output": "answer"} for n in range(count)]
    edges = [{"from": f"n{n}", "to": f"n{n + 1}" if n + 1 < count else "END"} for n in range(count)]
    return {**question(), "conversation": False, "start": "n0", "nodes": nodes, "edges": edges, **more}


def choice(count: int, to: str = "END") -> Json:
    return {
        "from": "n0", "type": "conditional", "router": "choose", "routes": {f"r{n}": to for n in range(count)},
        "when": {f"r{n}": f"'answer' is \"{n}\"" for n in range(count)},
        "limits": {f"r{n}": {"max": 1, "then": f"r{n + 1}"} for n in range(count - 1)},
    }  # fmt: skip


LARGE: dict[str, Json] = {
    "5,000 in a row": row(5000),
    "each leads to another": row(5000, edges=[{"from": f"n{n}", "to": f"n{n * 7 % 5000}"} for n in range(5000)]),
    "nothing is led anywhere": row(5000, edges=[]),
    "every name is unknown": row(3000, edges=[{"from": f"m{n}", "to": f"k{n}"} for n in range(3000)], state={}),
    "one id for all": row(1, nodes=[{"id": "n0", "type": "llm", "prompt": "{{x}}", "output": "y"}] * 5000),
    "one step with 2,000 routes": row(1, edges=[choice(2000)]),
    "20,000 channels": row(
        1, state={f"c{n}": {"type": "list", "reducer": "merge", "description": ""} for n in range(12_000)}
    ),
    "a prompt of templates": row(1, nodes=[{**row(1)["nodes"][0], "prompt": "{{question}} {{a.b}} " * 4000}]),
    "a prompt of brackets": row(1, nodes=[{**row(1)["nodes"][0], "prompt": "{{" * 49_000}]),
    "a sentence without end": row(1, edges=[{**choice(1), "when": {"r0": "'a' is \"b\" and " * 20_000}}]),
    "a description of quotes": row(1, nodes=[{"id": "n0", "handler": "x", "description": "'`\"" * 2600}]),
    "tools of one name": row(1, tools=[{"name": "look", "description": "Returns it. " * 3}] * 5000),
    "a page of css": row(1, page={"css": "a{" * 9000}),
    "keys nobody knows": row(1, **{f"key{n}": n for n in range(20_000)}),
    "inputs of one name": row(1, inputs=["question"] * 20_000),
    "suggestions alike": row(1, suggestions=["Why?"] * 50_000),
}  # fmt: skip


@pytest.mark.parametrize("name", LARGE)
def test_large_flows_are_checked_whole(name: str) -> None:
    judged(check(LARGE[name]), LARGE[name])


def test_a_flow_of_ten_thousand_steps_is_refused_in_words() -> None:
    (problem,) = check(row(10_000)).problems
    assert problem.code == "TOO_MANY_NODES" and "10,000" in problem.message


@pytest.mark.parametrize(
    "text",
    [
        "[" * 500_000, '{"a":' * 400_000, '{"a":[' * 100_000 + "]}" * 100_000, '"' + "\\u0041" * 160_000 + '"',
        "[" + "1," * 490_000 + "1]", "{" + ",".join(f'"{n}":{n}' for n in range(60_000)) + "}",
        "[" + "9" * 900_000 + "]",
        '{"nodes":[' + ",".join(["{}"] * 300_000) + "]}", '{"version":"0.33","nodes":' + "[[]]" * 9 + "}",
    ],
    ids=lambda text: text[:12],
)  # fmt: skip
def test_json_made_to_hurt_is_refused_in_words(text: str) -> None:
    found = check(text)
    assert not found.ok and found.problems
    assert all(problem.code in CODES and problem.message for problem in found.problems)


def test_flows_that_all_run_each_other_are_told() -> None:
    many = 80
    files: dict[str, str | bytes] = {}
    for at in range(many):
        calls = [
            {"id": f"n{n}", "type": "flow", "flow": f"./f{(at + n + 1) % many}.json", "input": {}, "output": {}}
            for n in range(many // 2)
        ]
        edges = [{"from": f"n{n}", "to": f"n{n + 1}" if n + 1 < len(calls) else "END"} for n in range(len(calls))]
        whole = {"version": "0.33", "description": "Runs others.", "inputs": [], "outputs": [], "start": "n0"}
        files[f"f{at}.json"] = json.dumps({**whole, "nodes": calls, "edges": edges})
    found = check_tree(files, "f0.json")
    assert len(found) == many
    for path, each in found.items():
        assert {problem.code for problem in each.errors} >= {"FLOW_RUNS_ITSELF"}, path
        assert any(problem.message.endswith(f"→ {path}.") for problem in each.problems)
