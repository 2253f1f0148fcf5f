"""`flow check`: everything that is wrong with flows and the files beside them, at once."""

from __future__ import annotations

import json
from argparse import ArgumentParser, Namespace
from collections.abc import Iterator, Mapping
from pathlib import Path

from flows.beside.around import Around
from flows.beside.doors import check_beside
from flows.beside.evals import check_dataset
from flows.calls import Tree
from flows.problem import Problem
from flows.tree import check_tree
from flows.words.address import fault_of, resolve
from flows.words.beside import kind_of_file
from flows.words.evalfile import FlowEvals
from studio.commandline.command import FINE, WRONG, Subcommand
from studio.commandline.disk import (
    Folder,
    address_in,
    beside_in,
    common_folder,
    existing,
    flows_in,
    project_of,
    shown,
)
from studio.commandline.screen import Screen

Found = dict[Path, list[Problem]]
"""File → what is wrong with it, for every file that was checked."""


def _add(parser: ArgumentParser) -> None:
    parser.add_argument("paths", nargs="+", metavar="PATH", help="a flow's file, or a folder with flows in it")
    parser.add_argument("--json", action="store_true", help="print a list of problems for programs to read")


def _run(options: Namespace, screen: Screen) -> int:
    found: Found = {}
    for path in options.paths:
        _check(existing(path), found)
    if options.json:
        screen.say(json.dumps(list(_records(found)), indent=2, ensure_ascii=False))
    else:
        _show(found, screen)
    return WRONG if _count(found, "error") else FINE


def _check(path: Path, found: Found) -> None:
    """Check what a path means: one file, or every flow of a folder with what stands beside it."""
    if path.is_file():
        (_check_beside if kind_of_file(path.name) else _check_flow)(path, path.parent, found)
        return
    for file in flows_in(path):
        _check_flow(file, path, found)
    for file in beside_in(path):
        _check_beside(file, path, found)


def _check_flow(file: Path, least: Path, found: Found) -> None:
    if file in found:
        return
    root = project_of(file, least)
    for name, checked in check_tree(Folder(root), file.relative_to(root).as_posix()).items():
        # What was checked as part of a larger tree has been told everything already.
        found.setdefault(root / name, list(checked.problems))


def _check_beside(file: Path, least: Path, found: Found) -> None:
    if file in found:
        return
    raw = Folder(file.parent)[file.name]
    root = project_of(file, common_folder(file, least, raw))
    files, name = Folder(root), file.relative_to(root).as_posix()
    flow = _flow_of(raw, name, files)
    # Of a flow that is not there nothing is known, but that its file is missed.
    around = Around.of(files, flow) if flow in files else Around(Tree("", files, ""), "")
    checked = check_beside(name, raw, around)
    found[file] = checked.problems
    if isinstance(checked.word, FlowEvals) and checked.word.dataset and not fault_of(checked.word.dataset):
        dataset = resolve(checked.word.dataset, name)
        if dataset is not None and dataset in files:
            found.setdefault(root / dataset, check_dataset(files[dataset], checked.word, around))


def _flow_of(raw: bytes, name: str, files: Mapping[str, bytes]) -> str:
    address = address_in(raw)
    return (resolve(address, name) if address and not fault_of(address) else None) or ""


def _records(found: Found) -> Iterator[dict[str, str]]:
    for file, problems in found.items():
        for each in problems:
            yield {
                "file": shown(file),
                "code": each.code,
                "level": each.level,
                "path": each.path,
                "message": each.message,
                "hint": each.hint,
            }


def _show(found: Found, screen: Screen) -> None:
    for file, problems in found.items():
        if not problems:
            continue
        screen.say(screen.paint(shown(file), "bold"))
        for each in problems:
            color = "red" if each.level == "error" else "yellow"
            where = f"{shown(file)}:{each.path}" if each.path else shown(file)
            screen.say(f"  {screen.paint(each.level, color)} {each.code}  {screen.paint(where, 'faint')}")
            for line in screen.wrap(each.message, "    ", "    "):
                screen.say(line)
            for line in screen.wrap(each.hint, "    → ", "      ") if each.hint else ():
                screen.say(screen.paint(line, "blue"))
        screen.say()
    screen.say(_summary(found, screen))


def _summary(found: Found, screen: Screen) -> str:
    files = f"{len(found)} {'file' if len(found) == 1 else 'files'} checked"
    errors, warnings = _count(found, "error"), _count(found, "warning")
    if not errors and not warnings:
        return f"{screen.paint('✓', 'green')} {files}, nothing wrong."
    said = [
        screen.paint(f"{number} {word if number == 1 else word + 's'}", color)
        for number, word, color in ((errors, "error", "red"), (warnings, "warning", "yellow"))
        if number
    ]
    return f"{files}: {' and '.join(said)}."


def _count(found: Found, level: str) -> int:
    return sum(each.level == level for problems in found.values() for each in problems)


CHECK = Subcommand("check", "Say everything that is wrong with flows and the files beside them.", _add, _run)
