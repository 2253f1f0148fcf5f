"""Each requirement of the language has a case that proves it, or stands on the list for later with a reason."""

from __future__ import annotations

import re

from tests.cases.regenerate import CASES
from tests.requirements.page import DECIDABLE, PAGE
from tests.requirements.proofs import cases, later, proofs, requirements


def test_tests_name_requirements_that_exist() -> None:
    unknown = {id: [str(each) for each in where] for id, where in proofs().items() if id not in requirements()}
    assert not unknown


def test_every_refusal_limit_and_default_is_proved_or_waits_with_a_reason() -> None:
    proved, waiting = proofs(), later()
    assert not [
        each.id
        for each in requirements().values()
        if set(each.kinds) & set(DECIDABLE) and each.id not in proved and each.id not in waiting
    ]


def test_everything_else_is_proved_or_waits_with_a_reason() -> None:
    proved, waiting = proofs(), later()
    assert not [id for id in requirements() if id not in proved and id not in waiting]


def test_what_waits_is_named_by_no_test() -> None:
    proved = proofs()
    named = {id: [str(each) for each in proved[id]] for id in later() if id in proved}
    assert not named, "Run `python -m tests.requirements`: it takes them off the list for later."


def test_what_waits_exists_and_says_why() -> None:
    assert not {id: reason for id, reason in later().items() if id not in requirements() or not reason}


def test_golden_cases_prove_what_exists() -> None:
    folders = {case.name for case in CASES.iterdir()}
    assert not set(cases()) - folders
    assert not [id for ids in cases().values() for id in ids if id not in requirements()]


def test_the_page_says_nothing_that_the_tests_do_not() -> None:
    """It may know less: one more proof of a rule is written there the next time."""
    proved, waiting = proofs(), later()
    rows = dict(re.findall(r"(?m)^\| (LG-[a-z]+-\d\d) \|.*\| (.+) \|$", PAGE.read_text(encoding="utf-8")))
    wrong = [
        id
        for id in requirements()
        if (id in proved and not set(re.findall(r"\]\(\.\./([^)]+)\)", rows[id])) <= {each.file for each in proved[id]})
        or (id in proved) == rows[id].startswith("*Later")
        or (id in waiting and rows[id] != f"*Later: {waiting[id]}*")
    ]
    assert not wrong, "Run `python -m tests.requirements` and commit the page."
