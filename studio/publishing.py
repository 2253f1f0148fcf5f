"""Making versions live: new and existing deployments, links, pausing, and going back to what was live before."""

from __future__ import annotations

import secrets
from dataclasses import dataclass, field
from typing import Any

from django.db import IntegrityError, transaction
from django.db.models import Count

from flows import store
from flows.check import Checked
from flows.models import Flow, FlowVersion
from flows.pinned import whole_draft, whole_version
from flows.problem import Problem
from flows.runnable import cannot_run
from flows.store import Seen, make_version
from flows.words.document import Document
from runtime.models import Deployment, Publication, Run
from runtime.units.shelf import Shelved
from studio import drafts, known, terms
from studio.models import User
from studio.refusal import Refusal
from studio.shelving import shelved
from studio.strings import t
from studio.terms import Terms

# Slugs that would stand in the way of our own addresses below /agents and /a.
RESERVED = ("new", "settings", "published", "api", "static")


@dataclass
class Readiness:
    """What stands between a draft and a version: problems of the flow, and units without usable code."""

    checked: Checked
    units: list[Shelved]
    revision: int
    errors: list[Problem] = field(default_factory=list)
    warnings: list[Problem] = field(default_factory=list)
    tree: dict[str, Any] = field(default_factory=dict)
    """The flows that it runs, as a version keeps them."""
    whole: Document | None = None
    """The flow with what those need and do, for its settings."""

    @property
    def blocked(self) -> list[Shelved]:
        """Units that cannot run: not written, refused, or written from an older description."""
        return [unit for unit in self.units if not unit.runs]

    @property
    def asks(self) -> list[Shelved]:
        """Units that a person wrote and whose description changed since: somebody must say that they still fit."""
        return [unit for unit in self.units if unit.state == "edited"]

    @property
    def ready(self) -> bool:
        return not self.errors and not self.blocked

    @property
    def seen(self) -> Seen:
        """What whoever looks at this sees."""
        return Seen(self.revision, store.seen_sha({one.id: one.code for one in self.units}, self.tree))


def readiness(flow: Flow) -> Readiness:
    checked = drafts.checked_in_place(flow)
    units = shelved(flow, checked.flow)
    errors = [*checked.errors, *cannot_run(checked)]
    ready = Readiness(checked, units, flow.revision, errors, checked.warnings)
    if checked.flow is not None:
        ready.whole = whole_draft(flow, checked.flow)
        if not errors:
            try:
                ready.tree = store.tree_of(flow, checked.flow)
            except store.VersionRefused as refused:
                errors += refused.problems
    return ready


def deployments(flow: Flow) -> list[Deployment]:
    """The flow's published agents, the newest first; the workbench is none."""
    return list(Deployment.objects.filter(flow=flow, workbench=False).select_related("version").order_by("-created_at"))


def workbench(flow: Flow) -> Deployment | None:
    """Where the flow's draft runs; a new agent begins with its settings and addresses."""
    return Deployment.objects.filter(flow=flow, workbench=True).first()


def judge_address(slug: str, name: str) -> dict[str, str]:
    """Problems of a new agent's name and address."""
    problems: dict[str, str] = {}
    if not name.strip():
        problems["name"] = t("publish.name_missing")
    elif len(name.strip()) > 120:
        problems["name"] = t("field.too_long", count=120)
    if not slug:
        problems["slug"] = t("publish.slug_missing")
    elif slug != drafts.slug(slug) or slug in RESERVED:
        problems["slug"] = t("publish.slug_wrong")
    elif Deployment.everywhere.filter(slug=slug).exists():
        problems["slug"] = t("publish.slug_taken", slug=slug)
    return problems


def free_slug(name: str) -> str:
    base = drafts.slug(name) or "agent"
    taken = set(Deployment.everywhere.filter(slug__startswith=base).values_list("slug", flat=True))
    slug, number = base, 2
    while slug in taken or slug in RESERVED:
        slug, number = f"{base}-{number}", number + 1
    return slug


def publish(
    flow: Flow, ready: Readiness, wanted: Terms, user: User, *,
    deployment: Deployment | None, slug: str = "", name: str = "", note: str = "", operate: bool,
) -> Deployment:  # fmt: skip
    """Writes the version and makes it live: what `ready` shows and nothing else.

    Raises Refusal when the draft is not ready or is another one by now, the address was taken, or an open link would
    lead to a flow that answers only people whom it knows.
    """
    if not ready.ready or ready.checked.flow is None:
        raise Refusal("NOT_READY", t("publish.not_ready"), 409)
    try:
        with drafts.refusing(), transaction.atomic():
            version = make_version(flow, by=user, note=note[:200], seen=ready.seen)
            target = deployment or _new(flow, slug, name.strip())
            target.version = version
            terms.write(wanted, target, operate=operate, also=["version"])
            Publication.objects.create(deployment=target, version=version, by=user)
    except IntegrityError as taken:
        raise Refusal("SLUG_TAKEN", t("publish.slug_taken", slug=slug), 409) from taken
    return target


def _new(flow: Flow, slug: str, name: str) -> Deployment:
    """A new agent begins with what was set for the flow's drafts: addresses and settings, never secrets or people."""
    bench = workbench(flow)
    return Deployment(
        flow=flow, slug=slug, name=name, link_token=new_link(),
        settings=dict(bench.settings) if bench else {},
        allowed_hosts=list(bench.allowed_hosts) if bench else [],
        idempotent_hosts=list(bench.idempotent_hosts) if bench else [],
    )  # fmt: skip


def new_link() -> str:
    return secrets.token_urlsafe(24)


def renew_link(deployment: Deployment) -> None:
    """Every older link ends at once."""
    deployment.link_token = new_link()
    deployment.save(update_fields=["link_token"])


def make_live(deployment: Deployment, version: FlowVersion, user: User, *, own_yes: bool = False) -> None:
    """Makes a version of the deployment's history live again. Runs that wait finish on the one they began with.

    own_yes: somebody agreed that visitors of an open link approve what they ask for. Raises Refusal without it, and for
    a version that answers only people whom it knows where the agent stands on an open link.
    """
    if not Publication.objects.filter(deployment=deployment, version=version).exists():
        raise Refusal("NEVER_LIVE", t("agents.never_live"), 404)
    if deployment.version_id == version.pk:
        return
    known.judge(version, deployment.access)
    if terms.visitors_approve(deployment.access, deployment.deciders, whole_version(version)) and not own_yes:
        raise Refusal("OWN_YES_MISSING", t("terms.own_yes_missing"), 409)
    with transaction.atomic():
        deployment.version = version
        deployment.save(update_fields=["version"])
        Publication.objects.create(deployment=deployment, version=version, by=user)


def pause(deployment: Deployment, words: str) -> None:
    deployment.paused, deployment.paused_words = True, words.strip()[:200]
    deployment.save(update_fields=["paused", "paused_words"])


def resume(deployment: Deployment) -> None:
    deployment.paused = False
    deployment.save(update_fields=["paused"])


def waiting(deployment: Deployment) -> dict[int, int]:
    """How many unfinished runs each version has here, by version number."""
    rows = (
        Run.objects.filter(deployment=deployment, status__in=(*Run.ACTIVE, "held"))
        .values_list("version__number")
        .annotate(count=Count("pk"))
    )
    return dict(rows)
