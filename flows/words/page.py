"""Page: how this agent's chat looks. It changes nothing that the agent does, and no other page."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Annotated, Literal

from pydantic import Field

from flows.css.judge import judge
from flows.problem import Finding, at, quoted, rule
from flows.words.base import Dsl, OnlyTrue, Word

Colour = Annotated[str, Field(pattern=r"^#(?:[0-9a-fA-F]{3}|[0-9a-fA-F]{6})$")]

Part = Literal["history", "newChat", "suggestions", "steps", "header", "footer", "attachments", "timestamps"]

MAX_CSS = 50_000

_SIZES = {"small": "Smaller than the answer.", "normal": "Like the answer.", "large": "Larger.", "huge": "Very large."}
_FONTS = {
    "system": "The system's own.",
    "sans": "Without serifs.",
    "serif": "With serifs.",
    "rounded": "Round and soft.",
    "mono": "Each letter as wide as the next.",
    "dyslexia": "Letters that are easy to tell apart.",
}


class Asked(Word):
    """How a question is written."""

    size: Annotated[Literal["small", "normal", "large", "huge"], Dsl(widget="choice", since="0.12", says=_SIZES)] = (
        Field("normal", description="How large its words are.")
    )
    bold: Annotated[bool, Dsl(widget="switch", since="0.12")] = Field(False, description="Whether they are bold.")
    color: Annotated[Colour | None, Dsl(widget="color", since="0.12")] = Field(
        None, description="Their colour, as #rgb or #rrggbb."
    )


class Ground(Word):
    """The colours of one part of the page."""

    background: Annotated[Colour | None, Dsl(widget="color", since="0.26")] = Field(None, description="Behind it.")
    text: Annotated[Colour | None, Dsl(widget="color", since="0.26")] = Field(
        None, description="Of everything written in it."
    )


class Welcome(Word):
    """The colours of the words of welcome."""

    title: Annotated[Colour | None, Dsl(widget="color", since="0.26")] = Field(None, description="Of the title.")
    text: Annotated[Colour | None, Dsl(widget="color", since="0.26")] = Field(None, description="Of the text under it.")


class Colors(Word):
    """The page's parts, by what somebody who looks at it sees. A part colours what is inside it."""

    header: Annotated[Ground | None, Dsl(since="0.26")] = Field(None, description="The bar at the top.")
    rule: Annotated[Colour | None, Dsl(widget="color", since="0.26")] = Field(
        None, description="The lines between the parts."
    )
    desk: Annotated[Ground | None, Dsl(since="0.26")] = Field(None, description="The paper that all of it lies on.")
    welcome: Annotated[Welcome | None, Dsl(since="0.26")] = Field(None, description="The words of an empty chat.")
    composer: Annotated[Ground | None, Dsl(since="0.26")] = Field(None, description="The box to type in.")
    footer: Annotated[Ground | None, Dsl(since="0.26")] = Field(None, description="The line under the box.")
    suggestions: Annotated[Ground | None, Dsl(since="0.26")] = Field(None, description="The chips.")


class Layout(Word):
    """What sits where. Only the page's own parts move; nothing is added."""

    pinned: Annotated[Literal["top", "side"] | None, Dsl(widget="choice", since="0.26")] = Field(
        None, description="Where pinned views are: above the conversation, or beside it."
    )
    suggestions: Annotated[Literal["above", "below", "welcome"] | None, Dsl(widget="choice", since="0.26")] = Field(
        None, description="Where the chips are: above the box, below it, or with the welcome."
    )
    composer: Annotated[Literal["bottom", "center"] | None, Dsl(widget="choice", since="0.26")] = Field(
        None, description="Where the box is; center is centred until the first message."
    )
    actions: Annotated[Literal["inline", "below"] | None, Dsl(widget="choice", since="0.26")] = Field(
        None, description="Where a question's buttons are: in its words, or below them."
    )
    messages: Annotated[Literal["bubbles", "plain"] | None, Dsl(widget="choice", since="0.26")] = Field(
        None, description="Whether messages stand in bubbles."
    )


class Page(Word):
    """How the chat page looks. Each setting is checked; none is half applied."""

    title: Annotated[str, Field(max_length=120), Dsl(widget="line", since="0.12")] = Field(
        "", description="The words at the top, in any language; else the flow's name."
    )
    welcome: Annotated[str, Field(max_length=2000), Dsl(widget="text", since="0.12")] = Field(
        "", description="The words of an empty chat, in any language."
    )
    question: Annotated[Asked | None, Dsl(since="0.12")] = Field(None, description="How a question is written.")
    font: Annotated[
        Literal["system", "sans", "serif", "rounded", "mono", "dyslexia"],
        Dsl(widget="choice", since="0.12", says=_FONTS),
    ] = Field("system", description="The type of all words.")
    font_scale: Annotated[float, Field(ge=0.7, le=2), Dsl(widget="number", since="0.12", label="Size of words")] = (
        Field(1, description="How large all words are, from 0.7 to 2.")
    )
    accent: Annotated[Colour | None, Dsl(widget="color", since="0.12")] = Field(
        None, description="The colour of buttons and of what is chosen, as #rgb or #rrggbb."
    )
    background: Annotated[Colour | None, Dsl(widget="color", since="0.12")] = Field(
        None, description="The colour of the paper alone, as #rgb or #rrggbb; a dark page is set with colors."
    )
    direction: Annotated[Literal["ltr", "rtl", "auto"], Dsl(widget="choice", since="0.12")] = Field(
        "auto", description="Which way it is read."
    )
    width: Annotated[Literal["narrow", "normal", "wide", "full"], Dsl(widget="choice", since="0.12")] = Field(
        "normal", description="How wide the conversation is."
    )
    hide: Annotated[list[Part], Field(max_length=8), Dsl(widget="list", since="0.12")] = Field(
        default_factory=list, description="Which parts are not shown."
    )
    layout: Annotated[Layout | None, Dsl(since="0.26")] = Field(None, description="What sits where.")
    logo: Annotated[OnlyTrue | None, Dsl(widget="switch", since="0.26")] = Field(
        None, description="true: the agent has a logo. The file is the deployment's, never the flow's."
    )
    who: Annotated[bool, Dsl(widget="switch", since="0.26")] = Field(
        False, description="Whether the bar shows the name of the person who is signed in."
    )
    colors: Annotated[Colors | None, Dsl(since="0.26")] = Field(None, description="The colours of the page's parts.")
    css: Annotated[str, Field(max_length=MAX_CSS), Dsl(widget="code", since="0.12")] = Field(
        "", description="What no setting says, as a style sheet that can load nothing. It comes last."
    )


_CODES = {"loads": "CSS_LOADS", "refused": "CSS_NOT_ALLOWED", "broken": "CSS_BROKEN"}


def _css(page: Page, path: str, sort: str) -> Iterator[Finding]:
    for wrong in judge(page.css) if page.css else ():
        if wrong.sort == sort:
            line = f", line {wrong.line}" if wrong.line else ""
            yield at(path, "css"), f"In the css of the page{line}: {wrong.words}.", wrong.hint


@rule("CSS_LOADS")
def css_loads_nothing(page: Page, path: str) -> Iterator[Finding]:
    """A page that loads from elsewhere tells that host who reads it."""
    yield from _css(page, path, "loads")


@rule("CSS_NOT_ALLOWED")
def css_keeps_to_the_list(page: Page, path: str) -> Iterator[Finding]:
    """Css sets how the page's own parts look. Whatever could cover, move or forge a part is not on the list."""
    yield from _css(page, path, "refused")


@rule("CSS_BROKEN")
def css_can_be_read(page: Page, path: str) -> Iterator[Finding]:
    """Css that cannot be read would be half applied, by each browser in its own way."""
    yield from _css(page, path, "broken")


@rule("PAGE_DARK_BY_PAPER", "warning")
def dark_pages_are_whole(page: Page, path: str) -> Iterator[Finding]:
    """background is the paper alone: on a dark one the bar and the chips stay pale."""
    if page.background and _is_dark(page.background) and not (page.colors and page.colors.desk):
        yield (
            at(path, "background"),
            f"The background {quoted(page.background)} is dark, and the rest of the page stays light.",
            'Set a dark page with "colors": { "desk": { "background": "#…", "text": "#…" }, … }.',
        )


def _is_dark(colour: str) -> bool:
    digits = colour[1:] if len(colour) == 7 else "".join(each * 2 for each in colour[1:])
    red, green, blue = (int(digits[at : at + 2], 16) for at in (0, 2, 4))
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue < 90


RULES = (css_loads_nothing, css_keeps_to_the_list, css_can_be_read, dark_pages_are_whole)
