"""What is wrong in a workspace now, as far as somebody is to be told of it. Scoped: enter the workspace first."""

from __future__ import annotations

import uuid
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass
from datetime import timedelta
from typing import Any

from django.db.models import Q, Sum
from django.utils import timezone

from runtime import budget, health, looking
from runtime.models import Deployment, McpLink, McpServer, ModelCall, ModelEntry, Outbox, Run, Trouble
from runtime.services.failures import KEY_CODES

SUSPECTED, SO, WORSE = 0, 1, 2
KEY_WINDOW = timedelta(hours=1)
MOST_FAILED = 500
NEAR = 0.8
"""So much of a day's budget is told before it is spent."""
UNTAKEN = timedelta(minutes=2)
LOOK_EVERY = timedelta(minutes=10)
LOOK_AGAIN = timedelta(minutes=1)
LOOKS = 2
"""So many looks in a row find a tool server away before anybody is told."""

Standing = Mapping[tuple[str, str], Trouble]


@dataclass(frozen=True)
class Found:
    """One thing that is wrong. why: what a failure said, which may repeat what people wrote."""

    kind: str
    subject: str
    name: str
    level: int = SO
    count: int = 1
    words: str = ""
    why: str = ""
    link: str = ""


def found(kinds: Collection[str], standing: Standing) -> list[Found]:
    """Everything of these kinds that is wrong now. standing: what was known to be wrong before."""
    looks = {"failing": _failing, "key": _keys, "server": _servers, "worker": _untaken, "budget": _budgets}
    return [each for kind, look in looks.items() if kind in kinds for each in look(standing)]


def closing(trouble: Trouble) -> str:
    """How it is known that a trouble is over."""
    match trouble.kind:
        case "failing":
            if not Deployment.objects.filter(pk=trouble.subject).exists():
                return "The agent is no longer here."
            done = Run.objects.filter(deployment=trouble.subject, status="done", finished_at__gte=trouble.since)
            return "Its last run succeeded." if done.exists() else "No failed run is left to be looked at."
        case "key":
            is_here = ModelEntry.objects.filter(pk=trouble.subject).exists()
            return "The last call was answered." if is_here else "The model is no longer here."
        case "server":
            is_here = McpServer.objects.filter(pk=trouble.subject).exists()
            return "It said what it offers." if is_here else "The server is no longer here."
        case "worker":
            return "What was waiting has been taken up."
        case _:
            return "A new day has begun, or its limit was raised."


def _failing(standing: Standing) -> Iterator[Found]:
    # All runs of an agent are counted only where some failed lately: this looks twice a minute.
    lately = Run.objects.filter(status__in=("failed", "lost"), finished_at__gte=timezone.now() - health.RECENT)
    suspects = Deployment.objects.filter(pk__in=list(lately.values_list("deployment", flat=True).distinct()))
    agents = list(suspects.filter(workbench=False, version__isnull=False).only("pk", "name", "slug"))
    healths = health.of(agents)
    for agent in agents:
        doing = healths.get(agent.pk)
        if doing is None or not doing.failing:
            continue
        since = max(filter(None, (doing.done, timezone.now() - health.RECENT)))
        failed = Run.objects.filter(deployment=agent, status__in=("failed", "lost"), finished_at__gt=since).count()
        count = max(1, failed)
        yield Found(
            "failing", str(agent.pk), agent.name, SO, count,
            f"{_counted(count, 'run')} failed, and none has succeeded since.", doing.words,
            f"/runs?state=failed&agent={agent.slug}",
        )  # fmt: skip


def _keys(standing: Standing) -> Iterator[Found]:
    failed = ModelCall.objects.filter(state="failed", at__gte=timezone.now() - KEY_WINDOW).order_by("-at")
    suspects = {entry for entry, error in failed.values_list("entry", "error")[:MOST_FAILED] if _is_refusal(error)}
    for entry in ModelEntry.objects.only("pk", "name", "key_refused", "key_judged_at"):
        known = standing.get(("key", str(entry.pk)))
        since = (known.since if known else timezone.now()) - KEY_WINDOW
        beside = entry.key_judged_at if entry.key_judged_at and entry.key_judged_at >= since else None
        if known is None and entry.name not in suspects and not (beside and entry.key_refused):
            continue
        calls = ModelCall.objects.filter(entry=entry.name, at__gte=since).exclude(state="started")
        last = calls.order_by("-at", "-pk").values_list("at", "state", "error").first()
        # Any other failure says nothing about the key. Ask and the writing of code call beside the runs.
        told = [(last[0], last[1] == "failed")] if last and (last[1] == "done" or _is_refusal(last[2])) else []
        if beside and (entry.key_refused or known is None or beside >= known.since):
            told.append((beside, bool(entry.key_refused)))
        if not max(told, default=(None, known is not None))[1]:
            continue
        yield Found(
            "key", str(entry.pk), entry.name, words="Its endpoint does not accept the key, so whatever asks it fails. "
            "Enter a valid key.", link=f"/settings/models/{entry.pk}",
        )  # fmt: skip


def _is_refusal(error: Any) -> bool:
    return bool(error) and error.get("code") in KEY_CODES


def _servers(standing: Standing) -> Iterator[Found]:
    """The tool servers that live agents use. Those that were not asked for a while are asked."""
    now = timezone.now()
    live = Q(deployment__workbench=False, deployment__paused=False, deployment__version__isnull=False)
    users: dict[uuid.UUID, set[str]] = {}
    for server, agent in McpLink.objects.filter(live).values_list("server", "deployment__name"):
        users.setdefault(server, set()).add(agent)
    for server in McpServer.objects.filter(pk__in=users):
        known = standing.get(("server", str(server.pk)))
        if server.look_wanted_at is not None:
            # A worker is asking it; until it has, what was known before holds.
            if known is not None:
                yield _away(server, known.level, known.count, users[server.pk])
            continue
        if server.look_error:
            # What an earlier look found is no second sign.
            is_new = known is None or known.seen_at < now - LOOK_AGAIN
            count = (known.count if known else 0) + int(is_new)
            yield _away(server, SO if count >= LOOKS else SUSPECTED, count, users[server.pk])
        asked = known.seen_at if known else server.looked_at
        if asked is None or asked < now - (LOOK_AGAIN if known else LOOK_EVERY):
            looking.want(server)


def _away(server: McpServer, level: int, count: int, users: set[str]) -> Found:
    named = ", ".join(sorted(users)[:5])
    more = " and others" if len(users) > 5 else ""
    words = f"Agents that call its tools: {named}{more}. Their calls fail until it does."
    return Found("server", str(server.pk), server.name, level, count, words, server.look_error, "/settings/servers")


def _untaken(standing: Standing) -> Iterator[Found]:
    """Runs that are due and that no worker takes, though one is there: all are full, or hang."""
    waiting = Run.objects.filter(status__in=("queued", "resumable"))
    due = Outbox.objects.filter(run__in=waiting, at__lt=timezone.now() - UNTAKEN).count()
    if due:
        words = f"{_counted(due, 'run')} waited for more than 2 minutes. Start more workers, or look at their logs."
        yield Found("worker", "", "", SO, due, words, link="/runs?state=working")


def no_worker(kinds: Collection[str]) -> list[Found]:
    """The same where no worker gave a sign of life; said by a web process, which sees it from outside."""
    if "worker" not in kinds:
        return []
    due = Run.objects.filter(status__in=("queued", "resumable")).count()
    words = "No worker gives a sign of life, so no message is answered and nothing is lost. Start the workers."
    if due:
        words += f" {_counted(due, 'run')} {'waits' if due == 1 else 'wait'} for them."
    return [Found("worker", "", "", SO, max(1, due), words, link="/agents")]


def _budgets(standing: Standing) -> Iterator[Found]:
    limited = Q(cost_ceiling__isnull=False) | Q(access="link")
    agents = list(Deployment.objects.filter(limited, workbench=False, version__isnull=False))
    calls = budget.calls().filter(agent__in=[agent.pk for agent in agents]).values("agent")
    used = {row.pop("agent"): row for row in calls.annotate(
        cost=Sum("cost"), read=Sum("input_tokens"), written=Sum("output_tokens"))} if agents else {}  # fmt: skip
    for agent in agents:
        spent = used.get(agent.pk)
        if spent is None:
            continue
        share = 0.0
        if agent.cost_ceiling:
            share = float((spent["cost"] or 0) / agent.cost_ceiling)
        if agent.access == "link":
            share = max(share, ((spent["read"] or 0) + (spent["written"] or 0)) / max(1, agent.token_ceiling))
        if share >= NEAR:
            gone = share >= 1
            words = (
                "Nobody gets an answer from it until midnight UTC, or until its limit is raised."
                if gone
                else f"{share:.0%} of what it may use in a day is used. At the limit it stops until midnight UTC."
            )
            yield Found(
                "budget", str(agent.pk), agent.name, WORSE if gone else SO, 1, words,
                link=f"/agents/{agent.slug}/settings",
            )  # fmt: skip


def _counted(count: int, noun: str) -> str:
    return f"{count:,} {noun}{'' if count == 1 else 's'}"
