"""Finds in a sentence what says where something is: an address, a drive, a path. Such things are the deployment's."""

from __future__ import annotations

import re

_ROOTS = "home|root|users|usr|var|opt|srv|etc|mnt|media|tmp|bin|lib|dev|proc|run|volumes|private|applications|library"
_INSIDE = "internal|local|localdomain|lan|corp|intranet"
_LABEL = r"[A-Za-z0-9](?:[A-Za-z0-9-]{0,62}[A-Za-z0-9])?"
_NUMBERS = (
    r"(?:10(?:\.\d{1,3}){3}|127(?:\.\d{1,3}){3}|192\.168(?:\.\d{1,3}){2}|172\.(?:1[6-9]|2\d|3[01])(?:\.\d{1,3}){2})"
)

_PLACES = (
    # A web address, or that of any other service: https://crm.example, postgres://…, jdbc:oracle:…
    re.compile(r"\b[A-Za-z][A-Za-z0-9+.-]{1,20}://[^\s\"'<>]*|\bjdbc:[^\s\"'<>]+|\bwww\.[^\s\"'<>]+"),
    # A drive, or a share of a Windows machine.
    re.compile(r"(?<![A-Za-z0-9])[A-Za-z]:[\\/][^\s\"'<>]*|\\\\[A-Za-z0-9._-]+\\[^\s\"'<>]*"),
    # A path at one of the usual roots, or in somebody's own folder.
    re.compile(rf"(?i)(?<![\w.\\/])(?:/(?:{_ROOTS})/[^\s\"'<>]*|~/[^\s\"'<>]+)"),
    # A machine by its name or number: localhost, db.internal, 192.168.1.4, crm.example.com:8080.
    re.compile(r"(?i)(?<![\w.@-])localhost(?::\d+)?(?![\w-])"),
    re.compile(rf"(?i)(?<![\w.@-])(?:{_LABEL}\.)+(?:{_INSIDE})(?::\d+)?(?![\w-]|\.\w)"),
    re.compile(rf"(?<![\w.])(?:{_NUMBERS}(?::\d+)?|\d{{1,3}}(?:\.\d{{1,3}}){{3}}:\d{{2,5}})(?!\w|\.\d)"),
    re.compile(rf"(?i)(?<![\w.@-])(?:{_LABEL}\.)+[a-z]{{2,24}}:\d{{2,5}}(?!\w)"),
    # What a connection is made of.
    re.compile(r"(?i)\b(?:host|server|hostname|data source|port)\s*=\s*[^\s;,]+|\bport\s+\d{3,5}\b"),
)  # fmt: skip
_LONGEST = 20_000


def whereabouts(text: str) -> str:
    """The part of a sentence that says where something is; "" when none does."""
    found = [match for pattern in _PLACES if (match := pattern.search(text[:_LONGEST]))]
    first = min(found, key=lambda match: match.start(), default=None)
    return first[0].rstrip(".,;:)") if first else ""
