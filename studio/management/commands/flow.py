"""`manage.py flow check|export|fmt|import|new …`: flows on a disk, without a server."""

from __future__ import annotations

from argparse import Namespace
from typing import Any

from django.core.management.base import BaseCommand, CommandParser

from studio.commandline import SUBCOMMANDS
from studio.commandline.command import UNUSABLE, Unusable
from studio.commandline.screen import Screen, takes_colors


class Command(BaseCommand):
    help = "Check, format and make flows: files and folders, without a server."
    requires_system_checks = []  # pyright: ignore[reportAssignmentType] - the stubs know the older spelling only

    def add_arguments(self, parser: CommandParser) -> None:
        subparsers = parser.add_subparsers(dest="subcommand", required=True, metavar="|".join(SUBCOMMANDS))
        for name, each in SUBCOMMANDS.items():
            each.add(subparsers.add_parser(name, help=each.help, description=each.help))

    def handle(self, *args: Any, subcommand: str, **options: Any) -> None:
        screen = Screen(self.stdout, self.stderr, takes_colors(self.stdout) and not options.get("no_color"))
        try:
            code = SUBCOMMANDS[subcommand].run(Namespace(**options), screen)
        except Unusable as refused:
            screen.complain(str(refused))
            code = UNUSABLE
        if code:
            raise SystemExit(code)
