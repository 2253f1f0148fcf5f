"""Checks files beside flows where they stand: each among the files of its folder, with the flow that it names."""

from __future__ import annotations

from collections.abc import Mapping

from flows.beside.around import Around
from flows.beside.doors import check_beside
from flows.beside.evals import check_dataset
from flows.beside.reading import loaded
from flows.calls import Tree
from flows.problem import Problem
from flows.tree import check_tree
from flows.words import strictjson
from flows.words.address import fault_of, resolve
from flows.words.agents import FILE as REGISTRY
from flows.words.base import Json
from flows.words.beside import kind_of_file
from flows.words.evalfile import FlowEvals
from flows.words.strictjson import JsonRefused


def named_flow(raw: str | bytes, path: str) -> str:
    """The path of the flow that a file speaks of; "" when it names none, or not in words that lead anywhere."""
    try:
        value: Json = strictjson.loads(raw)
    except JsonRefused:
        return ""
    address = value.get("flow") if isinstance(value, dict) else None
    return (resolve(address, path) if isinstance(address, str) and not fault_of(address) else None) or ""


class Standing:
    """Checks of many files of one folder: each flow that they speak of is read once."""

    def __init__(self, files: Mapping[str, str | bytes]) -> None:
        self._files = files
        self._known: dict[str, Around] = {}

    def problems(self, path: str) -> dict[str, list[Problem]]:
        """What is wrong with triggers, tests or evals, and with the list of cases that evals name, by path."""
        around = self.around(named_flow(self._files[path], path))
        checked = check_beside(path, self._files[path], around)
        found = {path: checked.problems}
        dataset = dataset_of(checked.word, path)
        if isinstance(checked.word, FlowEvals) and dataset in self._files:
            found[dataset] = check_dataset(self._files[dataset], checked.word, around)
        return found

    def around(self, flow: str) -> Around:
        """The flow with what it runs. Of one that is not there nothing is known, but that its file is missed."""
        if flow not in self._known:
            there = bool(flow) and flow in self._files
            self._known[flow] = Around.of(self._files, flow) if there else Around(Tree("", self._files, ""), "")
        return self._known[flow]

    def registry(self, flow: str) -> list[Problem]:
        """What is wrong with the registry of agents beside a flow."""
        folder = flow.rpartition("/")[0]
        found = check_tree(self._files, flow).get(f"{folder}/{REGISTRY}" if folder else REGISTRY)
        return found.problems if found else []

    def all(self, flow: str, paths: list[str]) -> dict[str, list[Problem]]:
        """What is wrong with every one of the files beside a flow, by path. paths: as they are among the files."""
        found: dict[str, list[Problem]] = {}
        rest: list[str] = []
        for path in paths:
            if kind_of_file(path):
                found |= self.problems(path)
            else:
                rest.append(path)
        for path in rest:
            if path.rpartition("/")[2] == REGISTRY and path.rpartition("/")[0] == flow.rpartition("/")[0]:
                found[path] = self.registry(flow)
            elif path not in found:
                found[path] = loaded(self._files[path])[1]
        return {path: found.get(path, []) for path in paths}


def dataset_of(word: object, path: str) -> str:
    """The path of the list of cases that a file of evals names; "" when it names none."""
    address = word.dataset if isinstance(word, FlowEvals) else None
    return (resolve(address, path) if address and not fault_of(address) else None) or ""
