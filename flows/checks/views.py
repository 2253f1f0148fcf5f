"""Views, page and shell: what a run shows, and what stands around it. None of it ever changes what a flow does."""

from __future__ import annotations

from collections.abc import Iterator

from flows import blocks
from flows.blocks.action import Action
from flows.blocks.base import Beside, View
from flows.blocks.card import Card
from flows.blocks.image import Image
from flows.draft import Draft
from flows.kinds.ask import AskNode
from flows.problem import Finding, Rule, at, listed, quoted, rule
from flows.words import page, shell
from flows.words.base import said
from flows.words.icons import is_icon
from flows.words.names import is_name
from flows.words.template import only, reads

MAX_ACTIONS = 4


def _of_views(inner: Rule) -> Rule:
    def find(draft: Draft) -> Iterator[Finding]:
        for index, view in draft.views:
            yield from inner.find(view, at("views", index))

    return inner.on(find)


def _of_page(inner: Rule) -> Rule:
    def find(draft: Draft) -> Iterator[Finding]:
        if draft.document.page is not None:
            yield from inner.find(draft.document.page, "page")

    return inner.on(find)


def _of_shell(inner: Rule) -> Rule:
    def find(draft: Draft) -> Iterator[Finding]:
        if draft.document.shell is not None:
            yield from inner.find(draft.document.shell, "shell")

    return inner.on(find)


def _asks(draft: Draft) -> dict[str, AskNode]:
    return {node.id: node for _, node in draft.nodes if isinstance(node, AskNode)}


@rule("VIEW_ID_INVALID")
def view_ids(draft: Draft) -> Iterator[Finding]:
    """A view is known by its id in events and on the page, so it is a name."""
    for index, view in draft.views:
        if not is_name(view.id):
            yield (
                at("views", index, "id"),
                f"The view id {quoted(view.id)} cannot be used.",
                "Use letters, digits, _ and -, and begin with a letter; at most 64 characters.",
            )


@rule("VIEW_ID_TWICE")
def view_ids_differ(draft: Draft) -> Iterator[Finding]:
    """Two views of one id would take each other's place on the page."""
    first: dict[str, int] = {}
    for index, view in draft.views:
        if view.id in first:
            yield (
                at("views", index, "id"),
                f"The views at views[{first[view.id]}] and views[{index}] are both called {quoted(view.id)}.",
                "Give one of them another id.",
            )
        first.setdefault(view.id, index)


@rule("VIEW_PLACE")
def views_have_one_place(draft: Draft) -> Iterator[Finding]:
    """Cards and pictures are pinned or come after a node; an action stands with a question, and nowhere else."""
    for index, view in draft.views:
        place, here = view.place, at("views", index, "place")
        with_question = isinstance(place, Beside) and place.with_ is not None
        after = isinstance(place, Beside) and place.after is not None
        if isinstance(view, Action) and (not with_question or after):
            yield (
                here,
                f"The action {quoted(view.id)} has no question to stand in.",
                'Write { "with": … } with the id of an ask node: only a question has buttons.',
            )
        elif not isinstance(view, Action) and with_question:
            yield (
                here,
                f"The {view.type} {quoted(view.id)} stands with a question, which is for actions only.",
                'Write "pinned" or { "after": node }. What goes beside a question is its "show".',
            )
        elif isinstance(place, Beside) and not after and not with_question:
            yield here, f"The place of the view {quoted(view.id)} is empty.", 'Write "pinned" or { "after": node }.'


@rule("ACTION_NOT_ON_ASK")
def actions_are_in_questions(draft: Draft) -> Iterator[Finding]:
    """A press answers a question, so the node that it stands with asks one."""
    asks = _asks(draft)
    for index, view in draft.views:
        if not isinstance(view, Action) or not isinstance(view.place, Beside) or view.place.with_ is None:
            continue
        id = view.place.with_
        if id not in asks and id in draft.node_ids:
            yield (
                at("views", index, "place", "with"),
                f"The action {quoted(view.id)} stands with node {quoted(id)}, which is no ask node.",
                f"Name an ask node: {listed(sorted(asks)[:8])}." if asks else "Add an ask node, and name it here.",
            )


@rule("TOO_MANY_ACTIONS")
def questions_have_few_buttons(draft: Draft) -> Iterator[Finding]:
    """Four buttons are a choice at a glance; more than that is a list, which the question itself shows."""
    standing: dict[str, int] = {}
    for index, view in draft.views:
        if isinstance(view, Action) and isinstance(view.place, Beside) and view.place.with_:
            id = view.place.with_
            standing[id] = standing.get(id, 0) + 1
            if standing[id] == MAX_ACTIONS + 1:
                yield (
                    at("views", index),
                    f"More than {MAX_ACTIONS} actions stand with the question {quoted(id)}.",
                    f"Keep {MAX_ACTIONS} of them; let people type the rest, or put the choices into the question.",
                )


@rule("IMAGE_NOT_FILE")
def pictures_are_files(draft: Draft) -> Iterator[Finding]:
    """A picture is a file that the flow holds: one template, naming a file channel."""
    for index, view in draft.views:
        if not isinstance(view, Image):
            continue
        path, here = only(view.file), at("views", index, "file")
        if path is None:
            yield (
                here,
                f"The file of the image {quoted(view.id)} is {quoted(view.file)}, which names no channel.",
                'Write one template and nothing else: "{{picture}}".',
            )
            continue
        channel = draft.channel(path.partition(".")[0])
        if channel is None:
            continue
        right = ("file", "any") if "." not in path else ("list", "object", "any")
        if channel.type not in right:
            yield (
                here,
                f"The image {quoted(view.id)} shows {quoted(path)}, and {quoted(channel.name)} is a channel of type "
                f"{quoted(channel.type)}.",
                'Give it a channel of type "file", written by the node that saves the picture.',
            )


@rule("ICON_UNKNOWN")
def icons_are_drawn(draft: Draft) -> Iterator[Finding]:
    """An icon is an emoji or one of the page's own drawings."""
    for index, view in draft.views:
        if isinstance(view, Action) and view.icon and not is_icon(view.icon):
            yield at("views", index, "icon"), *shell.icon_words(view.icon)


@rule("CARD_PRINTS_LIST", "warning")
def cards_are_for_a_glance(draft: Draft) -> Iterator[Finding]:
    """A whole list or object in a card is a wall of JSON in the middle of the conversation."""
    for index, view in draft.views:
        for position, item in enumerate((view.items or ()) if isinstance(view, Card) else ()):
            name = only(item.value)
            channel = draft.channel(name) if name else None
            if channel is not None and channel.type in ("list", "object"):
                yield (
                    at("views", index, "items", position, "value"),
                    f"The card {quoted(view.id)} prints all of {quoted(channel.name)}, a channel of type "
                    f"{quoted(channel.type)}.",
                    f"Show something small: {{{{{channel.name}.length}}}}, one field, or words that a node writes.",
                )


@rule("VIEW_REPEATS_SHOW", "warning")
def questions_show_once(draft: Draft) -> Iterator[Finding]:
    """A question's own show stands beside it already; a view of the same says it twice."""
    asks = _asks(draft)
    for index, view in draft.views:
        after = view.place.after if isinstance(view.place, Beside) else None
        shown = _reads(view)
        near = [after, *draft.ways.get(after, ())] if after is not None and shown else ()
        for id in dict.fromkeys(near):
            if id in asks and shown <= set(asks[id].show):
                yield (
                    at("views", index),
                    f"The view {quoted(view.id)} shows what the question {quoted(id)} shows beside it.",
                    'Remove the view, or the channel from the question\'s "show".',
                )


def _reads(view: View) -> set[str]:
    """The channels that a view reads."""
    return {name for each in said(view, "") if each.dsl.ref == "template" for name in reads(each.value)}


RULES = (
    *map(_of_views, blocks.VIEW_RULES),
    *map(_of_page, page.RULES),
    *map(_of_shell, shell.RULES),
    view_ids,
    view_ids_differ,
    views_have_one_place,
    actions_are_in_questions,
    questions_have_few_buttons,
    pictures_are_files,
    icons_are_drawn,
    cards_are_for_a_glance,
    questions_show_once,
)
