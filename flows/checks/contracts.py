"""What one flow gives another and gets back: a flow node against the flow it runs, an agent node against its agents.

Rules of trees are called with (tree, file) and find what is wrong in that file.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Literal

from flows.calls import Call, Tree
from flows.checks.trees import delegates
from flows.kinds import kind_of
from flows.kinds.flow import FlowNode
from flows.problem import Finding, Rule, at, listed, quoted, rule, suggestion
from flows.words.base import Json
from flows.words.channel import Channel
from flows.words.document import Document
from flows.words.template import only
from flows.words.versions import below

STOPS_SINCE = "0.14"


@rule("FLOW_INPUT_MISSING")
def inputs_are_given(tree: Tree, file: str) -> Iterator[Finding]:
    """Every input that the other flow declares is given; one with nothing in it is not."""
    for node, path, child, call in _runs(tree, file):
        for name in child.inputs:
            if not _given(node.input.get(name)):
                yield (
                    at(path, "input", name) if name in node.input else at(path, "input"),
                    f"Flow node {quoted(node.id)} does not give {quoted(name)}, an input of {quoted(call.to)}.",
                    f'Add it to "input": {{ {quoted(name)}: "{{{{…}}}}" }}.',
                )


@rule("FLOW_INPUT_UNKNOWN")
def inputs_are_declared(tree: Tree, file: str) -> Iterator[Finding]:
    """A name that the other flow does not declare would be lost, and the input that was meant would stay empty."""
    yield from _undeclared(tree, file, "input", "gives it", "It takes no inputs.")


@rule("FLOW_INPUT_TYPE")
def inputs_fit(tree: Tree, file: str) -> Iterator[Finding]:
    """What is given is what the other flow's channel holds."""
    for node, path, child, call in _runs(tree, file):
        for name, value in node.input.items():
            channel = child.state.get(name)
            if name in child.inputs and channel is not None and _given(value):
                given = _type_of(value, tree.drafts[file].document)
                if given is not None and not _takes(channel, given):
                    yield (
                        at(path, "input", name),
                        f"Flow node {quoted(node.id)} gives {quoted(name)} a value of type {quoted(given)}; in "
                        f"{quoted(call.to)} it is of type {quoted(channel.type)}.",
                        "Give a value of that type.",
                    )


@rule("FLOW_OUTPUT_UNKNOWN")
def outputs_are_declared(tree: Tree, file: str) -> Iterator[Finding]:
    """Only what the other flow declares as an output comes back."""
    yield from _undeclared(tree, file, "output", "takes from it", "It has no outputs.")


def _undeclared(tree: Tree, file: str, side: Literal["input", "output"], does: str, none: str) -> Iterator[Finding]:
    """Names on one side of a flow node that the flow it runs does not declare there."""
    for node, path, child, call in _runs(tree, file):
        declared: list[str] = getattr(child, f"{side}s")
        for name in getattr(node, side):
            if name not in declared:
                yield (
                    at(path, side, name),
                    f"{quoted(call.to)} has no {side} {quoted(name)}, which flow node {quoted(node.id)} {does}.",
                    suggestion(name, declared, _names(f"Its {side}s are", declared, none)),
                )


@rule("FLOW_OUTPUT_TYPE")
def outputs_fit(tree: Tree, file: str) -> Iterator[Finding]:
    """What comes back is what the channel here can hold."""
    for node, path, child, call in _runs(tree, file):
        for name, to in node.output.items():
            from_, into = child.state.get(name), tree.drafts[file].channel(to or "")
            if name not in child.outputs or from_ is None or into is None or _takes(into, from_.type):
                continue
            yield (
                at(path, "output", name),
                f"{quoted(name)} of {quoted(call.to)} is of type {quoted(from_.type)}, and lands in {quoted(to)}, a "
                f"channel of type {quoted(into.type)}.",
                f"Give {quoted(to)} the type {quoted(from_.type)}, or let it land elsewhere.",
            )


@rule("VERSION_TOO_LOW")
def questions_need_their_version(tree: Tree, file: str) -> Iterator[Finding]:
    """A flow that runs as a step may stop for a person since 0.14."""
    draft = tree.drafts.get(file)
    if draft is None or not below(draft.document.version, STOPS_SINCE):
        return
    for node, path, _, call in _runs(tree, file):
        step = _stops(tree, call.to or "")
        if step:
            yield (
                at(path, "flow"),
                f"Flow node {quoted(node.id)} runs {quoted(call.to)}, which may stop for a person at {quoted(step)}. "
                f"That needs version {STOPS_SINCE}, and this flow says {draft.document.version}.",
                f'Raise "version" to "{STOPS_SINCE}" or later; raising it never breaks a flow.',
            )


def _stops(tree: Tree, file: str) -> str:
    """A step of the flow, or of one that it runs, that may stop for a person: `find/ask_which`; "" without one."""
    seen: set[str] = set()
    waiting = [(file, "")]
    while waiting:
        here, before = waiting.pop(0)
        document = tree.document(here)
        if document is None or here in seen:
            continue
        seen.add(here)
        for node in document.nodes:
            if kind_of(node.type).stops(node, document):
                return f"{before}{node.id}"
        waiting += [(call.to, f"{before}{call.node}/") for call in tree.calls.get(here, ()) if call.to is not None]
    return ""


@rule("AGENT_INPUT_REFUSED")
def agents_take_their_input(tree: Tree, file: str) -> Iterator[Finding]:
    """What a node gives is checked against each agent that it may call: every declared input, and nothing else."""
    for node, path in delegates(tree, file):
        if not isinstance(node.input, dict):
            continue
        for name in node.agents:
            document = tree.document(tree.agents.get(name))
            if document is None:
                continue
            missing = [each for each in document.inputs if not _given(node.input.get(each))]
            for each in missing:
                yield (
                    at(path, "input"),
                    f"Agent node {quoted(node.id)} does not give {quoted(each)}, an input of the agent {quoted(name)}.",
                    f"Give it, or let {quoted(name)} be called by a node of its own.",
                )
            for each in node.input:
                if each not in document.inputs:
                    taken = _names("Its inputs are", document.inputs, "It takes no inputs.")
                    yield (
                        at(path, "input", each),
                        f"The agent {quoted(name)} has no input {quoted(each)}, which agent node {quoted(node.id)} "
                        "gives it.",
                        suggestion(each, document.inputs, taken),
                    )


def _runs(tree: Tree, file: str) -> Iterator[tuple[FlowNode, str, Document, Call]]:
    """(node, its path, the flow that it runs, the call) of each flow node whose flow could be read."""
    draft = tree.drafts.get(file)
    nodes = dict(draft.nodes) if draft else {}
    for call in tree.calls.get(file, ()):
        node, child = nodes.get(call.place), tree.document(call.to)
        if isinstance(node, FlowNode) and child is not None:
            yield node, at("nodes", call.place), child, call


def _given(value: Json) -> bool:
    """Is an input mapped to something?"""
    return value is not None and not (isinstance(value, str) and not value.strip())


def _type_of(value: Json, document: Document) -> str | None:
    """The channel type of what a template gives; None when nobody can know before it runs."""
    path = only(value)
    if path is not None:
        channel = document.state.get(path)
        return channel.type if channel is not None and channel.type != "any" else None
    if isinstance(value, str):
        return "string"
    if isinstance(value, bool):
        return "boolean"
    if isinstance(value, int | float):
        return "number"
    return "list" if isinstance(value, list) else "object"


def _takes(channel: Channel, type: str) -> bool:
    """Can the channel hold a value of this type? A file is an object to whoever does not show it."""
    same = channel.type == type or {channel.type, type} == {"file", "object"} or "any" in (channel.type, type)
    return same or channel.appends


def _names(before: str, names: Iterable[str], none: str) -> str:
    return f"{before} {listed(names, 'and')}." if names else none


RULES: tuple[Rule, ...] = (
    inputs_are_given,
    inputs_are_declared,
    inputs_fit,
    outputs_are_declared,
    outputs_fit,
    questions_need_their_version,
    agents_take_their_input,
)
