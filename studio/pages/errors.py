"""Refusals in words. No page and no answer of the API ever carries a stack trace."""

from __future__ import annotations

from django.http import HttpRequest, HttpResponse, JsonResponse
from django.shortcuts import redirect, render

from studio.refusal import Missing, Refusal, SignedOut
from studio.strings import t


def wants_json(request: HttpRequest) -> bool:
    return request.path.startswith("/api/") or request.headers.get("Accept", "").startswith("application/json")


def refuse(request: HttpRequest, refusal: Refusal) -> HttpResponse:
    """The refusal as a page, or as `{code, message, …}` for a script."""
    if wants_json(request):
        body = {"code": refusal.code, "message": refusal.message, **refusal.extra}
        return JsonResponse(body, status=refusal.status)
    if isinstance(refusal, SignedOut):
        return redirect("/sign-in")
    kinds = {403: "forbidden", 404: "missing", 410: "gone", 429: "slow"}
    kind = kinds.get(refusal.status, "refused")
    words = {"kind": kind, "title": t(f"error.{kind}"), "message": refusal.message}
    return render(request, "errors/refused.html", words, status=refusal.status)


def not_found(request: HttpRequest, exception: Exception | None = None) -> HttpResponse:
    return refuse(request, Missing())


def stale_form(request: HttpRequest, reason: str = "") -> HttpResponse:
    """The form's token did not fit: the person signed in again in another tab, or cookies are off."""
    return refuse(request, Refusal("CSRF_FAILED", t("refusal.csrf"), 403))


def server_error(request: HttpRequest) -> HttpResponse:
    """Uses no database, session or context processor: one of them may be what failed."""
    if wants_json(request):
        return JsonResponse({"code": "SERVER_ERROR", "message": t("error.server_message")}, status=500)
    return HttpResponse(
        f"<!doctype html><html lang=en><meta charset=utf-8><meta name=viewport content='width=device-width'>"
        f"<title>{t('error.server')}</title><h1>{t('error.server')}</h1><p>{t('error.server_message')}</p>"
        f"<p><a href='/'>{t('error.home')}</a></p>",
        status=500,
    )
