"""Every flow that is right and can run here is compiled."""

from __future__ import annotations

import os
from random import Random
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from flows.check import check
from flows.kinds import KINDS
from flows.runnable import cannot_run
from runtime.engine.compile import compile_graph
from tests.flows.grown import Grown

RUNNING = tuple(kind.type for kind in KINDS if kind.runs)


@settings(max_examples=max(20, int(os.environ.get("CHECK_FLOWS", "1500")) // 10), deadline=None, database=None)
@given(st.integers(0, 2**48))
def test_what_is_accepted_and_can_run_is_compiled(seed: int) -> None:
    found = check(Grown(Random(seed), RUNNING).flow())
    assert found.flow is not None and found.ok and not cannot_run(found)
    no_saver: Any = None
    graph = compile_graph(found.flow, no_saver)
    assert {node.id for node in found.flow.nodes} <= set(graph.nodes)
