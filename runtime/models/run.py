"""Conversations, their runs, and what happened in them."""

from __future__ import annotations

import uuid
from typing import Any

from django.conf import settings
from django.db import models

from flows.models import FlowVersion
from flows.ordered import OrderedJSON
from flows.scope import Scoped
from runtime.models.deployment import Deployment


class Conversation(Scoped):
    """One thread of messages between a person and an agent. `next_seq` hands out event numbers without gaps."""

    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
    deployment = models.ForeignKey(Deployment, models.CASCADE, related_name="conversations")
    deployment_id: uuid.UUID
    user = models.ForeignKey(settings.AUTH_USER_MODEL, models.SET_NULL, null=True, related_name="+")
    user_id: uuid.UUID | None
    visitor = models.CharField(
        max_length=64, blank=True, help_text="Hash of an anonymous visitor's cookie, else empty."
    )
    title = models.CharField(max_length=120, blank=True)
    next_seq = models.PositiveBigIntegerField(default=1)
    history: models.JSONField[Any] = OrderedJSON(default=list, help_text="[{at, asked, answered}], the last 20 turns.")
    remembered: models.JSONField[Any] = OrderedJSON(default=dict, help_text="Channels marked `remembers`, by name.")
    forked_from = models.ForeignKey(
        "self", models.SET_NULL, null=True, related_name="+", help_text="Whose beginning this one shares."
    )
    forked_from_id: uuid.UUID | None
    created_at = models.DateTimeField(auto_now_add=True)
    last_at = models.DateTimeField(auto_now=True)

    class Meta(Scoped.Meta):
        indexes = [
            models.Index(fields=["deployment", "user", "-last_at"], name="conversation_user"),
            models.Index(fields=["deployment", "visitor", "-last_at"], name="conversation_visitor"),
        ]


class Run(Scoped):
    """One message's run. The row is the truth: who owns it (fence, lease), and how far it is."""

    STATUSES = [
        ("held", "queued behind the turn before it"),
        ("queued", "ready to start"),
        ("running", "a worker has it"),
        ("waiting", "a person is asked"),
        ("resumable", "answered, ready to go on"),
        ("done", "finished"),
        ("failed", "ended by a failure"),
        ("cancelled", "ended by a person"),
        ("lost", "gave up after repeated crashes"),
    ]
    ACTIVE = ("queued", "running", "waiting", "resumable")
    ENDED = ("done", "failed", "cancelled", "lost")

    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
    conversation = models.ForeignKey(Conversation, models.CASCADE, related_name="runs")
    conversation_id: uuid.UUID
    deployment = models.ForeignKey(Deployment, models.CASCADE, related_name="runs")
    deployment_id: uuid.UUID
    version = models.ForeignKey(FlowVersion, models.PROTECT, related_name="+")
    version_id: uuid.UUID
    status = models.CharField(max_length=10, choices=STATUSES, default="queued")
    inputs: models.JSONField[Any] = OrderedJSON(default=dict, help_text="Declared inputs by channel.")
    started_by = models.ForeignKey(settings.AUTH_USER_MODEL, models.SET_NULL, null=True, related_name="+")
    started_by_id: uuid.UUID | None
    client_key = models.CharField(
        max_length=64, blank=True, help_text="The page's own key; the same message twice is one run."
    )
    fence = models.PositiveBigIntegerField(default=0)
    owner = models.CharField(max_length=64, blank=True)
    lease_until = models.DateTimeField(null=True)
    cancel_requested_at = models.DateTimeField(null=True)
    cancelled_by = models.CharField(max_length=120, blank=True)
    attempts = models.PositiveIntegerField(default=0, help_text="Claims since the run last made progress.")
    worked = models.FloatField(
        default=0, help_text="Seconds that workers had it since it began, or was last let go on; waiting not counted."
    )
    continued = models.PositiveBigIntegerField(
        default=0, help_text="The fence at which somebody last let it go on after it had ended badly; 0: nobody did."
    )
    begins: models.JSONField[Any] = OrderedJSON(
        null=True, help_text="Of a run that takes up another: {run, address, node, state, visits, routes}."
    )
    remembered: models.JSONField[Any] = OrderedJSON(
        null=True, help_text="What its conversation remembered once it was done; null for nothing."
    )
    outputs: models.JSONField[Any] = OrderedJSON(default=dict)
    error: models.JSONField[Any] = OrderedJSON(null=True, help_text="{code, message, node, address}")
    created_at = models.DateTimeField(auto_now_add=True)
    started_at = models.DateTimeField(null=True)
    finished_at = models.DateTimeField(null=True)
    checkpoints_gone = models.BooleanField(default=False, help_text="It ended too long ago to go on anywhere in it.")
    details_gone = models.BooleanField(default=False, help_text="What its calls said and heard is no longer kept.")

    class Meta(Scoped.Meta):
        indexes = [
            models.Index(fields=["status", "lease_until"], name="run_due"),
            models.Index(fields=["conversation", "created_at"], name="run_conversation"),
            models.Index(fields=["workspace", "finished_at"], name="run_finished"),
            models.Index(fields=["deployment", "status", "finished_at"], name="run_of_agent"),
        ]
        constraints = [
            models.UniqueConstraint(
                fields=["conversation"],
                condition=models.Q(status__in=("queued", "running", "waiting", "resumable")),
                name="one_turn_at_a_time",
            ),
            models.UniqueConstraint(
                fields=["conversation", "client_key"], condition=~models.Q(client_key=""), name="run_client_key"
            ),
        ]


class RunEvent(Scoped):
    """A fact, numbered without gaps within its conversation, written with the state it reports."""

    conversation = models.ForeignKey(Conversation, models.CASCADE, related_name="events")
    conversation_id: uuid.UUID
    seq = models.PositiveBigIntegerField()
    run = models.ForeignKey(Run, models.CASCADE, related_name="events")
    run_id: uuid.UUID
    type = models.CharField(max_length=32)
    payload: models.JSONField[Any] = OrderedJSON()
    at = models.DateTimeField()

    class Meta(Scoped.Meta):
        constraints = [models.UniqueConstraint(fields=["conversation", "seq"], name="event_seq")]
        indexes = [models.Index(fields=["run", "seq"], name="event_run")]


class RunStream(Scoped):
    """The text of an answer being streamed, as far as it was saved. Gone when its closing event is written."""

    run = models.ForeignKey(Run, models.CASCADE, related_name="streams")
    run_id: uuid.UUID
    item = models.CharField(max_length=200)
    attempt = models.PositiveIntegerField()
    text = models.TextField()

    class Meta(Scoped.Meta):
        constraints = [models.UniqueConstraint(fields=["run", "item"], name="stream_item")]


class Outbox(models.Model):
    """What must reach the broker: written with the state that made it due, removed when published."""

    run = models.ForeignKey(Run, models.CASCADE, related_name="+")
    run_id: uuid.UUID
    at = models.DateTimeField(auto_now_add=True)
    sent_at = models.DateTimeField(null=True)

    class Meta:
        indexes = [models.Index(fields=["sent_at", "id"], name="outbox_due")]


class Leader(models.Model):
    """Which worker leads a loop (dispatcher, sweeper), by lease."""

    name = models.CharField(max_length=40, primary_key=True)
    owner = models.CharField(max_length=64)
    until = models.DateTimeField()
