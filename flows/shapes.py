"""What an engine gives: the shape of what a node writes, for the code that reads it."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Shape:
    """words: the value, as code finds it. orders: what code must do with it, whatever its description leaves out."""

    words: str
    orders: tuple[str, ...] = ()
