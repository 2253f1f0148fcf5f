"""Everything that a field names exists: channels, nodes, tools. Driven by Dsl(ref=…); no kind needs a rule for it."""

from __future__ import annotations

from collections.abc import Iterator

from flows.draft import Draft, Mention
from flows.kinds.llm import LlmNode
from flows.problem import Finding, listed, quoted, rule, suggestion
from flows.words import template
from flows.words.names import END, HISTORY, READABLE, SKIP, VISITS

_DECLARE = 'Declare it in "state" with a type and a description.'


def _named(draft: Draft, *refs: str) -> Iterator[Mention]:
    return (each for each in draft.mentions if each.field.dsl.ref in refs)


def _inside(draft: Draft, name: str) -> str:
    """A hint, when the name is a part of what a model writes: `plan.want`, and not `want`."""
    for _, node in draft.nodes:
        if isinstance(node, LlmNode) and node.answer is not None and name in (node.answer.properties or {}):
            return f"It is a part of {quoted(node.output)}: write {quoted(node.output + '.' + name)}."
    return ""


def _item(draft: Draft, name: str) -> str:
    """A hint, when the name is that of a fan-out's items, which only its target reads."""
    for target, fanouts in draft.copied.items():
        for each in fanouts:
            if each.item == name:
                return f"It is an item of the fan-out {quoted(each.id)}, which only {quoted(target)} reads."
    return ""


@rule("CHANNEL_NOT_DECLARED")
def channels_are_declared(draft: Draft) -> Iterator[Finding]:
    """A channel that is not in state holds nothing; what was meant is usually one letter away."""
    seen: set[tuple[str, str]] = set()
    if "state" in draft.lost:
        return
    for name, path, written, writes in draft.reads:
        known = name in draft.channel_names or name.startswith("__") or name == HISTORY
        if not known and not writes and name in draft.items_at(path):
            continue
        if not known and (name, path) not in seen:
            seen.add((name, path))
            as_written = "" if written == quoted(name) else f", read as {written},"
            yield (
                path,
                f"The channel {quoted(name)}{as_written} is not declared.",
                _inside(draft, name)
                or _item(draft, name)
                or suggestion(name, [*draft.channel_names, *draft.items_at(path)], _DECLARE),
            )


@rule("HISTORY_WITHOUT_CONVERSATION")
def history_needs_a_conversation(draft: Draft) -> Iterator[Finding]:
    """Only a conversational flow keeps a transcript."""
    if draft.document.conversation or HISTORY in draft.channel_names:
        return
    for name, path, *_ in draft.reads:
        if name == HISTORY:
            yield (
                path,
                'This reads "history", and the flow keeps none.',
                'Add "conversation": true, or stop reading it.',
            )


@rule("CHANNEL_NOT_READABLE")
def engine_channels_stay_its_own(draft: Draft) -> Iterator[Finding]:
    """__approval and __error may be read; what else begins with __ is the engine's, and none of it is written."""
    for each, text, path in _named(draft, "channel"):
        if text == HISTORY and each.dsl.writes and draft.document.conversation:
            yield path, 'Nobody writes "history": the engine keeps it.', "Name a channel of the flow."
        if text in READABLE and each.dsl.writes:
            yield path, f"Nobody writes {quoted(text)}: the engine keeps it.", "Name a channel of the flow."
    for name, path, *_ in dict.fromkeys(draft.reads):
        if name.startswith("__") and name not in READABLE and not path.startswith(("inputs", "outputs")):
            hint = (
                "Limits count visits for you."
                if name == VISITS
                else f"Name a channel of the flow, or {listed(READABLE)}."
            )
            yield path, f"{quoted(name)} is the engine's own and cannot be used here.", hint


@rule("TEMPLATE_NOT_A_PATH")
def templates_are_paths(draft: Draft) -> Iterator[Finding]:
    """A template looks a value up; it does not compute, filter or format."""
    for _, text, path in _named(draft, "template"):
        for wrong in template.mistakes(text):
            yield (
                path,
                f"{quoted('{{' + wrong + '}}')} is not a path into a channel.",
                "Write {{channel}}, {{channel.key}} or {{channel.0}}; compute the value in a handler.",
            )


@rule("NODE_NOT_FOUND")
def nodes_exist(draft: Draft) -> Iterator[Finding]:
    """An edge, a start, onError and onReject lead to nodes that are there."""
    for each, id, path in _named(draft, "node", "next") if "nodes" not in draft.lost else ():
        if id in draft.node_ids or (each.dsl.ref == "next" and id == END) or (id == SKIP and each.key == "onError"):
            continue
        if each.key == "start" and not isinstance(draft.raw.get("start"), str):
            continue
        if id == END and each.key == "from":
            continue
        if id == END:
            message = f'"END" finishes the run, and {quoted(each.key)} must name a node.'
            yield path, message, "Name the id of a node."
            continue
        yield (
            path,
            f"There is no node {quoted(id)}.",
            suggestion(id, [*draft.node_ids, END], "Add the node, or name another."),
        )


@rule("SKIP_OUTSIDE_FANOUT")
def skip_is_for_copies(draft: Draft) -> Iterator[Finding]:
    """SKIP means "this copy contributed nothing"; a node that is no fan-out's copy would succeed by doing nothing."""
    for each, id, path in _named(draft, "next"):
        if id == SKIP and each.key == "onError" and draft.node_at(path) not in draft.copied:
            yield (
                path,
                '"SKIP" is allowed only on a node that a fan-out sends to.',
                "Name the node that a failure goes to, or leave onError out.",
            )


@rule("TOOL_NOT_DECLARED")
def tools_are_declared(draft: Draft) -> Iterator[Finding]:
    """The list of tools is the permission: a flow calls what it lists."""
    for each, name, path in _named(draft, "tool"):
        servers = draft.servers if each.dsl.servers else ()
        if name not in draft.tool_names and name not in servers and "tools" not in draft.lost:
            yield (
                path,
                f"There is no tool and no server {quoted(name)}."
                if each.dsl.servers
                else f"The tool {quoted(name)} is not declared.",
                suggestion(name, [*draft.tool_names, *servers], 'Add it to "tools" with a name and a description.'),
            )


def _required(draft: Draft, ref: str, section: str) -> Iterator[Finding]:
    known = draft.required(section)
    for _, name, path in _named(draft, ref) if known is not None else ():
        if name not in (known or ()):
            yield (
                path,
                f"The {ref} {quoted(name)} is not declared.",
                suggestion(
                    name,
                    known or (),
                    f'Say what it holds, in requires.{section}: {{ "{name}": {{ "describe": "…" }} }}.',
                ),
            )


@rule("COLLECTION_NOT_DECLARED")
def collections_are_declared(draft: Draft) -> Iterator[Finding]:
    """A collection is asked and built by the name that requires.knowledge gives it, where it says what it holds."""
    yield from _required(draft, "collection", "knowledge")


@rule("DATABASE_NOT_DECLARED")
def databases_are_declared(draft: Draft) -> Iterator[Finding]:
    """A database is read by the name that requires.database gives it, where it says what it holds."""
    yield from _required(draft, "database", "database")


RULES = (
    channels_are_declared,
    history_needs_a_conversation,
    engine_channels_stay_its_own,
    templates_are_paths,
    nodes_exist,
    skip_is_for_copies,
    tools_are_declared,
    collections_are_declared,
    databases_are_declared,
)
