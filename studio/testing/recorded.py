"""A test made of a run: what went in, what models, tools and people answered, and what came of it."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from flows import files, stored
from flows.beside.names import fault_of_path
from flows.models import Flow
from flows.tidy import tidy, written
from flows.words import strictjson
from flows.words.beside import MAX_NAME, TEST_ENDING
from flows.words.testfile import FlowTests
from runtime.events import StepFailed, StepFinished
from runtime.journal import since
from runtime.models import ModelCall, Question, Run
from runtime.testing.files import names_in
from runtime.testing.steps import path_of, plain
from studio.api.wire_tests import RunTest
from studio.refusal import Refusal
from studio.strings import t
from studio.testing.outside import Outside, Steps, as_json, each_time, turn

Json = Any
FOLDER = "tests"
LONGEST_SAID = 500
"""A value written out in so many characters is expected as it is; of a longer one only that it is there."""
LONGEST_NAME = 80
MOST_EVENTS = 50_000


def test_of(run: Run, name: str, path: str) -> RunTest:
    """The file with a test of this run in it. Raises Refusal for a run that has not come to an end by itself."""
    if run.status not in ("done", "failed"):
        raise Refusal("RUN_UNFINISHED", t("testing.run_unfinished"), 409)
    flow = Flow.objects.filter(id=run.deployment.flow_id, deleted_at=None).first()
    if flow is None:
        raise Refusal("FLOW_GONE", t("testing.run_without_flow"), 404)
    if path and (not path.endswith(TEST_ENDING) or fault_of_path(path)):
        raise Refusal("FILE_PATH_INVALID", t("testing.path_other", path=path), 422)
    path, text = _file(flow, path)
    recording = _Recording(run)
    test = recording.test()
    called = _free(" ".join(name.split()) or _name(run), names_in(text))
    whole: Json = strictjson.loads(text) if text else {"flow": _address(flow, path), "tests": []}
    whole["tests"].append({"name": called, **test})
    return RunTest(
        path=path, text=written(tidy(whole, FlowTests)), name=called, was=files.sha_of(text) if text else "",
        left_out=recording.left_out,
    )  # fmt: skip


class _Recording:
    """Reads a run. left_out: what a test cannot say of it."""

    def __init__(self, run: Run) -> None:
        self.run = run
        self.left_out: list[str] = []
        self.steps = Steps(run.version)
        flow = self.steps.document
        self.settings = flow.requires.settings if flow else {}
        log = since(run.conversation_id, 0, limit=MOST_EVENTS)
        events = [entry.event for entry in log if entry.run == run.id]
        self.ends = [event for event in events if isinstance(event, StepFinished | StepFailed)]
        self.models = list(ModelCall.objects.filter(run=run).order_by("id"))
        if len(log) == MOST_EVENTS:
            self._miss("long")
        self.outside = Outside(self.steps, self.ends, self.models, self._miss)

    def test(self) -> dict[str, Json]:
        run = self.run
        mock = {
            "nodes": self._answers(), "tools": each_time(self.outside.tools), "reads": each_time(self.outside.reads),
            "answers": self._people(),
        }  # fmt: skip
        settings = {
            name: value
            for name, value in run.deployment.settings.items()
            if name in self.settings and value != self.settings[name].default
        }
        if Run.objects.filter(conversation_id=run.conversation_id, created_at__lt=run.created_at).exists():
            self._miss("before")
        found = {
            "input": run.inputs, "settings": settings, "mock": {key: each for key, each in mock.items() if each},
            "expect": self._expected(),
        }  # fmt: skip
        return {key: each for key, each in found.items() if each}

    def _miss(self, what: str, **names: str) -> None:
        sentence = t(f"testing.left.{what}", **names)
        if sentence not in self.left_out:
            self.left_out.append(sentence)

    def _answers(self) -> dict[str, Json]:
        found: dict[str, list[Json]] = {}
        for call in self.models:
            node = plain(call.address)
            if call.state == "done":
                found.setdefault(node, []).append(turn(call))
            else:
                self._miss("model_failed", node=node)
        return each_time(found)

    def _people(self) -> dict[str, Json]:
        found: dict[str, list[Json]] = {}
        for question in Question.objects.filter(run=self.run).order_by("created_at", "id"):
            given = question.answer or {}
            if question.kind == "outcome":
                self._miss("outcome", node=question.node)
                continue
            if question.kind == "approval":
                answer: Json = question.state == "approved"
                if given.get("edits"):
                    self._miss("corrected", node=question.node)
            else:
                answer = given.get("value") if question.state == "answered" else False
            found.setdefault(plain(question.address), []).append(answer)
        return {node: answers[0] if len(answers) == 1 else answers for node, answers in found.items()}

    def _expected(self) -> dict[str, Json]:
        expect: dict[str, Json] = {"path": path_of(end for end in self.ends if isinstance(end, StepFinished))}
        approvals = Question.objects.filter(run=self.run, kind="approval").order_by("created_at")
        asked = list(dict.fromkeys(plain(address) for address in approvals.values_list("address", flat=True)))
        if asked:
            expect["approvalBefore"] = asked
        if self.outside.called:
            expect["tools"] = self.outside.called
        if self.run.status == "failed":
            expect["fails"] = (self.run.error or {}).get("message", "")[:1000] or "failed"
            return expect
        output = {name: _as_expected(value) for name, value in self.run.outputs.items() if value is not None}
        if output:
            expect["output"] = output
        return expect


def _as_expected(value: Json) -> Json:
    if value in ("", [], {}):
        return {"empty": True}
    if len(written(value)) > LONGEST_SAID:
        return {"notEmpty": True}
    # An object could be read as a matcher, when it has such a key.
    return {"oneOf": [value]} if isinstance(value, dict) else value


def _name(run: Run) -> str:
    words = next((value for value in run.inputs.values() if isinstance(value, str) and value.strip()), "")
    words = " ".join(words.split()) or f"The run of {run.created_at:%Y-%m-%d %H:%M}"
    return words if len(words) <= LONGEST_NAME else words[: LONGEST_NAME - 1].rstrip() + "…"


def _free(name: str, taken: Iterable[str]) -> str:
    known = set(taken)
    name = name[: MAX_NAME - 5]
    return next(each for each in (name, *(f"{name} ({n})" for n in range(2, 1000))) if each not in known)


def _file(flow: Flow, path: str) -> tuple[str, str]:
    """Where the test goes and what is there now: the file named, else the first of its kind that can be added to."""
    there = {file.path: file.text for file in files.files_of(flow)}
    if path:
        if path in there and not _can_grow(there[path]):
            raise Refusal("FILE_UNREADABLE", t("testing.path_unreadable", path=path), 409)
        return path, there.get(path, "")
    for number in range(1, 1000):
        path = f"{FOLDER}/runs{'' if number == 1 else f'-{number}'}{TEST_ENDING}"
        if path not in there or _can_grow(there[path]):
            return path, there.get(path, "")
    raise Refusal("FILE_PATH_TAKEN", t("testing.path_unreadable", path=path), 409)


def _can_grow(text: str) -> bool:
    whole = as_json(text)
    return isinstance(whole, dict) and isinstance(whole.get("tests"), list)


def _address(flow: Flow, path: str) -> str:
    """The flow as seen from a file beside it."""
    return "../" * path.count("/") + stored.file_of(flow.path).rpartition("/")[2]
