"""The ASGI application: pages and API over HTTP, page items over WebSocket."""

import os
from typing import Any

import django

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "studio.settings")
django.setup(set_prefix=False)

from channels.auth import AuthMiddlewareStack  # noqa: E402 - Django is set up above
from channels.routing import ProtocolTypeRouter, URLRouter  # noqa: E402
from channels.security.websocket import AllowedHostsOriginValidator  # noqa: E402

from studio.consumers import websocket_urlpatterns  # noqa: E402
from studio.serving import Handler  # noqa: E402

routes: Any = websocket_urlpatterns  # the stubs know only routes made by Channels' own path()
# Every socket route stands behind the origin check: a foreign page must not open one with a person's cookies.
application = ProtocolTypeRouter(
    {
        "http": Handler(),
        "websocket": AllowedHostsOriginValidator(AuthMiddlewareStack(URLRouter(routes))),
    }
)
