"""A server of access tokens that answers with anything: a call goes out with a token that can be one, or not at all."""

# LG-contract-06

from __future__ import annotations

import json
import math
from typing import Any

import pytest
from django.test import override_settings

from runtime.services import renewal
from runtime.services.http import Guarded, NotSent
from runtime.services.secrets import SecretValue
from tests.runtime.services.servers import always, reply, serve

ANSWERS: dict[str, tuple[Any, bool]] = {
    "a good one": ({"access_token": "ya29-canary-token", "expires_in": 3600}, True),
    "no end": ({"access_token": "ya29-canary-token"}, True),
    "an end in the past": ({"access_token": "ya29-canary-token", "expires_in": -5}, True),
    "an end that no number holds": ({"access_token": "ya29-canary-token", "expires_in": 10**400}, True),
    "an end that is no number": ({"access_token": "ya29-canary-token", "expires_in": math.nan}, True),
    "an end that is a list": ({"access_token": "ya29-canary-token", "expires_in": [1]}, True),
    "a number": ({"access_token": 7}, False),
    "nothing": ({}, False),
    "a list": ([[]], False),
}


@pytest.mark.parametrize(("said", "works"), ANSWERS.values(), ids=ANSWERS)
async def test_what_renews_a_token_is_not_believed(said: Any, works: bool) -> None:
    async with serve(always(reply(200, json.dumps(said), Content_Type="application/json"))) as server:
        client = Guarded([f"127.0.0.1:{server.port}"])
        grant = {name: SecretValue("x" * 20, [f"127.0.0.1:{server.port}"]) for name in renewal.CLIENT}
        tokens = renewal.Tokens()
        with override_settings(GOOGLE_TOKEN_URL=f"{server.url}/token"):
            if works:
                assert await tokens.fresh(client, grant) == "ya29-canary-token"
            else:
                with pytest.raises(NotSent, match="could not be renewed, so nothing was sent"):
                    await tokens.fresh(client, grant)
        await client.close()
