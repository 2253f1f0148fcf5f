"""Which test proves which requirement: read from the ids that tests name, and from the table of golden cases."""

from __future__ import annotations

import ast
import re
import tokenize
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from runtime.processes import ROOT

HERE = Path(__file__).parent
LANGUAGE = HERE / "language.md"
LATER = HERE / "later.md"
CASES = ROOT / "tests" / "cases"
ID = re.compile(r"\bLG-[a-z]+-\d{2}\b")
# The table itself names every id, and proves none.
NO_PROOF = ("tests/requirements/", "tests/bench/", "tests/support/")
_LINE = re.compile(r"- (LG-[a-z]+-\d{2}) ((?:\[[A-Z]\])+) (.+)")
_BROWSER_TEST = re.compile(r"""\b(?:it|test|describe)(?:\.each\([^\n]*\))?\(\s*(["'`])(.+?)\1""")


@dataclass(frozen=True, order=True)
class Requirement:
    """kinds: R refusal, L limit, D default, B behaviour, U what is seen, A how a flow is written, P installation."""

    id: str
    kinds: str
    words: str

    @property
    def section(self) -> str:
        return self.id.split("-")[1]


@dataclass(frozen=True, order=True)
class Proof:
    """test: the name of the test in the file; empty where the file as a whole says it."""

    file: str
    test: str = ""

    def __str__(self) -> str:
        return f"{self.file}: {self.test}" if self.test else self.file


@cache
def requirements() -> dict[str, Requirement]:
    found: dict[str, Requirement] = {}
    for line in LANGUAGE.read_text(encoding="utf-8").splitlines():
        if line.startswith("- "):
            match = _LINE.fullmatch(line)
            assert match, f"This line of {LANGUAGE.name} is no requirement: {line}"
            id, kinds, words = match.groups()
            assert id not in found, f"{id} stands twice in {LANGUAGE.name}."
            found[id] = Requirement(id, kinds.replace("[", "").replace("]", ""), words)
    return found


def later() -> dict[str, str]:
    """What no test can show yet, with the reason: the heading above it in later.md."""
    found: dict[str, str] = {}
    reason = ""
    for line in LATER.read_text(encoding="utf-8").splitlines():
        if line.startswith("## "):
            reason = line[3:].strip()
        for id in ID.findall(line):
            assert id not in found, f"{id} stands twice in {LATER.name}."
            found[id] = reason
    return found


def cases() -> dict[str, list[str]]:
    """Golden case → what its words prove."""
    found: dict[str, list[str]] = {}
    for line in (CASES / "requirements.txt").read_text(encoding="utf-8").splitlines():
        code, _, ids = line.partition(" ")
        found[code] = ids.split()
    return found


def proofs() -> dict[str, list[Proof]]:
    """Every id that a test or a golden case names → where."""
    found: dict[str, set[Proof]] = {}
    for id, proof in (*_golden(), *_python(), *_browser()):
        found.setdefault(id, set()).add(proof)
    return {id: sorted(each) for id, each in sorted(found.items())}


def _golden() -> Iterator[tuple[str, Proof]]:
    for code, ids in cases().items():
        for id in ids:
            yield id, Proof(f"tests/cases/refused/{code}")


def _python() -> Iterator[tuple[str, Proof]]:
    for file in sorted((ROOT / "tests").rglob("*.py")):
        name = file.relative_to(ROOT).as_posix()
        if name.startswith(NO_PROOF) or not (file.name.startswith("test_") or file.parent.name == "cases"):
            continue
        tests = _tests(file)
        with file.open("rb") as source:
            for token in tokenize.tokenize(source.readline):
                if token.type in (tokenize.COMMENT, tokenize.STRING):
                    for offset, line in enumerate(token.string.splitlines()):
                        for id in ID.findall(line):
                            yield id, Proof(name, _test_at(tests, token.start[0] + offset))


def _tests(file: Path) -> list[tuple[int, int, str]]:
    """(first line, last line, name) of each test, with its decorators and the comments above them."""
    source = file.read_text(encoding="utf-8")
    lines = source.splitlines()
    found: list[tuple[int, int, str]] = []
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef) and node.name.startswith("test_"):
            first = min([node.lineno, *(each.lineno for each in node.decorator_list)])
            while first > 1 and lines[first - 2].lstrip().startswith("#"):
                first -= 1
            found.append((first, node.end_lineno or node.lineno, node.name))
    return found


def _test_at(tests: list[tuple[int, int, str]], line: int) -> str:
    return next((name for first, last, name in tests if first <= line <= last), "")


def _browser() -> Iterator[tuple[str, Proof]]:
    for file in sorted((ROOT / "frontend" / "tests").rglob("*.ts*")):
        test, above = "", list[str]()
        for line in file.read_text(encoding="utf-8").splitlines():
            named = _BROWSER_TEST.search(line)
            if named:
                test = named[2]
            found = ID.findall(line)
            if line.lstrip().startswith("//") and found:
                above += found
                continue
            for id in (*above, *found):
                yield id, Proof(file.relative_to(ROOT).as_posix(), test)
            above = []
