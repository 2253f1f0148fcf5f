"""`flow tree`: a flow, the flows that it runs and the agents that it may call."""

from __future__ import annotations

from argparse import ArgumentParser, Namespace
from pathlib import Path

from flows.calls import Call, Tree
from flows.tree import read_tree
from studio.commandline.command import FINE, WRONG, Subcommand
from studio.commandline.disk import Folder, existing, flows_in, project_of, shown
from studio.commandline.screen import Screen


def _add(parser: ArgumentParser) -> None:
    parser.add_argument("path", metavar="PATH", help="a flow's file, or its folder")


def _run(options: Namespace, screen: Screen) -> int:
    path = existing(options.path)
    file = path if path.is_file() else flows_in(path)[0]
    root = project_of(file, path if path.is_dir() else path.parent)
    tree = read_tree(Folder(root), file.relative_to(root).as_posix())
    screen.say(_line(tree, root, tree.top, screen))
    missing = _draw(tree, root, tree.top, "", [tree.top], screen)
    return WRONG if missing or not all(checked.ok for checked in tree.flows.values()) else FINE


def _draw(tree: Tree, root: Path, file: str, before: str, above: list[str], screen: Screen) -> int:
    """Draw what a flow runs, below it. Returns how many of them are not there."""
    missing = 0
    calls = tree.calls.get(file, [])
    for index, call in enumerate(calls):
        is_last = index == len(calls) - 1
        branch, rest = ("└─ ", "   ") if is_last else ("├─ ", "│  ")
        screen.say(f"{before}{branch}{_called(call, screen)} {_end(tree, root, call, above, screen)}")
        if call.to is None:
            missing += 1
        elif call.to not in above and call.to in tree.flows:
            missing += _draw(tree, root, call.to, before + rest, [*above, call.to], screen)
    return missing


def _called(call: Call, screen: Screen) -> str:
    name = call.node if call.by == "flow" else f"{call.node}/{call.address}"
    return f"{screen.paint(name, 'bold')} {screen.paint('runs' if call.by == 'flow' else 'may call', 'faint')}"


def _end(tree: Tree, root: Path, call: Call, above: list[str], screen: Screen) -> str:
    if call.to is None:
        return screen.paint(f'"{call.address}", which is not there', "red")
    return f"{_line(tree, root, call.to, screen)}{', which runs this' if call.to in above else ''}"


def _line(tree: Tree, root: Path, file: str, screen: Screen) -> str:
    checked = tree.flows.get(file)
    name = checked.flow.name if checked and checked.flow else None
    said = f"{shown(root / file)}{f' “{name}”' if name else ''}"
    if checked is None or checked.ok:
        return said
    errors = f"({len(checked.errors)} {'error' if len(checked.errors) == 1 else 'errors'})"
    return f"{said} {screen.paint(errors, 'red')}"


TREE = Subcommand("tree", "Draw a flow with the flows that it runs and the agents that it may call.", _add, _run)
