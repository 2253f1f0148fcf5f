"""What a test of a flow found out: whether it holds, what does not, and everything that happened on the way."""

from __future__ import annotations

from typing import Annotated, Any, ClassVar, Literal

from pydantic import BaseModel, ConfigDict, Field

Json = Any

State = Literal["passed", "failed", "refused", "running"]
What = Literal[
    "run", "state", "output", "path", "visits", "notVisited", "tools", "asked", "approvalBefore", "fails", "views",
    "file",
]  # fmt: skip
Happened = Literal["step", "model", "tool", "asked", "answered", "route", "failed", "output", "end"]


class Told(BaseModel):
    """A part of a result. Its names are the same in every language that reads it."""

    model_config = ConfigDict(frozen=True, extra="forbid", json_schema_serialization_defaults_required=True)
    __test__: ClassVar[bool] = False  # pytest would take it for a test by its name


class TestFailure(Told):
    """One thing that is not as the test says.

    what: the expectation (`state`); "run" when the run itself ended otherwise; "file" when it was refused before it
    ran. at: what of it (`classification.category`), or the JSON path of what is refused. compared: wanted and got are
    the two values that differ.
    """

    what: What
    at: str = ""
    message: str
    hint: str = ""
    compared: bool = False
    wanted: Json = None
    got: Json = None


class TestCall(Told):
    """A tool that was called. node: by whom; error: why it went wrong, empty when it did not."""

    name: str
    args: Json
    ok: bool
    node: str
    error: str = ""


class TestQuestion(Told):
    """What a person was asked. answer: what the test did then, in words; empty when nobody spoke for it."""

    node: str
    kind: Literal["ask", "form", "approval", "outcome"]
    words: str
    answer: str = ""


class TestPrompt(Told):
    """What a node asked its model. text: the beginning of a long one; length: of all of it, in characters."""

    node: str
    visit: int
    text: str
    length: int
    reply: str


class TestEvent(Told):
    """Something that happened, in the order in which it did. words: a sentence. ms: how long it took."""

    type: Happened
    node: str
    visit: int
    words: str
    ms: float | None = None
    ok: bool = True


class TestError(Told):
    """How the run ended when it did not come to its end."""

    code: str
    message: str
    node: str = ""


class TestResult(Told):
    """One test of one file.

    path: every node that finished, in order, a fan-out's copies once. visits: how often each did. state: the channels
    when it ended; cut: those that are kept only in part. output: what the flow gave back. tools, asked, prompts, views:
    what it reached, in order. error: how the run ended when it failed, whether that was expected or not.
    """

    file: str
    test: str
    state: State
    ms: Annotated[float, Field(ge=0)] = 0
    failures: list[TestFailure] = []
    path: list[str] = []
    visits: dict[str, int] = {}
    tools: list[TestCall] = []
    asked: list[TestQuestion] = []
    prompts: list[TestPrompt] = []
    events: list[TestEvent] = []
    views: list[str] = []
    values: dict[str, Json] = {}
    cut: list[str] = []
    output: dict[str, Json] = {}
    error: TestError | None = None
