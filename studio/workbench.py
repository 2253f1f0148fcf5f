"""The workbench: where a flow's draft runs as its builders try it, on settings of its own, unseen by everybody else."""

from __future__ import annotations

import contextlib
import uuid
from dataclasses import dataclass
from typing import Any, cast

from django.db import IntegrityError, transaction
from django.db.models import ProtectedError

from flows import store
from flows.kinds import kind_of
from flows.kinds.handler import HandlerNode
from flows.models import Flow, FlowVersion
from flows.words.canonical import sha
from flows.words.document import Document
from flows.words.edge import ConditionalEdge
from runtime.models import Deployment, Publication, Run
from runtime.services.endpoints import endpoint_for
from studio import drafts, publishing
from studio.models import User
from studio.refusal import Refusal
from studio.strings import t

# What the chat page draws from a flow before anybody said anything; another one means that the page is drawn anew.
ON_PAGE = ("name", "description", "suggestions", "inputs", "outputs", "conversation", "state")


@dataclass(frozen=True)
class Answering:
    """The model that would answer here. name: "" where none is set up."""

    needed: bool
    name: str = ""
    demo: bool = False


def of(flow: Flow) -> Deployment:
    """The flow's workbench, made on first use."""
    bench, _ = Deployment.objects.get_or_create(
        flow=flow, workbench=True, defaults={"slug": f"draft-{flow.pk.hex}", "name": flow.name}
    )
    return bench


def refresh(bench: Deployment, by: User | uuid.UUID | None) -> Deployment:
    """Put the newest draft on the workbench, so that the next message runs it.

    Raises NotReady with what stands in the way, and what ran there last stays; Missing when the flow was deleted.
    """
    flow = drafts.find(bench.flow_id)
    with transaction.atomic():
        try:
            version = store.try_version(flow, by if isinstance(by, User) or by is None else User(pk=by))
        except store.VersionRefused as refused:
            raise NotReady(refused) from refused
        if (bench.version_id, bench.name) != (version.pk, flow.name):
            last = Deployment.objects.values_list("version_id", flat=True).get(pk=bench.pk)
            bench.version, bench.name = version, flow.name
            bench.save(update_fields=["version", "name"])
            # A message that arrives at this moment still begins on what ran until now.
            forget(flow, but=last)
    return bench


class NotReady(Refusal):
    """The draft cannot run yet. problems: what to set right first, as of a version."""

    def __init__(self, refused: store.VersionRefused) -> None:
        first = refused.problems[0]
        count = len(refused.problems)
        words = t("trace.not_ready", count=count, first=first.message)
        super().__init__("DRAFT_NOT_READY", words, 409)
        self.problems = refused.problems


def forget(flow: Flow, but: uuid.UUID | None = None) -> int:
    """Remove unnamed versions that nothing runs on any more. Old tries go by themselves: runtime/retention.py.

    but: a version that stays in any case. Returns how many versions went.
    """
    unnamed = FlowVersion.objects.filter(flow=flow, number=None).exclude(pk=but)
    for used in (
        Deployment.objects.filter(flow=flow).exclude(version=None).values("version_id"),
        Run.objects.filter(deployment__flow=flow).values("version_id"),
        Publication.objects.filter(deployment__flow=flow).values("version_id"),
    ):
        unnamed = unnamed.exclude(pk__in=used)
    with contextlib.suppress(ProtectedError, IntegrityError), transaction.atomic():
        return unnamed.delete()[0]
    return 0


def answering(bench: Deployment) -> Answering:
    """Whether the flow asks a model, and which one would answer."""
    document = cast(dict[str, Any], bench.version.document) if bench.version else {}
    needed = any(kind_of(node.get("type", "handler")).group == "model" for node in document.get("nodes", []))
    endpoint = endpoint_for(bench, "answers")
    return Answering(needed, endpoint.name, endpoint.demo) if endpoint else Answering(needed)


def drawn(bench: Deployment) -> str:
    """A mark of what the chat page draws from the flow: the same mark, the same page."""
    document = cast(dict[str, Any], bench.version.document) if bench.version else {}
    return sha({key: document.get(key) for key in ON_PAGE})[:16]


def problems(flow: Flow) -> list[dict[str, str]]:
    """What stands between the draft and a run, in words: errors of the flow, and code that is missing or refused."""
    ready = publishing.readiness(flow)
    found = [
        {"code": one.code, "path": one.path, "message": one.message, "hint": one.hint, "unit": ""}
        for one in ready.errors
    ]
    places = _places(ready.checked.flow)
    return found + [
        {
            "code": f"UNIT_{one.state.upper()}", "path": places.get(one.id, ""), "message": one.reason, "hint": "",
            "unit": one.id,
        }
        for one in ready.blocked
    ]  # fmt: skip


def _places(document: Document | None) -> dict[str, str]:
    """Where in the flow each unit of code is called, by its id: the first such place."""
    found: dict[str, str] = {}
    if document is None:
        return found
    for at, node in enumerate(document.nodes):
        if isinstance(node, HandlerNode):
            found.setdefault(f"handler:{node.handler}", f"nodes[{at}]")
    for at, edge in enumerate(document.edges):
        if isinstance(edge, ConditionalEdge):
            found.setdefault(f"router:{edge.router}", f"edges[{at}]")
    for at, tool in enumerate(document.tools):
        found.setdefault(f"tool:{tool.name}", f"tools[{at}]")
    for name in document.requires.services:
        found.setdefault(f"service:{name}", f"requires.services.{name}")
    return found
