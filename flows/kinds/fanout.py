"""A fanout node runs its target once for each item of a list, all of them in one step.

Each copy sees its item under the name in `as`, which is not declared in the state. All copies write one channel at the
same moment, so that channel appends. The fan-out has no edge of its own: its copies carry the run on, so the edge
leaves the target, and what comes there runs once, after all of them. An empty list runs nothing, and that way ends
there.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Annotated, Literal

from pydantic import Field

from flows.draft import Draft
from flows.kinds.base import Kind, NodeFailed, Step
from flows.problem import Finding, at, quoted, rule
from flows.words.base import Dsl, Json
from flows.words.names import HISTORY, is_code_name
from flows.words.node import Node

MOST_ITEMS = 10_000


class FanoutNode(Node):
    """Runs another node once for each item of a list."""

    type: Annotated[Literal["fanout"], Dsl(topic="fanout")] = Field(description='"fanout"')
    over: Annotated[str, Dsl(ref="channel", fits="list", label="For each item of")] = Field(
        description="The channel that holds the list."
    )
    as_: Annotated[str, Dsl(widget="line", label="Item", placeholder="item")] = Field(
        alias="as", description="The name under which each copy reads its item. It is not declared in the state."
    )
    to: Annotated[str, Dsl(ref="node", label="Run")] = Field(description="The id of the node that runs for each item.")


@rule("OVER_NOT_A_LIST")
def over_is_a_list(draft: Draft, node: FanoutNode, path: str) -> Iterator[Finding]:
    """Only a list has items."""
    channel = draft.channel(node.over)
    if channel is not None and channel.type not in ("list", "any"):
        yield (
            at(path, "over"),
            f"Fan-out {quoted(node.id)} goes over {quoted(node.over)}, a channel of type {quoted(channel.type)}.",
            'Give the channel the type "list", or name one that holds a list.',
        )


@rule("ITEM_NAME_INVALID")
def item_has_a_name(draft: Draft, node: FanoutNode, path: str) -> Iterator[Finding]:
    """Code and templates read the item by this name, as they read channels, so no channel has it too."""
    here = at(path, "as")
    if not is_code_name(node.as_) or node.as_ == HISTORY:
        yield (
            here,
            f"The items of fan-out {quoted(node.id)} cannot be called {quoted(node.as_)}.",
            "Use letters, digits and _, begin with a letter, and use no Python keyword.",
        )
    elif node.as_ in draft.channel_names:
        yield (
            here,
            f"The items of fan-out {quoted(node.id)} are called {quoted(node.as_)}, and so is a channel of the flow.",
            'Choose another name for "as", or take the channel out of "state": an item is not declared there.',
        )


@rule("FANOUT_TARGET")
def target_can_be_copied(draft: Draft, node: FanoutNode, path: str) -> Iterator[Finding]:
    """What runs for each item is another node that does something, and knows its item by one name."""
    here = at(path, "to")
    if node.to == node.id:
        yield here, f"Fan-out {quoted(node.id)} sends its items to itself.", "Name the node that runs for each item."
    elif node.to in draft.fanouts:
        yield (
            here,
            f"Fan-out {quoted(node.id)} sends its items to {quoted(node.to)}, which is a fan-out too.",
            "Put the inner list into a flow of its own, and send the items to a flow node that runs it.",
        )
    first = next(iter(draft.copied.get(node.to, ())), None)
    if first is not None and first.id != node.id and first.item != node.as_:
        yield (
            at(path, "as"),
            f"Node {quoted(node.to)} gets its item as {quoted(first.item)} from {quoted(first.id)}, and as "
            f"{quoted(node.as_)} from {quoted(node.id)}.",
            "Give both the same name.",
        )


@rule("FANOUT_NEEDS_APPEND")
def copies_gather(draft: Draft, node: FanoutNode, path: str) -> Iterator[Finding]:
    """Every copy writes at the same moment; a channel that replaces would keep one of them and lose the rest."""
    for each in draft.written_by(node.to):
        channel = draft.channel(each.text)
        if channel is not None and not channel.appends:
            yield (
                at("state", channel.name, "reducer"),
                f"Node {quoted(node.to)} runs once for each item of {quoted(node.over)} and writes "
                f"{quoted(channel.name)}, which does not append.",
                f'Give {quoted(channel.name)} the type "list" and "reducer": "append".',
            )


class Fanout(Kind):
    type = "fanout"
    title = "Fan-out"
    summary = "Runs a node once for each item of a list."
    group = "flow"
    icon = "split"
    fields = FanoutNode
    rules = (over_is_a_list, item_has_a_name, target_can_be_copied, copies_gather)

    async def run(self, node: FanoutNode, step: Step) -> dict[str, Json]:
        """See that there is a list to spread; the copies themselves are the engine's."""
        items = step.state.get(node.over)
        if items is not None and not isinstance(items, list):
            raise NodeFailed(f'Fan-out "{node.id}" goes over "{node.over}", which holds no list.', "OVER_NOT_A_LIST")
        if items and len(items) > MOST_ITEMS:
            raise NodeFailed(
                f'Fan-out "{node.id}" goes over {len(items):,} items in "{node.over}"; it may go over {MOST_ITEMS:,}.',
                "TOO_MANY_ITEMS",
            )
        return {}
