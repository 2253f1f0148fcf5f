"""The quiz's code does what its descriptions say."""

from __future__ import annotations

import pytest

from tests.examples.conftest import Run, document

QUIZ = "word-quiz"
LAMP = {"word": "lighthouse", "also": ["light house"]}


@pytest.mark.parametrize(
    ("plan", "rounds", "level"),
    [
        ({}, 3, "easy"),
        ({"rounds": 5, "level": "hard"}, 5, "hard"),
        ({"rounds": 99}, 10, "easy"),
        ({"rounds": 2.9}, 2, "easy"),
    ],
)
async def test_it_begins(run: Run, plan: dict, rounds: int, level: str) -> None:
    made = await run(QUIZ, "beginQuiz", {"plan": {"wish": "play", **plan}})
    assert (made["rounds"], made["remaining"], made["level"]) == (rounds, rounds, level)


async def test_it_picks_each_word_once_and_then_starts_over(run: Run) -> None:
    words = document(QUIZ).state["words"].default
    used: list[str] = ["isthmus"]
    asked = []
    for number in range(13):
        made = await run(QUIZ, "pickWord", {"words": words, "level": "easy", "used": used, "number": number})
        assert (made["number"], made["hints"]) == (number + 1, 0)
        used = made["used"]
        asked.append(made["word"]["word"])
    assert len(set(asked[:12])) == 12
    assert asked[12] == asked[0]
    assert used == ["isthmus", asked[0]]


@pytest.mark.parametrize(
    ("guess", "hints", "verdict"),
    [
        ("lighthouse", 0, "right"), (" A Lighthouse! ", 0, "right"), ("the light house", 0, "right"),
        ("'lighthouse'", 0, "right"), ("lamp", 0, "wrong"), ("", 0, "wrong"), ("Hint", 0, "hint"), ("hint?", 1, "hint"),
        ("hint", 2, "wrong"), ("SKIP", 0, "skip"), ("stop.", 0, "stop"), ("a hint of light", 0, "wrong"),
    ],
)  # fmt: skip
async def test_it_judges(run: Run, guess: str, hints: int, verdict: str) -> None:
    made = await run(QUIZ, "judgeGuess", {"guess": guess, "word": LAMP, "hints": hints})
    assert made["verdict"] == verdict
    assert bool(made["feedback"]) is (verdict == "wrong")


async def test_a_word_that_is_a_command_can_be_the_answer(run: Run) -> None:
    made = await run(QUIZ, "judgeGuess", {"guess": "stop", "word": {"word": "Stop", "also": []}, "hints": 0})
    assert made["verdict"] == "right"


async def test_it_gives_two_hints(run: Run) -> None:
    first = await run(QUIZ, "giveHint", {"word": LAMP, "hints": 0})
    second = await run(QUIZ, "giveHint", {"word": LAMP, "hints": 1})
    assert first == {"hints": 1, "feedback": "Hint: it has 10 letters and begins with **L**."}
    assert second == {"hints": 2, "feedback": "Hint: it begins with **LIGHT**."}


@pytest.mark.parametrize(("verdict", "score", "answer"), [("right", 3, "lamp"), ("wrong", 2, "lamp"), ("skip", 2, "–")])
async def test_it_counts(run: Run, verdict: str, score: int, answer: str) -> None:
    state = {"verdict": verdict, "guess": " lamp ", "word": LAMP, "score": 2, "remaining": 2}
    made = await run(QUIZ, "countWord", state)
    assert (made["score"], made["remaining"]) == (score, 1)
    assert made["results"] == [{"word": "lighthouse", "answer": answer, "right": verdict == "right"}]
    assert "**lighthouse**" in made["feedback"]


@pytest.mark.parametrize(
    ("score", "played", "best", "is_best"),
    [
        (2, 3, {}, True), (0, 3, {}, True), (2, 3, {"score": 3, "rounds": 3}, False),
        (3, 3, {"score": 2, "rounds": 3}, True),
        (4, 6, {"score": 2, "rounds": 3}, True), (2, 3, {"score": 4, "rounds": 6}, False), (0, 0, {}, False),
    ],
)  # fmt: skip
async def test_it_remembers_the_best(run: Run, score: int, played: int, best: dict, is_best: bool) -> None:
    made = await run(QUIZ, "finishQuiz", {"results": [{}] * played, "score": score, "best": best})
    expected = {"new_best": True, "best": {"score": score, "rounds": played}} if is_best else {"new_best": False}
    assert made == expected


def test_its_words_are_all_different() -> None:
    words = document(QUIZ).state["words"].default
    assert len({entry["word"] for entry in words}) == len(words) == 24
    assert {entry["level"] for entry in words} == {"easy", "hard"}
