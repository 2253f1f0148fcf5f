"""Trees of flows: a flow with the flows that its nodes run and the agents that it may call, read and checked as one.

A tree is given as a mapping from paths to texts, whether it comes from a folder, a zip or the database. Paths have /
and begin at the top of the tree.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from flows.calls import Call, Tree
from flows.check import Checked, examine, in_order
from flows.checks import CODES as FLOW_CODES
from flows.checks import contracts, trees
from flows.kinds.agent import AgentNode, fixed
from flows.kinds.flow import FlowNode
from flows.problem import Problem, at
from flows.recent import examined
from flows.words import strictjson
from flows.words.address import fault_of, resolve
from flows.words.agents import FILE as REGISTRY
from flows.words.agents import Registry
from flows.words.base import read
from flows.words.strictjson import JsonRefused

TOP = "flow.json"
MAX_FLOWS = 200
RULES = (*trees.RULES, *contracts.RULES)
TREE_CODES = tuple(dict.fromkeys(each.code for each in RULES if each.code not in FLOW_CODES))
"""Every code that only a tree of flows can have. Each has a case in tests/cases/refused, with all of its files."""


def check_tree(files: Mapping[str, str | bytes], top: str = TOP) -> dict[str, Checked]:
    """Check a flow and everything that it runs. Never raises.

    Returns path → what its check found, with what is wrong between the flows; the top first. The registry of agents is
    among them when something is wrong with it; its flow is None.
    """
    tree = read_tree(files, top)
    problems: dict[str, list[Problem]] = {path: list(checked.problems) for path, checked in tree.flows.items()}
    if tree.registry_file in files:
        problems[tree.registry_file] = []
    for path, found in tree.found.items():
        problems.setdefault(path, []).extend(found)
    for file in [*reversed([file for file in problems if file not in tree.flows]), *tree.inner_first]:
        for each in RULES:
            problems[file] += each(tree, file)
        if file in tree.flows:
            # What stands above a flow asks whether it is right, all of it.
            tree.flows[file] = replace(tree.flows[file], problems=in_order(problems[file]))
    checked = {path: tree.flows.get(path) or Checked(None, in_order(found)) for path, found in problems.items()}
    return {path: each for path, each in checked.items() if path in tree.flows or each.problems}


def read_tree(files: Mapping[str, str | bytes], top: str = TOP) -> Tree:
    """Read a flow and, from it on, every flow that it runs or may call. Never raises; what is missing is left out."""
    folder = top.rpartition("/")[0]
    tree = Tree(top, files, f"{folder}/{REGISTRY}" if folder else REGISTRY)
    _read_registry(tree)
    waiting = [top, *(path for path in tree.agents.values() if path is not None)]
    while waiting:
        file = waiting.pop(0)
        if file in tree.flows:
            continue
        if len(tree.flows) == MAX_FLOWS:
            tree.cut = True
            break
        _read_flow(tree, file)
        waiting += [call.to for call in tree.calls.get(file, ()) if call.to is not None]
    if top not in tree.flows:
        raise AssertionError("The top of a tree was not read.")
    return tree


def _read_flow(tree: Tree, file: str) -> None:
    if file not in tree.files:
        # Only the top can be missing: what names another file finds it, or names none.
        message = f'There is no file "{file}", so there is no flow to check.'
        tree.flows[file] = Checked(None, [Problem("FLOW_NOT_FOUND", "error", "", message, "Name the flow's file.")])
        return
    text = tree.files[file]
    checked, draft = examined(text) if isinstance(text, str) else examine(text)
    tree.flows[file] = checked
    if draft is not None:
        tree.drafts[file] = draft
        tree.calls[file] = [call for index, node in draft.nodes for call in _calls(tree, file, index, node)]


def _calls(tree: Tree, file: str, index: int, node: object) -> list[Call]:
    if isinstance(node, FlowNode):
        to = find(tree.files, node.flow, file)
        return [Call(node.id, index, at("nodes", index, "flow"), node.flow, to, "flow", True)]
    if isinstance(node, AgentNode):
        one = fixed(node)
        return [
            Call(
                node.id, index, at("nodes", index, "agents", position), name, tree.agents.get(name), "agent",
                name == one or len(node.agents) == 1,
            )
            for position, name in enumerate(node.agents)
        ]  # fmt: skip
    return []


def find(files: Mapping[str, object], address: str, file: str) -> str | None:
    """The path of the flow that an address in a file means; None when there is none."""
    if fault_of(address):
        return None
    path = resolve(address, file)
    if path is None:
        return None
    # A folder means the flow in it.
    return path if path in files else f"{path}/{TOP}" if f"{path}/{TOP}" in files else None


def _read_registry(tree: Tree) -> None:
    if tree.registry_file not in tree.files:
        return
    try:
        raw = strictjson.loads(tree.files[tree.registry_file])
    except JsonRefused as refused:
        problems = [Problem(refused.code, "error", "", refused.message, "Nothing else was checked.")]
    else:
        tree.registry, problems = read(Registry, raw, "", "the registry of agents")
    if problems:
        tree.found[tree.registry_file] = problems
    if tree.registry is not None:
        for name, agent in tree.registry.agents.items():
            tree.agents[name] = find(tree.files, agent.flow, tree.registry_file)
