"""The addresses of the files beside flows."""

from __future__ import annotations

from django.urls import URLPattern, URLResolver, path

from studio.api import files as api

urlpatterns: list[URLPattern | URLResolver] = [
    path("api/flows/<uuid:id>/files", api.Files.as_view()),
    path("api/flows/<uuid:id>/files/<path:path>", api.File.as_view()),
]
