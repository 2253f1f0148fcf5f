"""The ledgers: a call's row is written before it goes out, and says afterwards what came of it."""

from __future__ import annotations

import uuid
from typing import Any

from django.db import models

from flows.ordered import OrderedJSON
from flows.scope import Scoped
from runtime.models.run import Run


class ToolCall(Scoped):
    """One outgoing request of a step. The key names address and ordinal, so a step that runs again finds it."""

    STATES = [
        ("started", "sent, or about to be"),
        ("done", "answered"),
        ("failed", "certainly not carried out"),
        ("unknown", "nobody knows whether it happened"),
        ("settled", "a person said what happened"),
    ]
    EFFECTS = [("read", "read"), ("idempotent", "idempotent write"), ("write", "write")]

    run = models.ForeignKey(Run, models.CASCADE, related_name="tool_calls")
    run_id: uuid.UUID
    key = models.CharField(max_length=2100, help_text="place#1/placeOrder/2")
    address = models.CharField(max_length=2000)
    unit = models.CharField(max_length=80)
    attempt = models.PositiveIntegerField(default=1)
    effect = models.CharField(max_length=10, choices=EFFECTS)
    state = models.CharField(max_length=8, choices=STATES, default="started")
    fence = models.PositiveBigIntegerField()
    args_sha = models.CharField(max_length=64)
    held_by = models.CharField(
        max_length=2300, blank=True, help_text="Whose it is, in which tries: 2.1 find#1/desk#1/c1.place/"
    )
    request: models.JSONField[Any] = OrderedJSON(
        help_text="Method, address without secrets, body as sent without secrets."
    )
    response: models.JSONField[Any] = OrderedJSON(null=True)
    error = models.TextField(blank=True)
    settled: models.JSONField[Any] = OrderedJSON(null=True, help_text="{outcome: happened | skipped, note, by}")
    ms = models.FloatField(null=True)
    at = models.DateTimeField(auto_now_add=True)

    class Meta(Scoped.Meta):
        constraints = [models.UniqueConstraint(fields=["run", "key"], name="tool_call_key")]


class ModelCall(Scoped):
    """One question to a model. `done` rows are replayed, never asked again."""

    STATES = [("started", "asked"), ("done", "answered"), ("failed", "no usable answer")]

    run = models.ForeignKey(Run, models.CASCADE, related_name="model_calls")
    run_id: uuid.UUID
    key = models.CharField(max_length=2100, help_text="reply#1/a1/0")
    address = models.CharField(max_length=2000)
    attempt = models.PositiveIntegerField(default=1)
    state = models.CharField(max_length=8, choices=STATES, default="started")
    fence = models.PositiveBigIntegerField()
    prompt_sha = models.CharField(max_length=64)
    messages: models.JSONField[Any] = OrderedJSON()
    entry = models.CharField(max_length=80)
    model = models.CharField(max_length=120)
    demo = models.BooleanField(default=False)
    reply = models.TextField(blank=True)
    calls: models.JSONField[Any] = OrderedJSON(null=True, help_text="[{id, name, arguments}] that it wants made.")
    error: models.JSONField[Any] = OrderedJSON(null=True, help_text="{code, message}")
    input_tokens = models.PositiveIntegerField(null=True)
    output_tokens = models.PositiveIntegerField(null=True)
    cost = models.DecimalField(max_digits=14, decimal_places=8, null=True, help_text="USD; null without prices.")
    first_token_ms = models.FloatField(null=True)
    ms = models.FloatField(null=True)
    at = models.DateTimeField(auto_now_add=True)

    class Meta(Scoped.Meta):
        constraints = [models.UniqueConstraint(fields=["run", "key"], name="model_call_key")]
        indexes = [models.Index(fields=["workspace", "at"], name="model_call_day")]
