"""The chat page of an agent, whose first paint carries everything it draws; a page in words where there is no chat."""

from __future__ import annotations

import contextlib
import re
import uuid
from dataclasses import replace
from typing import Any, cast
from urllib.parse import urlencode

from django.http import HttpRequest, HttpResponse
from django.middleware.csrf import get_token
from django.shortcuts import redirect, render
from django.views.decorators.http import require_safe

from runtime.models import Conversation, Deployment
from studio import frames, oidc, presence, viewer, workbench
from studio.access import may, page
from studio.api.wire import Agent, ChatBoot, Lock, Person, SignIn
from studio.asked import person
from studio.frames import Eyes
from studio.inputs import Inputs, inputs_of
from studio.presence import Locked
from studio.refusal import Forbidden, Missing, Refusal, SignedOut
from studio.strings import t
from studio.viewer import Caller, LinkRenewed, NotPublished, Paused, Viewer, caller_of, paused_words, set_cookie


@page("public")
@require_safe
def chat(request: HttpRequest, slug: str) -> HttpResponse:
    """`/a/<slug>`, with `?c=<conversation>` to open one and `?k=<token>` for whoever comes by an open link."""
    caller = replace(caller_of(request), key=request.GET.get("k", ""))
    try:
        deployment, who = viewer.agent(slug, caller)
    except SignedOut:
        return redirect(f"/sign-in?{urlencode({'next': request.get_full_path()})}")
    except Forbidden as refused:
        return _words(request, "no_access", refused)
    except LinkRenewed as refused:
        return _words(request, "link_renewed", refused)
    except Locked:
        return _locked(request, viewer.named(slug))
    except Missing as refused:
        return _words(request, "no_agent", refused)
    if caller.key:
        # The token leaves the address bar, and with it the history and whatever the person copies from there.
        response: HttpResponse = redirect(_without_key(request))
        set_cookie(response, deployment, who)
        return response
    pane = deployment.workbench and request.GET.get("pane") == "1"
    if deployment.workbench:
        # What cannot run yet is said when a message is sent; until then the page shows what ran last.
        with contextlib.suppress(workbench.NotReady):
            workbench.refresh(deployment, who.actor.user)
    if deployment.version is None:
        return _framed(_words(request, "not_published", NotPublished()), pane)
    talk, who = _asked_for(request.GET.get("c"), deployment, caller, who)
    if deployment.paused and talk is None:
        return _words(request, "paused", Paused(deployment), deployment.name)
    boot = _boot(deployment, cast(dict[str, Any], deployment.version.document), who, talk, pane)
    if viewer.knows_people(deployment):
        boot.lock = _lock(request)
    response = _page(request, boot)
    set_cookie(response, deployment, who)
    return _framed(response, pane)


def _page(request: HttpRequest, boot: ChatBoot, status: int = 200) -> HttpResponse:
    # Scripts read the token from the cookie that this leaves.
    get_token(request)
    words = {"boot": boot.wire(), "agent": boot.agent, "paused": boot.agent.paused, "pane": boot.pane}
    return render(request, "chat/chat.html", words, status=status)


def _locked(request: HttpRequest, deployment: Deployment) -> HttpResponse:
    """The page of an agent that knows its people, in a session where nobody was there for too long: only the lock."""
    user = person(request)
    boot = ChatBoot(
        agent=Agent(
            slug=deployment.slug, name=deployment.name, description="", suggestions=[], text_input=None, inputs={},
            opens_by_itself=False, welcome="", paused=None,
        ),
        person=Person(name=str(user), key=user.pk.hex, signed_in=True), conversation=None, title="", frames=[], seq=0,
        hide=[], pane=False, inbox_url=None, lock=_lock(request),
    )  # fmt: skip
    return _page(request, boot, status=401)


def _lock(request: HttpRequest) -> Lock:
    user, button = person(request), oidc.button(request.get_full_path())
    return Lock(
        seconds=presence.left(request.session.session_key or "", user), minutes=presence.minutes(), email=user.email,
        password=user.has_usable_password(), sign_in=button and SignIn(name=button.name, href=button.href),
    )  # fmt: skip


def _framed(response: HttpResponse, pane: bool) -> HttpResponse:
    """The page of a workbench may stand inside the editor; every other chat page stands alone."""
    if pane:
        cast(Any, response).frame_ancestors = ["'self'"]
    return response


def _asked_for(
    id: str | None, deployment: Deployment, caller: Caller, who: Viewer
) -> tuple[Conversation | None, Viewer]:
    """The conversation that the address names, and who the caller is there; None when it names none of theirs here."""
    try:
        talk, there = viewer.conversation(uuid.UUID(id or ""), caller)
    except (ValueError, Refusal):
        return None, who
    return (talk, there) if talk.deployment_id == deployment.id else (None, who)


def _boot(
    deployment: Deployment, document: dict[str, Any], who: Viewer, talk: Conversation | None, pane: bool
) -> ChatBoot:
    asked = inputs_of(document)
    read = frames.compact(talk.id, Eyes(True, who.role)) if talk else None
    return ChatBoot(
        agent=_agent(deployment, document, asked),
        person=Person(name=who.actor.name, key=_key(who), signed_in=who.actor.user is not None),
        conversation=str(talk.id) if talk else None,
        title=talk.title if talk else "",
        frames=read.frames if read else [],
        seq=read.seq if read else 0,
        hide=["header"] if pane else [],
        pane=pane,
        inbox_url="/inbox" if may(who.role, "inbox") else None,
        lock=None,
    )


def _key(who: Viewer) -> str:
    return who.actor.user.hex if who.actor.user is not None else who.actor.visitor[:16]


def _agent(deployment: Deployment, document: dict[str, Any], asked: Inputs) -> Agent:
    return Agent(
        slug=deployment.slug,
        name=deployment.name,
        description=_opening(document.get("description", "")),
        suggestions=document.get("suggestions", []),
        text_input=asked.text,
        inputs=asked.as_json(),
        opens_by_itself=asked.none,
        welcome="",
        paused=paused_words(deployment) if deployment.paused else None,
    )


def _opening(description: str) -> str:
    """The first sentence of a flow's description: the rest is for those who build it."""
    return re.split(r"(?<=[.!?。！？])\s", description.strip(), maxsplit=1)[0]


def _without_key(request: HttpRequest) -> str:
    rest = request.GET.copy()
    del rest["k"]
    return f"{request.path}?{rest.urlencode()}" if rest else request.path


def _words(request: HttpRequest, kind: str, refused: Refusal, name: str = "") -> HttpResponse:
    """A page that says why there is no chat, and what to do."""
    words = {"kind": kind, "title": t(f"conversation.{kind}_title", name=name), "message": refused.message}
    return render(request, "chat/closed.html", words, status=refused.status if kind != "paused" else 503)
