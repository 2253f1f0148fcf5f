"""A page's own style sheet: it can load nothing, cover nothing and write nothing; the worst it can do is look wrong."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from flows.check import check
from flows.css.allowed import LOADERS, PARTS, PROPERTIES
from flows.css.judge import judge, written
from flows.words.page import MAX_CSS
from tests.flows.flow_of import question

GOOD = [
    ".bubble { border-radius: 22px; }",
    ".msg.user .bubble { background: linear-gradient(120deg, #fff, #eef 60%); color: var(--ink) }",
    ".question-text { font: 600 1.2rem/1.4 'Georgia', serif; letter-spacing: -.01em }",
    ".question-action:hover, .question-action:focus-visible { box-shadow: 0 2px 8px rgb(0 0 0 / 20%) }",
    ".view-card { border: 1px solid color-mix(in srgb, var(--accent) 30%, transparent) }",
    ".answer-table th, .answer-table tr:nth-child(2n + 1) td { padding-inline: calc(4px + .2em) }",
    "header { background: conic-gradient(from 1turn, red, blue) } .composer > textarea::placeholder { color: #999 }",
    ":root { --accent: #2f6fd0; --paper: #fdfbf6; --text: 18px }",
    "@media (max-width: 600px) and (prefers-color-scheme: dark) { .bubble { padding: 4px } }",
    "@supports (backdrop-filter: blur(2px)) { .composer { backdrop-filter: blur(2px) } }",
    "@keyframes fade { from { opacity: 0 } to { opacity: 1 } } .bubble { animation: fade 1s ease-in }",
    "@layer looks { .bubble:not(.user) { text-shadow: 0 -1px 0 #fff } }",
    "/* nothing but a comment: url(x) */",
    "",
]
LOADS = [
    "@import 'https://a.example/x.css';", "@IMPORT url(x);", "@\\69mport 'x';", "@font-face { src: url(x) }",
    ".bubble { background: url(https://a.example/x.png) }",
    ".bubble { background: URL( 'x' ) }",
    ".bubble { background: u\\72l(x) }", ".bubble { background: \\75 \\72 \\6C(x) }",
    ".bubble { background: url(data:image/png;base64,AA) }", ".bubble { background-image: image-set('x' 1x) }",
    ".bubble { background: -webkit-image-set(url(x) 1x) }", ".bubble { background: cross-fade(url(x), url(y)) }",
    ".bubble { background: element(#a) }",
    ".bubble { background: src('x') }", ".bubble { width: expression(alert(1)) }",
    ".bubble { cursor: url(x), auto }", ".bubble { filter: url(#a) }", ".bubble { color: var(--ink, url(x)) }",
    ":root { --paper: url(x) }", ".bubble { --x: image-set('x' 1x) }", ".bubble { color: attr(href) }",
    "@media screen { .bubble { background: url(x) } }", "@supports (background: url(x)) { .bubble { color: red } }",
    "@keyframes a { from { background: url(x) } }",
    ".bubble { background: paint(x) }",
    ".bubble{background:image(x)}", ".bubble { mask: url(x) }",
    "@namespace x url(x);", ".bubble { list-style: url(x) }",
    ".bubble { border-image: url(x) 1 }", ".bubble { background: linear-gradient(red, url(x)) }",
]  # fmt: skip
REFUSED = [
    ".bubble { position: fixed }", ".bubble { p\\6fsition: absolute }", ".bubble { inset: 0 }", ".bubble { top: 0 }",
    ".bubble { transform: scale(9) }", ".bubble { z-index: 9 }", ".bubble { content: '10' }",
    ".bubble { pointer-events: none }", ".bubble { margin: -20px }", ".bubble { margin-block-start: calc(0px - 9px) }",
    ".bubble { text-indent: -999em }", ".bubble { behavior: none }", ".bubble { -moz-binding: none }",
    "#app { color: red }", "body { color: red }", "* { color: red }", "[data-x] { color: red }",
    ".bubble[href^='a'] { color: red }", ".bubble:has(a) { color: red }", ".bubble ~ .card { color: red }",
    ".bubble + p { color: red }", ".bubble::after { color: red }", ".card-approval { color: red }",
    ":root { color: red }", ":root, .bubble { --ink: red }", ".bubble { --danger: red }", ":host { color: red }",
    ".bubble { .msg { color: red } }", ".bubble { @media screen { color: red } }", "@page { margin: 0 }",
    "@charset 'x' {}", "@layer a;", "@container (width > 1px) { .bubble { color: red } }",
    "@property --x { syntax: '*' }",
    "</style><script>", ".bubble { color: {} }", ".bubble { background: 'x' }", ".bubble { color: @x }",
    ".bubble { float: left }", "p { color: red }", ".user { color: red }", "{ color: red }", ", .bubble { color: red }",
    ".bubble:is(#a) { color: red }", "@keyframes a { @media x { from { color: red } } }",
    ".msg | .bubble { color: red }",
]  # fmt: skip
BROKEN = [
    ".bubble { color red }",
    ".bubble { color: red",
    ".bubble { color: ) }",
    ".bubble",
    "(" * 3000,
    "a" + "{" * 3000,
]


@pytest.mark.parametrize("css", GOOD)
def test_what_a_page_may_look_like(css: str) -> None:  # LG-page-13, LG-page-14
    assert judge(css) == ()
    assert judge(written(css)) == ()


@pytest.mark.parametrize("css", LOADS)
def test_nothing_is_loaded(css: str) -> None:  # LG-page-14
    assert judge(css)


@pytest.mark.parametrize("css", ["@import 'x';", ".bubble { background: u\\72l(x) }", ".bubble { color: src(x) }"])
def test_what_loads_is_called_so(css: str) -> None:  # LG-page-14
    assert next(each.sort for each in judge(css)) == "loads"
    assert "CSS_LOADS" in [each.code for each in check({**question(), "page": {"css": css}}).errors]


@pytest.mark.parametrize("css", REFUSED)
def test_what_is_on_no_list_is_refused_by_name(css: str) -> None:
    found = judge(css)
    assert found
    assert all(each.words and each.hint for each in found)


@pytest.mark.parametrize("css", BROKEN[:1] + BROKEN[2:])
def test_what_cannot_be_read_is_refused(css: str) -> None:
    assert judge(css)


def test_a_place_is_named_by_its_line() -> None:
    flow = {**question(), "page": {"css": ".bubble { color: red }\n\n.bubble { position: fixed }"}}
    problem = check(flow).errors[0]
    assert problem.message == 'In the css of the page, line 3: the property "position" is not allowed.'


def test_names_that_are_nearly_right_are_proposed() -> None:
    assert judge(".bubbles { color: red }")[0].hint == 'Did you mean ".bubble"?'
    assert judge(".bubble { colour: red }")[0].hint == 'Did you mean "color"?'
    assert judge(".bubble { color: rgbb(1 2 3) }")[0].hint == 'Did you mean "rgb()"?'


@pytest.mark.parametrize("part", [*(f".{name}" for name in PARTS), "header"])
def test_every_published_part_may_be_styled(part: str) -> None:  # LG-page-13
    assert judge(f"{part} {{ color: red }} {part}:hover {{ color: #fff }}") == ()


def test_nothing_on_the_list_moves_or_covers() -> None:
    moving = ("position", "inset", "transform", "content", "z-index", "pointer-events", "float", "clip-path", "mask")
    assert not [name for name in PROPERTIES if name.startswith(moving)]


def test_a_sheet_has_a_length() -> None:
    assert [each.code for each in check({**question(), "page": {"css": " " * (MAX_CSS + 1)}}).errors] == ["TOO_LONG"]


@pytest.mark.parametrize("loader", LOADERS)
@settings(max_examples=20, deadline=None)
@given(mask=st.lists(st.booleans(), min_size=20, max_size=20), upper=st.booleans())
def test_no_spelling_of_a_loader_is_taken(loader: str, mask: list[bool], upper: bool) -> None:  # LG-page-14
    name = loader.upper() if upper else loader
    spelt = "".join(f"\\{ord(each):x} " if hidden else each for each, hidden in zip(name, [*mask, *mask], strict=False))
    assert judge(f".bubble {{ background: {spelt}('x') }}")
    assert judge(f":root {{ --paper: {spelt}('x') }}")


@settings(max_examples=300, deadline=None)
@given(st.text(st.sampled_from(list("{}()[];:,.#@\\'\"/*!- \nabcurl:root-bubble0-9%<>&\x00\ud800")), max_size=200))
def test_any_text_is_judged(css: str) -> None:
    for each in judge(css):
        assert each.words and each.hint
    if not judge(css):
        assert judge(written(css)) == ()
