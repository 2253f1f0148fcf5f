"""Reads a file beside a flow, entry by entry, so that a broken one hides nothing of the others."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from itertools import islice
from typing import Generic, TypeVar

from flows.beside.around import Around
from flows.check import MAX_GUESSES, MAX_PROBLEMS, in_order
from flows.problem import Finding, Problem, at, guessing, listed, quoted, rule, suggestion
from flows.words import strictjson
from flows.words.address import fault_of, resolve
from flows.words.base import Json, Word, read, said
from flows.words.beside import Beside
from flows.words.strictjson import JsonRefused
from flows.words.versions import below

W = TypeVar("W", bound=Word)
E = TypeVar("E", bound=Word)


@dataclass(frozen=True)
class CheckedBeside(Generic[W]):
    """word: the file, or as much of it as could be read; None when its JSON or its top could not be."""

    word: W | None
    problems: list[Problem] = field(default_factory=list)

    @property
    def ok(self) -> bool:
        """Can the file be used?"""
        return self.word is not None and not any(problem.level == "error" for problem in self.problems)


def loaded(raw: str | bytes | Json) -> tuple[Json, list[Problem]]:
    """The JSON of a file, given as text or as a value; and why it is none."""
    try:
        if isinstance(raw, str | bytes):
            return strictjson.loads(raw), []
        strictjson.judge(raw)
    except JsonRefused as refused:
        return None, [Problem(refused.code, "error", "", refused.message, "Nothing else was checked.")]
    return raw, []


def read_entries(
    raw: Json, path: str, one: Callable[[Json, str], tuple[E | None, list[Problem]]]
) -> tuple[list[tuple[str, E]], list[Problem]]:
    """Read the entries of a list each by itself. Returns (path, entry) of those that could be, and the problems."""
    found: list[tuple[str, E]] = []
    problems: list[Problem] = []
    for index, each in enumerate(raw if isinstance(raw, list) else ()):
        here = at(path, index)
        entry, wrong = one(each, here)
        problems += wrong
        if entry is not None:
            found.append((here, entry))
        if len(problems) > MAX_PROBLEMS:
            break
    return found, problems


def read_head(
    word: type[W], raw: Json, key: str, owner: str, entries: Iterable[Word]
) -> tuple[W | None, list[Problem]]:
    """Read a file with the entries that could be read in their place; what is wrong at its top is left out."""
    if not isinstance(raw, dict):
        return read(word, raw, "", owner)
    given = {**raw, key: []} if isinstance(raw.get(key), list) else raw
    head, problems = read(word, given, "", owner)
    if head is None:
        wrong = {problem.path.partition(".")[0].partition("[")[0] for problem in problems}
        whole = {"flow": "flow.json", key: []}
        head, _ = read(word, {**whole, **{name: each for name, each in given.items() if name not in wrong}}, "", owner)
    if head is not None:
        object.__setattr__(head, key, list(entries))
    return head, problems


def owner_of(what: str, raw: Json, path: str, key: str = "name") -> str:
    """How messages name an entry: `test "Routes billing"`."""
    name = raw.get(key) if isinstance(raw, dict) else None
    return f"{what} {quoted(name)}" if isinstance(name, str) and name else f"the {what} at {path}"


def twice(entries: Iterable[tuple[str, Word]], key: str, what: str, hint: str) -> Iterator[Finding]:
    """Every entry whose name another has before it; what: as messages name them, `tests`."""
    seen: set[str] = set()
    for path, entry in entries:
        name = getattr(entry, key)
        if name in seen:
            yield at(path, key), f"There are two {what} {quoted(name)}.", hint
        seen.add(name)


def collected(found: Iterator[Problem] | list[Problem]) -> list[Problem]:
    """Problems as a reader meets them, no more than anybody reads."""
    with guessing(MAX_GUESSES):
        return in_order(list(islice(found, MAX_PROBLEMS)))


@rule("FLOW_ADDRESS_INVALID")
def addresses_are_relative(word: Beside) -> Iterator[Finding]:
    """A file finds its flow by where they stand to one another, so that a folder of them can be put anywhere."""
    for key in ("flow", "handlers", "dataset"):
        address = getattr(word, key, None)
        fault = fault_of(address) if address else ""
        if fault:
            yield (
                key,
                f"This file names {quoted(address)} as its {key}, which {fault}.",
                'Write where it is, relative to this file: "../flow.json".',
            )


@rule("FLOW_NOT_FOUND")
def flow_exists(word: Beside, around: Around | None, file: str) -> Iterator[Finding]:
    """What a file says is about one flow, which is there."""
    if around is None or not file or fault_of(word.flow):
        return
    whole = resolve(word.flow, file)
    if whole is None:
        yield "flow", f"This file is about {quoted(word.flow)}, which lies outside of this project.", "Put it inside."
    elif whole not in around.tree.files and whole != around.file:
        yield (
            "flow",
            f"This file is about {quoted(word.flow)}, and there is no file {quoted(whole)}.",
            suggestion(whole, around.tree.files, f"The address is relative to the file that says it, {quoted(file)}."),
        )


@rule("VERSION_TOO_LOW")
def flow_is_new_enough(word: Word, path: str, around: Around | None, since: str, what: str) -> Iterator[Finding]:
    """These files have no version of their own: the flow's counts, for the file and for every word in it."""
    version = around.version if around else ""
    if not version:
        return
    if not path and below(version, since):
        yield _too_low("", what, since, version)
        return
    told = ""
    for each in said(word, path):
        inside = told and each.path.startswith((f"{told}.", f"{told}["))
        if below(version, each.dsl.since) and not below(version, since) and not inside:
            told = each.path
            yield _too_low(each.path, quoted(each.key), each.dsl.since, version)


def _too_low(path: str, what: str, since: str, version: str) -> Finding:
    return (
        path,
        f"{what} needs version {since}, and the flow says {version}.",
        f'Raise "version" in the flow to "{since}" or later; raising it never breaks a flow.',
    )


def described(names: Iterable[str], what: str, none: str) -> str:
    """`Its inputs are "a" and "b".`, or what there is instead of any."""
    words = listed(list(islice(names, 12)), "and")
    return f"{what} {words}." if words else none
