"""Where a command writes: text, with colours on a terminal only."""

from __future__ import annotations

import os
import shutil
import textwrap
from dataclasses import dataclass
from typing import Protocol

_COLORS = {"red": "31", "yellow": "33", "green": "32", "blue": "36", "faint": "2", "bold": "1"}


class Sink(Protocol):
    """A stream as Django's commands are given one: write() ends the line."""

    def write(self, msg: str) -> object: ...

    def isatty(self) -> bool: ...


@dataclass(frozen=True)
class Screen:
    """out: what was asked for. err: what went wrong. colored: whether out takes colours."""

    out: Sink
    err: Sink
    colored: bool = False

    def say(self, line: str = "") -> None:
        self.out.write(line)

    def complain(self, line: str) -> None:
        self.err.write(line)

    def paint(self, text: str, color: str) -> str:
        """The text in a colour, or as it is where there are none."""
        return f"\x1b[{_COLORS[color]}m{text}\x1b[0m" if self.colored else text

    def wrap(self, text: str, first: str, rest: str) -> list[str]:
        """The text on lines that fit a terminal; where nobody looks, on one line each."""
        width = min(shutil.get_terminal_size((100, 24)).columns, 110) if self.colored else 0
        lines = text.splitlines() or [""]
        if not width:
            return [f"{first if number == 0 else rest}{line}" for number, line in enumerate(lines)]
        return [
            each
            for number, line in enumerate(lines)
            for each in textwrap.wrap(
                line, width, initial_indent=first if number == 0 else rest, subsequent_indent=rest,
                break_long_words=False, break_on_hyphens=False,
            )
        ]  # fmt: skip


def takes_colors(sink: Sink) -> bool:
    """Is this a terminal that shows colours, and did nobody ask for none?"""
    return sink.isatty() and "NO_COLOR" not in os.environ
