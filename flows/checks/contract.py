"""The contract: what the flow is, what it takes and gives, what it needs; and the words of each channel and tool."""

from __future__ import annotations

import re
from collections.abc import Iterator

from flows.draft import Draft
from flows.kinds.handler import HandlerNode
from flows.problem import Finding, Rule, at, listed, quoted, rule, suggestion
from flows.words import channel, fields, requires
from flows.words.requires import ALWAYS

_USES = re.compile(r"(?<![\w.])(services|settings|env)\.([A-Za-z_][A-Za-z0-9_]*)")
_BY_NODES = {
    "mcp": "Code calls no MCP server: let a tool node call its tools, and read what that writes.",
    "knowledge": "Code asks no collection: let a knowledge node ask it, and read what that writes.",
    "database": "Code reads no database: let a database node read it, and read what that writes.",
}
_SECTION = {"services": "requires.services", "settings": "requires.settings", "env": "requires.env"}


def _of_channels(inner: Rule) -> Rule:
    def find(draft: Draft) -> Iterator[Finding]:
        for name, each in draft.document.state.items():
            yield from inner.find(each, at("state", name))

    return inner.on(find)


def _of_inputs(inner: Rule) -> Rule:
    def find(draft: Draft) -> Iterator[Finding]:
        for index, tool in draft.tools:
            if tool.inputs:
                yield from inner.find(tool.inputs, at("tools", index, "inputs"))
        for name, server in draft.document.requires.mcp.items():
            for index, tool in enumerate(server.tools):
                if not isinstance(tool, str) and tool.inputs:
                    yield from inner.find(tool.inputs, at("requires", "mcp", name, "tools", index, "inputs"))

    return inner.on(find)


def _of_requires(inner: Rule) -> Rule:
    def find(draft: Draft) -> Iterator[Finding]:
        yield from inner.find(draft.document.requires, "requires")

    return inner.on(find)


@rule("NAMED_TWICE")
def lists_name_once(draft: Draft) -> Iterator[Finding]:
    """A channel is asked for, shown or edited once."""
    lists = [("inputs", draft.document.inputs), ("outputs", draft.document.outputs)]
    lists.append(("requires.env", draft.document.requires.env))
    lists.append(("page.hide", [*draft.document.page.hide] if draft.document.page else []))
    for index, node in draft.nodes:
        if node.approval:
            here = at("nodes", index, "approval")
            lists += [(at(here, "show"), node.approval.show), (at(here, "edit"), node.approval.edit)]
            lists.append((at(here, "exhibits"), node.approval.exhibits))
        for key in ("show", "tools", "approve", "agents"):
            lists.append((at("nodes", index, key), getattr(node, key, [])))
    for path, names in lists:
        for position, name in enumerate(names):
            if name in names[:position]:
                yield at(path, position), f"{quoted(name)} stands twice in {quoted(path)}.", "Keep one of them."


@rule("INPUT_IS_ENGINE")
def inputs_are_the_flows(draft: Draft) -> Iterator[Finding]:
    """history, __approval and __error are the engine's to write, so no run starts from them."""
    for name in ("inputs", "outputs"):
        for index, each in enumerate(getattr(draft.document, name)):
            if each.startswith("__") or (each == "history" and draft.document.conversation):
                yield (
                    at(name, index),
                    f"{quoted(each)} is the engine's own and cannot stand in {quoted(name)}.",
                    "Remove it.",
                )


@rule("NOT_DECLARED_IN_REQUIRES")
def code_uses_what_is_declared(draft: Draft) -> Iterator[Finding]:
    """Code is given the services, settings and secrets that the flow declares; a description may speak of no others."""
    needs = draft.document.requires
    known = {"services": [*ALWAYS, *needs.services], "settings": list(needs.settings), "env": needs.env}
    texts = [(at("tools", index, "description"), tool.description) for index, tool in draft.tools]
    texts += [
        (at("nodes", index, "description"), node.description)
        for index, node in draft.nodes
        if isinstance(node, HandlerNode)
    ]
    texts += [(at("requires.services", name), words) for name, words in needs.services.items()]
    nodes = {name: hint for section, hint in _BY_NODES.items() for name in getattr(needs, section)}
    for path, words in texts:
        for section, name in dict.fromkeys(_USES.findall(words)):
            if name not in known[section]:
                hint = suggestion(name, known[section], f"Add {quoted(name)} to {quoted(_SECTION[section])}.")
                yield (
                    path,
                    f"The description speaks of {quoted(section + '.' + name)}, and {_SECTION[section]} does not "
                    f"declare {quoted(name)}.",
                    nodes.get(name, hint) if section == "services" else hint,
                )


@rule("SUGGESTION_TWICE")
def suggestions_differ(draft: Draft) -> Iterator[Finding]:
    """Two chips with the same words are one too many."""
    for index, words in enumerate(draft.document.suggestions):
        if words in draft.document.suggestions[:index]:
            yield at("suggestions", index), f"The suggestion {quoted(words)} stands there twice.", "Keep one of them."


@rule("EDIT_IS_FILE")
def edited_channels_can_be_typed(draft: Draft) -> Iterator[Finding]:
    """An editable channel is written by the person, so it is the flow's own and can be typed."""
    for index, node in draft.nodes:
        for position, name in enumerate(node.approval.edit if node.approval else ()):
            found = draft.channel(name)
            if found is not None and found.type == "file":
                yield (
                    at("nodes", index, "approval", "edit", position),
                    f"The approval of node {quoted(node.id)} lets people edit {quoted(name)}, a file channel.",
                    f"Edit {listed(['string', 'number', 'boolean', 'list', 'object'])} channels only.",
                )


RULES = (
    *map(_of_channels, channel.RULES),
    *map(_of_inputs, fields.RULES),
    *map(_of_requires, requires.RULES),
    lists_name_once,
    inputs_are_the_flows,
    code_uses_what_is_declared,
    suggestions_differ,
    edited_channels_can_be_typed,
)
