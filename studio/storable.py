"""What no database can hold is refused at the door, in words: the NUL character, wherever a request may carry it."""

from __future__ import annotations

from collections.abc import Callable

from django.http import HttpRequest, HttpResponse, QueryDict

from studio.pages.errors import plainly
from studio.refusal import Refusal
from studio.strings import t

NUL = "\x00"


class Storable:
    """JSON is judged where it is read (flows.words.strictjson); this judges addresses and forms, and drops cookies.

    PostgreSQL refuses NUL with an error of its own, at whichever query meets it first, and SQLite keeps it.
    """

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        for name in [name for name, value in request.COOKIES.items() if NUL in name + value]:
            del request.COOKIES[name]
        if NUL in request.path or _holds_nul(request.GET) or _holds_nul(request.POST):
            return plainly(request, Refusal("NUL", t("refusal.nul"), 400))
        return self.get_response(request)


def _holds_nul(sent: QueryDict) -> bool:
    return any(NUL in name or any(NUL in value for value in values) for name, values in sent.lists())
