"""The addresses of files that people give and steps make, and of what a card shows of them."""

from __future__ import annotations

from django.urls import URLPattern, path

from studio.attachments import api

urlpatterns: list[URLPattern] = [
    path("files/<uuid:id>", api.one_file),
    path("api/files/<uuid:id>", api.OneFile.as_view()),
    path("api/a/<slug:slug>/files", api.AgentFiles.as_view()),
    path("api/questions/<uuid:id>/files", api.QuestionFiles.as_view()),
    path("api/questions/<uuid:id>/exhibits", api.QuestionExhibits.as_view()),
]
