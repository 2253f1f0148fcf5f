"""What a browser test has the product do from within: a company of its own, agents in it. Runs inside the product."""

from __future__ import annotations

import json
import uuid
from datetime import timedelta
from typing import Any

from django.contrib.auth import BACKEND_SESSION_KEY, HASH_SESSION_KEY, SESSION_KEY
from django.contrib.sessions.backends.db import SessionStore
from django.core.files.base import ContentFile
from django.utils import timezone

from flows import scope
from flows.models import Flow, Workspace
from runtime.files import keeping
from runtime.models import Conversation, Deployment, StoredFile
from runtime.units import shelf
from studio import drafts, entries, examples, publishing, terms
from studio.models import ROLES, Membership, Presence, User

NAMES = {"owner": "Olga", "operator": "Ole", "builder": "Bea", "reviewer": "Rita", "member": "Mina"}


def company(second: str = "", model: bool = True) -> dict[str, Any]:
    """A workspace with one person per role, and one more of the role `second`; model: the demo model answers.

    Returns {workspace, people: {role: {id, name, session}}}; the second one is called "second".
    """
    workspace = Workspace.objects.create(name="Oakbarrow")
    roles = {role: (role, NAMES[role]) for role, _ in ROLES}
    if second:
        roles["second"] = (second, "Sven")
    with scope.workspace(workspace.id):
        people = {key: _person(workspace, role, name) for key, (role, name) in roles.items()}
        if model:
            entries.add_demo()
    return {"workspace": workspace.id.hex, "people": people}


def _person(workspace: Workspace, role: str, name: str) -> dict[str, str]:
    # Nobody signs in with a password here, and hashing one takes longer than the rest.
    user = User.objects.create_user(f"{name}.{uuid.uuid4().hex[:12]}@example.test", None, name=name)
    Membership.objects.create(workspace=workspace, user=user, role=role)
    return {"id": str(user.pk), "name": name, "session": session_of(user)}


def address(who: str) -> str:
    """The e-mail address of the person with this id."""
    return User.objects.get(pk=who).email


def fall_silent(who: str) -> None:
    """The person with this id has given no sign of life for half an hour, in any browser."""
    Presence.objects.filter(user_id=who).update(at=timezone.now() - timedelta(minutes=30))


def session_of(user: User) -> str:
    """The value of the sign-in cookie of a new session."""
    from django.conf import settings

    session = SessionStore()
    session[SESSION_KEY] = str(user.pk)
    session[BACKEND_SESSION_KEY] = settings.AUTHENTICATION_BACKENDS[0]
    session[HASH_SESSION_KEY] = user.get_session_auth_hash()
    session.create()
    return session.session_key or ""


def deploy(
    workspace: str, example: str = "", document: Any = None, code: str = "", **fields: Any
) -> dict[str, str]:  # fmt: skip
    """Publish an example, or a document with this code, as the builder. fields are the deployment's, e.g. deciders.

    Returns {slug, path, link, flow}: path is the chat page, link the same for anyone once access is "link".
    """
    with scope.workspace(uuid.UUID(workspace)):
        builder = _builder()
        flow = examples.start_from(example, builder) if example else _imported(document, builder)
        if code:
            shelf.fill(flow, code)
        ready = publishing.readiness(flow)
        assert ready.ready, (ready.errors, ready.blocked)
        made = publishing.publish(
            flow, ready, terms.of(publishing.workbench(flow), ready.checked.flow), builder,
            deployment=None, slug=f"a-{uuid.uuid4().hex[:10]}", name=flow.name, operate=False,
        )  # fmt: skip
        for name, value in fields.items():
            setattr(made, name, value)
        made.save()
        slug = made.slug
        return {"slug": slug, "path": f"/a/{slug}", "link": f"/a/{slug}?k={made.link_token}", "flow": str(flow.pk)}


def draft(workspace: str, text: str) -> str:
    """A flow of the workspace with this text, valid or not. Returns its id."""
    with scope.workspace(uuid.UUID(workspace)):
        return str(drafts.import_text(text, "Imported flow", _builder()).pk)


def pause(slug: str, words: str) -> None:
    """Pause an agent, as its operator would."""
    deployment = Deployment.everywhere.get(slug=slug)
    with scope.workspace(deployment.workspace_id):
        publishing.pause(deployment, words)


def old_talk(slug: str, days: int) -> None:
    """A conversation with an agent, last written to so many days ago."""
    deployment = Deployment.everywhere.get(slug=slug)
    with scope.workspace(deployment.workspace_id):
        talk = Conversation.objects.create(deployment=deployment)
        Conversation.objects.filter(pk=talk.pk).update(last_at=timezone.now() - timedelta(days=days))


def lose(workspace: str, sha256: str, instead: str = "") -> None:
    """The stored bytes of a file go, or others stand in their place."""
    with scope.workspace(uuid.UUID(workspace)):
        for place in set(StoredFile.objects.filter(sha256=sha256).values_list("place", flat=True)):
            keeping.storage().delete(place)
            if instead:
                assert keeping.storage().save(place, ContentFile(instead.encode())) == place


def open_link(slug: str) -> None:
    """Let anybody with the link chat with an agent, whose visitors decide for themselves."""
    Deployment.everywhere.filter(slug=slug).update(access="link", deciders="starter")


def live_flows(workspace: str) -> list[str]:
    """The names of the workspace's flows that are not deleted."""
    with scope.workspace(uuid.UUID(workspace)):
        return sorted(drafts.live_flows().values_list("name", flat=True))


def _builder() -> User:
    return Membership.objects.select_related("user").get(role="builder", user__name=NAMES["builder"]).user


def _imported(document: Any, builder: User) -> Flow:
    return drafts.import_text(json.dumps(document), document["name"], builder)
