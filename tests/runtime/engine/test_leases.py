"""A run has one worker at a time: claims, fences, commits that fail, workers that die, and the loops that find them."""

from __future__ import annotations

import asyncio
import contextlib
import contextvars
import time
import uuid
from collections.abc import Callable, Iterator
from datetime import timedelta

import pytest
from django.db import IntegrityError, OperationalError, connection
from django.db.models import F
from django.utils import timezone

from runtime import bell, questions
from runtime.demo.testing import Scripted
from runtime.engine import lease as leases
from runtime.engine import loops
from runtime.engine.database import _Work
from runtime.engine.worker import Worker
from runtime.models import ModelCall, Outbox, Question, Run
from tests.runtime.engine.conftest import PATIENCE, VISITOR, At, Desk, aside, flow, until
from tests.runtime.engine.orders import APPROVAL, UNITS, desk_flow

REPLY = {"id": "reply", "type": "llm", "prompt": "Question: {{question}}", "output": "answer"}
THEN = {"id": "then", "type": "llm", "prompt": "Then: {{answer}}", "output": "answer"}
ASK = {"id": "which", "type": "ask", "ask": "Which {{question}}?", "output": "answer"}


Broken = Callable[..., Callable[[], None]]


@pytest.fixture
def broken(engine: Worker) -> Iterator[Broken]:
    """`mend = broken()`: the database cannot write events until mended, as one in trouble could not.

    With the type of an event, it refuses only those, and says that the row is at fault.
    """
    mending: list[Callable[[], None]] = []

    def sql(*statements: str) -> None:
        with connection.cursor() as cursor:
            for statement in statements:
                cursor.execute(statement)

    def start(type: str = "") -> Callable[[], None]:
        if connection.vendor == "postgresql":
            code, which = ("22P02", f"WHEN (NEW.type = '{type}')") if type else ("40001", "")
            sql(
                "CREATE FUNCTION refuse() RETURNS trigger LANGUAGE plpgsql AS "
                f"$$ BEGIN RAISE EXCEPTION 'refused' USING ERRCODE = '{code}'; END $$",
                f"CREATE TRIGGER refuse BEFORE INSERT ON runtime_runevent FOR EACH ROW {which} "
                "EXECUTE FUNCTION refuse()",
            )
            undo = ["DROP FUNCTION refuse() CASCADE"]
        elif type:
            sql(
                f"CREATE TRIGGER refuse BEFORE INSERT ON runtime_runevent WHEN NEW.type = '{type}' "
                "BEGIN SELECT RAISE(ABORT, 'refused'); END"
            )
            undo = ["DROP TRIGGER refuse"]
        else:
            sql("ALTER TABLE runtime_runevent RENAME TO runtime_runevent_away")
            undo = ["ALTER TABLE runtime_runevent_away RENAME TO runtime_runevent"]

        def mend() -> None:
            if undo:
                sql(undo.pop())

        mending.append(mend)
        return mend

    yield start
    for mend in mending:
        mend()


@contextlib.contextmanager
def spoilt(row: Run | Question, column: str) -> Iterator[None]:
    """A row that cannot be read: its JSON is none."""
    update = f"UPDATE {row._meta.db_table} SET {column} = %s WHERE id = %s"
    id = row.id if connection.vendor == "postgresql" else row.id.hex

    def put(text: str | None) -> str | None:
        with connection.cursor() as cursor:
            cursor.execute(f"SELECT {column} FROM {row._meta.db_table} WHERE id = %s", [id])
            before = cursor.fetchall()[0][0]
            cursor.execute(update, [text, id])
        return before

    before = put("{no json")
    try:
        yield
    finally:
        put(before)


def test_a_fenced_worker_writes_nothing_and_others_go_on(
    deploy: Callable[..., Desk], demo: Scripted, at: At, engine: Worker
) -> None:
    # reliability 4.1: fence everywhere
    demo.add({"when": {"contains": "Question"}, "answer": "Here."})
    at("model.answered", lambda: aside(lambda: Run.objects.filter(status="running").update(fence=F("fence") + 1)), 5)
    for _ in range(5):
        desk = deploy(flow([REPLY]))
        run = desk.left(desk.send(question="q"))
        assert (run.status, run.fence) == ("running", 2)
        assert "model_called" not in desk.types(run)
        assert ModelCall.objects.get(run=run).state == "started"
    assert all(thread.is_alive() for thread in engine.database._threads)
    assert deploy(flow([REPLY])).say(question="q").status == "done"
    run = desk.take_over(run.id)
    assert run.outputs == {"answer": "Here."}, run.error


@pytest.mark.parametrize("point", ["checkpoint.before", "question.before", "finish.before"])
def test_a_database_in_trouble_costs_a_run_time_and_nothing_else(
    deploy: Callable[..., Desk], demo: Scripted, at: At, broken: Broken, point: str
) -> None:
    demo.add({"when": {"contains": "Question: room"}, "answer": "Four rooms."},
             {"when": {"contains": "Then: blue"}, "answer": "Blue it is."})  # fmt: skip
    mend: list[Callable[[], None]] = []
    at(point, lambda: mend.append(aside(broken)))
    desk = deploy(flow([REPLY, {**ASK, "ask": "Which of {{answer}}?"}, THEN]))
    id = desk.send(question="room")
    if point == "finish.before":
        desk.decide(desk.settle(id), "answer", text="blue")
    until(lambda: mend)
    assert desk.left(id).status == "running"
    mend[0]()
    run = desk.take_over(id)
    if run.status == "waiting":
        assert Question.objects.filter(run=run).count() == 1
        run = desk.answer(run, "answer", text="blue")
    assert run.outputs == {"answer": "Blue it is."}, run.error
    types = desk.types(run)
    assert [types.count(one) for one in ("run_started", "question_asked", "question_closed", "run_finished")] == [1] * 4


def test_an_early_report_that_could_not_be_written_is_not_missed_later(
    deploy: Callable[..., Desk], demo: Scripted, at: At, broken: Broken
) -> None:
    # A slow step reports early. What it took from memory and could not write, the run's inputs among it, must not be
    # passed over by the commit after it.
    unit = "import asyncio\nasync def work(state, *, services, settings, env):\n"
    unit += "    await asyncio.sleep(0.8)\n    return {'note': 'x'}\n"
    work = {"id": "work", "handler": "work", "description": "Reads 'question' and writes 'note'."}
    demo.add({"when": {"contains": "Then: room"}, "answer": "Done."})
    note = {"note": {"type": "string", "description": "A note."}}
    desk = deploy(flow([work, ASK, {**THEN, "prompt": "Then: {{question}}"}], state=note), {"handler:work": unit})
    mend: list[Callable[[], None]] = []
    at("claim.after", lambda: mend.append(aside(broken)))
    id = desk.send(question="room")
    until(lambda: (lease := leases.of_thread(str(id))) is not None and lease.lost)
    mend[0]()
    assert desk.left(id).status == "running"
    run = desk.answer(desk.take_over(id), "answer", text="blue")
    assert run.outputs == {"answer": "Done."}, run.error
    assert desk.types(run).count("run_started") == 1


def test_a_commit_that_fails_once_is_no_fault_of_its_run(deploy: Callable[..., Desk], demo: Scripted, at: At) -> None:
    demo.add({"when": {"contains": "Question: room"}, "answer": "Here."})

    def refuse() -> None:
        raise OperationalError("in trouble")

    def spoil() -> None:
        lease = leases.current()
        lease.later(next(name for name in lease._events if name), ops=(refuse,))

    at("model.answered", spoil)
    desk = deploy(flow([REPLY]))
    id = desk.send(question="room")
    until(lambda: Run.objects.get(id=id).fence)
    assert desk.left(id).status == "running"
    run = desk.take_over(id)
    assert run.outputs == {"answer": "Here."}, run.error


def test_a_commit_behind_one_that_failed_is_not_written(deploy: Callable[..., Desk], demo: Scripted, at: At) -> None:
    # The checkpoint of a step without the ledger of its calls would be a gap that nobody sees.
    demo.add({"when": {"contains": "Question"}, "answer": "Here."})

    def refuse() -> None:
        time.sleep(0.2)  # until the checkpoint waits behind
        raise OperationalError("in trouble")

    def report() -> None:
        lease = leases.current()
        task = next(name for name in lease._events if name)
        lease.later(task, ops=(refuse,))
        lease.commit_soon(task)

    at("model.answered", report)
    desk = deploy(flow([REPLY]))
    id = desk.send(question="q")
    assert desk.left(id).status == "running"
    run = desk.take_over(id)
    assert run.outputs == {"answer": "Here."}, run.error
    assert ModelCall.objects.get(run=run).state == "done"
    assert desk.types(run).count("model_called") == desk.types(run).count("step_finished") == 1


@pytest.mark.parametrize("type", ["model_called", "question_asked", "run_finished"])
def test_a_row_that_is_always_refused_ends_the_run_and_does_not_loop(
    deploy: Callable[..., Desk], demo: Scripted, broken: Broken, type: str
) -> None:
    demo.add({"when": {"contains": "Question"}, "answer": "Here."})
    nodes = [REPLY, ASK] if type == "question_asked" else [REPLY]
    desk = deploy(flow(nodes))
    broken(type)
    run = desk.say(question="q")
    assert (run.status, run.error["code"], run.fence) == ("failed", "ENGINE_FAULT", 1)
    assert "try again" in run.error["message"]
    assert desk.types(run)[-1] == "run_failed"


def test_a_step_that_ends_its_worker_again_and_again_is_set_aside(
    deploy: Callable[..., Desk], power_cut: Callable[..., None]
) -> None:
    # reliability 4.1: five attempts without progress, then lost
    power_cut("model.started", times=9)
    desk = deploy(flow([REPLY]))
    id = desk.send(question="q")
    for attempt in range(1, 6):
        run = desk.left(id)
        assert (run.status, run.attempts) == ("running", attempt)
        desk.claim_again(id)
    run = desk.settle(id)
    assert (run.status, run.error["code"]) == ("lost", "RUN_LOST")
    assert "5 workers" in run.error["message"]
    assert desk.types(run)[-1] == "run_lost"


def test_progress_forgives_earlier_crashes(
    deploy: Callable[..., Desk], demo: Scripted, power_cut: Callable[..., None]
) -> None:
    demo.add({"when": {"contains": "Question"}, "answer": "Here."}, {"when": {"contains": "Then"}, "answer": "There."})
    power_cut("model.started", times=3)
    desk = deploy(flow([REPLY, THEN]))
    id = desk.send(question="q")
    for _ in range(3):
        desk.claim_again(id)
    run = desk.settle(id)
    assert (run.outputs, run.attempts) == ({"answer": "There."}, 0)


@pytest.mark.parametrize("point", ["claim.after", "model.started", "model.answered", "checkpoint.before"])
def test_a_run_starts_once_in_the_log_whenever_its_first_worker_died(
    deploy: Callable[..., Desk], demo: Scripted, power_cut: Callable[..., None], point: str
) -> None:
    demo.add({"when": {"contains": "Question"}, "answer": "Here."})
    power_cut(point)
    desk = deploy(flow([REPLY]))
    run = desk.take_over(desk.send(question="q"))
    assert run.outputs == {"answer": "Here."}, run.error
    types = desk.types(run)
    assert types[:2] == ["message_sent", "run_started"]
    assert types.count("run_started") == types.count("run_finished") == 1
    # reliability 4.1: a crash costs at most one more model call
    assert len(demo.requests()) <= 2


def test_an_answer_given_while_the_stream_ends_resumes_at_once(
    deploy: Callable[..., Desk], at: At, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(loops, "UNSENT_SECONDS", 3600.0)  # only the doorbell leads on

    def answer() -> None:
        question = Question.objects.get()
        questions.answer(question.id, by=VISITOR, role=None, digest=question.digest, decision="answer", text="Blue")

    at("question.after", lambda: aside(answer))
    run = deploy(flow([ASK])).say(question="room")
    assert (run.status, run.outputs) == ("done", {"answer": "Blue"})


def test_a_waiting_run_leaves_nothing_to_publish(deploy: Callable[..., Desk], at: At, engine: Worker) -> None:
    # reliability 4.1: waiting is a row, no task
    at("question.after", lambda: aside(lambda: Outbox.objects.create(run=Run.objects.get())))
    run = deploy(flow([ASK])).say(question="room")
    assert run.status == "waiting"
    Outbox.objects.filter(run=run).update(at=timezone.now() - timedelta(minutes=1))
    engine.nudge()
    until(lambda: not Outbox.objects.filter(run=run).exists())
    assert Run.objects.get(id=run.id).fence == 1


def test_a_forgotten_run_is_found(
    deploy: Callable[..., Desk], demo: Scripted, engine: Worker, monkeypatch: pytest.MonkeyPatch
) -> None:
    # reliability 4.1: the sweeper is level-triggered; a doorbell that was lost costs a delay
    demo.add({"when": {"contains": "Question"}, "answer": "Here."})
    desk = deploy(flow([REPLY]))
    with monkeypatch.context() as deaf:
        deaf.setattr(bell.ringer, "run", lambda run: None)
        id = desk.start(question="q")
    Outbox.objects.filter(run_id=id).delete()
    engine.nudge()
    assert desk.settle(id).status == "done"


def test_one_bad_question_does_not_keep_the_others_waiting(
    deploy: Callable[..., Desk], demo: Scripted, engine: Worker
) -> None:
    asked = []
    for minutes in (9, 8, 7):
        run = deploy(desk_flow(demo.office_url, approval=APPROVAL), UNITS).say(customer="MERID", quantity=2, note="")
        due = Question.objects.filter(run=run)
        due.update(expires_at=timezone.now() - timedelta(minutes=minutes))
        asked.append(due.get())
    with spoilt(asked[0], "answer"):
        engine.nudge()
        for question in asked[1:]:
            until(lambda question=question: Run.objects.get(id=question.run_id).status == "done")
    engine.nudge()
    until(lambda: Run.objects.get(id=asked[0].run_id).status == "done")
    assert {question.state for question in Question.objects.all()} == {"expired"}
    assert demo.writes()["writes"] == []


def test_one_bad_run_does_not_keep_the_others_waiting(
    deploy: Callable[..., Desk], demo: Scripted, engine: Worker, monkeypatch: pytest.MonkeyPatch
) -> None:
    demo.add({"when": {"contains": "Question"}, "answer": "Here."})
    with monkeypatch.context() as deaf:
        deaf.setattr(bell.ringer, "run", lambda run: None)
        desks = [deploy(flow([REPLY])) for _ in range(2)]
        bad, good = [desk.start(question="q") for desk in desks]
    Outbox.objects.all().delete()
    with spoilt(Run.objects.get(id=bad), "inputs"):
        engine.nudge()
        assert desks[1].settle(good).status == "done"
    engine.submit(bad)
    assert desks[0].settle(bad).status == "done"


def test_a_batch_whose_commit_fails_loses_no_question(deploy: Callable[..., Desk], at: At, engine: Worker) -> None:
    database = engine.database
    failed: list[BaseException | None] = []

    def gather_others() -> None:
        end = time.monotonic() + PATIENCE
        while database._together and database._queue.qsize() < 2 and time.monotonic() < end:
            time.sleep(0.005)

    def poison() -> None:
        Outbox.objects.create(run_id=uuid.uuid4())  # a run that is not there: refused only by the commit

    def put_before() -> None:
        """Queue them at once, so that what the run is about to write is committed together with the poison."""
        loop = asyncio.get_running_loop()
        for act in (gather_others, poison):
            future = loop.create_future()
            future.add_done_callback(lambda one: failed.append(one.exception()))
            database._queue.put(_Work(act, contextvars.copy_context(), loop, future))

    at("question.before", put_before)
    desk = deploy(flow([ASK]))
    run = desk.say(question="room")
    assert run.status == "waiting"
    until(lambda: len(failed) == 2)
    assert {type(error) for error in failed} == {type(None), IntegrityError}
    run = desk.answer(run, "answer", text="Blue")
    assert run.outputs == {"answer": "Blue"}, run.error
    assert desk.types(run).count("question_asked") == 1


def test_a_drained_worker_hands_its_run_back(deploy: Callable[..., Desk], demo: Scripted, engine: Worker) -> None:
    demo.add({"when": {"contains": "Question"}, "answer": "word " * 20, "hold_after": 20},
             {"when": {"contains": "Then"}, "answer": "There."})  # fmt: skip
    desk = deploy(flow([REPLY, THEN]))
    mine, ringer = bell.ringer.run, bell.ringer
    other = Worker()
    other.start()
    bell.install(ringer)
    bell.ringer.run = other.submit
    try:
        id = desk.start(question="room")
        demo.wait_for(1)
        assert Run.objects.get(id=id).owner == other.name
        bell.ringer.run = mine
        other.drain()
        demo.release()
        assert desk.settle(id).outputs == {"answer": "There."}
    finally:
        bell.ringer.run = mine
        demo.release()
        other.stop()
        bell.install(ringer)
    run = Run.objects.get(id=id)
    assert run.fence == 2
    assert len(demo.requests()) == 2
    assert desk.types(run).count("step_started") == 2
