"""Flows with tests beside them, run by the real process: one for the whole session, as a worker keeps one."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping
from typing import Any

import pytest

from runtime.testing.gathering import gather
from runtime.testing.job import Wanted
from runtime.testing.process import Process
from runtime.testing.results import TestResult

Json = Any
Try = Callable[..., TestResult]


@pytest.fixture(scope="session")
def process() -> Iterator[Process]:
    with Process() as running:
        yield running


@pytest.fixture
def run(process: Process) -> Callable[..., list[TestResult]]:
    """`run(files)`: the results of every file of tests among them, in the order of their paths."""

    def go(files: Mapping[str, Json], *names: str) -> list[TestResult]:
        texts = {path: each if isinstance(each, str) else json.dumps(each) for path, each in files.items()}
        wanted = [Wanted(path=path, names=list(names)) for path in sorted(texts) if path.endswith(".test.json")]
        return list(process.run(gather(texts, wanted)))

    return go


@pytest.fixture
def attempt(run: Callable[..., list[TestResult]]) -> Try:
    """`attempt(flow, code, input=…, mock=…, expect=…)`: the result of one test of the flow."""

    def go(flow: Json, code: str = "", more: Mapping[str, Json] | None = None, **test: Json) -> TestResult:
        beside = {"flow": "../flow.json", "tests": [{"name": "It", **test}]}
        files = {"flow.json": flow, "handlers.py": code, "tests/it.test.json": beside, **(more or {})}
        (result,) = run(files)
        return result

    return go
