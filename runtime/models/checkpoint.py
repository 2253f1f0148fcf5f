"""LangGraph's checkpoints: a row per checkpoint, per channel version, per pending write. The thread is the run's id."""

from __future__ import annotations

from typing import Any

from django.db import models


class Checkpoint(models.Model):
    thread = models.CharField(max_length=64)
    ns = models.CharField(max_length=300, default="")
    checkpoint_id = models.CharField(max_length=64)
    parent_id = models.CharField(max_length=64, blank=True)
    type = models.CharField(max_length=20)
    body = models.BinaryField()
    metadata: models.JSONField[Any] = models.JSONField()

    class Meta:
        constraints = [models.UniqueConstraint(fields=["thread", "ns", "checkpoint_id"], name="checkpoint_key")]


class CheckpointBlob(models.Model):
    thread = models.CharField(max_length=64)
    ns = models.CharField(max_length=300, default="")
    channel = models.CharField(max_length=340)
    version = models.CharField(max_length=64)
    type = models.CharField(max_length=20)
    body = models.BinaryField()

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["thread", "ns", "channel", "version"], name="checkpoint_blob_key")
        ]


class CheckpointWrite(models.Model):
    thread = models.CharField(max_length=64)
    ns = models.CharField(max_length=300, default="")
    checkpoint_id = models.CharField(max_length=64)
    task_id = models.CharField(max_length=64)
    task_path = models.CharField(max_length=300, blank=True)
    idx = models.IntegerField()
    channel = models.CharField(max_length=340)
    type = models.CharField(max_length=20)
    body = models.BinaryField()

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["thread", "ns", "checkpoint_id", "task_id", "idx"], name="checkpoint_write_key"
            )
        ]
