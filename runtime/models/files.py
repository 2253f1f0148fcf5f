"""A file that somebody gave or a step made. Its bytes lie in the storage `files`, under a name nobody can guess."""

from __future__ import annotations

import uuid

from django.conf import settings
from django.db import models

from flows.scope import Scoped
from runtime.models.deployment import Deployment
from runtime.models.run import Conversation, Run


class StoredFile(Scoped):
    """What a file channel refers to, by id. `sha256` is judged at every reading.

    user and visitor: whose it is. conversation: where it belongs; none until the message or answer that brings it is
    taken. run: the one that it came with, or whose step made it.
    """

    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
    deployment = models.ForeignKey(Deployment, models.CASCADE, related_name="files")
    deployment_id: uuid.UUID
    conversation = models.ForeignKey(Conversation, models.CASCADE, null=True, related_name="files")
    conversation_id: uuid.UUID | None
    run = models.ForeignKey(Run, models.SET_NULL, null=True, related_name="files")
    run_id: uuid.UUID | None
    user = models.ForeignKey(settings.AUTH_USER_MODEL, models.CASCADE, null=True, related_name="+")
    user_id: uuid.UUID | None
    visitor = models.CharField(max_length=64, blank=True)
    given = models.BooleanField(default=True, help_text="A person gave it; otherwise a step made it.")
    name = models.CharField(max_length=200)
    media_type = models.CharField(max_length=100)
    bytes = models.PositiveBigIntegerField()
    sha256 = models.CharField(max_length=64)
    place = models.CharField(max_length=100, help_text="Its name in the storage; equal files of a workspace share one.")
    created_at = models.DateTimeField(auto_now_add=True)

    class Meta(Scoped.Meta):
        indexes = [
            models.Index(fields=["workspace", "sha256"], name="file_content"),
            models.Index(fields=["workspace", "user", "created_at"], name="file_of_person"),
            models.Index(fields=["deployment", "visitor", "created_at"], name="file_of_visitor"),
            models.Index(fields=["conversation", "created_at"], name="file_of_conversation"),
            models.Index(fields=["place"], name="file_place"),
        ]

    @property
    def reference(self) -> dict[str, str | int]:
        """What a channel holds of it."""
        return {
            "id": str(self.id),
            "name": self.name,
            "mediaType": self.media_type,
            "url": f"/files/{self.id}",
            "bytes": self.bytes,
        }
