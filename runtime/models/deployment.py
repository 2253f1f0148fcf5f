"""Where a flow lives once published, and what its operator decided there: models, secrets, addresses, people."""

from __future__ import annotations

import uuid
from typing import Any

from django.conf import settings
from django.db import models

from flows.models import Flow, FlowVersion
from flows.scope import Scoped


class ModelEntry(Scoped):
    """An OpenAI-compatible endpoint as an operator set it. The address is used as set; it is not judged."""

    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
    name = models.CharField(max_length=80)
    base_url = models.CharField(max_length=300)
    key_cipher = models.BinaryField(default=bytes, help_text="The API key, encrypted; empty when none is needed.")
    model = models.CharField(max_length=120, help_text="The model asked for when nothing else is said.")
    input_price = models.DecimalField(
        max_digits=12, decimal_places=6, null=True, blank=True, help_text="USD per million tokens."
    )
    output_price = models.DecimalField(max_digits=12, decimal_places=6, null=True, blank=True)
    demo = models.BooleanField(default=False, help_text="Answers are scripted and labelled so in the page.")
    schema_mode = models.CharField(
        max_length=8, default="unknown", help_text="unknown, yes or no: response_format json_schema."
    )
    key_refused = models.BooleanField(null=True, help_text="What the last call beside runs found, by Ask or for code.")
    key_judged_at = models.DateTimeField(null=True, help_text="When that was.")
    created_at = models.DateTimeField(auto_now_add=True)

    class Meta(Scoped.Meta):
        constraints = [models.UniqueConstraint(fields=["workspace", "name"], name="model_entry_name")]


class ModelChoice(Scoped):
    """Which entry a purpose uses in this workspace: answers, ask or code."""

    PURPOSES = [("answers", "answers"), ("ask", "ask"), ("code", "code")]
    purpose = models.CharField(max_length=8, choices=PURPOSES)
    entry = models.ForeignKey(ModelEntry, models.CASCADE, related_name="+")
    entry_id: uuid.UUID

    class Meta(Scoped.Meta):
        constraints = [models.UniqueConstraint(fields=["workspace", "purpose"], name="model_choice")]


class Deployment(Scoped):
    """A published agent at /a/<slug>. Version None means nothing is live yet."""

    ACCESS = [("workspace", "people of this workspace"), ("listed", "listed people"), ("link", "anyone with the link")]
    DECIDERS = [("starter", "the person who chats"), ("reviewers", "reviewers of this workspace")]

    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
    flow = models.ForeignKey(Flow, models.CASCADE, related_name="deployments")
    flow_id: uuid.UUID
    version = models.ForeignKey(FlowVersion, models.PROTECT, null=True, related_name="+")
    version_id: uuid.UUID | None
    slug = models.SlugField(max_length=80, unique=True)
    name = models.CharField(max_length=120)
    workbench = models.BooleanField(default=False, help_text="The one on which a flow's draft runs.")
    access = models.CharField(max_length=10, choices=ACCESS, default="workspace")
    known_people = models.BooleanField(
        default=False, help_text="Answers only people whom it can name, as its version says; follows the version."
    )
    people = models.ManyToManyField(settings.AUTH_USER_MODEL, blank=True, related_name="+")
    link_token = models.CharField(max_length=64, blank=True, help_text="Renewing it ends every older link.")
    visitor_limit = models.PositiveIntegerField(
        default=30, help_text="Messages a day for each visitor of an open link."
    )
    cost_ceiling = models.DecimalField(
        max_digits=10, decimal_places=2, null=True, blank=True, help_text="USD a day; then the agent pauses."
    )
    token_ceiling = models.PositiveIntegerField(
        default=2_000_000, help_text="Tokens a day on an open link, counted with or without prices."
    )
    deciders = models.CharField(max_length=10, choices=DECIDERS, default="starter")
    not_starter = models.BooleanField(
        default=True, help_text="Whoever started the run may not approve it (reviewers only)."
    )
    approval_hours = models.PositiveIntegerField(default=72, help_text="A card nobody decides expires after this.")
    model_entry = models.ForeignKey(ModelEntry, models.SET_NULL, null=True, blank=True, related_name="+")
    model_entry_id: uuid.UUID | None
    settings: models.JSONField[Any] = models.JSONField(
        default=dict, blank=True, help_text="requires.settings by name; the flow's default otherwise."
    )
    allowed_hosts: models.JSONField[Any] = models.JSONField(
        default=list, blank=True, help_text='"host:port" entries that may be private addresses.'
    )
    idempotent_hosts: models.JSONField[Any] = models.JSONField(
        default=list, blank=True, help_text="Hosts whose writes honour Idempotency-Key."
    )
    limits: models.JSONField[Any] = models.JSONField(
        default=dict,
        blank=True,
        help_text="{steps, rounds, minutes, cost}, as far as they are lower than the product's own.",
    )
    paused = models.BooleanField(default=False)
    paused_words = models.CharField(max_length=200, blank=True)
    created_at = models.DateTimeField(auto_now_add=True)

    def __str__(self) -> str:
        return self.slug

    def save(self, **given: Any) -> None:  # pyright: ignore[reportIncompatibleMethodOverride]
        """A version brings along whom it answers, so that no turn has to read its flows to know."""
        fields = given.get("update_fields")
        if fields is None or "version" in fields:
            self.known_people = self.version is not None and self.version.for_known_people
            if fields is not None:
                given["update_fields"] = [*fields, "known_people"]
        super().save(**given)


class Publication(Scoped):
    """What was live, when, and by whom."""

    deployment = models.ForeignKey(Deployment, models.CASCADE, related_name="publications")
    deployment_id: uuid.UUID
    version = models.ForeignKey(FlowVersion, models.PROTECT, related_name="+")
    version_id: uuid.UUID
    by = models.ForeignKey(settings.AUTH_USER_MODEL, models.SET_NULL, null=True, related_name="+")
    by_id: uuid.UUID | None
    at = models.DateTimeField(auto_now_add=True)


class Secret(Scoped):
    """A value for requires.env of one deployment. Decrypted in the worker at call time and nowhere else."""

    deployment = models.ForeignKey(Deployment, models.CASCADE, related_name="secrets")
    deployment_id: uuid.UUID
    name = models.CharField(max_length=64)
    cipher = models.BinaryField()
    hosts: models.JSONField[Any] = models.JSONField(
        default=list, help_text="Hosts the value may be sent to; to no other."
    )
    updated_at = models.DateTimeField(auto_now=True)

    class Meta(Scoped.Meta):
        constraints = [models.UniqueConstraint(fields=["deployment", "name"], name="secret_name")]
