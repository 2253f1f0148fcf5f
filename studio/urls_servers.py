"""The addresses of tool servers."""

from __future__ import annotations

from django.urls import URLPattern, URLResolver, path

from studio.pages import servers

urlpatterns: list[URLPattern | URLResolver] = [
    path("settings/servers", servers.servers),
    path("settings/servers/new", servers.new),
    path("settings/servers/<uuid:id>", servers.edit),
    path("settings/servers/<uuid:id>/look", servers.look),
    path("settings/servers/<uuid:id>/delete", servers.delete),
    path("agents/<slug:slug>/servers", servers.agent),
    path("flows/<uuid:id>/servers", servers.draft),
]
