"""Views: what the chat shows while a flow runs. They are checked like everything else, and change nothing."""

from __future__ import annotations

import copy
import json
from typing import Any

import pytest

from flows.blocks import VIEWS
from flows.check import check
from flows.edits.apply import apply, sketch_of
from flows.words.document import MAX_VIEWS
from flows.words.template import fill
from tests.flows.flow_of import question

Json = Any

SCORE = {
    "id": "scoreboard", "type": "card", "place": "pinned", "title": "Your score",
    "items": [
        {"label": "Points", "value": "{{score}}"},
        {"label": "Word", "value": "{{round}} / {{words.length}}"},
    ],
    "progress": {"value": "{{round}}", "max": "{{words.length}}"},
}  # fmt: skip
PICTURE = {
    "id": "picture", "type": "image", "place": {"after": "reply"}, "file": "{{current_image}}",
    "caption": "Word {{round}}", "description": "The picture of the round.",
}  # fmt: skip
HINT = {"id": "hint", "type": "action", "place": {"with": "quiz"}, "icon": "💡", "label": "רמז", "sends": "רמז"}


def lesson(*views: Json) -> dict[str, Json]:
    """A quiz with these views."""
    flow = question()
    flow["state"] |= {
        "score": {"type": "number", "description": "Points so far."},
        "round": {"type": "number", "description": "Which word it is."},
        "words": {"type": "list", "description": "The words of the lesson."},
        "current_image": {"type": "file", "description": "The picture of the word."},
        "guess": {"type": "string", "description": "What was typed."},
    }
    flow["nodes"][0]["prompt"] += " {{guess}}"
    flow["nodes"].insert(0, {"id": "quiz", "type": "ask", "ask": "What is it?", "output": "guess"})
    flow["nodes"].append({"id": "begin", "type": "llm", "prompt": "Greet {{question}}.", "output": "answer"})
    flow["edges"] += [{"from": "begin", "to": "quiz"}, {"from": "quiz", "to": "reply"}]
    return {**flow, "start": "begin", "views": list(views)}


def found(*views: Json) -> list[tuple[str, str]]:
    """Code and path of everything that is wrong with a lesson that has these views, but that they are not drawn."""
    problems = check(lesson(*views)).problems
    return [(each.code, each.path) for each in problems if each.code != "WORD_NOT_DRAWN"]


def test_cards_pictures_and_actions_are_views() -> None:  # LG-overview-28, LG-views-01, LG-views-06, LG-views-08
    assert found(SCORE, PICTURE, HINT) == []
    flow = check(lesson(SCORE, PICTURE, HINT)).flow
    assert flow is not None
    assert [view.type for view in flow.views] == ["card", "image", "action"] == list(VIEWS)
    assert flow.as_json()["views"] == [SCORE, PICTURE, HINT]


@pytest.mark.parametrize(
    ("change", "code", "path"),
    [
        ({"colour": "red"}, "UNKNOWN_KEY", "views[0].colour"),
        ({"sends": "x"}, "UNKNOWN_KEY", "views[0].sends"),
        ({"id": "two words"}, "VIEW_ID_INVALID", "views[0].id"),
        ({"type": "button"}, "NOT_ONE_OF", "views[0].type"),
        ({"type": 7}, "WRONG_TYPE", "views[0].type"),
        ({"place": "top"}, "NOT_ONE_OF", "views[0].place"),
        ({"place": {"before": "quiz"}}, "UNKNOWN_KEY", "views[0].place.before"),
        ({"place": {"after": "quizz"}}, "NODE_NOT_FOUND", "views[0].place.after"),
        ({"place": {"after": "END"}}, "NODE_NOT_FOUND", "views[0].place.after"),
        ({"place": 4}, "WRONG_TYPE", "views[0].place"),
    ],
)
def test_a_view_says_what_it_is_and_nothing_else(change: Json, code: str, path: str) -> None:  # LG-views-02
    assert found({**SCORE, **change}) == [(code, path)]


@pytest.mark.parametrize("key", ["id", "type", "place", "title"])
def test_what_each_card_says(key: str) -> None:  # LG-views-02
    view = {name: each for name, each in SCORE.items() if name != key}
    assert found(view) == [("MISSING_KEY", "views[0]")]


def test_one_broken_view_hides_no_other() -> None:
    assert found({**SCORE, "title": 7}, {**PICTURE, "caption": "{{rond}}"}, "card") == [
        ("WRONG_TYPE", "views[0].title"),
        ("CHANNEL_NOT_DECLARED", "views[1].caption"),
        ("WRONG_TYPE", "views[2]"),
    ]


def test_ids_differ() -> None:  # LG-views-02
    assert found(SCORE, {**PICTURE, "id": "scoreboard"}) == [("VIEW_ID_TWICE", "views[1].id")]


def test_only_actions_stand_with_a_question() -> None:  # LG-views-05
    assert found({**SCORE, "place": {"with": "quiz"}}) == [("VIEW_PLACE", "views[0].place")]
    assert found({**HINT, "place": "pinned"}) == [("VIEW_PLACE", "views[0].place")]
    assert found({**HINT, "place": {"after": "quiz"}}) == [("VIEW_PLACE", "views[0].place")]
    assert found({**SCORE, "place": {}}) == [("VIEW_PLACE", "views[0].place")]
    assert found({**HINT, "place": {"with": "reply"}}) == [("ACTION_NOT_ON_ASK", "views[0].place.with")]


def test_a_card_has_one_to_twelve_items() -> None:  # LG-views-07
    item = {"label": "Points", "value": "{{score}}"}
    assert found({**SCORE, "items": [item] * 12}) == []
    assert found({**SCORE, "items": [item] * 13}) == [("TOO_LONG", "views[0].items")]
    assert found({**SCORE, "items": []}) == [("TOO_SHORT", "views[0].items")]
    assert found({"id": "a", "type": "card", "place": "pinned", "title": "A"}) == [("CARD_EMPTY", "views[0]")]


def test_progress_is_numbers_or_templates() -> None:  # LG-views-08
    assert found({**SCORE, "progress": {"value": 2, "max": 9.5, "label": "{{round}} done"}}) == []
    assert found({**SCORE, "progress": {"value": True, "max": []}}) == [
        ("WRONG_TYPE", "views[0].progress.max"),
        ("WRONG_TYPE", "views[0].progress.value"),
    ]
    assert found({**SCORE, "progress": {"value": 2}}) == [("MISSING_KEY", "views[0].progress")]


def test_templates_fill_every_text_and_read_declared_channels() -> None:  # LG-views-09
    view = {
        "id": "all", "type": "card", "place": "pinned", "title": "{{a}}", "text": "{{b}}",
        "items": [{"label": "{{c}}", "value": "{{d}}"}],
        "progress": {"value": "{{e}}", "max": "{{f}}", "label": "{{g}}"},
    }  # fmt: skip
    assert {code for code, _ in found(view)} == {"CHANNEL_NOT_DECLARED"}
    assert len(found(view)) == 7
    assert found({**SCORE, "text": "{{score | upper}}"}) == [("TEMPLATE_NOT_A_PATH", "views[0].text")]
    assert fill("{{words.length}} of {{deep.list.length}}", {"words": [1, 2], "deep": {"list": []}}) == "2 of 0"
    assert fill("{{words.length}}", {"words": {"length": "long"}}) == "long"
    assert fill("{{words.length}}", {"words": "text"}) == ""


def test_a_card_is_for_a_glance() -> None:  # LG-views-10
    item = {"label": "All", "value": "{{words}}"}
    assert found({**SCORE, "items": [item]}) == [("CARD_PRINTS_LIST", "views[0].items[0].value")]
    assert found({**SCORE, "items": [{"label": "All", "value": "{{words.0}}, {{words}}"}]}) == []


def test_a_question_has_at_most_four_fixed_actions() -> None:  # LG-views-18
    buttons = [{**HINT, "id": f"b{number}"} for number in range(5)]
    assert found(*buttons[:4]) == []
    assert found(*buttons) == [("TOO_MANY_ACTIONS", "views[4]")]
    assert found({**HINT, "label": "{{round}}"}) == [("ACTION_TEMPLATE", "views[0].label")]
    assert found({**HINT, "sends": "{{round}}"}) == [("ACTION_TEMPLATE", "views[0].sends")]
    assert found({**HINT, "icon": "https://icons.example/a.svg"}) == [("ICON_UNKNOWN", "views[0].icon")]
    assert found({**HINT, "icon": "star"}) == []


def test_only_an_action_is_a_button() -> None:  # LG-views-24
    item = {"label": "Hint", "value": "", "button": {"sends": "hint"}}
    assert found({**SCORE, "items": [item]}) == [("UNKNOWN_KEY", "views[0].items[0].button")]
    problem = check(lesson({**SCORE, "items": [item]})).errors[0]
    assert problem.message == '"button" is not a word of "items[0]" of card "scoreboard".'
    assert problem.hint == 'Remove it. What may stand here: "label" or "value".'
    assert found({**SCORE, "items": [{"type": "button", **SCORE["items"][0]}]})[0][0] == "UNKNOWN_KEY"


def test_a_view_that_repeats_a_question_is_said() -> None:  # LG-views-25
    flow = lesson({**PICTURE, "place": {"after": "quiz"}, "caption": ""})
    flow["nodes"][0]["show"] = ["current_image"]
    assert [each.path for each in check(flow).warnings if each.code == "VIEW_REPEATS_SHOW"] == ["views[0]"]
    flow["nodes"][0]["show"] = ["score"]
    assert not [each for each in check(flow).warnings if each.code == "VIEW_REPEATS_SHOW"]


def test_a_picture_is_a_file_of_its_flow() -> None:  # LG-views-06
    assert found({**PICTURE, "file": "{{score}}"}) == [("IMAGE_NOT_FILE", "views[0].file")]
    assert found({**PICTURE, "file": "https://a.example/b.png"}) == [("IMAGE_NOT_FILE", "views[0].file")]
    assert found({**PICTURE, "file": "{{words.0}}"}) == []
    # Its size is the file's: no word sets it.
    assert found({**PICTURE, "width": 250}) == [("UNKNOWN_KEY", "views[0].width")]  # LG-views-26


def test_adding_views_changes_nothing_else() -> None:  # LG-views-21
    bare, shown = check(lesson()).flow, check(lesson(SCORE, PICTURE, HINT)).flow
    assert bare and shown
    assert [node.plain() for node in bare.nodes] == [node.plain() for node in shown.nodes]
    assert bare.state == shown.state and bare.edges == shown.edges


def test_views_follow_what_is_renamed() -> None:
    draft = sketch_of(json.dumps(lesson(SCORE, PICTURE, HINT)))
    renamed = apply(draft, [{"op": "renameNode", "id": "quiz", "to": "round_of"}]).document
    assert renamed["views"][2]["place"] == {"with": "round_of"}
    renamed = apply(draft, [{"op": "renameChannel", "name": "words", "to": "lesson_words"}]).document
    assert renamed["views"][0]["items"][1]["value"] == "{{round}} / {{lesson_words.length}}"


def test_a_button_goes_with_its_question() -> None:
    draft = sketch_of(json.dumps(lesson(SCORE, PICTURE, HINT, {**SCORE, "id": "after", "place": {"after": "quiz"}})))
    removed = apply(draft, [{"op": "removeNodes", "ids": ["quiz"]}])
    assert [view["id"] for view in removed.document["views"]] == ["scoreboard", "picture", "after"]
    assert removed.document["views"][2]["place"] == {"after": "reply"}
    assert [each.code for each in removed.problems if each.level == "error"] == []


def test_a_page_that_does_not_draw_views_says_so() -> None:
    flow = {**lesson(SCORE), "page": {"title": "Lesson"}, "shell": {}}
    assert [(each.code, each.path) for each in check(flow).problems] == [
        ("WORD_NOT_DRAWN", "views"),
        ("WORD_NOT_DRAWN", "page"),
        ("WORD_NOT_DRAWN", "shell"),
    ]
    assert not [each for each in check(lesson()).problems if each.code == "WORD_NOT_DRAWN"]


def test_there_is_an_end_to_views() -> None:
    flow = lesson(*[{**copy.deepcopy(SCORE), "id": f"v{number}"} for number in range(MAX_VIEWS + 50)])
    assert [(each.code, each.path) for each in check(flow).errors] == [("TOO_LONG", "views")]
