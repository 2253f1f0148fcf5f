"""The rules of a flow. A new rule is one generator labelled @rule and one line in its module's RULES."""

from __future__ import annotations

from collections.abc import Iterator

from flows.checks import (
    age,
    approvals,
    authoring,
    callables,
    contract,
    edges,
    fanout,
    guesses,
    names,
    outside,
    reach,
    readiness,
    reads,
    views,
)
from flows.draft import Draft
from flows.kinds import BY_TYPE, KINDS
from flows.problem import Problem, Rule, at
from flows.reading import CODES as READING_CODES
from flows.words.strictjson import CODES as JSON_CODES

RULES: tuple[Rule, ...] = (
    *age.RULES,
    *names.RULES,
    *reads.RULES,
    *edges.RULES,
    *reach.RULES,
    *contract.RULES,
    *callables.RULES,
    *outside.RULES,
    *fanout.RULES,
    *approvals.RULES,
    *views.RULES,
    *guesses.RULES,
    *authoring.RULES,
    *readiness.RULES,
)

CODES: tuple[str, ...] = tuple(
    dict.fromkeys(
        (
            *JSON_CODES,
            *READING_CODES,
            *(each.code for each in RULES),
            *(each.code for kind in KINDS for each in kind.rules),
        )
    )
)
"""Every code that a problem can have. Each has a case in tests/cases/refused."""


def problems_of(draft: Draft) -> Iterator[Problem]:
    """What the rules find in a draft; errors before advice."""
    for index, node in draft.nodes:
        for each in BY_TYPE[node.type].rules:
            yield from each(draft, node, at("nodes", index))
    for each in sorted(RULES, key=lambda each: each.level):
        yield from each(draft)
