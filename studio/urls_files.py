"""The addresses of the files beside flows, and of importing and exporting them."""

from __future__ import annotations

from django.urls import URLPattern, URLResolver, path

from studio.api import files as api
from studio.api import imports
from studio.pages import files, transfer

urlpatterns: list[URLPattern | URLResolver] = [
    path("flows/import", transfer.send),
    path("flows/imports/<uuid:parcel>", transfer.parcel),
    path("flows/<uuid:id>/export.zip", transfer.export),
    path("flows/<uuid:id>/needs", transfer.needs),
    path("flows/<uuid:id>/place", files.move),
    path("flows/<uuid:id>/files", files.list_files),
    path("flows/<uuid:id>/files/new", files.new),
    path("flows/<uuid:id>/files/<path:path>", files.file),
    path("api/imports", imports.Imports.as_view()),
    path("api/flows/<uuid:id>/callees", api.Callees.as_view()),
    path("api/flows/<uuid:id>/files", api.Files.as_view()),
    path("api/flows/<uuid:id>/files/<path:path>", api.File.as_view()),
]
