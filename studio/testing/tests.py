"""Tests of a draft as the API meets them: listed, begun, followed. Everything here is scoped."""

from __future__ import annotations

import json
import re
import uuid
from typing import Any

from django.db import transaction
from django.db.models import TextField
from django.db.models.functions import Cast

from flows import files
from flows.beside.names import kind_of
from flows.models import Flow, FlowEdit, FlowFile
from runtime import bell
from runtime.testing.files import names_in
from runtime.testing.results import TestResult
from studio.api import wire_tests as wire
from studio.api.wire_edits import DraftProblem
from studio.models import LatestTests, User
from studio.refusal import Missing, Refusal
from studio.strings import t

ERRAND = "tests"
MOST_MOVES = 200
_OF_DOCUMENT = '"doc": "flow"'
"""As a change of the document is stored. In what a person typed quotation marks stand behind a backslash."""
Json = Any


def listed(flow: Flow) -> wire.TestFiles:
    """The flow's files of tests, each with what is wrong with it now."""
    latest = LatestTests.objects.filter(flow=flow).values_list("id", flat=True).first()
    return wire.TestFiles(files=[_shown(kept) for kept in files.checked(flow, of(flow))], latest=latest)


def of(flow: Flow) -> list[FlowFile]:
    return [file for file in files.files_of(flow) if kind_of(file.path) == "test"]


def _shown(kept: files.Kept) -> wire.TestFile:
    text = kept.file.text
    problems = [
        DraftProblem(code=one.code, level=one.level, path=one.path, message=one.message, hint=one.hint)
        for one in kept.problems
    ]
    return wire.TestFile(
        path=kept.file.path, text=text, sha=kept.file.sha, problems=problems,
        tests=[wire.TestName(name=name, line=line) for name, line in located(text)],
    )  # fmt: skip


def located(text: str) -> list[tuple[str, int]]:
    """The tests of a file that have a name, with the line on which each says it."""
    found: list[tuple[str, int]] = []
    said = re.finditer(r'"name"\s*:\s*("(?:[^"\\]|\\.)*")', text)
    for name in names_in(text):
        # Other things in a file have names as well, so the tests' own are looked for in their order.
        place = next((match for match in said if _is(match.group(1), name)), None) if name else None
        if name:
            found.append((name, text.count("\n", 0, place.start()) + 1 if place else 1))
    return found


def _is(written: str, name: str) -> bool:
    try:
        return json.loads(written) == name
    except ValueError:
        return False


def begin(flow: Flow, by: User, body: wire.TestsBody) -> LatestTests:
    """Run tests of the draft as it is now. What ran before is forgotten, and stopped if it still runs.

    Raises Refusal where there is nothing to run.
    """
    there = {file.path: file for file in of(flow)}
    gone = next((path for path in body.paths if path not in there), None)
    if gone is not None:
        raise Missing(t("testing.no_file", path=gone))
    paths = list(dict.fromkeys(body.paths or there))
    names = [name for path in paths for name in names_in(there[path].text) if not body.names or name in body.names]
    if not paths or (body.names and not names):
        raise Refusal("NO_TESTS", t("testing.no_test" if paths else "testing.none"), 409)
    with transaction.atomic():
        # Two who begin at once begin one after the other.
        Flow.objects.select_for_update().filter(pk=flow.pk).first()
        LatestTests.objects.filter(flow=flow).delete()
        row = LatestTests.objects.create(
            flow=flow, by=by, paths=paths, names=body.names, revision=flow.revision, total=len(names)
        )
        poke(row)
        transaction.on_commit(lambda: bell.errand(ERRAND, row.id))
    return row


def poke(row: LatestTests) -> None:
    """Tell the flow's pages that the tests came further, once that is committed."""
    bell.flow_after_commit(row.flow_id, {"type": "tests", "id": str(row.id)})


def find(flow: Flow, id: uuid.UUID) -> LatestTests:
    """Raises Missing, also for one that another took the place of."""
    found = LatestTests.objects.filter(flow=flow, id=id).first()
    if found is None:
        raise Missing(t("testing.gone"))
    return found


def _revision(row: LatestTests) -> int:
    """The newest revision with the document that was tested: whoever moves a card has changed nothing of it.

    A page asks this again and again, so no edit is read for it: the database looks whether one touched the document.
    """
    last = row.revision
    since = FlowEdit.objects.filter(flow_id=row.flow_id, revision__gt=last).order_by("revision")
    touching = since.annotate(said=Cast("changes", TextField())).filter(said__contains=_OF_DOCUMENT)
    first = touching.values_list("revision", flat=True).first()
    moves = since if first is None else since.filter(revision__lt=first)
    for revision in moves.values_list("revision", flat=True)[:MOST_MOVES]:
        if revision != last + 1:
            break
        last = revision
    return last


def shown(row: LatestTests) -> wire.TestsRun:
    results = [TestResult.model_validate(one) for one in row.results]
    passed = sum(result.state == "passed" for result in results)
    state: Any = row.state
    return wire.TestsRun(
        id=row.id, state=state, message=row.message, revision=_revision(row), total=max(row.total, len(results)),
        passed=passed, failed=len(results) - passed, ms=row.ms, results=results,
    )  # fmt: skip
