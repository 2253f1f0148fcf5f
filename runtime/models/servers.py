"""MCP servers: where they are, which of them a deployment uses, and which of their tools it may call."""

from __future__ import annotations

import uuid
from typing import Any

from django.db import models

from flows.ordered import OrderedJSON
from flows.scope import Scoped
from runtime.models.deployment import Deployment


class McpServer(Scoped):
    """A server as an operator set it. Nothing of this is ever said by a flow."""

    TRANSPORTS = [("http", "streamable HTTP"), ("sse", "server-sent events"), ("stdio", "a program of the worker")]

    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
    name = models.CharField(max_length=80)
    transport = models.CharField(max_length=5, choices=TRANSPORTS)
    url = models.CharField(max_length=500, blank=True)
    command = models.CharField(max_length=80, blank=True, help_text="A name in the installation's file of commands.")
    cipher = models.BinaryField(default=bytes, help_text="Headers, or the program's environment: {name: value}.")
    seconds = models.PositiveIntegerField(default=30, help_text="How long one call may take.")
    offered: models.JSONField[Any] = OrderedJSON(null=True, help_text="The tools as they were last seen.")
    look_wanted_at = models.DateTimeField(null=True)
    looked_at = models.DateTimeField(null=True)
    look_error = models.TextField(blank=True)
    changed_at = models.DateTimeField(auto_now=True)
    created_at = models.DateTimeField(auto_now_add=True)

    class Meta(Scoped.Meta):
        constraints = [models.UniqueConstraint(fields=["workspace", "name"], name="mcp_server_name")]


class McpLink(Scoped):
    """Which server a deployment means by the name that its flow uses."""

    deployment = models.ForeignKey(Deployment, models.CASCADE, related_name="mcp_links")
    deployment_id: uuid.UUID
    name = models.CharField(max_length=64)
    server = models.ForeignKey(McpServer, models.CASCADE, related_name="links")
    server_id: uuid.UUID

    class Meta(Scoped.Meta):
        constraints = [models.UniqueConstraint(fields=["deployment", "name"], name="mcp_link_name")]


class McpTool(Scoped):
    """One tool of a server, as a deployment may call it: looked at, switched on, and known to read or write.

    definition: as an operator looked at it; null for one that nobody looked at. news: what the server says now, where
    that differs; the tool is off until somebody looks.
    """

    EFFECTS = [("read", "reads"), ("idempotent", "may be repeated"), ("write", "writes")]

    link = models.ForeignKey(McpLink, models.CASCADE, related_name="tools")
    link_id: int
    name = models.CharField(max_length=200, help_text="What the server calls it.")
    on = models.BooleanField(default=True)
    effect = models.CharField(max_length=10, choices=EFFECTS, default="write")
    definition: models.JSONField[Any] = OrderedJSON(null=True)
    sha = models.CharField(max_length=64, blank=True)
    news: models.JSONField[Any] = OrderedJSON(null=True)
    looked_by = models.CharField(max_length=120, blank=True)
    looked_at = models.DateTimeField(null=True)

    class Meta(Scoped.Meta):
        constraints = [models.UniqueConstraint(fields=["link", "name"], name="mcp_tool_name")]
