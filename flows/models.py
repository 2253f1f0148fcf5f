"""What is stored of a flow: the draft that may be broken, and the versions that may not."""

from __future__ import annotations

import uuid
from typing import Any

from django.conf import settings
from django.db import models

from flows.ordered import OrderedJSON
from flows.scope import Scoped


class Workspace(models.Model):
    """A company, a team: the boundary that no query crosses."""

    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
    name = models.CharField(max_length=120)
    created_at = models.DateTimeField(auto_now_add=True)

    def __str__(self) -> str:
        return self.name


class Flow(Scoped):
    """A flow under edit. `draft` is the text as its author left it, valid or not; nothing typed is ever lost."""

    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
    path = models.SlugField(max_length=80, help_text="The flow's address in its workspace.")
    name = models.CharField(max_length=120)
    draft = models.TextField()
    revision = models.PositiveIntegerField(default=1, help_text="Counts saves; a save names the one it began from.")
    # What lists show of the draft, written when it is saved. None: saved before these were kept.
    about = models.TextField(blank=True, help_text="The description of the draft.")
    system = models.BooleanField(default=False)
    errors = models.PositiveIntegerField(null=True)
    warnings = models.PositiveIntegerField(null=True)
    created_by = models.ForeignKey(settings.AUTH_USER_MODEL, models.SET_NULL, null=True, related_name="+")
    created_by_id: uuid.UUID | None
    updated_by = models.ForeignKey(settings.AUTH_USER_MODEL, models.SET_NULL, null=True, related_name="+")
    updated_by_id: uuid.UUID | None
    created_at = models.DateTimeField(auto_now_add=True)
    updated_at = models.DateTimeField(auto_now=True)
    deleted_at = models.DateTimeField(null=True, blank=True)

    class Meta(Scoped.Meta):
        constraints = [models.UniqueConstraint(fields=["workspace", "path"], name="flow_path")]


class Unit(Scoped):
    """The code of one handler, router or tool of a flow's draft."""

    KINDS = [("handler", "handler"), ("router", "router"), ("tool", "tool")]
    ORIGINS = [
        ("generated", "written by the model from its description"),
        ("regular", "written from regular when-sentences, without a model"),
        ("edited", "written or changed by a person"),
    ]

    flow = models.ForeignKey(Flow, models.CASCADE, related_name="units")
    flow_id: uuid.UUID
    kind = models.CharField(max_length=8, choices=KINDS)
    name = models.CharField(max_length=64)
    key = models.CharField(max_length=64, help_text="Hash of what the code was written from; another one is stale.")
    code = models.TextField(blank=True)
    origin = models.CharField(max_length=10, choices=ORIGINS)
    refused = models.TextField(blank=True, help_text="Why this code may not run, in words; else empty.")
    turned_down = models.TextField(
        blank=True, help_text="Why the code generated last was not taken in place of this, in words; else empty."
    )
    updated_at = models.DateTimeField(auto_now=True)

    class Meta(Scoped.Meta):
        constraints = [models.UniqueConstraint(fields=["flow", "kind", "name"], name="unit_name")]


class FlowVersion(Scoped):
    """A checked, immutable flow with its code. A run finishes on the version it started with."""

    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
    flow = models.ForeignKey(Flow, models.CASCADE, related_name="versions")
    flow_id: uuid.UUID
    number = models.PositiveIntegerField(
        null=True, help_text="1, 2, 3 … within the flow, as people name it; none for a draft that was only tried."
    )
    sha = models.CharField(max_length=64, help_text="SHA-256 over the canonical document and units_sha.")
    document: models.JSONField[Any] = OrderedJSON()
    units: models.JSONField[Any] = models.JSONField(
        default=dict, help_text='{"handler:plan": "async def plan(…): …", …}'
    )
    units_sha = models.CharField(max_length=64)
    engine = models.PositiveSmallIntegerField(help_text="Which compiler the version's checkpoints belong to.")
    note = models.CharField(max_length=200, blank=True)
    created_by = models.ForeignKey(settings.AUTH_USER_MODEL, models.SET_NULL, null=True, related_name="+")
    created_by_id: uuid.UUID | None
    created_at = models.DateTimeField(auto_now_add=True)

    class Meta(Scoped.Meta):
        constraints = [
            models.UniqueConstraint(fields=["flow", "sha"], name="version_sha"),
            models.UniqueConstraint(fields=["flow", "number"], name="version_number"),
        ]
