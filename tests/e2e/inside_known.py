"""What a browser test of known people has the product do from within. Runs inside the product."""

from __future__ import annotations

import uuid

from flows import scope
from runtime.models import Deployment, Run
from studio.models import User
from tests.support.people import PASSWORD


def give_password(who: str, called: str = "", email: str = "") -> dict[str, str]:
    """The person with this id can sign in by a password, and may be called otherwise by now: {email, password}."""
    user = User.objects.get(pk=who)
    user.name, user.email = called or user.name, email or user.email
    user.set_password(PASSWORD)
    user.save()
    return {"email": user.email, "password": PASSWORD}


def let_in(slug: str, people: list[str]) -> None:
    """The agent answers only these people."""
    agent = Deployment.everywhere.get(slug=slug)
    with scope.workspace(agent.workspace_id):
        agent.access = "listed"
        agent.save()
        agent.people.set([uuid.UUID(one) for one in people])


def runs(slug: str) -> list[list[str]]:
    """How the agent's runs stand, and under whose address, in their order."""
    found = Run.everywhere.filter(deployment__slug=slug).order_by("created_at")
    return [list(row) for row in found.values_list("status", "started_by__email")]
