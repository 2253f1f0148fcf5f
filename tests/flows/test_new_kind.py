"""A kind of node is one module and its name in a list: a copy of the product with one more kind knows all of it."""

from __future__ import annotations

import difflib
from pathlib import Path

from runtime.processes import ROOT
from tests.newkind.copy import KINDS, listing, passes, with_shout


def test_a_kind_is_one_module_and_a_name_in_the_list() -> None:
    before = (ROOT / KINDS).read_text(encoding="utf-8")
    changed = [line for line in difflib.ndiff(before.splitlines(), listing(before).splitlines()) if line[0] in "+-"]
    # The import, and the list before and after.
    assert len(changed) == 3, changed


def test_such_a_kind_is_whole(tmp_path: Path) -> None:
    passes(with_shout(tmp_path), "tests/runtime/engine/shout_cases.py")
