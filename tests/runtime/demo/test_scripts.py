"""Rules find their request, and answers depend on the prompt."""

from __future__ import annotations

from typing import Any

import pytest

from runtime.demo.fill import MISSING, FillRefused, fill, parse
from runtime.demo.script import FOLDER, Asked, Book, ScriptRefused


def answer(*rules: Any, prompt: str = "Order 12 of tea", **asked: Any) -> str:
    book = Book()
    book.add(list(rules))
    return book.find(Asked(prompt, **asked)).text


@pytest.mark.parametrize(
    ("when", "fits"),
    [
        ({"contains": "TEA"}, True),
        ({"contains": ["tea", "order"]}, True),
        ({"contains": ["tea", "coffee"]}, False),
        ({"any": ["tea", "coffee"]}, True),
        ({"any": ["milk"]}, False),
        ({"without": "tea"}, False),
        ({"regex": r"\d+ of"}, True),
        ({"regex": [r"\d+", "^Place"]}, False),
        ({"system": "be brief"}, True),
        ({"system": "be long"}, False),
        ({"schema": True}, True),
        ({"schema": False}, False),
        ({"schema": "kind"}, True),
        ({"schema": "other"}, False),
        ({"model": "m"}, True),
        ({"model": "n"}, False),
        ({"nth": 2}, False),
        ({}, True),
    ],
)
def test_what_a_request_must_be(when: dict, fits: bool) -> None:
    book = Book()
    book.add({"when": when, "answer": "yes"})
    asked = Asked("Order 12 of tea", "be brief", "m", "kind", structured=True)
    assert book.find(asked).scripted is fits


def test_the_nth_time_and_how_often() -> None:
    book = Book()
    book.add([{"when": {"nth": [2, 3]}, "answer": "again"}, {"answers": ["first", "then"]}])
    assert [book.find(Asked("x")).text for _ in range(5)] == ["first", "again", "again", "then", "then"]
    book.add({"answer": "twice", "times": 2})
    assert [book.find(Asked("x")).text for _ in range(3)] == ["twice", "twice", "then"]


def test_groups_hand_down_what_they_say() -> None:
    book = Book()
    book.add({
        "when": {"contains": "tea"}, "pace": 5, "first_delay": 9,
        "rules": [{"when": {"contains": "green"}, "answer": "green", "pace": 7}, {"answer": "black"}],
    })  # fmt: skip
    green, black = book.find(Asked("green tea")), book.find(Asked("tea"))
    assert (green.text, green.manner.pace, green.manner.first_delay) == ("green", 7, 9)
    assert (black.text, black.manner.pace) == ("black", 5)
    assert not book.find(Asked("green")).scripted


def test_later_rules_come_first_and_overlays_lie_over_them() -> None:
    book = Book()
    book.add({"answer": "old", "pace": 1, "chunk": 4})
    book.add({"answer": "new", "pace": 2})
    book.add({"overlay": True, "pace": 3, "times": 1})
    assert [(said.text, said.manner.pace) for said in (book.find(Asked("x")), book.find(Asked("x")))] == [
        ("new", 3),
        ("new", 2),
    ]
    book.clear()
    assert not book.find(Asked("x")).scripted


def test_answers_read_the_prompt() -> None:
    rule = {
        "when": {"regex": r"Order (?P<n>\w+) of (?P<what>\w+)(?: by (?P<day>\S+))?"},
        "read": {"orders": "Orders:", "none": "None:"},
        "means": {"n": {"twelve": 12}},
        "answer": {
            "n": "${n|number}",
            "what": "${what|upper}",
            "by": "${day}",
            "last": "${orders.0.id}",
            "no": "${none}",
        },
    }
    prompt = 'Order twelve of tea.\nNone: nothing\nOrders: [{"id": 7}, {"id": 8}] and so on'
    assert answer(rule, prompt=prompt) == '{"n": 12, "what": "TEA", "last": 7}'


def test_sections() -> None:
    names = {"rows": [{"a": 1, "ok": True}, {"a": 2, "ok": False}], "none": [], "one": {"b": "x"}, "total": 1234.5}
    text = "${#rows}${a}${#ok}+${/ok}${^ok}-${/ok} ${/rows}${^none}empty${/none}${#one}${b}${total|money}${/one}"
    assert fill(text, names) == "1+ 2- emptyx1,234.50"
    assert fill("${rows|count}", names) == 2
    assert fill("${rows}", names) == names["rows"]
    assert fill("${nothing}", names) is MISSING
    assert fill({"a": "${nothing}", "b": ["${nothing}", "${total}"]}, names) == {"b": [1234.5]}
    assert fill("Plain $ {text}", names) == "Plain $ {text}"


@pytest.mark.parametrize("text", ["${#a}x", "x${/a}", "${#a}${#b}${/a}${/b}", "${a|shout}"])
def test_broken_placeholders_are_refused(text: str) -> None:
    with pytest.raises(FillRefused):
        parse(text)
    with pytest.raises(ScriptRefused):
        Book().add({"answer": {"deep": [text]}})


@pytest.mark.parametrize(
    "rule",
    [
        {"wen": {}},
        {"when": {"contain": "x"}},
        {"when": {"regex": "("}},
        {"answer": "a", "answers": ["b"]},
        {"rules": [{"answer": "a"}], "answer": "b"},
        {"pace": -1},
        {"fail": {"status": 200}},
        "text",
    ],
)
def test_a_rule_that_cannot_be_read_is_refused_in_words(rule: Any) -> None:
    with pytest.raises(ScriptRefused, match=r"rules"):
        Book().add(rule)


def test_the_scripts_that_come_along_are_whole() -> None:
    book = Book()
    for path in FOLDER.glob("*.json"):
        book.load(path)
    assert len(book.written) > 50
    assert len({ready.rule.name for ready in book.written}) == len(book.written)


def test_the_readmes_example_works(tmp_path: Any) -> None:
    readme = (FOLDER.parent / "README.md").read_text(encoding="utf-8")
    file = tmp_path / "readme.json"
    file.write_text(readme.partition("```json")[2].partition("```")[0])
    book = Book()
    book.load(file)
    prompt = 'You answer at the desk.\nOrders: [{"id": 7}, {"id": 8}]\n<message>\nSo where is bob?\n</message>'
    assert book.find(Asked(prompt)).text == "Bob has 2 orders: 7 8 "


def test_patterns(tmp_path: Any) -> None:
    file = tmp_path / "mine.json"
    file.write_text(
        '{"patterns": {"digit": "[0-9]", "pair": "{{digit}}{2}"},'
        ' "rules": [{"when": {"regex": "^{{pair}}$"}, "answer": "{{pair}}"}]}'
    )
    book = Book()
    book.load(file)
    assert book.find(Asked("42")).text == "{{pair}}"
    assert not book.find(Asked("421")).scripted
    file.write_text("[]")
    with pytest.raises(ScriptRefused, match=r"mine\.json"):
        book.load(file)
    with pytest.raises(ScriptRefused, match=r"none\.json"):
        book.load(tmp_path / "none.json")
