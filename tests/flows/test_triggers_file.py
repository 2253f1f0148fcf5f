"""triggers.json: what is taken, what is refused, and where a default stands."""

from __future__ import annotations

import copy
from typing import Any

import pytest

from flows.beside.triggers import check_triggers
from flows.words.cron import parse
from flows.words.trigger import ScheduleTrigger, WebhookTrigger
from tests.flows.files_beside import TRIGGERS, around, codes
from tests.flows.flow_of import question

Json = Any


def test_triggers_that_are_right() -> None:
    # LG-triggers-01, LG-triggers-02, LG-triggers-03, LG-triggers-06, LG-triggers-07, LG-triggers-08, LG-triggers-10,
    # LG-triggers-11, LG-triggers-16
    found = check_triggers(TRIGGERS, around(question()), "triggers.json")
    assert found.ok and found.problems == []
    assert found.word and found.word.plain() == TRIGGERS


def test_what_a_trigger_is_when_it_does_not_say() -> None:
    # LG-triggers-10, LG-triggers-14
    raw = {
        "flow": "./flow.json",
        "triggers": [
            {"id": "a", "type": "webhook", "path": "/a"},
            {
                "id": "b",
                "type": "schedule",
                "schedule": "0 * * * *",
                "deliver": {"to": "webhook", "url": "http://localhost:9/", "body": {}},
            },
        ],
    }
    found = check_triggers(raw, around(question()), "triggers.json")
    assert found.ok and found.word
    hook, clock = found.word.triggers
    assert isinstance(hook, WebhookTrigger) and hook.method == "POST" and hook.enabled and hook.input == {}
    assert isinstance(clock, ScheduleTrigger) and clock.timezone is None
    # LG-triggers-12: an address of this machine may be written out, for trying things.
    assert clock.deliver and clock.deliver.format == "json" and clock.deliver.url == "http://localhost:9/"


@pytest.mark.parametrize(
    ("text", "field", "values"),
    [
        ("*/20 * * * *", "minutes", {0, 20, 40}),
        ("5 * * * *", "minutes", {5}),
        ("5/30 * * * *", "minutes", {5, 35}),
        ("0 9-17/4 * * *", "hours", {9, 13, 17}),
        ("0 8 1,15 * *", "days", {1, 15}),
        ("0 8 * jan,MAR-may *", "months", {1, 3, 4, 5}),
        ("0 8 * * mon-fri", "weekdays", {1, 2, 3, 4, 5}),
        ("0 8 * * 7", "weekdays", {0}),
    ],
)  # LG-triggers-03, LG-triggers-04
def test_what_a_schedule_means(text: str, field: str, values: set[int]) -> None:
    assert getattr(parse(text), field) == values


@pytest.mark.parametrize(
    ("change", "code", "words"),
    [
        ({"method": "PUT"}, "NOT_ONE_OF", '"method" of trigger "a" is "PUT", which is not one of "POST" or "GET".'),
        ({"type": "cron"}, "NOT_ONE_OF", "which is not one of"),
        ({"headers": {}}, "UNKNOWN_KEY", '"headers" is not a word of trigger "a".'),
        ({"module": "os"}, "UNKNOWN_KEY", '"module" is not a word of trigger "a".'),  # LG-triggers-19
        ({"input": {"question": "{{event.data | upper}}"}}, "TEMPLATE_NOT_A_PATH", "is not a path"),
    ],
)  # LG-triggers-02, LG-triggers-06, LG-triggers-19
def test_triggers_that_are_refused(change: Json, code: str, words: str) -> None:
    raw = {"flow": "./flow.json", "triggers": [{"id": "a", "type": "webhook", "path": "/a", **change}]}
    found = check_triggers(raw, around(question()), "triggers.json")
    assert codes(found.problems) == [code] and words in found.problems[0].message


def test_triggers_need_their_version() -> None:
    # LG-triggers-01, LG-versions-04
    found = check_triggers(TRIGGERS, around({**question(), "version": "0.19"}), "triggers.json")
    assert codes(found.problems) == ["VERSION_TOO_LOW"]
    assert found.problems[0].message == "A file of triggers needs version 0.20, and the flow says 0.19."


def test_a_broken_trigger_hides_no_other() -> None:
    raw = copy.deepcopy(TRIGGERS)
    raw["triggers"][0]["schedule"] = 8
    raw["triggers"][1]["event"] = "order.*"
    found = check_triggers(raw, around(question()), "triggers.json")
    assert codes(found.problems) == ["WRONG_TYPE", "EVENT_NAME_INVALID"]
    assert found.word and [trigger.id for trigger in found.word.triggers] == ["new-order", "ticket"]
