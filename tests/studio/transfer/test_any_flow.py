"""Any flow, right or broken, goes in and out and in again the same to the byte."""

from __future__ import annotations

import json
import os
from random import Random
from typing import Any

import pytest

from flows.models import Flow, Workspace
from studio.transfer.archive import pack, unpack
from studio.transfer.giving import give
from studio.transfer.parts import sort
from studio.transfer.sent import of_files
from studio.transfer.taking import take
from tests.flows.flow_of import every_kind
from tests.flows.grown import Grown
from tests.flows.mutations import mutated

MANY = max(12, int(os.environ.get("CHECK_FLOWS", "1500")) // 100)


@pytest.mark.parametrize("seed", range(MANY))
def test_any_flow_goes_round(seed: int, workspace: Workspace, user: Any) -> None:
    # LG-export-04
    chance = Random(seed)
    ann = user("builder", "Ann")
    document = Grown(chance).flow()
    if seed % 2:
        document = mutated(chance, document, [every_kind()], 2)
    written = json.dumps(document, ensure_ascii=chance.random() < 0.5, indent=chance.choice([None, 1, 2]))
    taken = take(sort(of_files("desk", [("flow.json", written.encode("utf-8", "surrogatepass"))])), "new", ann)
    first = give(Flow.objects.get(pk=taken.flows[0].pk)).files
    raw = pack(first)
    assert unpack(raw, "desk").files == first
    again = take(sort(unpack(raw, "desk")), "update", ann)
    assert [flow.pk for flow in again.flows] == [taken.flows[0].pk]
    assert give(Flow.objects.get(pk=taken.flows[0].pk)).files == first
    copied = take(sort(unpack(raw, "desk")), "copy", ann).flows[0]
    assert nameless(give(Flow.objects.get(pk=copied.pk)).files["flow.json"]) == nameless(first["flow.json"])


def nameless(written: str) -> str:
    """A flow without its id and its name, which a copy has of its own."""
    document = json.loads(written)
    if not isinstance(document, dict):
        return written
    return json.dumps({key: each for key, each in document.items() if key not in ("id", "name")})
