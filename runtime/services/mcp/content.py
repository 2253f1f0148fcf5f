"""What a tool of a server gave, as a channel can hold it and a model can read it."""

from __future__ import annotations

import json
from collections.abc import Iterable
from typing import Any

from flows.words.strictjson import JsonRefused, judge, loads
from runtime.services.requests import walk
from runtime.services.secrets import mask
from runtime.storable import storable

Json = Any


def value_of(result: Any, secrets: Iterable[str], *, wrapped: bool = False) -> Json:
    """The result of a call: its data where it has some, else its text, read as JSON where it is wholly that.

    Secrets that the server repeats are masked. What is no text (an image, a recording) is named and left out.
    wrapped: the server puts a plain result into {"result": …}.
    """
    hidden = list(secrets)

    def clean(text: str) -> str:
        return mask(storable(text), hidden)

    text = clean("\n".join(_words(block) for block in result.content))
    data = result.structured_content
    if data is not None:
        if wrapped and isinstance(data, dict) and set(data) == {"result"}:
            data = data["result"]
        try:
            judge(data)
            return json.loads(json.dumps(walk(data, clean)))
        except (JsonRefused, ValueError, RecursionError):
            return text
    if text[:1] in ("{", "["):
        try:
            return loads(text)
        except JsonRefused:
            pass
    return text


def _words(block: Any) -> str:
    """One part of a result, as text."""
    if isinstance(text := getattr(block, "text", None), str):
        return text
    resource = getattr(block, "resource", None)
    if isinstance(text := getattr(resource, "text", None), str):
        return text
    kind = getattr(resource or block, "mime_type", None) or getattr(block, "type", "part")
    size = len(getattr(resource, "blob", None) or getattr(block, "data", None) or "") * 3 // 4
    link = getattr(block, "uri", None)
    return f"[{link}]" if link else f"[{kind}, {size:,} bytes, left out]"
