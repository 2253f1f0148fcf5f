"""A pause: one row, and nothing else. No thread, task or timer waits with it."""

from __future__ import annotations

import uuid
from typing import Any

from django.conf import settings
from django.db import models

from flows.ordered import OrderedJSON
from flows.scope import Scoped
from runtime.models.run import Conversation, Run


class Question(Scoped):
    """What a person is asked. `payload` holds the canonical bytes of everything shown and everything to be sent."""

    KINDS = [("ask", "ask"), ("form", "form"), ("approval", "approval"), ("outcome", "outcome")]
    STATES = [
        ("pending", "waits"),
        ("answered", "answered"),
        ("approved", "approved"),
        ("declined", "declined"),
        ("closed", "closed by the person"),
        ("expired", "nobody decided in time"),
        ("withdrawn", "taken back with its run"),
    ]

    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
    conversation = models.ForeignKey(Conversation, models.CASCADE, related_name="questions")
    conversation_id: uuid.UUID
    run = models.ForeignKey(Run, models.CASCADE, related_name="questions")
    run_id: uuid.UUID
    kind = models.CharField(max_length=8, choices=KINDS)
    node = models.CharField(max_length=2000, help_text="The step as people name it: find/ask_which.")
    address = models.CharField(max_length=2000, help_text="The step with visits and indexes: find#2/ask_which#1.")
    slot = models.CharField(max_length=40, help_text="Which of the step's questions this is: ask, args, approval …")
    interrupt_id = models.CharField(max_length=64)
    payload = models.BinaryField()
    digest = models.CharField(max_length=64)
    state = models.CharField(max_length=10, choices=STATES, default="pending")
    decider = models.CharField(max_length=10, default="starter", help_text="starter or reviewers")
    not_starter = models.BooleanField(default=False)
    answer: models.JSONField[Any] = OrderedJSON(null=True, help_text="What goes back into the run.")
    approved_digest = models.CharField(
        max_length=64, blank=True, help_text="Digest of what was approved, edits included."
    )
    reason = models.TextField(blank=True)
    decided_by = models.ForeignKey(settings.AUTH_USER_MODEL, models.SET_NULL, null=True, related_name="+")
    decided_by_id: uuid.UUID | None
    decided_name = models.CharField(max_length=120, blank=True)
    decided_at = models.DateTimeField(null=True)
    expires_at = models.DateTimeField(null=True)
    created_at = models.DateTimeField(auto_now_add=True)

    class Meta(Scoped.Meta):
        constraints = [models.UniqueConstraint(fields=["run", "interrupt_id"], name="question_interrupt")]
        indexes = [
            models.Index(fields=["workspace", "state", "-created_at"], name="question_inbox"),
            models.Index(fields=["state", "expires_at"], name="question_expiry"),
        ]
