"""`flow fmt`: the keys of flows and the files beside them in one order, in place."""

from __future__ import annotations

from argparse import ArgumentParser, Namespace
from pathlib import Path

from flows.tidy import FILES, tidy, written
from flows.tree import TOP
from flows.words import strictjson
from flows.words.agents import FILE as REGISTRY
from flows.words.beside import kind_of_file
from flows.words.strictjson import JsonRefused
from studio.commandline.command import FINE, UNUSABLE, WRONG, Subcommand, Unusable
from studio.commandline.disk import existing, json_below, shown
from studio.commandline.screen import Screen


def _add(parser: ArgumentParser) -> None:
    parser.add_argument("paths", nargs="+", metavar="PATH", help="a file, or a folder with flows in it")
    parser.add_argument("--check", action="store_true", help="write nothing; exit with 1 when a file would change")


def _run(options: Namespace, screen: Screen) -> int:
    changed = unreadable = seen = 0
    for file in dict.fromkeys(file for path in options.paths for file in _files(existing(path))):
        seen += 1
        try:
            old = file.read_bytes()
            new = written(tidy(strictjson.loads(old), _word_of(file.name))).encode()
        except JsonRefused as refused:
            screen.complain(f"{shown(file)}: {refused.message}")
            unreadable += 1
            continue
        if new == old:
            continue
        changed += 1
        if options.check:
            screen.say(f"{screen.paint('would change', 'yellow')} {shown(file)}")
            continue
        try:
            file.write_bytes(new)
        except OSError as refused:
            raise Unusable(f'"{shown(file)}" could not be written: {refused.strerror}.') from None
        screen.say(f"{screen.paint('changed', 'green')} {shown(file)}")
    rest = seen - changed - unreadable
    screen.say(f"{rest} {'file is' if rest == 1 else 'files are'} in order.")
    return UNUSABLE if unreadable else WRONG if changed and options.check else FINE


def _files(path: Path) -> list[Path]:
    if path.is_file():
        return [path]
    found = [
        path / each for each in json_below(path) if each.rpartition("/")[2] in (TOP, REGISTRY) or kind_of_file(each)
    ]
    if not found:
        raise Unusable(f'There is no {TOP} in "{shown(path)}" or below it. Name a flow\'s file, or its folder.')
    return found


def _word_of(name: str) -> type:
    return FILES["agents" if name == REGISTRY else kind_of_file(name) or "flow"]


FMT = Subcommand("fmt", "Put the keys of flows and the files beside them in one order.", _add, _run)
