"""What a process that runs tests is given: files, code, and which tests. One line of JSON in, one for each result."""

from __future__ import annotations

from typing import Any

from pydantic import BaseModel, ConfigDict

from runtime.testing.results import TestResult

Json = Any


class Wanted(BaseModel):
    """A file of tests to run. names: only these of it, when there are any."""

    model_config = ConfigDict(extra="forbid")
    path: str
    names: list[str] = []


class Person(BaseModel):
    """Whose runs they are, where a flow answers only people whom it knows."""

    model_config = ConfigDict(extra="forbid")
    name: str
    address: str


class Job(BaseModel):
    """Files by their paths in one tree: flows, registries, files of tests, code.

    units: the code of a flow by the flow's path, as {"handler:plan": code}, where it is not in a file beside it.
    person: a known one; None where nobody can be asked.
    """

    model_config = ConfigDict(extra="forbid")
    files: dict[str, str]
    units: dict[str, dict[str, str]] = {}
    wanted: list[Wanted]
    person: Person | None = None


class Told(BaseModel):
    """A line from the process: a result, or the end of the job; fault when it could not do its work, in words."""

    result: TestResult | None = None
    done: bool = False
    fault: str = ""
