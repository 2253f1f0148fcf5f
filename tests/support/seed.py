"""What a product under test is given: its people, and published examples. Runs inside the product (see desk.py)."""

from __future__ import annotations

import uuid

from django.contrib.auth import BACKEND_SESSION_KEY, HASH_SESSION_KEY, SESSION_KEY
from django.contrib.sessions.backends.db import SessionStore

from flows import scope
from flows.models import Workspace
from studio.models import ROLES
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


def _signed_in(workspace: Workspace, role: str) -> dict[str, str]:
    from django.conf import settings

    user = person(workspace, role)
    session = SessionStore()
    session[SESSION_KEY] = str(user.pk)
    session[BACKEND_SESSION_KEY] = settings.AUTHENTICATION_BACKENDS[0]
    session[HASH_SESSION_KEY] = user.get_session_auth_hash()
    session.create()
    return {
        "id": str(uuid.UUID(str(user.pk))),
        "email": user.email,
        "name": user.name,
        "password": PASSWORD,
        "session": session.session_key or "",
    }
