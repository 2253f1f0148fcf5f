"""Who is told when something goes wrong while nobody watches, what goes wrong, and what was sent about it."""

from __future__ import annotations

import uuid
from typing import Any

from django.db import models

from flows.ordered import OrderedJSON
from flows.scope import Scoped
from runtime.models.run import Run

KINDS = [
    ("failing", "the runs of an agent fail"),
    ("key", "a model's key is refused"),
    ("server", "a tool server does not answer"),
    ("worker", "no worker takes runs"),
    ("budget", "an agent has used most of what it may use in a day"),
]


class NoticePlace(Scoped):
    """Where notices go: people's mail, or an address that a program listens at. As an operator set it."""

    WAYS = [("email", "e-mail"), ("webhook", "webhook")]

    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
    name = models.CharField(max_length=80)
    way = models.CharField(max_length=7, choices=WAYS)
    address = models.TextField(help_text="Mail addresses, one a line, or a URL.")
    inside = models.BooleanField(default=False, help_text="The URL may be one of a private network.")
    secret_cipher = models.BinaryField(default=bytes, help_text="What a webhook is signed with, encrypted.")
    kinds: models.JSONField[Any] = OrderedJSON(default=list, help_text="Which of KINDS it is told about.")
    quiet_minutes = models.PositiveIntegerField(default=30, help_text="At most one message in so long.")
    tells_why = models.BooleanField(default=False, help_text="Failures are repeated in the words of the run.")
    on = models.BooleanField(default=True)
    told_at = models.DateTimeField(null=True, help_text="When its last message was written.")
    made_by = models.CharField(max_length=120, blank=True)
    created_at = models.DateTimeField(auto_now_add=True)

    class Meta(Scoped.Meta):
        constraints = [models.UniqueConstraint(fields=["workspace", "name"], name="notice_place_name")]


class Trouble(Scoped):
    """Something that is wrong, from when it began until it was over. A new time is a new row."""

    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
    kind = models.CharField(max_length=8, choices=KINDS)
    subject = models.CharField(max_length=64, blank=True, help_text="The id of the agent, model or server.")
    name = models.CharField(max_length=120, blank=True)
    level = models.PositiveSmallIntegerField(default=1, help_text="0 suspected, 1 so, 2 worse.")
    count = models.PositiveIntegerField(default=1)
    words = models.TextField(blank=True)
    why = models.TextField(blank=True, help_text="What a failure said; told only where an operator wants it.")
    link = models.CharField(max_length=200, blank=True, help_text="The page that shows more, without the host.")
    since = models.DateTimeField()
    seen_at = models.DateTimeField()
    over_at = models.DateTimeField(null=True)
    told: models.JSONField[Any] = OrderedJSON(
        default=dict, help_text='What each place was told: {id: {"level", "at"}}.'
    )

    class Meta(Scoped.Meta):
        constraints = [
            models.UniqueConstraint(
                fields=["workspace", "kind", "subject"], condition=models.Q(over_at=None), name="one_trouble_at_a_time"
            )
        ]


class Delivery(Scoped):
    """One message to one place: written before it is sent, tried again until it arrives or is given up."""

    STATES = [
        ("due", "to be sent"), ("sent", "arrived"), ("partly", "arrived at some"), ("given_up", "did not arrive"),
    ]  # fmt: skip

    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
    place = models.ForeignKey(NoticePlace, models.CASCADE, related_name="deliveries")
    place_id: uuid.UUID
    state = models.CharField(max_length=8, choices=STATES, default="due")
    is_test = models.BooleanField(default=False)
    title = models.CharField(max_length=200)
    items: models.JSONField[Any] = OrderedJSON(default=list, help_text="What it says, a trouble each.")
    attempts = models.PositiveIntegerField(default=0)
    next_at = models.DateTimeField()
    error = models.TextField(blank=True)
    reached: models.JSONField[Any] = OrderedJSON(
        default=list, help_text="Mail addresses that have it, where not all do."
    )
    created_at = models.DateTimeField(auto_now_add=True)
    sent_at = models.DateTimeField(null=True)

    class Meta(Scoped.Meta):
        indexes = [models.Index(fields=["state", "next_at"], name="delivery_due")]


class TraceDue(Scoped):
    """An ended run whose spans are exported. Written with its end where an exporter is set, else never."""

    run = models.OneToOneField(Run, models.CASCADE, related_name="+")
    run_id: uuid.UUID
    seq = models.PositiveBigIntegerField(default=0, help_text="Its events up to this one are exported.")
    attempts = models.PositiveIntegerField(default=0)
    next_at = models.DateTimeField(null=True, help_text="When what follows is exported; null when nothing does.")

    class Meta(Scoped.Meta):
        indexes = [models.Index(fields=["next_at"], name="trace_due")]


class Retention(Scoped):
    """For how many days a workspace keeps what; None is for ever."""

    checkpoints = models.PositiveIntegerField(null=True, default=14, help_text="Of runs that ended.")
    details = models.PositiveIntegerField(null=True, help_text="Prompts, replies, requests and responses of calls.")
    conversations = models.PositiveIntegerField(null=True, help_text="With their runs, events and decisions.")
    tries = models.PositiveIntegerField(null=True, default=30, help_text="The same of drafts that are tried.")
    files = models.PositiveIntegerField(null=True, help_text="Files that were sent or made.")
    set_by = models.CharField(max_length=120, blank=True)
    set_at = models.DateTimeField(null=True)
    swept_at = models.DateTimeField(null=True)
    swept: models.JSONField[Any] = OrderedJSON(default=dict, help_text="How many of each went since `set_at`.")

    class Meta(Scoped.Meta):
        constraints = [models.UniqueConstraint(fields=["workspace"], name="one_retention")]
