"""*.eval.json: how good a flow's answers are. Each criterion is scored by itself, with a reason."""

from __future__ import annotations

from typing import Annotated, Any

from pydantic import Field

from flows.words.base import Dsl, Word
from flows.words.beside import Beside, CaseName, CodeAddress, Inputs, Settings
from flows.words.testfile import ByNode

MAX_CASES = 1000
SINCE = "0.18"

Score = Annotated[float, Field(ge=0, le=1, allow_inf_nan=False)]


class Criterion(Word):
    """One thing that is judged."""

    description: Annotated[str, Field(min_length=1, max_length=4000), Dsl(widget="text", topic="evals")] = Field(
        description="The whole of what the judge is told."
    )
    weight: Annotated[Score | None, Dsl(widget="number")] = Field(
        None, description="Its part of the score. All criteria have one or none has, and they add up to 1."
    )


Criteria = Annotated[dict[str, Criterion], Field(max_length=20), Dsl(topic="evals")]


class Most(Word):
    """A bound on something measured."""

    max: Annotated[float, Field(ge=0, allow_inf_nan=False), Dsl(widget="number")] = Field(
        description="The most that is taken."
    )


class Metrics(Word):
    """What is measured on the run itself. What could not be measured does not pass."""

    latency_ms: Annotated[Most | None, Dsl(topic="evals", label="Milliseconds")] = Field(
        None, description="How long the run took, in milliseconds."
    )
    tokens: Most | None = Field(None, description="The tokens that the flow's models used, as they report them.")
    tool_calls: Most | None = Field(None, description="How many calls of tools were made.")
    llm_calls: Most | None = Field(None, description="How often a model was asked.")


class Thresholds(Word):
    """The scores that all cases together must reach."""

    overall: Annotated[Score | None, Dsl(topic="evals")] = Field(None, description="The mean over all cases.")
    criteria: Annotated[dict[str, Score], Field(max_length=20), Dsl(widget="json")] = Field(
        default_factory=dict, description="Criterion → the mean of its scores."
    )


class Reference(Word):
    """What is taken as true."""

    facts: Annotated[
        list[Annotated[str, Field(min_length=1, max_length=2000)]], Field(max_length=50), Dsl(widget="list")
    ] = Field(
        default_factory=list, description="Short true statements that the answer should agree with and not go beyond."
    )
    answer: Annotated[str | None, Field(min_length=1, max_length=20_000), Dsl(widget="text")] = Field(
        None, description="One good answer, put to the judge as one of many."
    )


class EvalMock(Word):
    """What an eval must not really do. The model is never stood in for."""

    tools: Annotated[ByNode, Dsl(widget="json")] = Field(
        default_factory=dict[str, Any],
        description='Tool name → what the call returned, or { "fails": "why" } for one that goes wrong.',
    )
    reads: Annotated[ByNode, Dsl(widget="json")] = Field(
        default_factory=dict[str, Any], description="Id of a read node → the text, or the whole document as an object."
    )


class EvalCase(Word):
    """One case: a question, and what its answer is judged by."""

    name: CaseName = Field(description="What its score is reported under.")
    input: Inputs = Field(default_factory=dict, description="The inputs of the run, by name.")
    reference: Annotated[Reference | None, Dsl(topic="evals")] = Field(
        None, description="Facts, a good answer, or both; some criteria need none."
    )
    criteria: Criteria = Field(
        default_factory=dict, description="Criteria of this case, beside or instead of the file's."
    )
    metrics: Annotated[Metrics, Dsl(topic="evals")] = Field(
        Metrics.model_validate({}), description="Bounds of this case, beside or instead of the file's."
    )
    mock: Annotated[EvalMock, Dsl(topic="evals")] = Field(
        EvalMock.model_validate({}), description="What stands in for tools and documents."
    )
    settings: Settings = Field(default_factory=dict, description="Settings for this case; they win over the file's.")


class FlowEvals(Beside):
    """A file of cases that are scored."""

    handlers: CodeAddress = Field(
        None, description="The Python file with the flow's code, relative to this file; else handlers.py by the flow."
    )
    settings: Settings = Field(default_factory=dict, description="Settings for every case of the file.")
    criteria: Criteria = Field(default_factory=dict, description="What every case is judged by, by name.")
    metrics: Annotated[Metrics, Dsl(topic="evals")] = Field(
        Metrics.model_validate({}), description="Bounds for every case."
    )
    thresholds: Annotated[Thresholds, Dsl(topic="evals")] = Field(
        Thresholds.model_validate({}), description="What the whole must reach to be good enough."
    )
    evals: Annotated[list[EvalCase] | None, Field(max_length=MAX_CASES), Dsl(topic="evals")] = Field(
        None, description="The cases; or else a dataset."
    )
    dataset: Annotated[
        str | None, Field(min_length=1, max_length=300), Dsl(widget="line", placeholder="./cases.json")
    ] = Field(None, description="A JSON file with a list of cases, relative to this file; or else evals.")
