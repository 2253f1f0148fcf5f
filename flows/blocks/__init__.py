"""The blocks of a page: views, which a run fills, and pieces of a shell, which stand as they are written."""

from __future__ import annotations

from flows.blocks import action, card, image, links, nav, note, stat, status, who
from flows.blocks.base import View
from flows.problem import Rule
from flows.words.base import Word

VIEWS: dict[str, type[View]] = {"card": card.Card, "image": image.Image, "action": action.Action}

PIECES: dict[str, type[Word]] = {
    "nav": nav.Nav,
    "links": links.Links,
    "who": who.Who,
    "status": status.Status,
    "stat": stat.Stat,
    "note": note.Note,
}

VIEW_RULES: tuple[Rule, ...] = (*card.RULES, *action.RULES)
PIECE_RULES: tuple[Rule, ...] = stat.RULES
"""Called with (block, path)."""
