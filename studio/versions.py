"""A flow's versions: what the draft changes, what each one was, where it is and was live, and what still runs on it."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from django.db.models import Count

from flows.edits.difference import lines, unit_lines
from flows.edits.lines import ChangeLine
from flows.models import Flow, FlowVersion
from flows.words.canonical import ORDERED
from flows.words.strictjson import JsonRefused, loads
from runtime.models import Deployment, Publication, Run
from studio import drafts, publishing
from studio.api.wire_runs import (
    Difference,
    LiveAgent,
    UnitDifference,
    VersionRow,
    Versions,
    VersionText,
    Waits,
    WentLive,
)
from studio.refusal import Missing
from studio.shelving import shelved
from studio.strings import t

DRAFT = "draft"
MOST = 500


@dataclass(frozen=True)
class Content:
    """What is compared: a document as text and parsed (None when it cannot be read), and its code by unit."""

    text: str
    document: dict[str, Any] | None
    units: dict[str, str]


def of_draft(flow: Flow) -> Content:
    """The draft in the order of a version, where it can be read as a flow; else as it was typed."""
    found = drafts.checked(flow.draft).flow
    if found is not None:
        document = found.as_json()
        code = {one.id: one.code for one in shelved(flow, found) if one.code}
        return Content(drafts.written(document), document, code)
    try:
        raw = loads(flow.draft)
    except JsonRefused:
        raw = None
    return Content(flow.draft, raw if isinstance(raw, dict) else None, {})


def of_version(version: FlowVersion) -> Content:
    return Content(drafts.written(version.document), dict(version.document), dict(version.units))


def changes(old: Content, new: Content) -> list[ChangeLine]:
    """What the second changes of the first, in words: the document, then code. Nothing when one cannot be read."""
    if old.document is None or new.document is None:
        return []
    return lines(_steady(old.document), _steady(new.document)) + code_lines(old.units, new.units)


def _steady(value: Any, parent: str = "") -> Any:
    """With keys in one order, but for those whose order people see: a draft's keys stand as they were typed."""
    if isinstance(value, list):
        return [_steady(each) for each in value]
    if not isinstance(value, dict):
        return value
    keys = value if parent in ORDERED else sorted(value)
    return {key: _steady(value[key], key) for key in keys}


def since(version: FlowVersion | None, flow: Flow) -> list[ChangeLine]:
    """What the draft changes of a version; of nothing, without one."""
    new = of_draft(flow)
    if version is None or new.document is None:
        return []
    return changes(of_version(version), new)


def parts(flow: Flow) -> list[ChangeLine]:
    """What a first version consists of: its steps and tools."""
    new = of_draft(flow)
    return [one for one in lines({}, new.document or {}) if one.what in ("node", "tool")]


def code_lines(old: dict[str, str], new: dict[str, str]) -> list[ChangeLine]:
    """What changed in the code, without the code itself: pages read that when somebody looks."""
    trimmed = ({id: code.strip() for id, code in units.items()} for units in (old, new))
    return [one.model_copy(update={"old": None, "new": None}) for one in unit_lines(*trimmed)]


def find(flow: Flow, number: int) -> FlowVersion:
    """The version of that number. Raises Missing."""
    found = FlowVersion.objects.select_related("created_by").filter(flow=flow, number=number).first()
    if found is None:
        raise Missing(t("versions.gone", number=number))
    return found


def content(flow: Flow, name: str) -> Content:
    """A version by its number as text, or the draft. Raises Missing."""
    if name == DRAFT:
        return of_draft(flow)
    if not (name.isascii() and name.isdigit() and 0 < len(name) < 10):
        raise Missing(t("versions.gone", number=name[:20]))
    return of_version(find(flow, int(name)))


def shown(flow: Flow, name: str) -> VersionText:
    found = content(flow, name)
    if name == DRAFT:
        by = flow.updated_by.name if flow.updated_by else ""
        return VersionText(number=None, text=found.text, units=found.units, note="", by=by, at=flow.updated_at)
    version = find(flow, int(name))
    return VersionText(
        number=version.number, text=found.text, units=found.units, note=version.note, by=_name(version.created_by),
        at=version.created_at,
    )  # fmt: skip


def difference(flow: Flow, old: str, new: str) -> Difference:
    a, b = content(flow, old), content(flow, new)
    units = [
        UnitDifference(id=id, old=a.units.get(id, ""), new=b.units.get(id, ""))
        for id in dict.fromkeys([*b.units, *a.units])
        if a.units.get(id, "").strip() != b.units.get(id, "").strip()
    ]
    return Difference(old=a.text, new=b.text, lines=changes(a, b), units=units)


def overview(flow: Flow, *, edits: bool, publishes: bool) -> Versions:
    """Everything that the versions pane shows at once."""
    agents = publishing.deployments(flow)
    rows = list(
        FlowVersion.objects.filter(flow=flow)
        .exclude(number=None)
        .select_related("created_by")
        .defer("document", "units")
        .order_by("-number")[:MOST]
    )
    history = list(
        Publication.objects.filter(deployment__in=agents).select_related("deployment", "by").order_by("-at", "-pk")
        .values_list("deployment__slug", "deployment__name", "version_id", "by__name", "at")[:MOST]
    )  # fmt: skip
    by_id = {row.pk: row for row in rows}
    waiting = {agent.pk: waits(agent) for agent in agents}
    live = {agent.slug: agent.version_id for agent in agents}
    base = next((agent for agent in agents if agent.version), None)
    content_of_draft = of_draft(flow)
    found = [] if base is None or base.version is None else changes(of_version(base.version), content_of_draft)
    newest: set[str] = set()

    def publication(slug: str, name: str, version: Any, by: str | None, at: Any) -> WentLive:
        first = slug not in newest
        newest.add(slug)
        row = by_id[version]
        return WentLive(
            slug=slug, agent=name, version=row.number or 0, note=row.note, by=by or "", at=at,
            now=first and live[slug] == version,
        )  # fmt: skip

    return Versions(
        base=base.version.number if base and base.version else None,
        base_agent=base.name if base else "",
        changes=found,
        readable=content_of_draft.document is not None,
        versions=[
            VersionRow(
                number=row.number or 0, note=row.note, by=_name(row.created_by), at=row.created_at,
                live=[agent.name for agent in agents if agent.version_id == row.pk],
                was_live=_were_live(history, row.pk, live),
                waits=sum(one.count for each in waiting.values() for one in each if one.version == row.number),
            )
            for row in rows
        ],
        history=[publication(*one) for one in history if one[2] in by_id],
        agents=[_agent(agent, waiting[agent.pk]) for agent in agents],
        can_edit=edits,
        can_publish=publishes,
    )  # fmt: skip


def _were_live(history: Iterable[tuple[Any, ...]], version: Any, live: dict[str, Any]) -> list[str]:
    slugs = dict.fromkeys(slug for slug, _, id, _, _ in history if id == version)
    return [slug for slug in slugs if live[slug] != version]


def _agent(agent: Deployment, waiting: list[Waits]) -> LiveAgent:
    live = agent.version.number if agent.version else None
    return LiveAgent(slug=agent.slug, name=agent.name, version=live, paused=agent.paused, waits=waiting)


def waits(agent: Deployment) -> list[Waits]:
    """The unfinished runs of an agent by version, the newest version first."""
    live = agent.version.number if agent.version else None
    rows = (
        Run.objects.filter(deployment=agent, status__in=(*Run.ACTIVE, "held"))
        .exclude(version__number=None)
        .values_list("version__number")
        .annotate(count=Count("pk"))
        .order_by("-version__number")
    )
    return [Waits(version=number, count=count, live=number == live) for number, count in rows]


def _name(user: Any) -> str:
    return user.name if user is not None else ""
