"""What notices say: a line for each trouble, a title over them, and the same as mail and as JSON."""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import Any, Literal

from django.conf import settings

from runtime.models import Trouble
from runtime.services.secrets import mask

State = Literal["new", "worse", "still", "over"]
Item = dict[str, Any]
LONGEST_WHY = 300

_WRONG = {
    "failing": "Runs of “{name}” fail",
    "key": "The key of the model “{name}” is refused",
    "server": "The tool server “{name}” does not answer",
    "worker": "No worker takes up what waits",
    "budget": "“{name}” has used most of today's budget",
}
_OVER = {
    "failing": "Runs of “{name}” no longer fail",
    "key": "The key of the model “{name}” is accepted again",
    "server": "The tool server “{name}” answers again",
    "worker": "Workers take up what waits again",
    "budget": "“{name}” has a budget again",
}
_SPENT = "“{name}” has used up today's budget"
_STATES = {"new": "", "worse": "worse than before", "still": "still so", "over": "over"}


def line(kind: str, name: str, *, is_over: bool = False, level: int = 1) -> str:
    """A trouble in a few words."""
    said = _OVER if is_over else _WRONG
    return (_SPENT if kind == "budget" and level > 1 and not is_over else said[kind]).format(name=_plain(name))


def item(trouble: Trouble, state: State, *, tells_why: bool) -> Item:
    """A trouble as it is told: {kind, state, name, title, words, why, since, until, count, url}."""
    is_over = state == "over"
    why = mask(_plain(trouble.why))[:LONGEST_WHY] if tells_why and not is_over else ""
    return {
        "kind": trouble.kind,
        "state": state,
        "name": _plain(trouble.name),
        "title": line(trouble.kind, trouble.name, is_over=is_over, level=trouble.level),
        "words": trouble.words,
        "why": why,
        "since": trouble.since.isoformat(),
        "until": trouble.over_at.isoformat() if trouble.over_at else None,
        "count": trouble.count,
        "url": f"{settings.PUBLIC_URL}{trouble.link}" if trouble.link else settings.PUBLIC_URL,
    }


def title(items: list[Item], workspace: str) -> str:
    """What the message is about, as a mail's subject."""
    if len(items) == 1:
        return f"{items[0]['title']} · {_plain(workspace)}"[:200]
    over = sum(1 for each in items if each["state"] == "over")
    wrong = len(items) - over
    parts = [f"{wrong} {'thing needs' if wrong == 1 else 'things need'} attention"] if wrong else []
    if over:
        parts.append(f"{over} {'is' if over == 1 else 'are'} over")
    return f"{', '.join(parts)} · {_plain(workspace)}"[:200]


def test_item() -> Item:
    """What a test message says."""
    return {
        "kind": "test", "state": "new", "name": "", "title": "This is a test", "why": "", "count": 1,
        "words": "Somebody pressed Test on the page of notices. Nothing is wrong.",
        "since": "", "until": None, "url": f"{settings.PUBLIC_URL}/settings/notices",
    }  # fmt: skip


def text(items: list[Item]) -> str:
    """The message as plain text."""
    return "\n\n".join(_paragraph(each) for each in items)


def _paragraph(each: Item) -> str:
    said = _STATES[each["state"]]
    lines = [f"{each['title']}{f' ({said})' if said else ''}", each["words"]]
    if each["why"]:
        lines.append(f"The last one said: {each['why']}")
    if each["since"]:
        lines.append(_times(each))
    lines.append(each["url"])
    return "\n".join(line for line in lines if line)


def _times(each: Item) -> str:
    since = datetime.fromisoformat(each["since"])
    if not each["until"]:
        return f"Since {since:%d %b %Y, %H:%M} UTC."
    until = datetime.fromisoformat(each["until"])
    return f"From {since:%d %b %Y, %H:%M} to {until:%H:%M} UTC, {_length(until - since)}."


def _length(span: timedelta) -> str:
    minutes = max(1, round(span.total_seconds() / 60))
    if minutes < 60:
        return f"{minutes} min"
    hours, rest = divmod(minutes, 60)
    return f"{hours} h {rest} min" if hours < 48 else f"{hours // 24} days"


def _plain(words: str) -> str:
    """On one line: a name may hold anything, and a mail's subject ends at a line's end."""
    return " ".join(words.split())
