"""The language over HTTP. It changes with the product only, so a page that knows its mark gets nothing anew."""

from __future__ import annotations

from django.http import HttpResponse
from rest_framework.request import Request
from rest_framework.views import APIView

from studio.language import served


class LanguageView(APIView):
    """Every kind, word and field, as panels and palette draw them."""

    right = "flows.view"

    def get(self, request: Request) -> HttpResponse:
        text, mark = served()
        etag = f'"{mark}"'
        headers = {"ETag": etag, "Cache-Control": "private, no-cache"}
        if etag in request.headers.get("If-None-Match", ""):
            return HttpResponse(status=304, headers=headers)
        return HttpResponse(text, content_type="application/json", headers=headers)
