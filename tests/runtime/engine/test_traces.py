"""Ended runs at a collector: a real request in the format of OpenTelemetry, taken apart as a collector does it."""

from __future__ import annotations

import gzip
from collections.abc import Callable, Iterator
from typing import Any

import pytest
from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceRequest

from runtime import control
from runtime.demo.testing import Scripted
from runtime.models import Run, RunEvent, TraceDue
from runtime.tracing import errand
from tests.runtime.engine.conftest import Desk, flow, until
from tests.runtime.engine.orders import APPROVAL, UNITS, desk_flow
from tests.runtime.engine.test_inner_flows import FIND, lookup, tree
from tests.support import listeners

Deploy = Callable[..., Desk]
ASK_MODEL = {"id": "say", "type": "llm", "prompt": "Find {{asked}}", "output": "found"}


@pytest.fixture
def collector(settings: Any) -> Iterator[listeners.Requests]:
    with listeners.requests() as server:
        settings.TRACES_TO, settings.TRACES_SAY_ALL = server.url, False
        settings.TRACES_HEADERS = "x-key=canary%2D1, x-team=a"
        yield server


class Exported:
    """The spans that a collector was sent, by name; each with its attributes and its parent's name."""

    def __init__(self, server: listeners.Requests) -> None:
        self.requests = [self._read(heard) for heard in server.heard]
        self.service = {value.key: value.value.string_value for value in self.requests[0].resource.attributes}
        self.spans = [span for each in self.requests for scope in each.scope_spans for span in scope.spans]
        self.names = {span.span_id: span.name for span in self.spans}

    def _read(self, heard: listeners.Heard) -> Any:
        assert heard.path == "/v1/traces" and heard.headers["content-type"] == "application/x-protobuf"
        assert (heard.headers["x-key"], heard.headers["x-team"]) == ("canary-1", "a")
        (found,) = ExportTraceServiceRequest.FromString(gzip.decompress(heard.body)).resource_spans
        return found

    def tree(self) -> list[tuple[str, str]]:
        return [(span.name, self.names.get(span.parent_span_id, "")) for span in self.spans]

    def values(self, name: str) -> dict[str, Any]:
        (span,) = [span for span in self.spans if span.name == name]
        return {each.key: getattr(each.value, each.value.WhichOneof("value")) for each in span.attributes}


def exported(desk: Desk, server: listeners.Requests, requests: int = 1) -> Exported:
    """What the collector got, once it was sent all that is due."""
    desk.engine.run_errand("traces", errand.EXPORT)
    until(lambda: not TraceDue.objects.filter(next_at__isnull=False).exists())
    assert len(server.heard) == requests
    return Exported(server)


def test_a_run_is_a_span_over_its_steps_and_those_over_their_calls(
    deploy: Deploy, demo: Scripted, collector: listeners.Requests
) -> None:
    # LG-studio-09, LG-subflows-13
    demo.add({"when": {"contains": "Find Kyoto"}, "answer": "In Japan."})
    desk = tree(deploy(flow([FIND])), {"lookup.json": (lookup([ASK_MODEL]), {})})
    run = desk.say(question="Kyoto")
    assert run.status == "done", run.error
    found = exported(desk, collector)
    assert found.service["service.name"] == "lgstudio"
    assert found.tree() == [
        ("run Flow", ""), ("find", "run Flow"), ("find/say", "find"), ("chat demo", "find/say"),
    ]  # fmt: skip
    assert {span.trace_id for span in found.spans} == {run.id.bytes}
    root, step, model = found.values("run Flow"), found.values("find/say"), found.values("chat demo")
    assert (root["lgstudio.status"], root["lgstudio.run"]) == ("done", str(run.id))
    assert (step["lgstudio.address"], step["lgstudio.kind"]) == ("find#1/say#1", "llm")
    assert (model["gen_ai.request.model"], model["lgstudio.node"]) == ("demo", "find/say")
    assert model["gen_ai.usage.input_tokens"] > 0
    for span in found.spans:
        assert span.end_time_unix_nano >= span.start_time_unix_nano > 0 and not span.status.code
    # Nothing that anybody wrote or was answered leaves without a setting that says so.
    assert b"Kyoto" not in gzip.decompress(collector.heard[0].body) and b"Japan" not in gzip.decompress(
        collector.heard[0].body
    )


def test_with_a_setting_it_says_what_was_asked_and_answered(
    deploy: Deploy, demo: Scripted, collector: listeners.Requests, settings: Any
) -> None:
    settings.TRACES_SAY_ALL = True
    demo.add({"when": {"contains": "Find Kyoto"}, "answer": "In Japan."})
    desk = tree(deploy(flow([FIND])), {"lookup.json": (lookup([ASK_MODEL]), {})})
    desk.say(question="Kyoto")
    found = exported(desk, collector)
    model = found.values("chat demo")
    assert "Find Kyoto" in model["gen_ai.input.messages"] and model["gen_ai.output.messages"] == "In Japan."
    assert found.values("run Flow")["lgstudio.outputs"] == '{"answer": "In Japan."}'
    assert found.values("find")["lgstudio.written"] == '{"answer": "In Japan."}'


def test_questions_and_writes_are_spans_and_a_failure_says_its_code(
    deploy: Deploy, demo: Scripted, collector: listeners.Requests
) -> None:
    desk = deploy(desk_flow(demo.office_url, approval=APPROVAL), UNITS)
    run = desk.say(customer="MERID", quantity=2, note="")
    assert not TraceDue.objects.exists(), "It has not ended."
    assert desk.answer(run, "approve").status == "done"
    run = desk.say(customer="nobody", quantity=2, note="")
    assert desk.answer(run, "approve").status == "failed"
    found = exported(desk, collector)
    assert found.tree()[:4] == [
        ("run Flow", ""), ("person approval", "run Flow"), ("place", "run Flow"), ("execute_tool place", "place"),
    ]  # fmt: skip
    asked = [span for span in found.spans if span.name == "person approval"]
    assert len(asked) == 2 and all(span.end_time_unix_nano > span.start_time_unix_nano for span in asked)
    runs = [span for span in found.spans if span.name == "run Flow"]
    assert [span.status.code for span in runs] == [0, 2]
    errors = {each.key: each.value.string_value for each in runs[1].attributes}
    assert errors["error.type"] == Run.objects.get(id=run.id).error["code"] == runs[1].status.message
    calls = [span for span in found.spans if span.name == "execute_tool place"]
    values = [{each.key: each.value for each in span.attributes} for span in calls]
    assert values[0]["lgstudio.effect"].string_value == "write"
    assert values[0]["http.response.status_code"].int_value in (200, 201)
    assert values[0]["server.address"].string_value == demo.host


def test_a_collector_that_is_away_gets_it_later_and_a_run_that_went_on_only_what_is_new(
    deploy: Deploy, demo: Scripted, collector: listeners.Requests
) -> None:
    desk = deploy(flow([{"id": "reply", "type": "llm", "prompt": "{{question}}", "output": "answer"}]))
    demo.add({"when": {"contains": "hi"}, "fail": {"status": 400}})
    collector.status = 503
    run = desk.say(question="hi")
    assert run.status == "failed"
    desk.engine.run_errand("traces", errand.EXPORT)
    until(lambda: TraceDue.objects.get().attempts == 1)
    due = TraceDue.objects.get()
    assert due.next_at and run.finished_at and due.next_at > run.finished_at and due.seq == 0
    collector.status = 200
    TraceDue.objects.update(next_at=run.finished_at)
    first = exported(desk, collector, 2)
    assert TraceDue.objects.get().seq == RunEvent.objects.filter(run=run).latest("seq").seq
    assert first.requests[0] == first.requests[1], "The same spans under the same ids."
    demo.reset()
    demo.add({"when": {"contains": "hi"}, "answer": "Hello."})
    control.let_go_on(run.id, "Olga")
    desk.engine.submit(run.id)
    assert desk.settle(run.id).status == "done"
    before = {span.span_id for span in first.spans}
    later = exported(desk, collector, 3).requests[2].scope_spans[0].spans
    assert later[0].name == "run Flow" and not before & {span.span_id for span in later}
    assert {span.trace_id for span in later} == {run.id.bytes}


def test_without_a_collector_nothing_is_noted(deploy: Deploy, demo: Scripted) -> None:
    demo.add({"when": {"contains": "hi"}, "answer": "Hello."})
    desk = deploy(flow([{"id": "reply", "type": "llm", "prompt": "{{question}}", "output": "answer"}]))
    assert desk.say(question="hi").status == "done"
    assert not TraceDue.objects.exists()
