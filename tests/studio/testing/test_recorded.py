"""A test made of a run says what went in, what everybody answered and what came of it, and holds when it is run."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from typing import Any

import pytest
from django.test import Client

from flows import files
from flows.models import Flow
from runtime.demo.testing import Scripted
from runtime.models import Conversation, Run
from runtime.testing.gathering import gather
from runtime.testing.job import Wanted
from runtime.testing.process import Process
from runtime.testing.results import TestResult
from tests.examples.conftest import FOLDER, deploy, desk
from tests.runtime.engine.conftest import Desk, db, demo, engine, flow, house, server, workspace
from tests.runtime.engine.test_inner_flows import FIND, lookup, tree
from tests.runtime.engine.test_work import ORDER, UNITS, turns, working

__all__ = ["db", "demo", "deploy", "desk", "engine", "house", "server", "workspace"]

Json = Any
Make = Callable[..., Json]


@pytest.fixture(scope="module")
def process() -> Iterator[Process]:
    with Process() as running:
        yield running


@pytest.fixture
def make(member_client: Callable[..., Client]) -> Make:
    """`make(run)`: what the API answers."""

    def ask(run: Run, status: int = 200, **body: Json) -> Json:
        client = member_client("owner")
        reply = client.post(f"/api/runs/{run.id}/test", json.dumps(body), content_type="application/json")
        assert reply.status_code == status, reply.content
        return reply.json()

    return ask


@pytest.fixture
def holds(process: Process) -> Callable[[str, Json], TestResult]:
    """`holds("order-desk", made)`: the result of the last test in the file, run beside the example."""

    def go(name: str, made: Json) -> TestResult:
        there = {file: (FOLDER / name / file).read_text() for file in ("flow.json", "handlers.py")}
        job = gather({**there, made["path"]: made["text"]}, [Wanted(path=made["path"], names=[made["name"]])])
        (result,) = process.run(job)
        return result

    return go


def of(made: Json) -> Json:
    return json.loads(made["text"])["tests"][-1]


def test_an_order_that_was_approved(desk: Callable[[str], Desk], make: Make, holds: Callable) -> None:
    person = desk("order-desk")
    run = person.say(question="Order 12 jars of heather honey for Meridian Foods")
    run = person.answer(run, "approve")
    assert run.status == "done"
    made = make(run)
    assert (made["path"], made["was"], made["leftOut"]) == ("tests/runs.test.json", "", [])
    assert made["name"] == "Order 12 jars of heather honey for Meridian Foods"
    test = of(made)
    assert json.loads(made["text"])["flow"] == "../flow.json"
    assert test["mock"]["answers"] == {"place_order": True}
    assert test["mock"]["nodes"]["understand"]["intent"] == "order"
    assert set(test["mock"]["tools"]) == {"findCustomers", "listProducts", "placeOrder"}
    assert test["expect"]["tools"] == ["findCustomers", "listProducts", "placeOrder"]
    assert test["expect"]["approvalBefore"] == ["place_order"]
    result = holds("order-desk", made)
    assert (result.state, [one.message for one in result.failures]) == ("passed", [])
    assert result.path == test["expect"]["path"]


def test_people_who_were_asked_twice_answer_twice(desk: Callable[[str], Desk], make: Make, holds: Callable) -> None:
    person = desk("word-quiz")
    run = person.say(message="Two easy words, please")
    while run.status == "waiting":
        run = person.answer(run, "answer", text="lighthouse")
    made = make(run, name="  A  quiz ")
    assert made["name"] == "A quiz"
    assert of(made)["mock"]["answers"]["ask_word"] == ["lighthouse"] * 3
    assert holds("word-quiz", made).state == "passed"


def test_a_run_that_failed_is_expected_to_fail(
    desk: Callable[[str], Desk], demo: Scripted, make: Make, holds: Callable
) -> None:
    person = desk("request-desk")
    demo.add({"when": {"contains": "charged"}, "answer": "Not sorted at all."})
    run = person.say(question="I was charged twice")
    assert run.status == "failed"
    made = make(run)
    assert of(made)["expect"]["fails"] == (run.error or {})["message"]
    assert of(made)["mock"]["nodes"]["classify"] == "Not sorted at all."
    assert holds("request-desk", made).state == "passed"


def test_an_office_that_was_down_is_down_in_the_test(
    desk: Callable[[str], Desk], demo: Scripted, make: Make, holds: Callable
) -> None:
    person = desk("order-desk")
    demo.faults({"on": "read", "status": 503, "times": 1})
    run = person.say(question="Where is Meridian Foods based, and what have they ordered?")
    made = make(run)
    found = of(made)["mock"]["tools"]["findCustomers"]["then"]
    assert "503" in found[0]["fails"] and found[1][0]["id"] == "MERID"
    assert holds("order-desk", made).state == "passed"


def test_it_joins_the_tests_that_are_there(desk: Callable[[str], Desk], make: Make, holds: Callable) -> None:
    person = desk("request-desk")
    run = person.say(question="I was charged twice this month")
    flow = Flow.objects.get(id=run.deployment.flow_id)
    first = make(run)
    kept = files.keep(flow, first["path"], first["text"], first["was"])
    again = make(run)
    assert (again["name"], again["was"]) == ("I was charged twice this month (2)", kept.sha)
    assert [test["name"] for test in json.loads(again["text"])["tests"]] == [first["name"], again["name"]]
    files.keep(flow, first["path"], "{ not yet", kept.sha)
    assert make(run)["path"] == "tests/runs-2.test.json"
    assert make(run, path="tests/billing.test.json")["path"] == "tests/billing.test.json"
    assert make(run, 409, path=first["path"])["code"] == "FILE_UNREADABLE"
    for path in ("tests/billing.json", "../x.test.json", "/x.test.json"):
        assert make(run, 422, path=path)["code"] == "FILE_PATH_INVALID"


def test_what_a_test_cannot_say_is_said(desk: Callable[[str], Desk], make: Make) -> None:
    person = desk("request-desk")
    person.say(question="I was charged twice this month")
    made = make(person.say(question="I was charged twice this month"))
    assert made["leftOut"] == [
        "The run followed others in its conversation. A test begins with an empty one, so what was said before is not "
        "in it."
    ]


def test_a_run_that_is_not_over_or_of_somebody_else_is_no_test(
    desk: Callable[[str], Desk], make: Make, member_client: Callable[..., Client]
) -> None:
    person = desk("word-quiz")
    run = person.say(message="Two easy words, please")
    assert make(run, 409)["code"] == "RUN_UNFINISHED"
    run = person.answer(run, "answer", text="stop")
    # The builder neither started it nor may look into the runs of others.
    assert member_client("builder").post(f"/api/runs/{run.id}/test").status_code == 404
    Conversation.objects.filter(id=run.conversation_id).update(user=None)
    Flow.objects.filter(id=run.deployment.flow_id).update(deleted_at="2026-01-01T00:00Z")
    assert make(run, 404)["code"] == "FLOW_GONE"


# LG-tests-33: a model's turns and what its tools gave.
def test_a_model_that_worked_with_tools(
    deploy: Callable[..., Desk], demo: Scripted, make: Make, process: Process
) -> None:
    works = working(demo.office_url, approve=["place"])
    turns(demo, [("ping", {"word": "a"})], [("place", ORDER), ("ping", {"word": "boom"})], "Ordered 2.")
    person = deploy(works, UNITS)
    run = person.answer(person.say(question="order 2"), "approve")
    assert run.status == "done"
    made = make(run)
    test = of(made)
    assert test["mock"]["tools"]["ping"]["then"][0] == {"pong": "a"}
    assert "no such word" in test["mock"]["tools"]["ping"]["then"][1]["fails"]
    assert test["mock"]["nodes"]["desk"]["then"][0] == {"calls": [{"name": "ping", "args": {"word": "a"}}]}
    assert test["expect"]["tools"] == ["ping", "place", "ping"]
    assert test["mock"]["answers"] == {"desk": True}
    assert made["leftOut"] == [
        "What tools returned to “desk” is taken from what its model was told of it. Look whether it is what they "
        "really return."
    ]
    job = gather({"flow.json": json.dumps(works), made["path"]: made["text"]}, [Wanted(path=made["path"])])
    (result,) = process.run(job)
    assert (result.state, [one.message for one in result.failures]) == ("passed", [])


# LG-tests-27
def test_what_happened_inside_is_named_by_its_way(
    deploy: Callable[..., Desk], demo: Scripted, make: Make, process: Process
) -> None:
    inner = lookup([{"id": "look", "type": "tool", "tool": "fetch", "args": {"what": "{{asked}}"}, "output": "got"},
                    {"id": "say", "type": "llm", "prompt": "{{got}}", "output": "found"}],
                   state={"got": {"type": "object", "description": "What was fetched."}},
                   tools=[{"name": "fetch", "description": "Fetches. RETURNS an object."}])  # fmt: skip
    fetch = 'async def fetch(args, *, services, settings, env):\n    return {"got": args["what"]}\n'
    demo.add({"when": {"contains": "got"}, "answer": "Found it."})
    top = flow([FIND])
    person = tree(deploy(top), {"lookup.json": (inner, {"tool:fetch": fetch})})
    run = person.say(question="Who?")
    assert run.status == "done", run.error
    made = make(run)
    test = of(made)
    assert test["expect"]["path"] == ["find/look", "find/say", "find"]
    assert test["mock"] == {"nodes": {"find/say": "Found it."}, "tools": {"fetch": {"got": "Who?"}}}
    files_beside = {"flow.json": json.dumps(top), "lookup.json": json.dumps(inner), made["path"]: made["text"]}
    (result,) = process.run(gather(files_beside, [Wanted(path=made["path"])]))
    assert (result.state, [one.message for one in result.failures]) == ("passed", [])
