"""Whether somebody is there: twenty minutes without a sign of life lock the chats of agents that know their people.

A page that is opened and whatever is sent are signs of life, anywhere in the studio; what pages ask by themselves, and
sockets, are none. A session that was silent for too long stays locked until the person gives their password again.
"""

from __future__ import annotations

import hashlib
import logging
import time
from collections import OrderedDict
from collections.abc import Callable, Iterable
from datetime import datetime, timedelta
from threading import Lock
from typing import Any

from django.contrib.auth.signals import user_logged_in, user_logged_out
from django.db import DatabaseError
from django.http import HttpRequest, HttpResponse
from django.utils import timezone

from studio.models import Presence, User
from studio.refusal import Refusal
from studio.strings import t

log = logging.getLogger(__name__)

SILENCE = timedelta(minutes=20)
REFRESH_SECONDS = 60.0
MOST_REMEMBERED = 20_000
# What a browser says that it loads when a person opens a page, and addresses that no person opens by themselves.
_OPENED = ("document", "iframe")
_PARTS = ("/api/", "/static/", "/files/")

_lock = Lock()
_refreshed: OrderedDict[str, float] = OrderedDict()


class Locked(Refusal):
    """Nobody was there for too long. The same person goes on with their password."""

    def __init__(self) -> None:
        super().__init__("LOCKED", t("lock.locked", count=minutes()), 401)


def minutes() -> int:
    return int(SILENCE.total_seconds()) // 60


class SignsOfLife:
    """Middleware: the sign of life that a request is, before anything looks whether its session is locked."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        if is_sign(request):
            session = request.session.session_key
            if session and _is_due(session) and request.user.is_authenticated:
                _write(session, request.user.pk)
        return self.get_response(request)


def is_sign(request: HttpRequest) -> bool:
    """Whether a person did this: they opened a page, or sent something."""
    if request.method not in ("GET", "HEAD", "OPTIONS"):
        return True
    if "Sec-Purpose" in request.headers:
        # Loaded by the browser on a guess.
        return False
    if request.method != "GET" or request.path.startswith(_PARTS):
        return False
    loads = request.headers.get("Sec-Fetch-Dest")
    # Without TLS browsers do not say what they load; only for a page that is opened they ask for HTML in so many words.
    return loads in _OPENED if loads is not None else "text/html" in request.headers.get("Accept", "")


def _is_due(session: str) -> bool:
    """Whether this process wrote none within the last minute; from now on it did."""
    now, key = time.monotonic(), key_of(session)
    with _lock:
        if now - _refreshed.get(key, -REFRESH_SECONDS) < REFRESH_SECONDS:
            return False
        _refreshed[key] = now
        _refreshed.move_to_end(key)
        while len(_refreshed) > MOST_REMEMBERED:
            _refreshed.popitem(last=False)
    return True


def _write(session: str, user: Any) -> None:
    try:
        refresh(session, user)
    except DatabaseError as error:
        # A page is still a page; its session only locks earlier.
        log.warning("A sign of life was not written: %s", type(error).__name__)
        with _lock:
            _refreshed.pop(key_of(session), None)


def refresh(session: str, user: Any) -> bool:
    """A sign of life. False for a session that is locked already: it stays so."""
    return bool(_alive().filter(session=key_of(session), user_id=user).update(at=timezone.now()))


def is_there(session: str, user: User | None) -> bool:
    """Whether the session belongs to this person, and they gave a sign of life within the last twenty minutes."""
    return left(session, user) > 0


def left(session: str, user: User | None) -> int:
    """How many seconds the session has until it locks without a sign of life; 0 when it is locked."""
    if not session or user is None:
        return 0
    at = _alive().filter(session=key_of(session), user_id=user.pk).values_list("at", flat=True).first()
    return max(0, int((at + SILENCE - timezone.now()).total_seconds())) if at is not None else 0


def judge(session: str, user: User | None) -> None:
    """Raises Locked unless the person is there."""
    if not is_there(session, user):
        raise Locked


def there(keys: Iterable[str]) -> set[str]:
    """Those of the keys (see key_of) whose sessions are not locked."""
    return set(_alive().filter(session__in=list(keys)).values_list("session", flat=True))


def begin(request: HttpRequest, user: Any) -> None:
    """The person has just proved who they are in this session: it is open from now on."""
    if request.session.session_key is None:
        request.session.save()
    now = timezone.now()
    _over(now).delete()
    Presence.objects.update_or_create(
        session=key_of(request.session.session_key or ""), defaults={"user_id": user.pk, "at": now}
    )


def end(session: str | None) -> None:
    """The session is signed out."""
    if session:
        Presence.objects.filter(session=key_of(session)).delete()


def key_of(session: str) -> str:
    return hashlib.sha256(session.encode()).hexdigest()


def _alive() -> Any:
    return Presence.objects.filter(at__gt=timezone.now() - SILENCE)


def _over(now: datetime) -> Any:
    """Rows that say nothing any more: a locked session is the same without one."""
    return Presence.objects.filter(at__lt=now - SILENCE)


def connect() -> None:
    user_logged_in.connect(_signed_in, dispatch_uid="presence")
    user_logged_out.connect(_signed_out, dispatch_uid="presence")


def _signed_in(request: HttpRequest | None, user: Any, **_: Any) -> None:
    if request is not None:
        begin(request, user)


def _signed_out(request: HttpRequest | None, **_: Any) -> None:
    if request is not None:
        end(request.session.session_key)
