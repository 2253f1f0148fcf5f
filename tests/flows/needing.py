"""Flows that need something of the place where they run, and what a check says of that."""

from __future__ import annotations

from typing import Any

from flows.check import check
from flows.problem import Problem
from tests.flows.flow_of import question

Json = Any
SERVER = {"describe": "The customer system.", "tools": ["findCustomer"]}
HOLDS = {"describe": "The company's HR policies."}


def needing(**requires: Json) -> Json:
    """A flow that needs this."""
    return {**question(), "requires": requires}


def every(flow: Json, code: str) -> list[Problem]:
    return [problem for problem in check(flow).problems if problem.code == code]


def paths(flow: Json, code: str) -> list[str]:
    return [problem.path for problem in every(flow, code)]
