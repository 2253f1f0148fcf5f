"""The addresses of a flow's tests."""

from __future__ import annotations

from django.urls import URLPattern, path

from studio.api import tests

urlpatterns: list[URLPattern] = [
    path("api/flows/<uuid:id>/tests", tests.Tests.as_view()),
    path("api/flows/<uuid:id>/tests/inside", tests.Inside.as_view()),
    path("api/flows/<uuid:id>/tests/runs", tests.Runs.as_view()),
    path("api/flows/<uuid:id>/tests/runs/<uuid:run>", tests.Run.as_view()),
    path("api/runs/<uuid:id>/test", tests.OfRun.as_view()),
]
