"""The language as the editor is told it: flows/panels.py, with groups and tabs titled in the catalogue's words."""

from __future__ import annotations

import hashlib
import json

from flows import panels
from flows.panels import Language, Part
from studio.strings import catalogue


def language() -> Language:
    """What panels and palette draw. A group or a tab that has no words yet keeps its own name."""
    found = panels.language()
    return found.model_copy(update={"groups": _titled("group", found.groups), "tabs": _titled("tab", found.tabs)})


def _titled(what: str, parts: list[Part]) -> list[Part]:
    known = catalogue()
    return [part.model_copy(update={"title": known.get(f"panel.{what}.{part.name}", part.title)}) for part in parts]


def served() -> tuple[bytes, str]:
    """The language's bytes and their mark, which is another when a word changed."""
    return _bytes(language())


def _bytes(found: Language) -> tuple[bytes, str]:
    text = json.dumps(found.wire(), ensure_ascii=False, separators=(",", ":")).encode()
    return text, hashlib.sha256(text).hexdigest()[:20]
