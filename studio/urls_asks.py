"""The addresses of the Ask bar."""

from __future__ import annotations

from django.urls import URLPattern, path

from studio.api import asks

urlpatterns: list[URLPattern] = [
    path("api/flows/<uuid:id>/asks", asks.Asks.as_view()),
    path("api/flows/<uuid:id>/asks/<uuid:ask>", asks.Ask.as_view()),
    path("api/flows/<uuid:id>/asks/<uuid:ask>/stop", asks.Stop.as_view()),
    path("api/flows/<uuid:id>/asks/<uuid:ask>/accept", asks.Accept.as_view()),
    path("api/flows/<uuid:id>/asks/<uuid:ask>/drop", asks.Drop.as_view()),
]
