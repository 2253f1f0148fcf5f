"""Fan-outs: what leads away from one, and what never runs when its list is empty."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence

from flows.draft import Draft
from flows.problem import Finding, at, listed, quoted, rule
from flows.words.names import END


@rule("FANOUT_HAS_EDGE", "warning")
def fanouts_have_no_edge(draft: Draft) -> Iterator[Finding]:
    """The copies carry the run on; what an edge leads to runs beside them, before any of them has written."""
    for id, places in draft.leaving.items():
        if id in draft.fanouts:
            for index in places:
                yield (
                    at("edges", index),
                    f"An edge leaves the fan-out {quoted(id)}: what it leads to runs before any copy has written.",
                    f'Let the edge leave the target: {{ "from": {quoted(draft.fanouts[id])}, … }}.',
                )


@rule("FANOUT_MAY_SILENCE_THE_TAIL", "warning")
def empty_lists_go_on(draft: Draft) -> Iterator[Finding]:
    """An empty list runs nothing, so a node that is only reached through the target never runs then."""
    start = draft.document.start
    if not draft.fanouts or start not in draft.node_ids or draft.lost & {"nodes", "edges"}:
        return
    # What a fan-out that failed leads to says nothing about an empty list.
    ways = {id: [to for to in nexts if to != END] for id, nexts in draft.ways.items()}
    for id, target in draft.fanouts.items():
        aside = set(draft.detours.get(id, ())) - {target}
        ways[id] = [to for to in ways.get(id, ()) if to not in aside]
    above = dominators(start, ways)
    below: dict[str, list[str]] = {}
    for id, over in above.items():
        below.setdefault(over, []).append(id)
    for id, target in draft.fanouts.items():
        tail = [each for each in below.get(target, ()) if each in draft.node_ids]
        if above.get(target) == id and tail:
            tail.sort(key=draft.node_ids.__getitem__)
            yield (
                at("nodes", draft.node_ids[id], "over"),
                f"When the list of fan-out {quoted(id)} is empty, {quoted(target)} does not run, and "
                f"{listed(tail[:4], 'and')} after it never {'run' if len(tail) > 1 else 'runs'}.",
                f"Let the node before the fan-out choose: a conditional edge with one route to {quoted(id)} and one, "
                f"for an empty list, to {quoted(tail[0])}.",
            )


def dominators(start: str, ways: Mapping[str, Sequence[str]]) -> dict[str, str]:
    """Node → the nearest node that every way from the start to it passes; of all that is reached but the start."""
    order = _finished(start, ways)
    number = {id: place for place, id in enumerate(order)}
    before: dict[str, list[str]] = {id: [] for id in order}
    for id in order:
        for to in ways.get(id, ()):
            before[to].append(id)
    above = {start: start}
    changed = True
    while changed:
        changed = False
        for id in reversed(order[:-1]):
            new = _common(number, above, (each for each in before[id] if each in above))
            if above.get(id) != new:
                above[id], changed = new, True
    del above[start]
    return above


def _common(number: Mapping[str, int], above: Mapping[str, str], ids: Iterable[str]) -> str:
    """The nearest node above all of these."""
    first, *rest = ids
    for other in rest:
        here = other
        while first != here:
            while number[first] < number[here]:
                first = above[first]
            while number[here] < number[first]:
                here = above[here]
    return first


def _finished(start: str, ways: Mapping[str, Sequence[str]]) -> list[str]:
    """What is reached from the start, each after everything that is first reached from it; the start is last."""
    seen = {start}
    order: list[str] = []
    stack = [(start, iter(ways.get(start, ())))]
    while stack:
        id, rest = stack[-1]
        for to in rest:
            if to not in seen:
                seen.add(to)
                stack.append((to, iter(ways.get(to, ()))))
                break
        else:
            order.append(id)
            stack.pop()
    return order


RULES = (fanouts_have_no_edge, empty_lists_go_on)
