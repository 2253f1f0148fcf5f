"""`flow test`: run the tests of flows, and say of each whether the flow does what it must."""

from __future__ import annotations

import json
from argparse import ArgumentParser, Namespace
from collections.abc import Iterator
from pathlib import Path

from flows.problem import quoted
from flows.tree import TOP
from flows.words.beside import TEST_ENDING
from runtime.testing.gathering import gather
from runtime.testing.job import Wanted
from runtime.testing.process import Process, ProcessFailed
from runtime.testing.results import TestFailure, TestResult
from studio.commandline.command import FINE, WRONG, Subcommand, Unusable
from studio.commandline.disk import Folder, address_in, common_folder, existing, json_below, project_of, shown
from studio.commandline.people import add_person, person_of
from studio.commandline.screen import Screen

MARKS = {"passed": ("✓", "green"), "failed": ("✗", "red"), "refused": ("✗", "red"), "running": ("…", "faint")}


def _add(parser: ArgumentParser) -> None:
    parser.add_argument(
        "paths", nargs="+", metavar="PATH", help="a file of tests, a flow, or a folder with tests in it"
    )
    parser.add_argument("--name", action="append", default=[], help="run only the test of this name; may be repeated")
    parser.add_argument("--json", action="store_true", help="print the results for programs to read")
    parser.add_argument("--all", action="store_true", help="say what happened in tests that hold, too")
    add_person(parser)


def _run(options: Namespace, screen: Screen) -> int:
    files = list(dict.fromkeys(file for path in options.paths for file in _files(existing(path))))
    results: list[TestResult] = []
    person = person_of(options)
    try:
        with Process() as process:
            for root, wanted in _by_project(files, options.name):
                for result in process.run(gather(Folder(root), wanted, person=person)):
                    results.append(_seen_from_here(result, root))
                    if not options.json:
                        _show(results[-1], screen, options.all)
    except ProcessFailed as failed:
        raise Unusable(failed.message) from None
    if not results:
        names = ", ".join(quoted(name) for name in options.name)
        raise Unusable(f"There is no test {names}." if names else "These files have no tests.")
    if options.json:
        screen.say(json.dumps([result.model_dump() for result in results], indent=2, ensure_ascii=False))
    else:
        screen.say(_summary(results, screen))
    return FINE if all(result.state == "passed" for result in results) else WRONG


def _files(path: Path) -> list[Path]:
    """The files of tests that a path means. Raises Unusable when there are none."""
    if path.is_file() and path.name.endswith(TEST_ENDING):
        return [path]
    folder = path.parent if path.is_file() else path
    found = [folder / each for each in json_below(folder) if each.endswith(TEST_ENDING)]
    if path.is_file():
        found = [file for file in found if _is_of(file, path)]
    if not found:
        raise Unusable(f'There are no tests of "{shown(path)}": no file beside it ends with {TEST_ENDING}.')
    return found


def _is_of(file: Path, flow: Path) -> bool:
    address = address_in(Folder(file.parent)[file.name])
    named = (file.parent / address).resolve() if address else None
    return named is not None and flow.resolve() in (named, named / TOP)


def _by_project(files: list[Path], names: list[str]) -> Iterator[tuple[Path, list[Wanted]]]:
    found: dict[Path, list[Wanted]] = {}
    for file in files:
        root = project_of(file, common_folder(file, file.parent, Folder(file.parent)[file.name]))
        found.setdefault(root, []).append(Wanted(path=file.relative_to(root).as_posix(), names=names))
    yield from found.items()


def _seen_from_here(result: TestResult, root: Path) -> TestResult:
    return result.model_copy(update={"file": shown(root / result.file)})


def _show(result: TestResult, screen: Screen, everything: bool) -> None:
    mark, color = MARKS[result.state]
    name = result.test or result.file
    took = screen.paint(f"{result.ms:,.0f} ms", "faint") if result.state != "refused" else "refused"
    screen.say(f"{screen.paint(mark, color)} {name}  {took}")
    if result.failures and result.test:
        screen.say(f"    {screen.paint(result.file, 'faint')}")
    for failure in result.failures:
        _show_failure(failure, screen)
    if everything or (result.failures and result.state == "failed"):
        for event in result.events:
            where = f"{event.node}: " if event.node else ""
            for line in screen.wrap(f"{where}{event.words}", "      · ", "        "):
                screen.say(screen.paint(line, "faint"))


def _show_failure(failure: TestFailure, screen: Screen) -> None:
    where = f"{failure.at}: " if failure.what == "file" and failure.at else ""
    for line in screen.wrap(f"{where}{failure.message}", "    ", "    "):
        screen.say(screen.paint(line, "red"))
    for line in screen.wrap(failure.hint, "    → ", "      ") if failure.hint else ():
        screen.say(screen.paint(line, "blue"))


def _summary(results: list[TestResult], screen: Screen) -> str:
    passed = sum(result.state == "passed" for result in results)
    wrong = len(results) - passed
    ms = sum(result.ms for result in results)
    if not wrong:
        what = "The test holds" if passed == 1 else f"All {passed} tests hold"
        return f"{screen.paint(what, 'green')}, in {ms / 1000:.1f} s."
    tests = "test holds" if len(results) == 1 else "tests hold"
    rest = screen.paint("1 does not" if wrong == 1 else f"{wrong} do not", "red")
    return f"{passed} of {len(results)} {tests}, {rest}."


TEST = Subcommand("test", "Run the tests of flows, with stand-ins for everything outside.", _add, _run)
