"""A pasted request as a tool of a flow: what the flow says of it, and the code that sends it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from flows.words.names import is_name
from studio.pasted.code import code
from studio.pasted.curl import read_curl
from studio.pasted.openapi import Operation, operations, read_document, read_operation
from studio.pasted.request import Arg, Env, Pasted, Secret, Text
from studio.strings import t

_LONGEST = 4_000
"""So long a description is at most: it is read by people and by models."""


@dataclass(frozen=True)
class Drafted:
    """tool: as it stands in a flow. code: of its unit. secrets: with the values that were pasted."""

    tool: dict[str, Any]
    code: str
    secrets: list[Secret]
    notes: list[str]


@dataclass(frozen=True)
class Found:
    """What a paste holds: one tool, or the operations of which one is to be chosen."""

    tool: Drafted | None
    operations: list[Operation]


def read(text: str, operation: str = "", taken: frozenset[str] = frozenset()) -> Found:
    """Read a paste. taken: names of tools that the flow has. Raises PastedRefused."""
    if text.lstrip().startswith("curl"):
        return Found(drafted(read_curl(text), taken), [])
    document = read_document(text)
    listed = operations(document)
    wanted = operation or (listed[0].id if len(listed) == 1 else "")
    return Found(drafted(read_operation(document, wanted), taken) if wanted else None, listed)


def drafted(pasted: Pasted, taken: frozenset[str]) -> Drafted:
    base, number = pasted.name, 2
    while pasted.name in taken:
        pasted.name, number = f"{base}{number}", number + 1
    # An input that is not called as a field may be was given another name when it was read.
    assert all(is_name(name) for name in pasted.inputs)
    tool: dict[str, Any] = {"name": pasted.name, "description": _description(pasted)}
    if pasted.inputs:
        tool["inputs"] = pasted.inputs
    return Drafted(tool, code(pasted), list(pasted.secrets.values()), pasted.notes)


def _description(pasted: Pasted) -> str:
    address = "".join(_shown(part) for part in pasted.url.parts)
    parts = [f"{pasted.summary.rstrip('.')}." if pasted.summary else ""]
    parts.append(t("pasted.calls", method=pasted.method, address=address))
    if pasted.secrets:
        parts.append(t("pasted.with_secrets", names=", ".join(f"env.{name}" for name in pasted.secrets)))
    if pasted.method == "HEAD":
        parts.append(t("pasted.returns_ok"))
    else:
        parts.append(t("pasted.returns", shape=pasted.returns) if pasted.returns else t("pasted.returns_any"))
    words = " ".join(part for part in parts if part)
    return words if len(words) <= _LONGEST else f"{words[: _LONGEST - 1]}…"


def _shown(part: str | Arg | Env | Text) -> str:
    return part if isinstance(part, str) else "{" + getattr(part, "name", "…") + "}"
