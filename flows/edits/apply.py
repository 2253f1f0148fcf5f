"""apply(): operations made on a draft, whole or not at all, with every mistake said at once."""

from __future__ import annotations

import json
import uuid
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple

from flows import identity
from flows.check import check
from flows.edits.changes import Change, Sketch, copied
from flows.edits.operation import Operation
from flows.edits.operations import OPERATIONS
from flows.edits.work import Mistake, UnitMove, Work
from flows.problem import Problem, listed, quoted, suggestion
from flows.words.base import read
from flows.words.strictjson import MAX_BYTES, JsonRefused, judge
from flows.words.versions import below

Json = Any


class OperationMistake(NamedTuple):
    """Why one operation cannot be done. operation: its position in what was given."""

    operation: int
    code: str
    message: str
    hint: str


class EditRefused(Exception):
    """Nothing was changed. problems: all that is wrong with the operations, at once."""

    def __init__(self, problems: list[OperationMistake]) -> None:
        first = problems[0]
        more = "" if len(problems) == 1 else f" And {len(problems) - 1} more."
        super().__init__(first.message + more)
        self.code = first.code if len(problems) == 1 else "EDIT_REFUSED"
        self.message = first.message + more
        self.problems = problems


@dataclass(frozen=True)
class Applied:
    """A draft after operations. document: None when the text is no JSON object. text: as it is stored; typed: it was
    not written from the document.

    changes: what leads there, in order. renamed: old name → new name of what a paste brought along. moves: units whose
    code goes with a new name.
    """

    document: Json
    layout: Json
    text: str
    typed: bool
    changes: list[Change]
    renamed: dict[str, str]
    moves: list[UnitMove]
    operations: list[Operation]

    @cached_property
    def problems(self) -> list[Problem]:
        """What check() says of the draft now."""
        return check(self.text).problems


def written(document: Json) -> str:
    """A document as text, as edits leave it."""
    return json.dumps(document, ensure_ascii=False, indent=2) + "\n"


def sketch_of(text: str, layout: Json = None) -> Sketch:
    """What is edited of a stored draft."""
    return Sketch(identity.read(text), layout if isinstance(layout, dict) else {})


def parse(operations: Sequence[Json]) -> list[Operation]:
    """Operations as JSON, read. Raises EditRefused with all that is wrong."""
    found: list[Operation] = []
    wrong: list[OperationMistake] = []
    for index, raw in enumerate(operations):
        name = raw.get("op") if isinstance(raw, dict) else None
        kind = OPERATIONS.get(name) if isinstance(name, str) else None
        if kind is None:
            hint = suggestion(str(name), OPERATIONS, f"Use {listed(OPERATIONS)}.")
            message = f"{quoted(name)} is no operation." if name else 'An operation says what it does in "op".'
            wrong.append(OperationMistake(index, "OPERATION_UNKNOWN", message, hint))
            continue
        operation, problems = read(kind, raw, "", f"operation {quoted(name)}")
        wrong += [OperationMistake(index, each.code, each.message, each.hint) for each in problems]
        if operation:
            found.append(operation)
    if wrong:
        raise EditRefused(wrong)
    return found


def apply(
    draft: Sketch | str,
    operations: Sequence[Operation | Json],
    *,
    text: str | None = None,
    id: uuid.UUID | None = None,
    forced: bool = False,
) -> Applied:
    """Make the operations on a draft, which stays as it is. Raises EditRefused.

    draft: a text, or one that was read, with its layout. text: as it was typed then. id: the flow's, which a text put
    in place gets. forced: a field is set whatever stands there by now.
    """
    text = draft if isinstance(draft, str) else text
    sketch = sketch_of(draft) if isinstance(draft, str) else draft
    work = Work(Sketch(copied(sketch.document), copied(sketch.layout)), id=id, forced=forced)
    steps = [each if isinstance(each, Operation) else None for each in operations]
    if None in steps:
        steps = list(parse([each.plain() if isinstance(each, Operation) else each for each in operations]))
    done = [each for each in steps if each is not None]
    _do(work, done)
    _identify(work)
    flow_changed = any(change["doc"] == "flow" for change in work.changes)
    if work.text is not None:
        text = work.text
    elif flow_changed or text is None:
        text = written(work.sketch.document)
    _judge(work, text, len(done) - 1)
    typed = work.text is not None or not flow_changed
    return Applied(work.sketch.document, work.sketch.layout, text, typed, work.changes, work.renamed, work.moves, done)


def _do(work: Work, operations: list[Operation]) -> None:
    wrong: list[OperationMistake] = []
    # What an operation that failed would have made: that a later one misses it is no mistake of its own.
    unmade: set[str] = set()
    for index, operation in enumerate(operations):
        count = len(work.changes)
        try:
            if not operation.reads_text and work.sketch.document is None:
                raise Mistake(
                    "DRAFT_UNREADABLE", "The draft is no JSON object, so its parts cannot be edited one by one.",
                    "Correct the text in the JSON view first, or restore a version.",
                )  # fmt: skip
            operation.act(work)
        except Mistake as mistake:
            work.take_back(count)
            if mistake.name not in unmade:
                wrong.append(OperationMistake(index, mistake.code, mistake.message, mistake.hint))
            unmade |= operation.makes() - {""}
    if wrong:
        raise EditRefused(wrong)


def _identify(work: Work) -> None:
    """A draft has its flow's id, and below the version that knows ids it has none."""
    document, id = work.document, str(work.id)
    version = document.get("version")
    if work.id is None or work.text is not None or work.sketch.document is None or not work.changes:
        return
    if isinstance(version, str) and below(version, identity.SINCE):
        for key in identity.KEYS:
            if key in document:
                work.drop([key])
    elif document.get("id") != id:
        work.put(["id"], id, before=[key for key in document if key != "version"])


def _judge(work: Work, text: str, last: int) -> None:
    """What edits must not lead to: a draft that could not be stored or read again."""
    try:
        for change in work.changes:
            if "new" in change and (work.text is None or change["doc"] == "layout"):
                judge([str(part) for part in change["path"]])
                judge(change["new"], len(change["path"]) + 1)
        size = len(text.encode())
    except (JsonRefused, UnicodeEncodeError) as refused:
        code = refused.code if isinstance(refused, JsonRefused) else "JSON_SURROGATE"
        message = refused.message if isinstance(refused, JsonRefused) else "The text holds half of a character."
        raise EditRefused([OperationMistake(last, code, message, "Change what was put in.")]) from None
    if "\x00" in text:
        raise EditRefused([OperationMistake(last, "JSON_NUL", "The text holds the NUL character.", "Remove it.")])
    if size > MAX_BYTES:
        message = f"The draft would be {size:,} bytes; at most {MAX_BYTES:,} are kept."
        raise EditRefused([OperationMistake(last, "DRAFT_TOO_LARGE", message, "Make it shorter.")])
    if any(change["doc"] == "layout" and "new" in change for change in work.changes):
        size = len(written(work.sketch.layout).encode())
        if size > MAX_BYTES:
            message = f"Comments and positions would be {size:,} bytes; at most {MAX_BYTES:,} are kept."
            hint = "Shorten or remove some comments."
            raise EditRefused([OperationMistake(last, "LAYOUT_TOO_LARGE", message, hint)])
