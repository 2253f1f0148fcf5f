"""Who is looking at an agent, a conversation or a question, and what that makes them: found anew on every request.

This is where an address becomes a workspace, so it looks across workspaces; what it returns is scoped to one.
Refusals are raised; a conversation or question of somebody else is not told apart from one that does not exist.
"""

from __future__ import annotations

import hashlib
import hmac
import secrets
import uuid
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from django.conf import settings
from django.core import signing
from django.http import HttpRequest, HttpResponse
from rest_framework.request import Request

from flows.scope import enter
from runtime.models import Conversation, Deployment, Question, Run
from runtime.prepared import Prepared
from runtime.questions import may_decide
from runtime.runs import Actor
from studio import presence
from studio.access import may
from studio.frames import Eyes
from studio.models import Membership, User
from studio.refusal import Forbidden, Missing, Refusal, SignedOut
from studio.strings import t

COOKIE_DAYS = 180
_SALT = "studio.visitor"


_deployment = Prepared(lambda slug: Deployment.everywhere.select_related("version", "flow").filter(slug=slug), str)
_talk = Prepared(lambda id: Conversation.everywhere.select_related("deployment").filter(id=id), uuid.UUID)
_role = Prepared(
    lambda workspace, user: Membership.everywhere.filter(workspace_id=workspace, user_id=user).values_list(
        "role", flat=True
    ),
    uuid.UUID,
    uuid.UUID,
)


@dataclass(frozen=True)
class Caller:
    """What a request or socket says of who sent it. key: the token of an open link, which only its page takes.

    session: the key of the session in which the person signed in, "" without one.
    """

    user: User | None
    cookies: Mapping[str, str]
    key: str = ""
    session: str = ""


@dataclass(frozen=True)
class Viewer:
    """A person or visitor as one workspace knows them. role: None for visitors. cookie: to be set, for a visitor.

    program: it came with an API token, whose limits are the agent's alone.
    """

    workspace: uuid.UUID
    actor: Actor
    role: str | None
    cookie: str = ""
    program: bool = False


class LinkRenewed(Refusal):
    def __init__(self) -> None:
        super().__init__("LINK_RENEWED", t("conversation.link_renewed"), 410)


class NotPublished(Refusal):
    def __init__(self) -> None:
        super().__init__("NOT_PUBLISHED", t("conversation.not_published"), 409)


class Paused(Refusal):
    def __init__(self, deployment: Deployment) -> None:
        super().__init__("AGENT_PAUSED", paused_words(deployment), 409)


def paused_words(deployment: Deployment) -> str:
    return deployment.paused_words or t("conversation.paused", name=deployment.name)


def caller_of(request: HttpRequest | Request) -> Caller:
    """Without the key: were it taken at every address, every request with it would be a new visitor."""
    user = request.user if request.user.is_authenticated else None
    session = getattr(request.session, "session_key", None) or ""
    return Caller(user, request.COOKIES, session=session)  # type: ignore[arg-type]


def caller_of_socket(scope: Mapping[str, Any]) -> Caller:
    """The same of a socket's scope, behind AuthMiddlewareStack."""
    user = scope.get("user")
    known = user if user is not None and user.is_authenticated else None
    session = getattr(scope.get("session"), "session_key", None) or ""
    return Caller(known, scope.get("cookies", {}), session=session)


def agent(slug: str, caller: Caller) -> tuple[Deployment, Viewer]:
    """The deployment at an address, for who may open it; enters its workspace.

    Raises Missing, SignedOut, Forbidden, LinkRenewed, Locked. Whether it is published or paused is the page's to say.
    """
    deployment = named(slug)
    viewer = admit(deployment, caller)
    enter(deployment.workspace_id)
    return deployment, viewer


def named(slug: str) -> Deployment:
    """The deployment at an address, whoever asks; enters nothing. Raises Missing."""
    found = _deployment.first(slug)
    if found is None:
        raise Missing(t("conversation.no_agent"))
    return found


def conversation(id: uuid.UUID, caller: Caller) -> tuple[Conversation, Viewer]:
    """A conversation for the person it belongs to; enters its workspace. Raises as `agent`."""
    found = _talk.first(id)
    if found is None:
        raise Missing(t("conversation.no_conversation"))
    if found.user_id is not None and caller.user is None:
        raise SignedOut
    viewer = _acting(found, caller)
    if viewer is None:
        raise Missing(t("conversation.no_conversation"))
    enter(found.workspace_id)
    return found, viewer


def _acting(talk: Conversation, caller: Caller) -> Viewer | None:
    """Who the caller is in a conversation of their own; None in one of somebody else. Raises as `agent`.

    A visitor's conversation stays the visitor's for as long as the browser holds its cookie, also when somebody signed
    in there meanwhile: the page, what it draws and the answers it sends are then all of one person.
    """
    if talk.user_id is not None:
        mine = caller.user is not None and caller.user.pk == talk.user_id
        return admit(talk.deployment, caller) if mine else None
    if not talk.visitor or talk.visitor != _visitor(talk.deployment, caller):
        return None
    if not _is_open(talk.deployment):
        raise SignedOut if caller.user is None else Forbidden(t("conversation.no_access", name=talk.deployment.name))
    return _admit_visitor(talk.deployment, caller)


def run(id: uuid.UUID, caller: Caller) -> tuple[Run, Viewer]:
    """A run of one of the caller's own conversations; enters its workspace."""
    place = Run.everywhere.filter(id=id).values_list("conversation_id", flat=True).first()
    if place is None:
        raise Missing(t("conversation.no_conversation"))
    _, viewer = conversation(place, caller)
    return Run.objects.get(id=id), viewer


def question(id: uuid.UUID, caller: Caller) -> tuple[Question, Viewer, Eyes]:
    """A question for who may decide it, whose conversation it is, or who decides for the workspace; enters it."""
    found = (
        Question.everywhere.select_related("conversation__deployment", "conversation__user", "run")
        .filter(id=id)
        .first()
    )
    if found is None:
        raise SignedOut if caller.user is None and not caller.cookies else Missing(t("conversation.no_question"))
    person = caller.user
    role = role_in(found.workspace_id, person)
    reviews = may(role, "inbox") and found.decider == "reviewers"
    # Who decides for the workspace decides also what they asked as a visitor, unless the agent wants somebody else.
    anonymous = bool(found.conversation.visitor)
    own = None if anonymous and reviews and not found.not_starter else _acting(found.conversation, caller)
    if own is not None:
        # The chatting person keeps no longer hold of a question than of the agent.
        enter(found.workspace_id)
        return found, own, Eyes(True, own.role)
    if person is None:
        # Another visitor of the agent has nothing to sign in for.
        raise Missing(t("conversation.no_question")) if _visitor(found.conversation.deployment, caller) else SignedOut
    viewer = Viewer(found.workspace_id, Actor(name=str(person), user=person.pk), role)
    if not (reviews or (may(role, "inbox") and may_decide(found, viewer.actor, role))):
        raise Missing(t("conversation.no_question"))
    judge_there(found.conversation.deployment, caller)
    enter(found.workspace_id)
    return found, viewer, Eyes(False, role)


def role_in(workspace: uuid.UUID, user: User | None) -> str | None:
    """The person's role in a workspace; None for who is not in it."""
    if user is None:
        return None
    return _role.first(workspace, user.pk)


def last_seqs(ids: Iterable[uuid.UUID]) -> dict[uuid.UUID, int]:
    """How far the logs of these conversations go, whichever workspaces they are in."""
    found = Conversation.everywhere.filter(id__in=list(ids)).values_list("id", "next_seq")
    return {id: following - 1 for id, following in found}


def admit(deployment: Deployment, caller: Caller) -> Viewer:
    """Who the caller is to this agent. Raises SignedOut, Forbidden or LinkRenewed for who may not open it.

    Raises Locked for who may, where the agent knows its people and nobody was there for too long.
    """
    user = caller.user
    role = role_in(deployment.workspace_id, user)
    if user is not None and _may_open(deployment, user, role):
        judge_there(deployment, caller)
        return Viewer(deployment.workspace_id, Actor(name=str(user), user=user.pk), role)
    if _is_open(deployment):
        return _admit_visitor(deployment, caller)
    if user is None:
        raise SignedOut
    raise Forbidden(t("conversation.no_access", name=deployment.name))


def knows_people(deployment: Deployment) -> bool:
    """Whether the agent answers only people whom it can name. On a workbench its builders try it, whoever that is."""
    return deployment.known_people and not deployment.workbench


def judge_there(deployment: Deployment, caller: Caller) -> None:
    """Raises Locked where the agent knows its people and nobody was there for too long.

    For whatever shows or changes something of its conversations, by whichever right.
    """
    if knows_people(deployment):
        presence.judge(caller.session, caller.user)


def _is_open(deployment: Deployment) -> bool:
    if deployment.known_people:
        # Whatever its terms say: a visitor has no name.
        return False
    return deployment.access == "link" and bool(deployment.link_token) and not deployment.workbench


def _may_open(deployment: Deployment, user: User, role: str | None) -> bool:
    if deployment.workbench:
        return may(role, "flows.edit")
    if knows_people(deployment):
        if deployment.access == "listed":
            # Whoever may change the list is not on it before they say so.
            return role is not None and deployment.people.filter(pk=user.pk).exists()
        return may(role, "chat")
    if may(role, "agents.change"):
        return True
    if deployment.access == "listed":
        return role is not None and deployment.people.filter(pk=user.pk).exists()
    if deployment.access == "link":
        # Anybody may open it; a person of the workspace opens it as themselves, whatever their role.
        return role is not None
    return may(role, "chat")


def _admit_visitor(deployment: Deployment, caller: Caller) -> Viewer:
    secret, link = _read_cookie(deployment, caller)
    by_key = bool(caller.key) and hmac.compare_digest(caller.key.encode(), deployment.link_token.encode())
    current = _link_sha(deployment)
    if not by_key and link != current:
        if caller.key or secret:
            raise LinkRenewed
        raise SignedOut if caller.user is None else Forbidden(t("conversation.no_access", name=deployment.name))
    fresh = link != current
    secret = secret or secrets.token_urlsafe(24)
    cookie = signing.dumps([secret, current], salt=_SALT) if fresh else ""
    actor = Actor(name=t("conversation.visitor"), visitor=_hash(deployment, secret))
    return Viewer(deployment.workspace_id, actor, None, cookie)


def set_cookie(response: HttpResponse, deployment: Deployment, viewer: Viewer) -> None:
    """Leave the visitor's cookie, so that this browser finds its history again."""
    if viewer.cookie:
        response.set_cookie(
            _cookie_name(deployment), viewer.cookie, max_age=COOKIE_DAYS * 86_400, httponly=True, samesite="Lax",
            secure=settings.SESSION_COOKIE_SECURE,
        )  # fmt: skip


def _visitor(deployment: Deployment, caller: Caller) -> str:
    secret, _ = _read_cookie(deployment, caller)
    return _hash(deployment, secret) if secret else ""


def _read_cookie(deployment: Deployment, caller: Caller) -> tuple[str, str]:
    """The visitor's secret, and the hash of the link it came by; two empty texts without a cookie of ours."""
    try:
        secret, link = signing.loads(
            caller.cookies.get(_cookie_name(deployment), ""), salt=_SALT, max_age=COOKIE_DAYS * 86_400
        )
    except (signing.BadSignature, ValueError, TypeError):
        return "", ""
    return str(secret), str(link)


def _cookie_name(deployment: Deployment) -> str:
    return f"visitor_{deployment.id.hex[:16]}"


def _hash(deployment: Deployment, secret: str) -> str:
    return hashlib.sha256(f"{deployment.id.hex}.{secret}".encode()).hexdigest()


def _link_sha(deployment: Deployment) -> str:
    return hashlib.sha256(deployment.link_token.encode()).hexdigest()[:32]
