"""People for tests: one per role, whose address says who they are."""

from __future__ import annotations

from flows.models import Workspace
from studio.models import ROLES, Membership, User

PASSWORD = "correct horse battery"


def person(workspace: Workspace, role: str, name: str = "") -> User:
    """The person of that role (and name) in the workspace; made on first use."""
    if role not in dict(ROLES):
        raise ValueError(f"no role {role!r}")
    name = name or role.title()
    email = f"{name.lower().replace(' ', '.')}.{role}.{workspace.id.hex[:8]}@example.test"
    found = User.objects.filter(email=email).first()
    if found is None:
        found = User.objects.create_user(email, PASSWORD, name=name)
        Membership.everywhere.create(workspace=workspace, user=found, role=role)
    return found
