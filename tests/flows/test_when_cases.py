"""The sentences that the editor's condition builder reads and writes, read by the language: tests/cases/when is shared
with frontend/tests/panel/when.test.ts."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from flows.words.when import compile_router, is_otherwise, is_regular

CASES: list[dict[str, Any]] = [
    case
    for file in sorted((Path(__file__).parent.parent / "cases" / "when").glob("*.json"))
    for case in json.loads(file.read_text(encoding="utf-8"))
]


def code(sentence: str) -> str | None:
    return compile_router("route", {"yes": "a", "no": "b"}, {"yes": sentence, "no": "anything else"})


@pytest.mark.parametrize("case", CASES, ids=[case["sentence"] for case in CASES])
def test_the_language_reads_what_the_builder_reads(case: dict[str, Any]) -> None:
    sentence = case["sentence"]
    assert is_regular(sentence) is not case.get("irregular", False)
    assert is_otherwise(sentence) is case.get("otherwise", False)
    if "any" in case:
        # What the builder writes for it means the same: the very same code.
        assert code(sentence) == code(case["written"]) is not None
