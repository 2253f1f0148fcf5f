"""The OpenAPI document of the API for programs, made of its endpoints and their wire models."""

from __future__ import annotations

from functools import cache
from typing import Any

from django.conf import settings
from django.urls import URLPattern
from drf_spectacular.extensions import OpenApiAuthenticationExtension
from drf_spectacular.generators import SchemaGenerator
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from studio.strings import t


class BearerScheme(OpenApiAuthenticationExtension):  # pyright: ignore[reportUntypedBaseClass]
    target_class = "studio.programs.tokens.Bearer"
    name = "token"

    def get_security_definition(self, auto_schema: Any) -> dict[str, str]:
        return {"type": "http", "scheme": "bearer"}


class OpenApi(APIView):
    right = "public"

    def get(self, request: Request) -> Response:
        """The description of this API, for tools that read OpenAPI."""
        return Response(document())


@cache
def document() -> dict[str, Any]:
    """The OpenAPI 3 document, without the address that describes it."""
    from studio.programs.urls import urlpatterns

    patterns: list[URLPattern] = [one for one in urlpatterns if not str(one.pattern).endswith("openapi.json")]
    found: dict[str, Any] = SchemaGenerator(patterns=patterns).get_schema(public=True)
    found["info"] = {"title": "LGStudio", "version": "1", "description": t("programs.description")}
    found["servers"] = [{"url": settings.PUBLIC_URL}]
    return found
