"""Which words of a reply are shown while it is written, where it may be a request for details."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from flows.words import needs

REQUEST = json.dumps({"needs": {"city": {"type": "string"}}, "why": "I must know."})


def shown(reply: str, size: int = 1) -> str:
    spoken = needs.Spoken()
    return "".join(spoken.pass_on(reply[at : at + size]) for at in range(0, len(reply), size))


@pytest.mark.parametrize(
    ("reply", "seen"),
    [
        ("Done.", "Done."),
        (REQUEST, ""),
        (f"```json\n{REQUEST}\n```", ""),
        (f"I need this: {REQUEST}", "I need this: "),
        ('{"why": "Because.", "needs": ["city"]}', ""),
        ("Take {a} and {b}, or `c`.", "Take {a} and {b}, or `c`."),
        ('{"needed": 1}', '{"needed": 1}'),
        ("See:\n```py\nx = {'n': 1}\n```\nThat is all.", "See:\n```py\nx = {'n': 1}\n```\nThat is all."),
    ],
)
def test_a_request_is_held_back_and_all_else_is_shown(reply: str, seen: str) -> None:
    assert [shown(reply, size) for size in (1, 2, 3, 5, len(reply))] == [seen] * 5


@given(
    reply=st.lists(
        st.sampled_from(["{", "}", '"needs"', '"why"', "`", "```", "json", " ", "\n", "word", ":", "1"]), max_size=40
    ),
    size=st.integers(1, 9),
)
def test_no_piece_of_a_request_is_shown_however_it_is_cut(reply: list[str], size: int) -> None:
    text = "".join(reply)
    seen = shown(text, size)
    assert text.startswith(seen)
    assert text.startswith(shown(text + REQUEST, size))


def test_white_space_is_not_doubted_for_ever() -> None:
    assert shown("{" + " " * 500 + "x").endswith(" x")
