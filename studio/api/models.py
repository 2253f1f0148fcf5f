"""Testing a model before it is saved, and the model servers found on this machine."""

from __future__ import annotations

import uuid
from typing import Any

from asgiref.sync import async_to_sync
from pydantic import BaseModel, ConfigDict, Field
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from runtime.models import ModelEntry
from runtime.services.endpoints import find_local, test_endpoint
from runtime.services.model import Endpoint
from runtime.services.secrets import SecretValue
from studio import entries
from studio.api.json import read
from studio.refusal import Missing, Wrong
from studio.strings import t


class TestBody(BaseModel):
    """What the form says. entry: the stored one whose key is used while none is typed."""

    __test__ = False
    model_config = ConfigDict(extra="forbid")

    entry: uuid.UUID | None = None
    base_url: str = Field(max_length=300)
    key: str = Field("", max_length=4096)
    model: str = Field(max_length=120)


class Test(APIView):
    """Asks the endpoint once. A server that refuses is an answer (ok false), never an error of ours."""

    __test__ = False
    right = "models"

    def post(self, request: Request) -> Response:
        body = read(TestBody, request.data)
        if not entries.is_address(body.base_url.strip()):
            raise Wrong({"base_url": t("models.base_url_wrong")})
        if not body.model.strip():
            raise Wrong({"model": t("models.model_missing")})
        endpoint = Endpoint(
            name=t("models.tested_name"), base_url=body.base_url.strip().rstrip("/"), model=body.model.strip(),
            key=self._key(body),
        )  # fmt: skip
        tested = async_to_sync(test_endpoint)(endpoint)
        return Response(
            {"ok": tested.ok, "code": tested.code, "message": tested.message, "models": tested.models, "ms": tested.ms}
        )

    @staticmethod
    def _key(body: TestBody) -> SecretValue | None:
        if body.key.strip():
            return SecretValue(body.key.strip())
        if body.entry is None:
            return None
        entry = ModelEntry.objects.filter(pk=body.entry).first()
        if entry is None:
            raise Missing(t("models.gone"))
        stored = entries.stored_key(entry)
        # A stored key is sent to the place it was stored for and to no other, or a test would give it away.
        if stored and entries.moved(entry.base_url, body.base_url.strip()):
            raise Wrong({"key": t("models.key_again")})
        return SecretValue(stored) if stored else None


class Found(APIView):
    """The model servers that answer on their usual ports of this machine."""

    right = "models"

    def get(self, request: Request) -> Response:
        found = async_to_sync(find_local)()
        known = {entry.base_url.rstrip("/") for entry in ModelEntry.objects.all()}
        rows: list[dict[str, Any]] = [
            {"name": one.name, "baseUrl": one.base_url, "models": one.models, "added": one.base_url in known}
            for one in found
        ]
        return Response({"found": rows})
