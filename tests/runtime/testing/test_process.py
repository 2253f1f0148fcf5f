"""The process in which tests run: what it knows of this one, how it ends, and what is said when it fails."""

from __future__ import annotations

import json
import os
import signal
import time
from pathlib import Path
from typing import Any

import pytest

from runtime.testing.gathering import gather
from runtime.testing.job import Wanted
from runtime.testing.process import KEPT, Process, ProcessFailed
from tests.runtime.testing.flows import CODED, LOOP, coded

Json = Any


def job(code: str, flow: Json = CODED, tests: int = 1, mock: Json = None) -> Any:
    named = [{"name": f"Test {number}", "mock": mock or {}} for number in range(tests)]
    files = {
        "flow.json": json.dumps(flow), "handlers.py": code,
        "it.test.json": json.dumps({"flow": "flow.json", "tests": named}),
    }  # fmt: skip
    return gather(files, [Wanted(path="it.test.json")])


def environment(process: Process) -> dict[str, str]:
    raw = Path(f"/proc/{process._child.pid}/environ").read_bytes()
    pairs = [pair.partition("=") for pair in raw.decode().split("\0") if pair]
    return {name: value for name, _, value in pairs}


def test_it_is_told_of_no_database_broker_or_key(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("DATABASE_URL", "REDIS_URL", "SECRET_KEY", "OPENAI_API_KEY", "SETTING_LIMIT"):
        monkeypatch.setenv(name, "not for tests")
    with Process() as process:
        known = environment(process)
        assert "not for tests" not in known.values()
        assert set(known) <= {*KEPT, "PYTHONUNBUFFERED"}
        # And what it makes for itself is its own: code that it runs reaches neither.
        (result,) = process.run(job(coded('return {"a": "x"}')))
        assert result.state == "passed"


def test_it_does_one_job_after_another_and_leaves_nothing_behind() -> None:
    with Process() as process:
        for _ in range(2):
            assert [one.state for one in process.run(job(coded('return {"a": "x"}'), tests=2))] == ["passed"] * 2
        own = Path(f"/proc/{process._child.pid}")
        opened = {file.resolve() for file in (own / "fd").iterdir()}
        (folder,) = {file.parent for file in opened if file.name == "tests.sqlite3"}
        assert folder.exists()
    assert not own.exists() and not folder.exists()


def test_one_that_is_ended_from_outside_says_so() -> None:
    with Process() as process:
        running = process.run(job(coded('return {"a": "x"}'), tests=500))
        next(running)
        os.kill(process._child.pid, signal.SIGKILL)
        with pytest.raises(ProcessFailed, match="ended with code -9"):
            list(running)
        assert not process.alive


def test_whoever_wants_no_more_stops_it() -> None:
    with Process() as process:
        wanted = {"nodes": {"decide": {"kind": "other"}, "reply": "."}}
        stopped = iter([False, True, True, True])
        with pytest.raises(ProcessFailed, match="stopped"):
            list(process.run(job("", LOOP, 500, wanted), lambda: next(stopped, True)))


def test_code_that_never_ends_fails_its_test_and_the_next_one_runs() -> None:
    with Process() as process:
        began = time.monotonic()
        results = list(process.run(job(coded("while True:\n        pass"), tests=1)))
        assert results[0].state == "failed" and "second" in results[0].failures[0].message
        assert time.monotonic() - began < 60
        assert [one.state for one in process.run(job(coded('return {"a": "x"}')))] == ["passed"]


def test_a_job_that_cannot_be_read_is_refused() -> None:
    class Odd:
        def model_dump_json(self) -> str:
            return '{"files": 1}'

    with Process() as process, pytest.raises(ProcessFailed, match="cannot be read"):
        list(process.run(Odd()))  # type: ignore[arg-type]
