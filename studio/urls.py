"""Every address. A view declares its right where it is written; tests/studio/test_rights.py lists them all."""

from __future__ import annotations

from django.urls import URLPattern, URLResolver, path

from studio.api import edits as api_edits
from studio.api import flows as api_flows
from studio.api import language as api_language
from studio.api import models as api_models
from studio.api import presence as api_presence
from studio.api import units as api_units
from studio.pages import (
    account,
    agents,
    flows,
    join,
    models,
    people,
    provider,
    publish,
    reference,
    tokens,
    units,
    unlock,
)
from studio.pages.errors import bad_request, not_found, server_error
from studio.programs.urls import urlpatterns as programs_urlpatterns
from studio.urls_asks import urlpatterns as asks_urlpatterns
from studio.urls_attachments import urlpatterns as attachments_urlpatterns
from studio.urls_chat import urlpatterns as chat_urlpatterns
from studio.urls_files import urlpatterns as files_urlpatterns
from studio.urls_notices import urlpatterns as notices_urlpatterns
from studio.urls_runs import urlpatterns as runs_urlpatterns
from studio.urls_servers import urlpatterns as servers_urlpatterns
from studio.urls_tests import urlpatterns as tests_urlpatterns

pages: list[URLPattern | URLResolver] = [
    path("", join.home),
    path("sign-in", join.sign_in),
    path("sign-in/provider", provider.start),
    path("sign-in/return", provider.back),
    path("sign-out", join.sign_out),
    path("unlock", unlock.unlock_page),
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
    path("settings/models", models.models),
    path("settings/models/new", models.new),
    path("settings/models/demo", models.demo),
    path("settings/models/choices", models.choices),
    path("settings/models/<uuid:id>", models.edit),
    path("settings/models/<uuid:id>/delete", models.delete),
    path("settings/tokens", tokens.tokens),
    path("settings/tokens/new", tokens.new),
    path("settings/tokens/<uuid:id>/revoke", tokens.revoke),
    path("flows", flows.flows),
    path("flows/new", flows.new),
    path("flows/example", flows.example),
    path("flows/<uuid:id>", flows.flow),
    path("flows/<uuid:id>/duplicate", flows.duplicate),
    path("flows/<uuid:id>/delete", flows.delete),
    path("flows/<uuid:id>/restore", flows.restore),
    path("flows/<uuid:id>/flow.json", flows.download),
    path("flows/<uuid:id>/units/write", units.write_all),
    path("flows/<uuid:id>/units/<str:kind>/<str:name>", units.unit),
    path("flows/<uuid:id>/publish", publish.publish),
    path("reference", reference.overview),
    path("reference/<str:name>", reference.topic),
    path("agents", agents.agents),
    path("agents/<slug:slug>/published", publish.published),
    path("agents/<slug:slug>/settings", agents.settings),
    path("agents/<slug:slug>/link", agents.renew_link),
    path("agents/<slug:slug>/pause", agents.pause),
    path("agents/<slug:slug>/live", agents.make_live),
]
api: list[URLPattern | URLResolver] = [
    path("api/flows/check", api_flows.Check.as_view()),
    path("api/flows/<uuid:id>/draft", api_flows.Draft.as_view()),
    path("api/flows/<uuid:id>/editor", api_edits.Editor.as_view()),
    path("api/flows/<uuid:id>/edits", api_edits.Edits.as_view()),
    path("api/flows/<uuid:id>/undo", api_edits.Undo.as_view()),
    path("api/flows/<uuid:id>/redo", api_edits.Redo.as_view()),
    path("api/flows/<uuid:id>/asides/<uuid:aside>", api_edits.Aside.as_view()),
    path("api/flows/<uuid:id>/changes", api_edits.Changes.as_view()),
    path("api/flows/<uuid:id>/units/<str:kind>/<str:name>", api_units.UnitView.as_view()),
    path("api/flows/<uuid:id>/units/<str:kind>/<str:name>/generate", api_units.Generate.as_view()),
    path("api/flows/<uuid:id>/units/<str:kind>/<str:name>/take", api_units.Take.as_view()),
    path("api/language", api_language.LanguageView.as_view()),
    path("api/presence", api_presence.Presence.as_view()),
    path("api/unlock", api_presence.Open.as_view()),
    path("api/models/test", api_models.Test.as_view()),
    path("api/models/found", api_models.Found.as_view()),
]
urlpatterns: list[URLPattern | URLResolver] = [
    *pages,
    *api,
    *asks_urlpatterns,
    *attachments_urlpatterns,
    *chat_urlpatterns,
    *files_urlpatterns,
    *notices_urlpatterns,
    *runs_urlpatterns,
    *servers_urlpatterns,
    *tests_urlpatterns,
    *programs_urlpatterns,
]
handler400 = bad_request
handler404 = not_found
handler500 = server_error
