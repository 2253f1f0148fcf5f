"""The workspace that a command works in, and the flow that it means there."""

from __future__ import annotations

import contextlib
import uuid
from argparse import ArgumentParser
from collections.abc import Iterator

from django.db import DatabaseError

from flows import scope
from flows.models import Flow, Workspace
from flows.problem import listed, suggestion
from studio.commandline.command import Unusable

MOST_NAMED = 8


def add_workspace(parser: ArgumentParser) -> None:
    parser.add_argument("--workspace", metavar="NAME", help="needed where there is more than one")


@contextlib.contextmanager
def entered(name: str | None) -> Iterator[Workspace]:
    """Work in the workspace of that name, or in the only one. Raises Unusable."""
    try:
        found = list(Workspace.objects.filter(**({"name": name} if name else {})).order_by("created_at")[:MOST_NAMED])
        names = list(Workspace.objects.order_by("name").values_list("name", flat=True)[:MOST_NAMED])
    except DatabaseError as error:
        raise Unusable(f"The database cannot be read: {error}") from None
    if not found:
        raise Unusable(
            f'There is no workspace "{name}". There is {listed(names, "and")}.' if name and names else
            "There is no workspace yet. Start the product and sign in first."
        )  # fmt: skip
    if len(found) > 1:
        raise Unusable(f"There are several workspaces. Name one with --workspace: {listed(names)}.")
    with scope.workspace(found[0].pk):
        yield found[0]


def named(words: str) -> Flow:
    """The flow with that path, id or name. Raises Unusable."""
    rows = Flow.objects.filter(deleted_at=None)
    with contextlib.suppress(ValueError):
        found = rows.filter(pk=uuid.UUID(words)).first()
        if found is not None:
            return found
    several = list(rows.filter(path=words)) or list(rows.filter(name=words)[:2])
    if len(several) > 1:
        raise Unusable(f'Several flows are called "{words}". Name one by its path: flow export PATH.')
    if not several:
        paths = list(rows.order_by("path").values_list("path", flat=True))
        hint = suggestion(words, paths, f"There is {listed(paths[:MOST_NAMED], 'and')}." if paths else "There is none.")
        raise Unusable(f'There is no flow "{words}". {hint}')
    return several[0]
