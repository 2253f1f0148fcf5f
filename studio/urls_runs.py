"""The addresses of trying a draft, of what a run did, and of a flow's versions."""

from __future__ import annotations

from django.urls import URLPattern, path

from studio.api import anew, pasted, runs, single, versions, workbench
from studio.pages import going_on
from studio.pages import runs as pages

urlpatterns: list[URLPattern] = [
    path("runs", pages.runs),
    path("runs/<uuid:id>", pages.run),
    path("runs/<uuid:id>/stop", pages.stop),
    path("runs/<uuid:id>/continue", going_on.run),
    path("agents/<slug:slug>/continue", going_on.agent),
    path("api/flows/<uuid:id>/pasted", pasted.Pasted.as_view()),
    path("api/flows/<uuid:id>/single", single.SingleView.as_view()),
    path("api/flows/<uuid:id>/try", workbench.Try.as_view()),
    path("api/flows/<uuid:id>/try/settings", workbench.Settings.as_view()),
    path("api/models/demo", workbench.Demo.as_view()),
    path("api/flows/<uuid:id>/versions", versions.Versions.as_view()),
    path("api/flows/<uuid:id>/versions/<str:name>", versions.Version.as_view()),
    path("api/flows/<uuid:id>/versions/<str:old>/<str:new>", versions.Difference.as_view()),
    path("api/agents/<slug:slug>/live", versions.Live.as_view()),
    path("api/runs/<uuid:id>/anew", anew.Anew.as_view()),
    path("api/runs/<uuid:id>/steps", runs.Steps.as_view()),
    path("api/runs/<uuid:id>/steps/<path:address>", runs.Step.as_view()),
]
