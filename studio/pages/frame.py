"""What stands around a page: places in the side column by role, theme, the toast that the last act left."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

from django.http import HttpRequest

from studio.access import may
from studio.asked import person
from studio.models import Membership
from studio.strings import t

THEMES = ("light", "dark")


@dataclass(frozen=True)
class Place:
    label: str
    href: str
    icon: str
    here: bool
    count: int = 0


_PLACES = (
    ("agents", "/agents", "bot", "chat"),
    ("inbox", "/inbox", "inbox", "inbox"),
    ("runs", "/runs", "history", "flows.view"),
    ("flows", "/flows", "workflow", "flows.view"),
    ("reference", "/reference", "book-open", "flows.view"),
)
_SETTINGS = (
    ("models", "/settings/models", "cpu", "models"),
    ("servers", "/settings/servers", "server", "operate"),
    ("notices", "/settings/notices", "bell", "operate"),
    ("retention", "/settings/retention", "archive", "operate"),
    ("people", "/settings/people", "users", "people"),
    ("tokens", "/settings/tokens", "key-round", "tokens"),
)


def flash(request: HttpRequest, text: str, *, undo: str = "", bad: bool = False) -> None:
    """Leaves a toast for the next page. undo is the address that a POST takes the act back at."""
    request.session["flash"] = {"text": text, "undo": undo, "bad": bad}


def _places(request: HttpRequest, rows: tuple[tuple[str, str, str, str], ...]) -> list[Place]:
    role = getattr(request, "role", None)
    return [
        Place(t(f"nav.{key}"), href, icon, request.path == href or request.path.startswith(f"{href}/"))
        for key, href, icon, right in rows
        if may(role, right)
    ]


class _Frame:
    """Read by templates only where they show it, so that a page without a frame costs no query."""

    def __init__(self, request: HttpRequest) -> None:
        self.request = request
        self.theme = request.COOKIES.get("theme") if request.COOKIES.get("theme") in THEMES else ""

    def places(self) -> list[Place]:
        return [
            replace(place, count=self._waiting()) if place.href == "/inbox" else place
            for place in _places(self.request, _PLACES)
        ]

    def _waiting(self) -> int:
        """How many questions wait for this person."""
        from studio.api.inbox import lists

        return lists(person(self.request))["mine"].count()

    def settings(self) -> list[Place]:
        return _places(self.request, _SETTINGS)

    def workspaces(self) -> list[Membership]:
        user = self.request.user
        if not user.is_authenticated:
            return []
        return list(Membership.everywhere.select_related("workspace").filter(user_id=user.pk).order_by("joined_at"))

    def toast(self) -> dict[str, Any] | None:
        return self.request.session.pop("flash", None) if hasattr(self.request, "session") else None


def frame(request: HttpRequest) -> dict[str, Any]:
    """The template context processor."""
    return {"frame": _Frame(request), "nonce": getattr(request, "nonce", "")}
