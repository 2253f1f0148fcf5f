"""Page and shell: how a chat looks and what stands around it. Each setting is checked, and none is half applied."""

from __future__ import annotations

from typing import Any

import pytest

from flows.check import check
from flows.words.icons import is_icon
from tests.flows.flow_of import question

Json = Any

PAGE = {
    "question": {"size": "large", "bold": True, "color": "#1f4fbf"},
    "fontScale": 1.2, "font": "rounded", "accent": "#2f6fd0", "background": "#fdfbf6", "direction": "rtl",
    "width": "wide", "title": "שיעור אנגלית", "welcome": "ברוכים הבאים לשיעור!", "hide": ["history", "suggestions"],
    "layout": {
        "pinned": "side", "suggestions": "welcome", "composer": "center", "actions": "below", "messages": "plain",
    },
    "logo": True, "who": True,
    "colors": {
        "header": {"background": "#111827", "text": "#f9fafb"}, "rule": "#1f2937",
        "desk": {"background": "#0b0f14", "text": "#e5e7eb"}, "welcome": {"title": "#f9fafb", "text": "#9aa4b2"},
        "composer": {"background": "#111827", "text": "#f9fafb"}, "footer": {"background": "#0b0f14", "text": "#fff"},
        "suggestions": {"background": "#111827", "text": "#93c5fd"},
    },
    "css": ".bubble { border-radius: 22px; }",
}  # fmt: skip
SHELL = {
    "brand": {"initials": "SD", "name": "Support Desk", "note": "AI Support Platform", "color": "#4f46e5"},
    "aside": [
        {"type": "nav", "title": "Workspace", "items": [{"label": "Assistant", "icon": "mail", "on": True}, "Tickets"]},
        {"type": "who", "label": "signed in"},
    ],
    "rail": [
        {"type": "status", "label": "Available", "state": "ok"},
        {"type": "stat", "label": "Open tickets", "value": "12", "note": "this morning"},
        {"type": "links", "title": "Popular articles", "items": ["Reset your password"]},
    ],
    "above": [{"type": "note", "title": "Hello", "text": "Ask away."}],
    "below": [{"type": "note", "text": "Answers may be wrong."}],
}  # fmt: skip


def found(**sections: Json) -> list[tuple[str, str]]:
    """Code and path of everything wrong with a flow that has these sections, but that they are not drawn."""
    problems = check({**question(), **sections}).problems
    return [(each.code, each.path) for each in problems if each.code != "WORD_NOT_DRAWN"]


def test_every_setting_of_a_page_is_taken() -> None:
    # LG-overview-29, LG-page-01, LG-page-02, LG-page-03, LG-page-04, LG-page-05, LG-page-08
    assert found(page=PAGE) == []
    flow = check({**question(), "page": PAGE}).flow
    assert flow and flow.page and flow.as_json()["page"] == PAGE


@pytest.mark.parametrize(
    ("page", "code", "path"),
    [
        ({"fontScale": 0.6}, "OUT_OF_RANGE", "page.fontScale"),
        ({"fontScale": 2.1}, "OUT_OF_RANGE", "page.fontScale"),
        ({"fontScale": "1"}, "WRONG_TYPE", "page.fontScale"),
        ({"font": "Comic Sans"}, "NOT_ONE_OF", "page.font"),
        ({"width": "wider"}, "NOT_ONE_OF", "page.width"),
        ({"direction": "left"}, "NOT_ONE_OF", "page.direction"),
        ({"hide": ["histroy"]}, "NOT_ONE_OF", "page.hide[0]"),
        ({"hide": ["history", "history"]}, "NAMED_TWICE", "page.hide[1]"),
        ({"question": {"size": "big"}}, "NOT_ONE_OF", "page.question.size"),
        ({"question": {"italic": True}}, "UNKNOWN_KEY", "page.question.italic"),
        ({"layout": {"pinned": "left"}}, "NOT_ONE_OF", "page.layout.pinned"),
        ({"layout": {"sidebar": "left"}}, "UNKNOWN_KEY", "page.layout.sidebar"),
        ({"backgroud": "#fff"}, "UNKNOWN_KEY", "page.backgroud"),
        ({"title": "x" * 121}, "TOO_LONG", "page.title"),
        ([], "WRONG_TYPE", "page"),
    ],
)
def test_a_mistyped_setting_is_refused(page: Json, code: str, path: str) -> None:  # LG-page-12
    assert found(page=page) == [(code, path)]


@pytest.mark.parametrize("logo", ["logo.png", "https://a.example/logo.svg", False, {"src": "x"}, 1])
def test_a_logo_is_true_and_nothing_else(logo: Json) -> None:  # LG-page-06
    assert found(page={"logo": logo}) == [("NOT_ONE_OF", "page.logo")]
    problem = check({**question(), "page": {"logo": logo}}).errors[0]
    assert "it can only be true" in problem.message
    assert "the deployment's" in problem.hint


def test_who_is_no_mistake_on_a_flow_without_users() -> None:  # LG-page-07
    assert found(page={"who": True}) == []


@pytest.mark.parametrize("colour", ["blue", "#12345", "#12345g", "rgb(0,0,0)", "", "#fff ", "var(--ink)", "#fff\n"])
def test_colours_are_written_in_one_way(colour: str) -> None:  # LG-page-09
    assert found(page={"accent": colour}) == [("COLOR_INVALID", "page.accent")]
    assert found(shell={"brand": {"color": colour}}) == [("COLOR_INVALID", "shell.brand.color")]
    assert found(page={"colors": {"desk": {"text": colour}}}) == [("COLOR_INVALID", "page.colors.desk.text")]


def test_an_unknown_part_or_key_of_the_colours_is_refused() -> None:  # LG-page-09
    assert found(page={"colors": {"sidebar": {"text": "#fff"}}}) == [("UNKNOWN_KEY", "page.colors.sidebar")]
    assert found(page={"colors": {"header": {"border": "#fff"}}}) == [("UNKNOWN_KEY", "page.colors.header.border")]
    assert found(page={"colors": {"rule": {"text": "#fff"}}}) == [("WRONG_TYPE", "page.colors.rule")]


def test_one_mistake_of_a_page_hides_no_other() -> None:
    page = {"accent": "blue", "colors": {"rule": 7}, "css": "@import 'x';", "hide": ["header", "header"]}
    assert found(page=page, requires={"env": ["lower"], "settings": {"a": 7}}) == [
        ("WRONG_TYPE", "requires.settings.a"),
        ("ENV_NAME_INVALID", "requires.env[0]"),
        ("COLOR_INVALID", "page.accent"),
        ("WRONG_TYPE", "page.colors.rule"),
        ("CSS_LOADS", "page.css"),
        ("NAMED_TWICE", "page.hide[1]"),
    ]


def test_a_dark_page_is_set_with_colours() -> None:  # LG-page-11
    assert found(page={"background": "#0b0f14"}) == [("PAGE_DARK_BY_PAPER", "page.background")]
    assert found(page={"background": "#112"}) == [("PAGE_DARK_BY_PAPER", "page.background")]
    assert found(page={"background": "#0b0f14", "colors": {"desk": {"background": "#0b0f14"}}}) == []
    assert found(page={"background": "#fdfbf6"}) == []


def test_every_block_of_a_shell_is_taken() -> None:  # LG-shell-01, LG-shell-02, LG-shell-03
    assert found(shell=SHELL) == []
    flow = check({**question(), "shell": SHELL}).flow
    assert flow and flow.as_json()["shell"] == SHELL


def test_a_region_may_be_left_out() -> None:  # LG-shell-06
    for region, blocks in SHELL.items():
        assert found(shell={region: blocks}) == []
    assert found(shell={}) == []


@pytest.mark.parametrize(
    ("block", "code", "path"),
    [
        ({"type": "menu", "items": []}, "NOT_ONE_OF", ".type"),
        ({"label": "x"}, "MISSING_KEY", ""),
        ({"type": 4}, "WRONG_TYPE", ".type"),
        ("note", "WRONG_TYPE", ""),
        ({"type": "nav", "items": []}, "TOO_SHORT", ".items"),
        ({"type": "nav", "items": [{"label": "A", "href": "/a"}]}, "UNKNOWN_KEY", ".items[0].href"),
        ({"type": "nav", "items": [7]}, "WRONG_TYPE", ".items[0]"),
        ({"type": "links", "items": [{"label": "A"}]}, "WRONG_TYPE", ".items[0]"),
        ({"type": "who", "name": "Dana"}, "UNKNOWN_KEY", ".name"),
        ({"type": "status", "label": "A", "state": "fine"}, "NOT_ONE_OF", ".state"),
        ({"type": "stat", "label": "A", "value": 7}, "WRONG_TYPE", ".value"),
        ({"type": "note"}, "MISSING_KEY", ""),
        ({"type": "note", "text": "A", "picture": "a.png"}, "UNKNOWN_KEY", ".picture"),
    ],
)
def test_a_block_is_one_of_six(block: Json, code: str, path: str) -> None:  # LG-shell-03, LG-shell-09
    assert found(shell={"aside": [SHELL["aside"][1], block]}) == [(code, f"shell.aside[1]{path}")]


def test_words_of_a_block_are_named_when_one_is_misspelt() -> None:
    flow = {**question(), "shell": {"rail": [{"type": "stat", "label": "A", "value": "1", "notes": "b"}]}}
    problem = check(flow).errors[0]
    assert problem.message == '"notes" is not a word of "shell.rail[0]" of the flow.'
    assert problem.hint == 'Did you mean "note"?'


def test_a_shell_reads_no_channel() -> None:  # LG-shell-04
    stat = {"type": "stat", "label": "Asked", "value": "{{question}}"}
    # The template is no reading: a channel that is not there is no mistake either.
    assert found(shell={"rail": [stat, {**stat, "value": "{{nothing}}"}]}) == [
        ("SHELL_TEMPLATE", "shell.rail[0].value"),
        ("SHELL_TEMPLATE", "shell.rail[1].value"),
    ]


def test_a_stat_without_a_figure_is_better_left_out() -> None:  # LG-shell-05
    assert found(shell={"rail": [{"type": "stat", "label": "A", "value": ""}]}) == [
        ("STAT_EMPTY", "shell.rail[0].value")
    ]


@pytest.mark.parametrize(
    "text",
    ["https://a.example/b.png", "see //a.example", "data:image/png;base64,AA", "JavaScript:alert(1)", "a ftp://b"],
)
def test_a_shell_names_no_address(text: str) -> None:  # LG-shell-10
    assert found(shell={"below": [{"type": "note", "text": text}]}) == [("SHELL_ADDRESS", "shell.below[0].text")]
    assert found(shell={"brand": {"name": text}}) == [("SHELL_ADDRESS", "shell.brand.name")]
    assert found(shell={"rail": [{"type": "links", "items": ["a", text]}]}) == [
        ("SHELL_ADDRESS", "shell.rail[0].items[1]")
    ]
    assert found(shell={"brand": {"name": "a", "logo": text}}) == [("UNKNOWN_KEY", "shell.brand.logo")]


def test_words_that_look_like_addresses_are_words() -> None:  # LG-shell-10
    for text in ("Write to desk@shop.example", "Open 8:30 // closed 17:00", "and/or", "Note: data is kept 30 days"):
        assert found(shell={"below": [{"type": "note", "text": text}]}) == []


def test_an_icon_is_an_emoji_or_a_drawing_of_the_page() -> None:
    for icon in ("💡", "👨‍👩‍👧", "🇩🇪", "1️⃣", "☕", "👍🏽", "❤️", "mail"):
        assert is_icon(icon), icon
    for icon in ("", "A", "ab", "mial", "https://a.example", "a.svg", "{{x}}", "💡" * 20):
        assert not is_icon(icon), icon
