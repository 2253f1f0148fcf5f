"""Agents that answer only people whom they know: which terms they may have, and whom their lists leave.

A flow says it (requires.users), for itself and for whatever runs it; a deployment keeps what its version says.
"""

from __future__ import annotations

import uuid
from collections.abc import Iterable

from flows.models import FlowVersion
from flows.words.document import Document
from runtime.models import Deployment
from studio.models import Membership
from studio.refusal import Refusal
from studio.strings import t


class OpenToStrangers(Refusal):
    """An open link was to lead to an agent that answers only people whom it knows."""

    def __init__(self) -> None:
        super().__init__("KNOWN_PEOPLE_ONLY", t("known.no_link"), 409)


def is_said(document: Document | None, deployment: Deployment | None) -> bool:
    """Whether a flow, with what it runs, says so; where it can no longer be read, whether its agent's version does."""
    if document is not None:
        return document.requires.users is not None
    return deployment is not None and deployment.known_people


def judge(version: FlowVersion | None, access: str) -> None:
    """Raises OpenToStrangers where this version may not stand on these terms."""
    if access == "link" and version is not None and version.for_known_people:
        raise OpenToStrangers


def answer_nobody(agents: Iterable[Deployment]) -> set[uuid.UUID]:
    """Those of the agents that know their people and on whose lists nobody of the workspace is ticked. Scoped."""
    listed = {one.pk for one in agents if one.known_people and one.access == "listed"}
    if not listed:
        return set()
    people = Membership.objects.filter(user__is_active=True).values("user_id")
    ticks = Deployment.people.through.objects.filter(deployment_id__in=listed, user_id__in=people)
    return listed - set(ticks.values_list("deployment_id", flat=True))
