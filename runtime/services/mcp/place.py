"""Where a server is and how it is reached, as operators set it. A flow can say nothing of this."""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal

from runtime.services.secrets import SecretValue, remember

Transport = Literal["http", "sse", "stdio"]

COMMANDS = "MCP_COMMANDS"
"""The environment variable naming the file in which whoever runs the installation lists the programs that may be
started as servers: {"files": {"argv": ["mcp-files", "--root", "/srv/files"], "describe": "…", "env": ["TOKEN"]}}."""
LONGEST_SECONDS = 120
SHORTEST_TOKEN = 8


class CommandsUnreadable(ValueError):
    """The file of commands cannot be used. The message says why."""


@dataclass(frozen=True)
class Command:
    """A program that may be started as a server: all of its arguments, and the secrets that it reads by name."""

    name: str
    argv: tuple[str, ...]
    describe: str = ""
    env: tuple[str, ...] = ()


@dataclass(frozen=True)
class Place:
    """A server as it is reached. headers go along with each request, env into the program's environment.

    grant: what tokens in its headers are renewed with. tokens: those that it was sent.
    """

    name: str
    transport: Transport
    url: str = ""
    argv: tuple[str, ...] = ()
    headers: Mapping[str, SecretValue] = field(default_factory=dict)
    env: Mapping[str, SecretValue] = field(default_factory=dict)
    seconds: float = 30.0
    grant: Mapping[str, SecretValue] = field(default_factory=dict)
    tokens: list[str] = field(default_factory=list)

    def __post_init__(self) -> None:
        for value in self.secrets:
            remember(value)

    @property
    def secrets(self) -> list[str]:
        """What may not be repeated: each value, and of "Bearer …" the token alone."""
        whole = [value.value for value in (*self.headers.values(), *self.env.values(), *self.grant.values())]
        tokens = [value.value.partition(" ")[2].strip() for value in self.headers.values()]
        return [*whole, *self.tokens, *(token for token in tokens if len(token) >= SHORTEST_TOKEN)]


def commands() -> dict[str, Command]:
    """The programs that may be started, by name; none where the installation names no file. Raises
    CommandsUnreadable."""
    path = os.environ.get("MCP_COMMANDS", "")
    if not path:
        return {}
    try:
        listed: Any = json.loads(Path(path).read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        raise CommandsUnreadable(f"The file that {COMMANDS} names cannot be read: {error}.") from None
    if not isinstance(listed, dict):
        raise CommandsUnreadable(f"The file that {COMMANDS} names holds no object of commands.")
    return {name: _command(name, each) for name, each in listed.items()}


def _command(name: str, said: Any) -> Command:
    said = said if isinstance(said, dict) else {}
    argv, env = _texts(said.get("argv")), _texts(said.get("env", []))
    if not argv:
        raise CommandsUnreadable(f'The command "{name}" has no "argv": a list of the program and its arguments.')
    if env is None:
        raise CommandsUnreadable(f'The "env" of the command "{name}" is no list of names.')
    return Command(name, argv, str(said.get("describe", "")), env)


def _texts(value: Any) -> tuple[str, ...] | None:
    right = isinstance(value, list) and all(isinstance(each, str) and "\0" not in each for each in value)
    return tuple(value) if right else None
