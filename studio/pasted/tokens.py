"""Is a part of an address's path a secret? Some services put theirs there: hooks, bots, signed links."""

from __future__ import annotations

import re
import uuid

_KNOWN = re.compile(
    r"(sk|pk|rk|whsec|ghp|gho|ghs|ghu|github_pat|glpat|xox[abprs]|AKIA|AIza|eyJ|bot\d{6,}:)[-_A-Za-z0-9.:]{8,}"
)
_SAID = re.compile(r"(?i)(^|[-_.])(auth|token|api[-_]?key|apikey|key|secret|signature|webhooks?|hooks?|invite)$")
_HASHED = re.compile(r"(?i)(^|[-_.])(commits?|blobs?|trees?|objects?|revisions?|hash|sha|digest)$")
_RUN = re.compile(r"[A-Za-z0-9]+")
_LONG = 16
_LONG_HEX = 32


def is_secret(part: str, before: str) -> bool:
    """before: the part that stands before it. A word that people can read is none, nor is an id that counts."""
    if not re.fullmatch(r"[A-Za-z0-9._~:=-]{8,}", part) or part.isdigit():
        return False
    if _KNOWN.match(part):
        return True
    if _is_uuid(part):
        return bool(_SAID.search(before))
    if _SAID.search(before) and any(each.isdigit() for each in part):
        return True
    return any(_is_random(run, before) for run in _RUN.findall(part))


def _is_random(run: str, before: str) -> bool:
    if len(run) >= _LONG_HEX and re.fullmatch(r"[0-9a-fA-F]+", run):
        return not _HASHED.search(before)
    kinds = (any(map(str.isdigit, run)), any(map(str.islower, run)), any(map(str.isupper, run)))
    return len(run) >= _LONG and sum(kinds) > 1 and kinds[0]


def _is_uuid(text: str) -> bool:
    try:
        return str(uuid.UUID(text)) == text.lower()
    except ValueError:
        return False
