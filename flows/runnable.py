"""What this installation cannot run of a flow that is right: kinds of nodes and single words that are language only."""

from __future__ import annotations

from collections import Counter

from flows.check import Checked
from flows.kinds import BY_TYPE, kind_of
from flows.kinds.base import CANNOT_RUN
from flows.problem import Problem, at, listed, quoted
from flows.words.base import Json, Said, said

MOST_NAMED = 6
WORD_CANNOT_RUN = "WORD_CANNOT_RUN"


def cannot_run(found: Checked) -> list[Problem]:
    """One problem for each such kind, naming its steps, and one for each such word; none when all of it can run."""
    steps: dict[str, list[int]] = {}
    nodes = found.flow.nodes if found.flow else []
    for index, node in enumerate(nodes):
        if not kind_of(node.type).runs:
            steps.setdefault(node.type, []).append(index)
    return [
        # Where some nodes could not be read, those that could have other places than in the text.
        _problem(type, [nodes[index].id for index in places], at("nodes", places[0]) if found.ok else "")
        for type, places in steps.items()
    ] + [*(_word(each, found.ok) for each in (said(found.flow, "") if found.flow else ()) if _is_barred(each))]


def _is_barred(each: Said) -> bool:
    return (not each.dsl.runs and bool(each.value)) or (isinstance(each.value, str) and each.value in each.dsl.barred)


def _word(each: Said, ok: bool) -> Problem:
    what = quoted(each.key) if not each.dsl.runs else f"{quoted(each.key)} {quoted(each.value)}"
    message = f"The flow says {what}, and this installation cannot do that."
    hint = "The flow can be kept and edited as a draft. To run it, remove that word."
    return Problem(WORD_CANNOT_RUN, "error", each.path if ok else "", message, hint)


def _problem(type: str, names: list[str], path: str) -> Problem:
    more = len(names) - MOST_NAMED
    if len(names) == 1:
        which = f"The step {quoted(names[0])} is"
    elif more > 0:
        which = f"The steps {', '.join(map(quoted, names[:MOST_NAMED]))} and {more} more are"
    else:
        which = f"The steps {listed(names, 'and')} are"
    message = f"{which} of the kind {quoted(type)}, which this installation cannot run."
    hint = "The flow can be kept and edited as a draft. To run it, do the same with steps of other kinds."
    return Problem(CANNOT_RUN, "error", path, message, hint)


def added(before: Json, after: Json) -> str:
    """A kind that cannot be run and that one draft has more of than the other; "" when there is none."""
    more = _barred(after) - _barred(before)
    return next(iter(more), "")


def _barred(document: Json) -> Counter[str]:
    nodes = document.get("nodes") if isinstance(document, dict) else None
    types = [node.get("type") for node in nodes if isinstance(node, dict)] if isinstance(nodes, list) else []
    return Counter(type for type in types if isinstance(type, str) and type in BY_TYPE and not BY_TYPE[type].runs)
