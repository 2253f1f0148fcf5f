"""Edges: the rules of each one, and what limits need of the rest of the flow."""

from __future__ import annotations

from collections.abc import Iterator

from flows.draft import Draft
from flows.problem import Finding, Rule, at, quoted, rule
from flows.words import edge as words
from flows.words.edge import ConditionalEdge
from flows.words.names import END


def _of_edges(inner: Rule) -> Rule:
    """A rule about one edge, as a rule about the flow."""

    def find(draft: Draft) -> Iterator[Finding]:
        for index, edge in draft.edges:
            yield from inner.find(edge, at("edges", index))

    return inner.on(find)


@rule("EDGE_FROM_END")
def nothing_follows_the_end(draft: Draft) -> Iterator[Finding]:
    """END finishes the run; nothing leaves it."""
    for index, edge in draft.edges:
        if edge.from_ == END:
            yield (
                at("edges", index, "from"),
                'An edge leaves "END", which finishes the run.',
                "Remove the edge, or name the node that it leaves.",
            )


@rule("LIMITS_WITHOUT_STATE")
def limits_need_state(draft: Draft) -> Iterator[Finding]:
    """Limits are counted in the run's state, so the flow has one."""
    for index, edge in draft.edges:
        if isinstance(edge, ConditionalEdge) and edge.limits and not draft.channel_names and "state" not in draft.lost:
            yield (
                at("edges", index, "limits"),
                f"The edge from {quoted(edge.from_)} has limits, and the flow declares no state to count them in.",
                'Declare the flow\'s channels in "state".',
            )


RULES = (*map(_of_edges, words.RULES), nothing_follows_the_end, limits_need_state)
