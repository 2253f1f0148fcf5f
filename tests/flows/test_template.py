"""Templates look values up in plain JSON; they never compute, and what they fill in stays inert."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from flows.words.template import fill, mistakes, only, paths, reads, value

STATE = {
    "name": "Ada",
    "doc": {"title": "Terms", "pages": 3, "first name": "x", "a-b": 1},
    "ids": ["ALFKI", "BOLID"],
    "rows": [{"sku": "A", "n": 2}],
    "price": 12.0,
    "done": False,
    "nothing": None,
    "hebrew": "שלום",
}


@pytest.mark.parametrize(
    ("template", "text"),
    [
        ("Hi {{name}}!", "Hi Ada!"),
        ("{{ name }}", "Ada"),
        ("{{doc.title}}, {{doc.pages}}", "Terms, 3"),  # LG-overview-13
        ("{{ids.0}} {{ids.1}}", "ALFKI BOLID"),
        ("{{rows.0.sku}}", "A"),
        ("{{ids}}", '["ALFKI", "BOLID"]'),  # LG-llm-02
        ("{{doc.first name}}{{doc.a-b}}", "x1"),
        ("{{price}} {{done}}", "12 false"),
        ("{{nothing}}{{missing}}{{doc.no.way}}{{ids.9}}{{ids.-1}}{{name.0}}", ""),
        ("{{hebrew}}", "שלום"),
        ('{"n": {{doc.pages}}}', '{"n": 3}'),
        ("{{7*7}} {{'a'}} {{ \"a\": 1 }} {{}} {{{name}}}", "{{7*7}} {{'a'}} {{ \"a\": 1 }} {{}} {Ada}"),
        ("{{name.__class__}} {{doc.items}} {{ids.append}}", "  "),
    ],
)
def test_fill(template: str, text: str) -> None:
    assert fill(template, STATE) == text


@pytest.mark.parametrize(
    ("template", "wanted"),
    [
        ("{{ids}}", ["ALFKI", "BOLID"]),  # LG-overview-14
        (" {{ doc.pages }} ", 3),
        ("{{done}}", False),
        ("{{missing}}", None),
        ("n {{doc.pages}}", "n 3"),
        ({"a": ["{{ids.0}}", {"b": "{{price}}"}], "c": 4}, {"a": ["ALFKI", {"b": 12.0}], "c": 4}),
    ],
)
def test_value(template: object, wanted: object) -> None:
    assert value(template, STATE) == wanted


def test_what_is_filled_in_is_inert() -> None:
    assert fill("{{a}}", {"a": "{{b}}", "b": "secret"}) == "{{b}}"
    assert value("{{a}}", {"a": "{{b}}", "b": "secret"}) == "{{b}}"


def test_reads_names_channels() -> None:
    assert reads("{{a.b}} {{c}} {{a | b}}") == {"a", "c"}
    assert reads({"x": ["{{a.0}}", {"y": "{{b}}"}], "z": 3}) == {"a", "b"}
    assert paths("{{a.b}} {{c}}") == ("a.b", "c")
    assert mistakes("{{a|b}} {{a()}} {{a[0]}} {{7*7}} {{a.b}} {{a..b}}") == ("a|b", "a()", "a[0]", "a..b")


def test_a_path_has_at_most_sixteen_parts() -> None:
    assert only("{{" + ".".join("a" * 16) + "}}")
    assert only("{{" + ".".join("a" * 17) + "}}") is None


@given(st.text(alphabet="{} ab.|\n", max_size=200))
def test_any_text_fills(text: str) -> None:
    # No value begins or ends with a brace, so nothing that was not there can appear.
    assert isinstance(fill(text, {"a": "x", "b": ["y"]}), str)
    paths(text)
    mistakes(text)


@pytest.mark.parametrize(
    "attack",
    [
        "{{config}}",
        "{{''.__class__.__mro__[1].__subclasses__()}}",
        "{{request.application.__globals__}}",
        "{{ cycler.__init__.__globals__.os.popen('id').read() }}",
        "${7*7} #{7*7} <%= 7*7 %> {% for x in y %}",
        "{{=7*7}} {{{{7*7}}}} {{range.constructor('return 1')()}}",
    ],
)
def test_template_attacks_stay_text_or_nothing(attack: str) -> None:
    assert fill(attack, {}) in (attack, "")
