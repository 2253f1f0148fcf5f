"""Every address. A view declares its right where it is written; tests/studio/test_rights.py lists them all."""

from __future__ import annotations

from django.urls import URLPattern, URLResolver, path

from studio.pages import account, join, people
from studio.pages.errors import not_found, server_error
from studio.urls_chat import urlpatterns as chat_urlpatterns

pages: list[URLPattern | URLResolver] = [
    path("", join.home),
    path("sign-in", join.sign_in),
    path("sign-out", join.sign_out),
    path("start/<str:token>", join.start),
    path("join/<str:token>", join.join),
    path("workspace", account.choose_workspace),
    path("account", account.account),
    path("account/password", account.password),
    path("settings/people", people.people),
    path("settings/people/invites", people.invite),
    path("settings/people/invites/<int:id>/revoke", people.revoke),
    path("settings/people/<int:id>/role", people.role),
    path("settings/people/<int:id>/remove", people.remove),
]
api: list[URLPattern | URLResolver] = [
]
urlpatterns: list[URLPattern | URLResolver] = [*pages, *api, *chat_urlpatterns]
handler404 = not_found
handler500 = server_error
