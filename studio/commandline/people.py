"""Under whose name a command runs a flow that answers only people whom it knows."""

from __future__ import annotations

from argparse import ArgumentParser, Namespace

from django.db import DatabaseError

from flows.problem import quoted
from runtime.testing.job import Person
from studio.commandline.command import Unusable
from studio.commandline.workspaces import add_workspace, entered
from studio.models import Membership


def add_person(parser: ArgumentParser) -> None:
    parser.add_argument(
        "--as", dest="person", metavar="EMAIL", help="for a flow that answers only known people: who runs it"
    )
    add_workspace(parser)


def person_of(options: Namespace) -> Person | None:
    """The person of the workspace who is named; None when none is. Raises Unusable."""
    email: str = (options.person or "").strip().lower()
    if not email:
        if options.person is not None:
            raise Unusable("Name a person of the workspace by their e-mail address: --as ada@example.com.")
        return None
    with entered(options.workspace) as workspace:
        try:
            known = Membership.objects.select_related("user").filter(user__email=email, user__is_active=True).first()
        except DatabaseError as error:
            raise Unusable(f"The database cannot be read: {error}") from None
    if known is None:
        raise Unusable(f"Nobody in the workspace {quoted(workspace.name)} has the address {quoted(email)}.")
    return Person(name=str(known.user), address=known.user.email)
