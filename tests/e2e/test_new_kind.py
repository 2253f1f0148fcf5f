"""A kind of node that is one module is drawn, filled in, run and explained like any other."""

from __future__ import annotations

from pathlib import Path

from tests.newkind.copy import passes, with_shout


def test_such_a_kind_is_whole_in_a_browser(tmp_path: Path) -> None:
    passes(with_shout(tmp_path), "tests/e2e/shout_cases.py")
