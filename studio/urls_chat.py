"""The addresses of the chat, the inbox and the decision page."""

from __future__ import annotations

from django.urls import URLPattern, path

from studio.api import chat as api_chat
from studio.api import questions as api_questions
from studio.api.forks import Fork
from studio.api.inbox import Inbox
from studio.pages import chat, inbox

urlpatterns: list[URLPattern] = [
    path("a/<slug:slug>", chat.chat),
    path("inbox", inbox.inbox),
    path("decide/<uuid:id>", inbox.decide),
    path("api/a/<slug:slug>/messages", api_chat.Messages.as_view()),
    path("api/a/<slug:slug>/conversations", api_chat.Conversations.as_view()),
    path("api/conversations/<uuid:id>/frames", api_chat.Frames.as_view()),
    path("api/conversations/<uuid:id>/stream", api_chat.Stream.as_view()),
    path("api/conversations/<uuid:id>/fork", Fork.as_view()),
    path("api/runs/<uuid:id>/cancel", api_chat.Cancel.as_view()),
    path("api/runs/<uuid:id>", api_chat.Queued.as_view()),
    path("api/questions/<uuid:id>/answer", api_questions.Answer.as_view()),
    path("api/questions/<uuid:id>", api_questions.OneQuestion.as_view()),
    path("api/inbox", Inbox.as_view()),
]
