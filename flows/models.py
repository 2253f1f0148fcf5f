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


def no_layout() -> dict[str, Any]:
    """Nothing stands anywhere yet: the editor lays the flow out."""
    return {"nodes": {}, "comments": []}


class Flow(Scoped):
    """A flow under edit. `draft` is the text as its author left it, valid or not; nothing typed is ever lost."""

    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
    path = models.CharField(
        max_length=200,
        help_text="Where it stands in its workspace: the folder that its flow.json is in, or a .json file itself.",
    )
    name = models.CharField(max_length=120)
    draft = models.TextField()
    layout: models.JSONField[Any] = OrderedJSON(
        default=no_layout, help_text='{"nodes": {id: {"x", "y"}}, "comments": […]}: never in the document.'
    )
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


class FlowFile(Scoped):
    """A file beside a flow, as it was typed: triggers, the registry of agents, tests, evals and their cases."""

    flow = models.ForeignKey(Flow, models.CASCADE, related_name="files")
    flow_id: uuid.UUID
    path = models.CharField(max_length=200, help_text="From the flow's folder: tests/first.test.json.")
    text = models.TextField(blank=True)
    sha = models.CharField(max_length=64, help_text="SHA-256 of the text; a save names the one it began from.")
    size = models.PositiveIntegerField(help_text="How many characters the text has.")
    updated_by = models.ForeignKey(settings.AUTH_USER_MODEL, models.SET_NULL, null=True, related_name="+")
    updated_by_id: uuid.UUID | None
    updated_at = models.DateTimeField(auto_now=True)

    class Meta(Scoped.Meta):
        constraints = [models.UniqueConstraint(fields=["flow", "path"], name="file_path")]


class FlowEdit(Scoped):
    """One edit of a draft, or its being undone or redone: what it changed, so that it can be taken back exactly."""

    ACTS = [("edit", "edit"), ("undo", "undo"), ("redo", "redo")]
    STATES = [("done", "done"), ("undone", "undone, may be redone"), ("dropped", "undone, and edited since")]

    flow = models.ForeignKey(Flow, models.CASCADE, related_name="edits")
    flow_id: uuid.UUID
    key = models.UUIDField(help_text="Given by whoever edits; the same one again is the same edit.")
    revision = models.PositiveIntegerField(help_text="The draft's, after it.")
    act = models.CharField(max_length=4, choices=ACTS, default="edit")
    of = models.ForeignKey(
        "self", models.SET_NULL, null=True, related_name="+",
        help_text="The edit undone or redone; none when that is not kept any more.",
    )  # fmt: skip
    of_id: int | None
    label = models.CharField(max_length=200)
    operations: models.JSONField[Any] = OrderedJSON(default=list)
    changes: models.JSONField[Any] = OrderedJSON(default=list)
    renamed: models.JSONField[Any] = OrderedJSON(default=dict, help_text="Names that a paste changed: old to new.")
    moves: models.JSONField[Any] = OrderedJSON(
        default=list, help_text="Code that went to a new name: [kind, old, new]."
    )
    # The text as it was typed, where writing the document out would not give it back.
    before = models.TextField(null=True)  # noqa: DJ001 - an empty text is a text
    after = models.TextField(null=True)  # noqa: DJ001
    before_sha = models.CharField(max_length=64)
    after_sha = models.CharField(max_length=64)
    state = models.CharField(max_length=7, choices=STATES, default="done")
    ask = models.UUIDField(null=True, help_text="The request to the Ask bar whose proposal it is.")
    size = models.PositiveIntegerField(help_text="About how many characters the row takes.")
    by = models.ForeignKey(settings.AUTH_USER_MODEL, models.SET_NULL, null=True, related_name="+")
    by_id: uuid.UUID | None
    at = models.DateTimeField(auto_now_add=True)

    class Meta(Scoped.Meta):
        constraints = [
            models.UniqueConstraint(fields=["flow", "key"], name="edit_key"),
            models.UniqueConstraint(fields=["flow", "revision"], name="edit_revision"),
        ]


class FlowAside(Scoped):
    """An edit that met somebody else's at one place. It is kept until a person applies it or lets it go."""

    STATES = [("open", "open"), ("applied", "applied"), ("dropped", "dropped")]

    flow = models.ForeignKey(Flow, models.CASCADE, related_name="asides")
    flow_id: uuid.UUID
    key = models.UUIDField(help_text="The edit's.")
    label = models.CharField(max_length=200)
    operations: models.JSONField[Any] = OrderedJSON(default=list)
    places: models.JSONField[Any] = OrderedJSON(default=list, help_text="[{words, yours, theirs}]")
    message = models.CharField(max_length=600)
    revision = models.PositiveIntegerField(help_text="The draft's that the edit was made on.")
    state = models.CharField(max_length=7, choices=STATES, default="open")
    ask = models.UUIDField(null=True)
    by = models.ForeignKey(settings.AUTH_USER_MODEL, models.SET_NULL, null=True, related_name="+")
    by_id: uuid.UUID | None
    at = models.DateTimeField(auto_now_add=True)

    class Meta(Scoped.Meta):
        constraints = [models.UniqueConstraint(fields=["flow", "key"], name="aside_key")]


class Unit(Scoped):
    """The code of one handler, router, tool or service of a flow's draft."""

    KINDS = [("handler", "handler"), ("router", "router"), ("tool", "tool"), ("service", "service")]
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
    tree: models.JSONField[Any] = OrderedJSON(
        default=dict, blank=True,
        help_text='What it runs: {"top": file, "flows": {file: {"document", "units"}}, "agents": {…}}; or {}.',
    )  # fmt: skip
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

    @property
    def for_known_people(self) -> bool:
        """Whether it, or a flow that it runs, answers only people whom it can name: requires.users."""
        inner = (self.tree or {}).get("flows", {}).values()
        documents = [self.document, *(each["document"] for each in inner)]
        return any((each.get("requires") or {}).get("users") not in (None, False) for each in documents)
