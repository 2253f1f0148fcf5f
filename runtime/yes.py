"""The typed yes: the exact words that approve a card, by page language. Anything else declines, once confirmed."""

from __future__ import annotations

import unicodedata

YES: dict[str, frozenset[str]] = {
    language: frozenset(words.split())
    for language, words in {
        "en": "yes", "de": "ja", "nl": "ja", "sv": "ja", "da": "ja", "nb": "ja", "fr": "oui", "es": "sí si",
        "it": "sì si", "pt": "sim", "el": "ναι", "ru": "да", "uk": "так", "pl": "tak", "cs": "ano", "hu": "igen",
        "fi": "kyllä", "tr": "evet", "he": "כן", "ar": "نعم", "fa": "بله", "hi": "हाँ हां", "ja": "はい", "ko": "네 예",
        "zh": "是 是的",
    }.items()
}  # fmt: skip


def is_yes(text: str, language: str = "en") -> bool:
    """Whether the text is, but for case and blanks around it, a yes of the page's language or the English one."""
    word = unicodedata.normalize("NFC", text).strip().casefold()
    return word in YES["en"] | YES.get(language.split("-", maxsplit=1)[0].lower(), frozenset())
