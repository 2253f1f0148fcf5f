"""The addresses for programs. What stands under v1 stays as it is documented."""

from __future__ import annotations

from django.urls import URLPattern, path

from studio.attachments import programs as files
from studio.programs import api, control, described

urlpatterns: list[URLPattern] = [
    path("api/v1/openapi.json", described.OpenApi.as_view()),
    path("api/v1/agents", api.Agents.as_view()),
    path("api/v1/agents/<slug:slug>", api.Agent.as_view()),
    path("api/v1/agents/<slug:slug>/runs", api.AgentRuns.as_view()),
    path("api/v1/agents/<slug:slug>/files", files.AgentFiles.as_view()),
    path("api/v1/files/<uuid:id>", files.OneFile.as_view()),
    path("api/v1/runs", api.Runs.as_view()),
    path("api/v1/runs/<uuid:id>", api.OneRun.as_view()),
    path("api/v1/runs/<uuid:id>/events", api.Events.as_view()),
    path("api/v1/runs/<uuid:id>/stream", api.Stream.as_view()),
    path("api/v1/runs/<uuid:id>/cancel", api.Cancel.as_view()),
    path("api/v1/runs/<uuid:id>/continue", control.Continue.as_view()),
    path("api/v1/runs/<uuid:id>/fork", control.Fork.as_view()),
    path("api/v1/questions/<uuid:id>", api.OneQuestion.as_view()),
    path("api/v1/questions/<uuid:id>/files", files.QuestionFiles.as_view()),
    path("api/v1/questions/<uuid:id>/answer", api.Answer.as_view()),
]
