"""Files of a conversation that is over, to which a run refers that is not.

A person gives a file of an earlier conversation again, and a fork or a run that begins anew takes along what was
remembered. A step knows a file by its id alone, so whatever an unfinished run holds is searched for ids.
"""

from __future__ import annotations

import json
import re
import uuid
from collections.abc import Iterator
from typing import Any

from django.db.models import Q, QuerySet

from runtime.models import CheckpointBlob, CheckpointWrite, Question, Run, StoredFile

AT_ONCE = 100
_ID = re.compile(rb"[0-9a-fA-F]{8}-(?:[0-9a-fA-F]{4}-){3}[0-9a-fA-F]{12}")


def needed(files: QuerySet[StoredFile]) -> set[uuid.UUID]:
    """Of these files, those to which an unfinished run refers that may read them. Scoped."""
    given = files.order_by()
    readers = (
        Q(conversation__user__in=given.exclude(user=None).values("user"))
        | Q(conversation__visitor__in=given.exclude(visitor="").values("visitor"))
        | Q(deployment__workbench=True, deployment__flow__in=given.values("deployment__flow"))
    )
    unfinished = Run.objects.filter(readers, status__in=(*Run.ACTIVE, "held"))
    runs = list(unfinished.values_list("pk", "inputs", "begins", "conversation__remembered"))
    found: set[bytes] = set()
    for first in range(0, len(runs), AT_ONCE):
        for text in _held(runs[first : first + AT_ONCE]):
            found.update(_ID.findall(text))
    ids = {uuid.UUID(id.decode()) for id in found}
    return set(files.filter(pk__in=ids).values_list("pk", flat=True)) if ids else set()


def _held(runs: list[Any]) -> Iterator[bytes]:
    """What these runs hold: their messages, what they remember, their answers, and what their steps have written."""
    ids = [id for id, *_ in runs]
    for _, *values in runs:
        yield json.dumps(values).encode()
    for answer in Question.objects.filter(run__in=ids).exclude(answer=None).values_list("answer", flat=True):
        yield json.dumps(answer).encode()
    for rows in (CheckpointBlob, CheckpointWrite):
        for body in (
            rows.objects.filter(thread__in=[str(id) for id in ids]).values_list("body", flat=True).iterator(AT_ONCE)
        ):
            yield bytes(body)
