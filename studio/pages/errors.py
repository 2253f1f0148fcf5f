"""Refusals in words. No page and no answer of the API ever carries a stack trace."""

from __future__ import annotations

from urllib.parse import urlencode

from django.conf import settings
from django.core.exceptions import RequestDataTooBig
from django.http import HttpRequest, HttpResponse, JsonResponse
from django.shortcuts import redirect, render

from studio.presence import Locked
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
    if isinstance(refusal, Locked):
        here = request.get_full_path() if request.method == "GET" else "/"
        return redirect(f"/unlock?{urlencode({'next': here})}")
    kinds = {403: "forbidden", 404: "missing", 410: "gone", 429: "slow"}
    kind = kinds.get(refusal.status, "refused")
    words = {"kind": kind, "title": t(f"error.{kind}"), "message": refusal.message}
    return render(request, "errors/refused.html", words, status=refusal.status)


def not_found(request: HttpRequest, exception: Exception | None = None) -> HttpResponse:
    return refuse(request, Missing())


def stale_form(request: HttpRequest, reason: str = "") -> HttpResponse:
    """The form's token did not fit: the person signed in again in another tab, or cookies are off."""
    return refuse(request, Refusal("CSRF_FAILED", t("refusal.csrf"), 403))


def bad_request(request: HttpRequest, exception: Exception | None = None) -> HttpResponse:
    """What Django itself refuses to read: too large a form, too many fields, a broken upload, another host's name."""
    if isinstance(exception, RequestDataTooBig):
        size = getattr(exception, "most", settings.DATA_UPLOAD_MAX_MEMORY_SIZE) // (1024 * 1024)
        return plainly(request, Refusal("TOO_LARGE", t("refusal.too_large", size=f"{size} MB"), 413))
    return plainly(request, Refusal("BAD_REQUEST", t("refusal.bad_request"), 400))


def server_error(request: HttpRequest) -> HttpResponse:
    return plainly(request, Refusal("SERVER_ERROR", t("error.server_message"), 500), t("error.server"))


def plainly(request: HttpRequest, refusal: Refusal, title: str = "") -> HttpResponse:
    """The refusal without database, session or context processor: one of them may be what failed, or not be there."""
    if wants_json(request):
        return JsonResponse({"code": refusal.code, "message": refusal.message}, status=refusal.status)
    page = _PLAIN.format(
        nonce=getattr(request, "nonce", ""),
        title=title or t("error.refused"),
        words=refusal.message,
        home=t("error.home"),
    )
    return HttpResponse(page, status=refusal.status)


_PLAIN = """<!doctype html><html lang="en"><meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1"><title>{title}</title>
<style nonce="{nonce}">
:root {{ color-scheme: light dark; font: 14px/22px system-ui, sans-serif; }}
body {{ margin: 0; min-height: 100vh; display: grid; place-items: center; background: light-dark(#f4f5f7, #0e1116); }}
main {{ max-width: 400px; margin: 16px; padding: 32px; border-radius: 14px; }}
main {{ border: 1px solid light-dark(#e3e6eb, #272d38); }}
main {{ background: light-dark(#fff, #1c212a); color: light-dark(#15181e, #e8ebf0); }}
h1 {{ font: 600 20px/28px system-ui, sans-serif; margin: 0 0 8px; }}
p {{ margin: 0 0 20px; color: light-dark(#4b5361, #aab2c0); }} a {{ color: light-dark(#2b46b8, #a9b9ff); }}
</style><main><h1>{title}</h1><p>{words}</p><a href="/">{home}</a></main></html>"""
