"""Which files a page's script and style are, by the bundle's manifest."""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path

from django.conf import settings

DIST = Path(settings.BASE_DIR) / "static" / "dist"
_read: dict[str, tuple[float, dict]] = {}


@dataclass(frozen=True)
class Entry:
    """script: the module's address; styles: its sheets, in order. Empty when the bundle was not built."""

    script: str
    styles: tuple[str, ...]


def _manifest() -> dict:
    file = DIST / ".vite" / "manifest.json"
    try:
        stamp = file.stat().st_mtime
    except FileNotFoundError:
        return {}
    known = _read.get("manifest")
    if known is None or known[0] != stamp:
        known = _read["manifest"] = (stamp, json.loads(file.read_text()))
    return known[1]


def entry(name: str) -> Entry:
    """The files of the entry called `name`; its sheets come with those of everything it imports."""
    manifest = _manifest()
    found = next((one for one in manifest.values() if one.get("isEntry") and one.get("name") == name), None)
    if found is None:
        return Entry("", ())
    styles: list[str] = []
    seen: set[str] = set()

    def walk(chunk: dict) -> None:
        for key in chunk.get("imports", ()):
            if key not in seen:
                seen.add(key)
                walk(manifest[key])
        for sheet in chunk.get("css", ()):
            if sheet not in styles:
                styles.append(sheet)

    walk(found)
    base = f"{settings.STATIC_URL}dist/"
    return Entry(base + found["file"], tuple(base + sheet for sheet in styles))
