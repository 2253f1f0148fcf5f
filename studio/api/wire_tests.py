"""What the Tests panel says to the server, and hears from it."""

from __future__ import annotations

import uuid
from typing import Annotated, Any, Literal

from pydantic import Field

from runtime.testing.results import TestResult
from studio.api.wire_edits import DraftProblem
from studio.frames.items import Wire

Json = Any
Path = Annotated[str, Field(min_length=1, max_length=300)]
Name = Annotated[str, Field(min_length=1, max_length=200)]


class TestName(Wire):
    """A test of a file. line: where it begins in the text, counted from 1."""

    name: str
    line: int


class TestFile(Wire):
    """A file of tests as it is stored. problems: what is wrong with it, against the draft as it is now."""

    path: str
    text: str
    sha: str
    problems: list[DraftProblem]
    tests: list[TestName]


class TestFiles(Wire):
    """The flow's files of tests, by their paths. latest: the run of tests that was begun last, where there is one."""

    files: list[TestFile]
    latest: uuid.UUID | None


class TestsInsideFlow(Wire):
    """A flow that runs inside another. at: what stands before its steps' names in a test. flow: its nodes and tools."""

    at: str
    flow: dict[str, Any]


class TestsInside(Wire):
    """What runs inside a flow, outer ones first."""

    flows: list[TestsInsideFlow]


class TestsBody(Wire):
    """What to run: the files of these paths, else every one; in them the tests of these names, else every one."""

    paths: list[Path] = Field([], max_length=500)
    names: list[Name] = Field([], max_length=500)


class TestsBegun(Wire):
    id: uuid.UUID


class TestsRun(Wire):
    """How a run of tests goes. results: one for each test that has begun, in the order of the files.

    revision: the draft's that is tested, or a later one with the same document. total: how many tests there are to run.
    message: why it failed as a whole.
    """

    id: uuid.UUID
    state: Literal["working", "done", "failed"]
    message: str
    revision: int
    total: int
    passed: int
    failed: int
    ms: float
    results: list[TestResult]


class TestsNews(Wire):
    """What the flow's socket says: a run of tests came further."""

    type: Literal["tests"]
    id: uuid.UUID


class RunTestBody(Wire):
    """What to call the test that is made of a run; made from what was said when empty. path: the file it goes into."""

    name: str = Field("", max_length=200)
    path: str = Field("", max_length=300)


class RunTest(Wire):
    """A file with the new test in it, not stored yet. was: the sha of the file as it is stored, "" for a new one.

    left_out: what the test does not say, and why, in sentences.
    """

    path: str
    text: str
    name: str
    was: str
    left_out: list[str]
