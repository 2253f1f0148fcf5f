"""Icons: one emoji, or the name of a drawing that ships with the chat page. Nothing is loaded from elsewhere."""

from __future__ import annotations

import unicodedata

NAMES: tuple[str, ...] = (
    "alert", "archive", "arrow-left", "arrow-right", "bell", "book", "box", "briefcase", "calendar", "camera", "chart",
    "check", "clock", "cloud", "code", "coffee", "cross", "document", "download", "edit", "eye", "file", "filter",
    "flag", "folder", "gear", "gift", "globe", "heart", "home", "image", "info", "key", "light", "link", "list", "lock",
    "mail", "map", "message", "minus", "money", "music", "pause", "pen", "person", "people", "phone", "play", "plus",
    "question", "refresh", "search", "send", "shield", "shop", "sparkles", "star", "stop", "tag", "thumb-down",
    "thumb-up", "tool", "trash", "truck", "upload", "warning", "zap",
)  # fmt: skip
"""The drawings of the chat page, by name."""

_JOINERS = "\u200d\ufe0f\u20e3"


def is_icon(text: str) -> bool:
    """Is this the name of a drawing, or one emoji?"""
    return text in NAMES or is_emoji(text)


def is_emoji(text: str) -> bool:
    """Is this one picture character, with what modifies it? Flags and families are several characters in one."""
    if not 0 < len(text) <= 16 or "{{" in text:
        return False
    if len(text) <= 3 and text[0] in "0123456789#*" and text.endswith("\u20e3"):
        return True
    return all(each in _JOINERS or unicodedata.category(each) in ("So", "Sk", "Mn", "Cf") for each in text)
