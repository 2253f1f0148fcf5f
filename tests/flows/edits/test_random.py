"""Any operations on any document: taken back they give the first bytes, made again the last, and refused they change
nothing."""

from __future__ import annotations

import json
from random import Random
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from flows.check import check
from flows.edits.apply import EditRefused, apply, written
from flows.edits.changes import Sketch, copied, make, reverse, same
from flows.edits.compare import compared
from flows.edits.places import touched
from tests.flows.edits.random_edits import VALUES, broken, random_operation

Json = Any
LAYOUT = {"move", "addComment", "changeComment", "removeComment"}


@pytest.mark.parametrize("name", broken())
@settings(max_examples=60, deadline=None)
@given(seed=st.integers(0, 2**32))
def test_all_undone_gives_the_first_bytes_and_all_redone_the_last(name: str, seed: int) -> None:
    chance = Random(seed)
    first = Sketch(broken()[name], {"nodes": {}, "comments": []})
    now, done = Sketch(copied(first.document), copied(first.layout)), []
    for _ in range(chance.randint(1, 25)):
        before = written(now.document), written(now.layout)
        operations = [random_operation(chance, now.document) for _ in range(chance.choice([1, 1, 1, 2, 3]))]
        try:
            applied = apply(now, operations)
        except EditRefused as refused:
            assert refused.problems and all(each.message.endswith((".", "?")) for each in refused.problems)
            assert (written(now.document), written(now.layout)) == before
            continue
        assert (written(now.document), written(now.layout)) == before, "apply() changed what it was given."
        # Places are told by names, along the same steps.
        touched(now, applied.changes)
        check(applied.document)
        kinds = {each["op"] for each in operations}
        if "setDocument" not in kinds:
            assert applied.text == written(applied.document)
        if kinds <= LAYOUT:
            assert written(applied.document) == before[0]
        done += applied.changes
        now = Sketch(applied.document, applied.layout)
    last = written(now.document), written(now.layout)
    # As they come back from the database.
    done = json.loads(json.dumps(done))
    kept = json.dumps(done)
    make(now, reverse(done))
    assert (written(now.document), written(now.layout)) == (written(first.document), written(first.layout))
    make(now, done)
    assert (written(now.document), written(now.layout)) == last
    assert json.dumps(done) == kept, "What was changed afterwards was changed in the change too."


@settings(max_examples=300, deadline=None)
@given(seed=st.integers(0, 2**32))
def test_garbage_is_refused_in_words(seed: int) -> None:
    chance = Random(seed)
    document = chance.choice(list(broken().values()))
    operation = random_operation(chance, document)
    for _ in range(chance.randint(1, 3)):
        key = chance.choice([*operation, "more", "op"])
        operation[key] = chance.choice([*VALUES, {"node": 1}, {"edge": {"from": 1}}, {"flow": 0}, [None], "x" * 9000])
        if chance.random() < 0.2:
            del operation[key]
    try:
        applied = apply(Sketch(document, {}), [operation])
    except EditRefused as refused:
        assert all(each.code and each.message and each.operation == 0 for each in refused.problems)
    else:
        make(Sketch(applied.document, applied.layout), reverse(applied.changes))


_VALUES = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-9, 9)
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(max_size=3),
    lambda inner: (
        st.lists(inner, max_size=4)
        | st.dictionaries(st.sampled_from(["id", "name", "from", "a", "b", "c"]), inner, max_size=4)
    ),
    max_leaves=25,
)


@settings(max_examples=400, deadline=None)
@given(_VALUES, _VALUES)
def test_what_is_compared_leads_from_one_to_the_other(old: Json, new: Json) -> None:
    sketch = Sketch(copied(old), {})
    changes = compared(old, new)
    make(sketch, changes)
    assert same(sketch.document, new)
    make(sketch, reverse(changes))
    assert same(sketch.document, old)
