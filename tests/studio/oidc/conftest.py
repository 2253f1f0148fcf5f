"""An installation that uses a real provider, and a browser on its way to it and back."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any
from urllib.parse import urlencode, urlsplit

import pytest
from django.http import HttpResponse
from django.test import Client

from studio.oidc import remote
from tests.support import provider as providers
from tests.support.provider import Provider


@pytest.fixture
def provider(settings: Any) -> Iterator[Provider]:
    """A provider that the settings name. Ada is who signs in there."""
    settings.PUBLIC_URL = "http://testserver"
    with providers.serve(email="ada@example.test") as served:
        for name, value in served.settings().items():
            setattr(settings, name, value)
        settings.OIDC_NAME = "Acme ID"
        remote.forget()
        yield served
        remote.forget()


def leave(client: Client, next: str = "/", **more: str) -> str:
    """Press the button. Returns the address of the provider that the browser is sent to."""
    reply = client.get(f"/sign-in/provider?{urlencode({'next': next, **more})}")
    assert reply.status_code == 302, reply.content.decode()
    return reply["Location"]


def come_back(client: Client, address: str) -> HttpResponse:
    """What the browser is answered when the provider has sent it back to this address."""
    parts = urlsplit(address)
    return client.get(f"{parts.path}?{parts.query}")


def sign_in(client: Client, provider: Provider, next: str = "/", **changed: Any) -> HttpResponse:
    """All of it: press, say who one is, come back. changed: in the provider's answer."""
    return come_back(client, provider.lets_in(leave(client, next), **changed))


def is_signed_in(client: Client) -> bool:
    return "_auth_user_id" in client.session
