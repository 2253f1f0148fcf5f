"""What a product under test is given: its people, and published examples. Runs inside the product (see desk.py)."""

from __future__ import annotations

import uuid
from typing import Any

from django.contrib.auth import BACKEND_SESSION_KEY, HASH_SESSION_KEY, SESSION_KEY
from django.contrib.sessions.backends.db import SessionStore

from flows import scope
from flows.models import Workspace
from studio import entries, examples, publishing, terms
from studio.models import ROLES, User
from tests.support.people import PASSWORD, person


def the_workspace() -> Workspace:
    """The one workspace of a product under test; made on first use."""
    found = Workspace.objects.order_by("created_at").first()
    return found or Workspace.objects.create(name="Acme")


def people() -> dict[str, dict[str, str]]:
    """One person per role: {role: {id, email, name, password, session}}; session is the value of the sign-in cookie."""
    workspace = the_workspace()
    with scope.workspace(workspace.id):
        return {role: _signed_in(workspace, role) for role, _ in ROLES}


def session_of(user: User) -> str:
    """The value of the sign-in cookie of a new session."""
    from django.conf import settings

    session = SessionStore()
    session[SESSION_KEY] = str(user.pk)
    session[BACKEND_SESSION_KEY] = settings.AUTHENTICATION_BACKENDS[0]
    session[HASH_SESSION_KEY] = user.get_session_auth_hash()
    session.create()
    return session.session_key or ""


def _signed_in(workspace: Workspace, role: str) -> dict[str, str]:
    user = person(workspace, role)
    return {
        "id": str(uuid.UUID(str(user.pk))),
        "email": user.email,
        "name": user.name,
        "password": PASSWORD,
        "session": session_of(user),
    }


def deploy(example: str, slug: str = "", **fields: Any) -> dict[str, str]:
    """Publish an example as the owner, answered by the demo model. fields are the deployment's, e.g. deciders.

    Returns {slug, path, link, flow}: path is the chat page, link the same for anyone once access is "link".
    """
    workspace = the_workspace()
    with scope.workspace(workspace.id):
        owner = person(workspace, "owner")
        entries.add_demo()
        flow = examples.start_from(example, owner)
        ready = publishing.readiness(flow)
        slug = slug or publishing.free_slug(example)
        made = publishing.publish(
            flow, ready, terms.of(publishing.workbench(flow), ready.checked.flow), owner,
            deployment=None, slug=slug, name=flow.name, operate=False,
        )  # fmt: skip
        for name, value in fields.items():
            setattr(made, name, value)
        made.save()
        return {
            "slug": slug,
            "path": f"/a/{slug}",
            "link": f"/a/{slug}?k={made.link_token}",
            "flow": str(flow.pk),
        }
