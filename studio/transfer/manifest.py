"""manifest.json of an export: which flows are in it, who they are, and what their code was written from."""

from __future__ import annotations

import json
import uuid
from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from flows.words.strictjson import JsonRefused, loads

FORMAT = 1
Sha = Annotated[str, Field(max_length=64)]


class _Part(BaseModel):
    model_config = ConfigDict(extra="ignore", strict=False)


class UnitFacts(_Part):
    """Of a unit's code: who wrote it, from which description, and which code that is said of."""

    origin: Literal["generated", "edited"]
    key: Sha
    sha256: Sha


class FlowFacts(_Part):
    """Of a flow: its file, who it is, and the hash of what it says, whatever the order of its keys."""

    file: Annotated[str, Field(max_length=200)]
    id: uuid.UUID
    name: Annotated[str, Field(max_length=120)] = ""
    kind: Literal["user", "system"] = "user"
    version: str = ""
    sha256: Sha = ""
    units: dict[str, UnitFacts] = {}


class Manifest(_Part):
    """flow: the file of the flow that people talk to. place: where the folder stood in its workspace."""

    format: Literal[1] = FORMAT
    flow: Annotated[str, Field(max_length=200)]
    place: Annotated[str, Field(max_length=200)] = ""
    flows: list[FlowFacts] = Field(default=[], max_length=500)
    files: dict[str, Sha] = {}

    def text(self) -> str:
        plain: dict[str, Any] = self.model_dump(mode="json")
        return json.dumps(plain, ensure_ascii=False, indent=2) + "\n"


def read(text: str | None) -> Manifest | None:
    """The manifest; None where there is none that can be read. It is a hint, and nothing is refused for it."""
    if text is None:
        return None
    try:
        return Manifest.model_validate(loads(text))
    except (JsonRefused, ValidationError):
        return None
