"""The ASGI application: pages and API over HTTP, page items over WebSocket."""

import os
import sys
from typing import Any

import django

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "studio.settings")
django.setup(set_prefix=False)

from channels.auth import AuthMiddlewareStack  # noqa: E402 - Django is set up above
from channels.layers import get_channel_layer  # noqa: E402
from channels.routing import ProtocolTypeRouter, URLRouter  # noqa: E402
from channels.security.websocket import AllowedHostsOriginValidator  # noqa: E402
from django.conf import settings  # noqa: E402
from django.urls import get_resolver  # noqa: E402

from runtime import tasks  # noqa: E402
from runtime.notices import watch  # noqa: E402
from studio.oidc import provider  # noqa: E402
from studio.serving import Handler  # noqa: E402
from studio.sockets import websocket_urlpatterns  # noqa: E402

# What could let anybody in as anybody serves nobody, until it is set right.
if refused := provider.wrong():
    sys.exit(refused)

# Loaded before the first person comes, who would else wait for a second of imports: views, broker and channel layer.
assert get_resolver().url_patterns and get_channel_layer() is not None
tasks.load()

if not settings.TESTING:
    watch.start()

routes: Any = websocket_urlpatterns  # the stubs know only routes made by Channels' own path()
# Every socket route stands behind the origin check: a foreign page must not open one with a person's cookies.
application = ProtocolTypeRouter(
    {
        "http": Handler(),
        "websocket": AllowedHostsOriginValidator(AuthMiddlewareStack(URLRouter(routes))),
    }
)
