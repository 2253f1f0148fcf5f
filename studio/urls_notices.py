"""The addresses of notices, and of how long things are kept."""

from __future__ import annotations

from django.urls import URLPattern, URLResolver, path

from studio.pages import notices, retention

urlpatterns: list[URLPattern | URLResolver] = [
    path("settings/notices", notices.notices),
    path("settings/notices/new", notices.new),
    path("settings/notices/<uuid:id>", notices.edit),
    path("settings/notices/<uuid:id>/test", notices.test),
    path("settings/notices/<uuid:id>/secret", notices.secret),
    path("settings/notices/<uuid:id>/delete", notices.delete),
    path("settings/retention", retention.kept),
]
