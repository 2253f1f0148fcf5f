"""`manage.py flow …`: a part of it is one module here and one line in this list."""

from __future__ import annotations

from studio.commandline.check import CHECK
from studio.commandline.command import Subcommand
from studio.commandline.export import EXPORT
from studio.commandline.fmt import FMT
from studio.commandline.imports import IMPORT
from studio.commandline.new import NEW
from studio.commandline.run import RUN
from studio.commandline.schema import SCHEMA
from studio.commandline.test import TEST
from studio.commandline.tree import TREE

SUBCOMMANDS: dict[str, Subcommand] = {
    each.name: each for each in (CHECK, EXPORT, FMT, IMPORT, NEW, RUN, SCHEMA, TEST, TREE)
}
