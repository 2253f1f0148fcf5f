"""The addresses of the chat, the inbox and the decision page."""

from __future__ import annotations

from django.urls import URLPattern

urlpatterns: list[URLPattern] = []
