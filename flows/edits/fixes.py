"""What would put a problem right, where there is one obvious way: operations that the editor offers as a button.

The way is read off the problem itself: its path, and the hint that every check gives in the same words.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

from flows.draft import PARTS
from flows.edits.fields import STORED
from flows.problem import Problem, quoted, steps_of
from flows.words import template
from flows.words.versions import below, parse

Json = Any
Steps = list[str | int]

_NEAR = re.compile(r'Did you mean "(.+)"\?')
_RAISE = re.compile(r'Raise "version" to "([\d.]+)" or later; raising it never breaks a flow\.')
_UNKNOWN_KEY = "UNKNOWN_KEY"
_DROPPED = "Remove it. "


def fix_of(document: Json, problem: Problem, others: Sequence[Problem] = ()) -> list[dict[str, Json]]:
    """The operations that put a problem of a draft right, as JSON; [] when a person has to decide.

    others: the rest of its problems; the version is raised for all of them at once.
    """
    if not isinstance(document, dict):
        return []
    if _RAISE.fullmatch(problem.hint):
        there, needed = document.get("version"), _needed([problem, *others])
        return (
            [_set({"flow": True}, ["version"], needed, there)]
            if isinstance(there, str) and below(there, needed)
            else []
        )
    steps = steps_of(problem.path)
    on, path = _target(document, steps) if steps else (None, [])
    if on is None or not path:
        return []
    near = _NEAR.fullmatch(problem.hint)
    holder, there = _there(document, steps)
    if holder is None:
        return []
    if problem.code == _UNKNOWN_KEY and isinstance(holder, dict):
        if near and near[1] not in holder:
            # A whole section is put in place in the JSON view, and what the studio keeps is not edited.
            if on == {"flow": True} and near[1] in (*PARTS, *STORED) and len(path) == 1:
                return []
            return [_remove(on, path, there), _set(on, [*path[:-1], near[1]], there, None)]
        return [_remove(on, path, there)] if near or problem.hint.startswith(_DROPPED) else []
    return _renamed(on, path, there, near[1], problem) if near and isinstance(there, str) else []


def _needed(problems: Sequence[Problem]) -> str:
    """The highest version that problems ask for."""
    versions = [found[1] for each in problems if (found := _RAISE.fullmatch(each.hint))]
    return max(versions, key=lambda version: parse(version) or (0, 0))


def _renamed(on: Json, path: Steps, there: str, near: str, problem: Problem) -> list[dict[str, Json]]:
    """The near name in place of a wrong one: the whole text, or what its templates read."""
    if f"{quoted(there)}" in problem.message:
        return [_set(on, path, near, there)]
    wrong = {name for name in template.reads(there) if quoted(name) in problem.message}
    if len(wrong) != 1 or not template.is_path(near):
        return []
    return [_set(on, path, template.renamed(there, wrong.pop(), near), there)]


def _set(on: Json, path: Steps, value: Json, was: Json) -> dict[str, Json]:
    return {"op": "setField", "on": on, "path": path, "value": value, "was": was}


def _remove(on: Json, path: Steps, was: Json) -> dict[str, Json]:
    return {"op": "setField", "on": on, "path": path, "was": was}


def _there(document: Json, steps: Steps) -> tuple[Json, Json]:
    """What holds the value at a path, and the value; nothing when there is none."""
    holder: Json = None
    here: Json = document
    for step in steps:
        holder = here
        if isinstance(here, dict):
            if step not in here:
                return None, None
        elif not (isinstance(here, list) and isinstance(step, int) and step < len(here)):
            return None, None
        here = holder[step]
    return holder, here


def _target(document: dict[str, Json], steps: Steps) -> tuple[Json, Steps]:
    """What operations call the part that a path begins with, and the path from there; None when it has no name."""
    section = steps[0]
    if section not in ("nodes", "edges", "tools", "state", "views"):
        return {"flow": True}, steps
    parts = document.get(str(section))
    if len(steps) < 3 or section == "views":
        return None, []
    if section == "state":
        return {"channel": steps[1]}, steps[2:]
    key = {"nodes": "id", "tools": "name", "edges": "from"}[str(section)]
    each = parts[steps[1]] if isinstance(parts, list) and isinstance(steps[1], int) and steps[1] < len(parts) else None
    name = each.get(key) if isinstance(each, dict) else None
    alone = (
        isinstance(parts, list) and [isinstance(one, dict) and one.get(key) == name for one in parts].count(True) == 1
    )
    # Where several have the name, an operation could not tell them apart.
    if not isinstance(name, str) or not alone or steps[2] == key:
        return None, []
    if section == "edges":
        return ({"edge": {"from": name}}, steps[2:]) if steps[2] not in ("to", "routes") else (None, [])
    return {"node" if section == "nodes" else "tool": name}, steps[2:]
