"""The page is a fold of the log: opening it, living on it and coming back draw the same."""

from __future__ import annotations

import uuid
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from runtime import cards, events
from runtime.journal import Entry
from runtime.questions import DECIDING_ROLES
from studio.frames import Eyes, Follower, compact, since
from studio.frames.draw import Card
from studio.frames.fold import IDLE, Page
from studio.frames.items import Frame
from tests.support import talk

VIEWERS = [
    Eyes(starter=True),
    Eyes(starter=True, role="owner"),
    Eyes(starter=False, role="reviewer"),
    Eyes(starter=False, role="member"),
    Eyes(starter=False),
]
RUNS = [uuid.UUID(int=n) for n in range(4)]
ADDRESSES = ["look_up#1", "reply#1", "reply#2", "place#1", "read[0]", "read[1]", "find[2]/place#1"]
CHANNELS = ["answer", "orders"]
START = datetime(2026, 11, 29, tzinfo=UTC)
VALUES = st.sampled_from(["It is **here**.", 12, 2**60, [{"a": 1}], {"order": None}, None, True])


def card(id: str, kind: str, decider: str, not_starter: bool) -> Card:
    place = cards.Place("w", "d", "s", "r", "place#1", "place")
    terms = cards.Terms(decider, not_starter, START)  # type: ignore[arg-type]
    figures = [{"label": "Order", "channel": "order", "value": {"customerId": "ALFKI"}}]
    payload = {
        "ask": lambda: cards.ask_payload(place, terms, text="Which?", show=figures),
        "form": lambda: cards.form_payload(place, terms, title="Who?", fields=talk.FIELDS, values={"customerId": "A"}),
        "outcome": lambda: cards.outcome_payload(place, terms, ask="Did it?", show=figures, call={"key": "k"}),
        "approval": lambda: cards.approval_payload(
            place,
            cards.Approval("Place {{order.customerId}}?", ("order",), ("order",), "why"),
            cards.Deed("tool", "placeOrder", {"id": "{{order.customerId}}"}),
            terms,
            types={"order": "object", "why": "list"},
            state={"order": {"customerId": "ALFKI"}, "why": ["one", "two"]},
        ),
    }[kind]()
    sealed = cards.seal(payload)
    return Card(id, kind, sealed.digest, decider, not_starter, START, cards.read(sealed.payload))


@st.composite
def logs(draw: st.DrawFn) -> tuple[list[Entry], dict[str, Card]]:
    """Any order of any facts: more than an engine would write, so that no order breaks the page."""
    asked: dict[str, Card] = {}
    open_ones: dict[uuid.UUID, list[str]] = {}
    log: list[Entry] = []
    for seq in range(1, draw(st.integers(1, 40)) + 1):
        run = draw(st.sampled_from(RUNS))
        name = draw(st.sampled_from(NAMES))
        step = {"address": draw(st.sampled_from(ADDRESSES)), "node": "reply", "title": "Reply"}
        if name == "question_asked":
            id = f"question-{seq}"
            kind = draw(st.sampled_from(["ask", "form", "approval", "outcome"]))
            decider = draw(st.sampled_from(["starter", "reviewers"]))
            asked[id] = card(id, kind, decider, draw(st.booleans()))
            open_ones.setdefault(run, []).append(id)
            event: Any = events.QuestionAsked(
                question=id,
                address=step["address"],
                node="place",
                kind=kind,
                decider=decider,  # type: ignore[arg-type]
            )
        elif name == "question_closed":
            if not open_ones.get(run):
                continue
            event = draw(closings(asked[open_ones[run].pop()]))
        else:
            event = draw(EVENTS[name](step))
        log.append(Entry(seq, run, START + timedelta(seconds=seq), event))
    return log, asked


@st.composite
def closings(draw: st.DrawFn, closed: Card) -> events.QuestionClosed:
    ends = {
        "ask": [("answered", "the second"), ("withdrawn", None)],
        "form": [("answered", [{"label": "Customer id", "value": "ALFKI"}]), ("closed", None), ("withdrawn", None)],
        "approval": [
            ("approved", {"reason": ""}),
            ("approved", {"reason": "", "edited": ["order"], "show": [], "args": {"id": "BLAUS"}}),
            ("declined", {"reason": "Wrong"}),
            ("expired", {"reason": ""}),
            ("withdrawn", None),
        ],
        "outcome": [("answered", {"outcome": "happened", "reason": "seen"}), ("withdrawn", None)],
    }
    state, shown = draw(st.sampled_from(ends[closed.kind]))
    return events.QuestionClosed(question=closed.id, state=state, by=draw(st.sampled_from(["", "Rina"])), shown=shown)  # type: ignore[arg-type]


EVENTS: dict[str, Any] = {
    "message_sent": lambda step: st.builds(
        events.MessageSent, text=st.just("Hi"), values=st.just([]), by=st.just("Dana"), queued=st.booleans()
    ),
    "message_removed": lambda step: st.just(events.MessageRemoved()),
    "run_started": lambda step: st.just(events.RunStarted()),
    "step_started": lambda step: st.builds(
        lambda streams, attempt: events.StepStarted(**step, kind="llm", streams=streams, attempt=attempt),
        st.sampled_from([None, *CHANNELS]),
        st.integers(1, 3),
    ),
    "step_finished": lambda step: st.builds(
        lambda ms: events.StepFinished(**step, kind="llm", ms=ms), st.floats(0, 9_000)
    ),
    "step_failed": lambda step: st.builds(
        lambda next: events.StepFailed(**step, code="NODE_FAILED", message="No.", attempt=1, next=next),
        st.sampled_from(["retry", "onError", "skip", "end"]),
    ),
    "flow_entered": lambda step: st.just(
        events.FlowEntered(address=step["address"], node="find", flow="f.json", invocation="i", parent="r")
    ),
    "flow_left": lambda step: st.just(
        events.FlowLeft(address=step["address"], node="find", flow="f.json", invocation="i", ms=1, ok=True)
    ),
    "route_taken": lambda step: st.just(events.RouteTaken(node="reply", router="r", route="ok", goto="END")),
    "model_called": lambda step: st.builds(
        lambda demo: events.ModelCalled(address=step["address"], key="k", model="m", entry="e", demo=demo, ms=1),
        st.booleans(),
    ),
    "tool_called": lambda step: st.just(
        events.ToolCalled(
            address=step["address"], key="k", unit="u", effect="write", state="done", method="POST", target="t"
        )
    ),
    "question_asked": None,
    "question_closed": None,
    "output_written": lambda step: st.builds(
        events.OutputWritten,
        channel=st.sampled_from(CHANNELS),
        label=st.just("Answer"),
        value=VALUES,
        final=st.booleans(),
        demo=st.booleans(),
    ),
    "answer_begun": lambda step: st.builds(
        lambda channel, attempt: events.AnswerBegun(
            address=step["address"], node="reply", channel=channel, attempt=attempt
        ),
        st.sampled_from(CHANNELS),
        st.integers(1, 3),
    ),
    "answer_withdrawn": lambda step: st.just(events.AnswerWithdrawn(address=step["address"], node="reply")),
    "approval_mismatch": lambda step: st.just(events.ApprovalMismatch(question="q", address=step["address"])),
    "run_finished": lambda step: st.builds(
        events.RunFinished, outputs=st.dictionaries(st.sampled_from(CHANNELS), VALUES), ms=st.just(5.0)
    ),
    "run_failed": lambda step: st.just(events.RunFailed(code="NODE_FAILED", message="No.")),
    "run_cancelled": lambda step: st.just(events.RunCancelled(by="Dana")),
    "run_lost": lambda step: st.just(events.RunLost(message="Gave up.")),
    "run_continued": lambda step: st.just(events.RunContinued(by="Olga")),
}
NAMES = sorted(EVENTS)


def applied(page: dict[str, Any], frames: list[Frame]) -> dict[str, Any]:
    """What the page's script does with frames: remove, or replace in place, or add at the end."""
    page = dict(page)
    for frame in frames:
        if frame.op == "remove":
            page.pop(frame.id, None)
        else:
            assert frame.item is not None
            assert frame.item.id == frame.id
            page[frame.id] = frame.item.wire()
    return page


def drawn(page: dict[str, Any]) -> list[tuple[str, Any]]:
    """The page as a person sees it: items in order; an idle status draws nothing."""
    return [(id, item) for id, item in page.items() if id != "status"] + [("status", page.get("status", IDLE.wire()))]


def test_every_event_has_a_place_in_the_property() -> None:
    declared = {one.model_fields["type"].default for one in events.AnyEvent.__args__[0].__args__}  # type: ignore[attr-defined]
    assert declared == set(NAMES)


# reliability Q2
@pytest.mark.parametrize("eyes", VIEWERS, ids=str)
@settings(max_examples=150, deadline=None)
@given(log=logs(), cut=st.integers(0, 40), more=st.integers(0, 40))
def test_a_page_opened_early_and_kept_is_the_page_opened_late(eyes: Eyes, log: Any, cut: int, more: int) -> None:
    entries, asked = log
    kept = Page(eyes, asked.__getitem__)
    page: dict[str, Any] = {}
    for part in (entries[:cut], entries[cut : cut + more], entries[cut + more :]):
        kept.apply(part)
        page = applied(page, kept.frames())
    late = Page(eyes, asked.__getitem__)
    late.apply(entries)
    assert drawn(page) == drawn(applied({}, late.frames()))


@settings(max_examples=150, deadline=None)
@given(log=logs())
def test_whoever_cannot_decide_gets_no_figures_account_or_buttons(log: Any) -> None:
    entries, asked = log
    for eyes in VIEWERS:
        page = Page(eyes, asked.__getitem__)
        page.apply(entries)
        for frame in page.frames():
            item = frame.item
            if item is None or not frame.id.startswith("q:"):
                continue
            of = asked[item.question]
            mine = eyes.starter if of.decider == "starter" else (
                eyes.role in DECIDING_ROLES and not (of.not_starter and eyes.starter)
            )  # fmt: skip
            assert (item.type == "waiting") == (not mine)
            if not mine:
                said = item.model_dump_json()
                assert not any(word in said for word in ('ALFKI"', "two", "placeOrder", "figures", "fields"))
                assert item.can_withdraw == (eyes.starter and item.state == "pending")


@pytest.mark.parametrize("eyes", VIEWERS[:3], ids=str)
@pytest.mark.parametrize(("queued", "removed"), [(0, False), (1, False), (1, True), (2, True)])
def test_the_stored_log_reads_the_same_from_any_number_on(eyes: Eyes, queued: int, removed: bool, workspace) -> None:
    """compact(n) + since(n) = compact(m), read back from the database, and by a socket that stays."""
    deployment = talk.agent()
    conversation = talk.conversation(deployment)
    first = talk.run(conversation)
    held = [talk.run(conversation, "held") for _ in range(queued)]
    pages = [applied({}, compact(conversation.id, eyes).frames)]
    follower = Follower(conversation.id, eyes, 0)
    live = applied({}, follower.read().frames)
    seqs = [follower.seq]

    def happens(run: Any, *facts: Any) -> None:
        nonlocal live
        talk.log(run, *facts)
        live = applied(live, follower.read().frames)
        pages.append(applied({}, compact(conversation.id, eyes).frames))
        seqs.append(follower.seq)

    at = {"address": "reply#1", "node": "reply", "kind": "llm", "title": "Reply"}
    happens(first, events.RunStarted(), events.StepStarted(**at, streams="answer"))
    question = talk.ask(first, "approval", decider="reviewers", not_starter=True)
    happens(first, events.StepFinished(**at, ms=12))
    happens(
        first, events.QuestionClosed(question=str(question.id), state="declined", by="Rina", shown={"reason": "No"})
    )
    if removed:
        taken = held.pop()
        taken.status = "cancelled"
        taken.save()
        happens(taken, events.MessageRemoved())
    happens(first, events.OutputWritten(channel="answer", label="Answer", value="Declined."))
    first.status = "done"
    first.save()
    happens(first, events.RunFinished(outputs={"answer": "Declined."}, ms=20))
    for run in held:
        run.status = "running"
        run.save()
        happens(run, events.RunStarted(), events.StepStarted(**at, streams="answer"))
        step = {name: at[name] for name in ("address", "node", "title")}
        happens(run, events.StepFailed(**step, code="X", message="No.", attempt=1, next="end"))
        run.status = "failed"
        run.save()
        happens(run, events.RunFailed(code="X", message="No."))
    assert drawn(live) == drawn(pages[-1])
    for seq, page in zip(seqs, pages, strict=True):
        read = since(conversation.id, eyes, seq)
        assert drawn(applied(page, read.frames)) == drawn(pages[-1])
    assert since(conversation.id, eyes, seqs[-1] + 1).ahead


def status(eyes: Eyes, *facts: events.Event, asked: dict[str, Card] | None = None) -> Any:
    page = Page(eyes, (asked or {}).__getitem__)
    page.apply(Entry(n, RUNS[0], START, fact) for n, fact in enumerate(facts, 1))  # type: ignore[arg-type]
    return page.items.get("status", IDLE)


def test_the_status_says_whose_turn_it_is() -> None:
    sent = events.MessageSent(text="Hi", by="Dana")
    asked = {"q": card("q", "approval", "reviewers", True)}
    question = events.QuestionAsked(question="q", address="place#1", node="place", kind="approval", decider="reviewers")
    closed = events.QuestionClosed(question="q", state="approved", by="Rina", shown={"reason": ""})
    assert status(VIEWERS[0]).state == "idle"
    assert status(VIEWERS[0], sent).state == "working"
    assert status(VIEWERS[0], sent, question, asked=asked).state == "waiting_others"
    assert status(VIEWERS[2], sent, question, asked=asked).state == "waiting_you"
    assert status(VIEWERS[0], sent, question, closed, asked=asked).state == "working"
    assert status(VIEWERS[0], sent, events.RunFinished(outputs={}, ms=1)).state == "idle"


def test_an_answer_that_breaks_off_is_taken_away_and_one_that_was_written_stays() -> None:
    page = Page(VIEWERS[0], {}.__getitem__)
    at: dict[str, Any] = {"address": "reply#1", "node": "reply", "title": "Reply"}
    failed = events.StepFailed(**at, code="X", message="No.", attempt=1, next="retry")
    facts: list[Any] = [
        events.MessageSent(text="Hi", by="Dana"),
        events.StepStarted(**at, kind="llm", streams="answer"),
        failed,
    ]
    page.apply(Entry(n, RUNS[0], START, fact) for n, fact in enumerate(facts, 1))
    assert f"out:{RUNS[0]}:answer" not in page.items
    written = events.OutputWritten(channel="answer", label="Answer", value="First.")
    more = [written, events.StepStarted(**at, kind="llm", streams="answer", attempt=2), failed]
    page.apply(Entry(n, RUNS[0], START, fact) for n, fact in enumerate(more, 4))
    assert page.items[f"out:{RUNS[0]}:answer"].value == "First."


def test_words_of_a_round_that_calls_a_tool_are_gone_and_the_answer_stands_behind_the_card() -> None:
    asked = {"q": card("q", "approval", "starter", False)}
    page, out = Page(VIEWERS[0], asked.__getitem__), f"out:{RUNS[0]}:answer"
    at: dict[str, Any] = {"address": "desk#1", "node": "desk"}
    seq = 0

    def happens(*facts: Any) -> Any:
        nonlocal seq
        for fact in facts:
            seq += 1
            page.apply([Entry(seq, RUNS[0], START, fact)])
        return page.items.get(out)

    assert happens(events.StepStarted(**at, kind="work", title="Desk")) is None
    begun = happens(events.AnswerBegun(**at, channel="answer", attempt=10_001))
    assert (begun.streaming, begun.attempt, begun.label) == (True, 10_001, "Answer")
    assert happens(events.AnswerWithdrawn(**at)) is None
    happens(events.QuestionAsked(question="q", address="desk#1", node="desk", kind="approval", decider="starter"))
    happens(events.QuestionClosed(question="q", state="approved", by="Dana", shown={"reason": ""}))
    again = happens(events.AnswerBegun(**at, channel="answer", attempt=20_001))
    assert (again.attempt, list(page.items)[-2:]) == (20_001, ["q:q", out])
    # Another worker takes the step over: what its predecessor showed was never written.
    assert happens(events.StepStarted(**at, kind="work", title="Desk")) is None
    assert happens(events.OutputWritten(channel="answer", label="Answer", value="Done.")).value == "Done."


# LG-approval-22, LG-approval-27, LG-forms-11
def test_a_card_draws_what_was_stored_and_after_a_correction_what_was_sent() -> None:
    asked = {"q": card("q", "approval", "starter", False)}
    question = events.QuestionAsked(question="q", address="place#1", node="place", kind="approval", decider="starter")
    shown = {
        "reason": "Another customer",
        "edited": ["order"],
        "show": [{"label": "Order", "channel": "order", "value": {"customerId": "BLAUS"}}],
        "args": {"id": "BLAUS"},
    }
    page = Page(VIEWERS[0], asked.__getitem__)
    page.apply([Entry(1, RUNS[0], START, question)])
    item = page.items["q:q"]
    assert (item.why, item.does.args[0].value, item.figures[0].editable) == ("one\ntwo", "ALFKI", True)
    assert item.edit.values == {"order.customerId": "ALFKI"}
    page.apply(
        [Entry(2, RUNS[0], START, events.QuestionClosed(question="q", state="approved", by="Dana", shown=shown))]
    )
    item = page.items["q:q"]
    assert (item.figures[0].value, item.does.args[0].value) == ({"customerId": "BLAUS"}, "BLAUS")
    assert (item.state, item.decided_by, item.can_decide) == ("approved", "Dana", False)


def test_the_copies_of_a_fan_out_are_one_line() -> None:
    page = Page(VIEWERS[0], lambda id: card(id, "ask", "starter", False))
    said: list[events.AnyEvent] = [
        events.StepStarted(address=f"read[{n}]", node="read", kind="read", title="Read") for n in range(1000)
    ]
    said += [
        events.StepFinished(address=f"read[{n}]", node="read", kind="read", title="Read", ms=2.0) for n in range(999)
    ]
    page.apply([Entry(seq, RUNS[0], START, event) for seq, event in enumerate(said, 1)])
    (line,) = page.items[f"steps:{RUNS[0]}"].steps
    assert (line.address, line.title, line.state, line.ms) == ("read[*]", "Read × 1000", "running", 1998.0)
