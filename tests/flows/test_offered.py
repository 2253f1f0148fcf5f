"""Words that nothing acts on yet are language all the same; panels propose none of them."""

from __future__ import annotations

from flows import panels
from flows.panels import Choice, Field, fields_of, language
from flows.words.approval import Approval
from flows.words.fields import Field as FormField
from flows.words.page import Page
from tests.flows.flow_of import question


def field(fields: list[Field], key: str) -> Field:
    return next(each for each in fields if each.key == key)


def test_panels_are_told_what_not_to_propose() -> None:
    flow = language().flow
    assert [each.key for each in flow if not each.offered] == ["views", "page", "shell"]
    assert not [each.key for kind in language().kinds for each in kind.fields if not each.offered]
    assert all(each.offered for each in fields_of(Approval))


def test_every_type_of_a_field_is_offered() -> None:
    choices: list[Choice] = field(fields_of(FormField), "type").choices
    assert "file" in [each.value for each in choices] and all(each.offered for each in choices)


def test_a_word_that_is_offered_says_nothing_of_it() -> None:
    wire = language().wire()
    assert "offered" not in next(each for each in wire["flow"] if each["key"] == "name")
    assert next(each for each in wire["flow"] if each["key"] == "views")["offered"] is False


def test_what_has_a_panel_of_its_own_is_no_field_of_the_flow() -> None:
    keys = [each.key for each in language().flow]
    assert not set(panels.LISTED) & set(keys)
    assert {key for key in question() if key not in panels.LISTED} <= set(keys)


def test_settings_of_a_page_have_inputs() -> None:
    drawn = {each.key: each.widget for each in fields_of(Page)}
    assert drawn == {
        "title": "line", "welcome": "text", "question": "object", "font": "choice", "fontScale": "number",
        "accent": "color", "background": "color", "direction": "choice", "width": "choice", "hide": "list",
        "layout": "object", "logo": "switch", "who": "switch", "colors": "object", "css": "code",
    }  # fmt: skip
    hide = field(fields_of(Page), "hide")
    assert hide.of is not None and hide.of.widget == "choice" and len(hide.of.choices) == 8
