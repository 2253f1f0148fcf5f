"""The addresses of the sockets."""

from __future__ import annotations

from typing import Any, cast

from django.urls import URLPattern, path

from studio.consumers import ConversationSocket, InboxSocket
from studio.flow_socket import FlowSocket

websocket_urlpatterns: list[URLPattern] = [
    path("ws/conversations/<uuid:id>", cast(Any, ConversationSocket.as_asgi())),
    path("ws/inbox", cast(Any, InboxSocket.as_asgi())),
    path("ws/flows/<uuid:id>", cast(Any, FlowSocket.as_asgi())),
]
