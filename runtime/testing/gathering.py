"""What a job needs of a tree of files: the files of tests, their flows with everything that those run, and the code."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from flows.tree import read_tree
from runtime.testing.files import HANDLERS, beside, flow_of, handlers_of
from runtime.testing.job import Job, Person, Wanted

Files = Mapping[str, str | bytes]


def gather(
    files: Files, wanted: list[Wanted], units: Mapping[str, dict[str, str]] | None = None, person: Person | None = None
) -> Job:
    """A job for these files of tests of a tree. Files that are not text are left out, and the job says so of them.

    units: the code of flows that is not in files.
    """
    needed: dict[str, str] = {}
    for one in wanted:
        for path in (one.path, *_needed(files, _text(files, one.path) or "", one.path)):
            text = _text(files, path)
            if text is not None:
                needed.setdefault(path, text)
    return Job(files=needed, units=dict(units or {}), wanted=wanted, person=person)


def flows_of(files: Files, wanted: list[Wanted]) -> list[str]:
    """The flows that these files of tests run, with everything that those run."""
    found: dict[str, None] = {}
    for one in wanted:
        flow = flow_of(_text(files, one.path) or "", one.path)
        if flow in files:
            found |= dict.fromkeys(read_tree(files, flow).flows)
    return list(found)


def _needed(files: Files, raw: str, path: str) -> Iterator[str]:
    flow = flow_of(raw, path)
    if flow not in files:
        return
    tree = read_tree(files, flow)
    yield tree.registry_file
    for each in tree.flows:
        yield from (each, beside(each, HANDLERS))
    yield handlers_of(raw, path)


def _text(files: Files, path: str) -> str | None:
    try:
        found = files[path]
        return found if isinstance(found, str) else found.decode()
    except (KeyError, UnicodeDecodeError):
        return None
