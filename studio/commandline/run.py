"""`flow run`: run a flow once, with what stands in for everything outside, and say what happened."""

from __future__ import annotations

import json
from argparse import ArgumentParser, Namespace
from collections.abc import Mapping
from pathlib import Path

from flows.problem import quoted
from flows.tree import TOP
from flows.words import strictjson
from flows.words.base import Json
from flows.words.strictjson import JsonRefused
from runtime.testing.gathering import gather
from runtime.testing.job import Wanted
from runtime.testing.process import Process, ProcessFailed
from runtime.testing.results import TestResult
from studio.commandline.command import FINE, WRONG, Subcommand, Unusable
from studio.commandline.disk import Folder, existing, project_of, shown
from studio.commandline.people import add_person, person_of
from studio.commandline.screen import Screen

ONCE = "run.test.json"


def _add(parser: ArgumentParser) -> None:
    parser.add_argument("path", metavar="PATH", help="a flow's file, or its folder")
    parser.add_argument(
        "--input",
        action="append",
        default=[],
        metavar="NAME=VALUE",
        help="an input: JSON, or else text; may be repeated",
    )
    parser.add_argument("--mock", metavar="FILE", help='a file with what stands in, as under "mock" in a test')
    parser.add_argument("--json", action="store_true", help="print what happened for programs to read")
    add_person(parser)


def _run(options: Namespace, screen: Screen) -> int:
    path = existing(options.path)
    flow = path / TOP if path.is_dir() else path
    if not flow.is_file():
        raise Unusable(f'There is no {TOP} in "{shown(path)}". Name a flow\'s file, or its folder.')
    person = person_of(options)
    root = project_of(flow, flow.parent)
    place = flow.relative_to(root).as_posix()
    test = {"name": "once", "input": _inputs(options.input), "mock": _mock(options.mock)}
    once = f"{place.rpartition('/')[0]}/{ONCE}".lstrip("/")
    files = _With(Folder(root), {once: json.dumps({"flow": flow.name, "tests": [test]})})
    try:
        with Process() as process:
            (result,) = process.run(gather(files, [Wanted(path=once)], person=person))
    except ProcessFailed as failed:
        raise Unusable(failed.message) from None
    if options.json:
        shown_parts = {"file", "test", "failures"} if result.state != "refused" else {"file", "test"}
        screen.say(json.dumps(result.model_dump(exclude=shown_parts), indent=2, ensure_ascii=False))
    else:
        _show(result, screen)
    return FINE if result.state == "passed" else WRONG


class _With(Mapping[str, bytes]):
    """A folder's files, and one that is not on the disk."""

    def __init__(self, folder: Folder, more: Mapping[str, str]) -> None:
        self._folder, self._more = folder, {path: text.encode() for path, text in more.items()}

    def __getitem__(self, path: str) -> bytes:
        return self._more[path] if path in self._more else self._folder[path]

    def __contains__(self, path: object) -> bool:
        return path in self._more or path in self._folder

    def __iter__(self):
        yield from self._folder
        yield from self._more

    def __len__(self) -> int:
        return len(self._folder) + len(self._more)


def _inputs(given: list[str]) -> dict[str, Json]:
    found: dict[str, Json] = {}
    for each in given:
        name, sign, value = each.partition("=")
        if not sign or not name.strip():
            raise Unusable(f"{quoted(each)} is no input. Write its name, = and its value: --input question=Hello.")
        try:
            found[name.strip()] = strictjson.loads(value)
        except JsonRefused:
            found[name.strip()] = value
    return found


def _mock(path: str | None) -> Json:
    if path is None:
        return {}
    try:
        return strictjson.loads(Path(existing(path)).read_bytes())
    except (JsonRefused, OSError) as refused:
        raise Unusable(f'"{path}" cannot be read: {refused}') from None


def _show(result: TestResult, screen: Screen) -> None:
    for event in result.events:
        where = f"{screen.paint(event.node, 'bold')}: " if event.node else ""
        for line in screen.wrap(f"{where}{event.words}", "", "  "):
            screen.say(line if event.ok else screen.paint(line, "red"))
    if result.state == "refused":
        for failure in result.failures:
            place = f"{failure.at}: " if failure.at else ""
            screen.say(screen.paint(f"{place}{failure.message}", "red"))
            for line in screen.wrap(failure.hint, "  → ", "    ") if failure.hint else ():
                screen.say(screen.paint(line, "blue"))
    elif result.failures and not result.events:
        screen.say(screen.paint(result.failures[0].message, "red"))
    for name, value in result.output.items():
        words = value if isinstance(value, str) else json.dumps(value, indent=2, ensure_ascii=False)
        screen.say(f"\n{screen.paint(name, 'bold')}\n{words}")


RUN = Subcommand("run", "Run a flow once, with stand-ins for everything outside.", _add, _run)
