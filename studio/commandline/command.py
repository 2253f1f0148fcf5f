"""What a part of `manage.py flow` is: a name, its arguments, and what it does. Few need a database."""

from __future__ import annotations

from argparse import ArgumentParser, Namespace
from collections.abc import Callable
from dataclasses import dataclass

from studio.commandline.screen import Screen

FINE, WRONG, UNUSABLE = 0, 1, 2
"""Exit codes: all is well; something is wrong with a flow; the command could not do its work."""


class Unusable(Exception):
    """The command cannot do its work: a path that is not there, a name that is taken. The message is a sentence."""


@dataclass(frozen=True)
class Subcommand:
    """name: `check`. help: one line. add: declares its arguments. run: does it, and returns the exit code."""

    name: str
    help: str
    add: Callable[[ArgumentParser], None]
    run: Callable[[Namespace, Screen], int]
