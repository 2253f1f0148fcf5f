"""`flow import`: flows into a workspace, from a file, a folder or a zip, with a word about everything left out."""

from __future__ import annotations

import os
from argparse import ArgumentParser, Namespace
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

from studio.commandline.command import FINE, WRONG, Subcommand, Unusable
from studio.commandline.disk import existing
from studio.commandline.screen import Screen
from studio.commandline.workspaces import add_workspace, entered
from studio.refusal import Refusal

if TYPE_CHECKING:
    from studio.transfer.parts import Contents
    from studio.transfer.sent import Sent
    from studio.transfer.taking import Taken


def _add(parser: ArgumentParser) -> None:
    parser.add_argument("path", metavar="PATH", help="a flow's file, a folder with flows in it, or a zip of one")
    how = parser.add_mutually_exclusive_group()
    how.add_argument("--update", action="store_true", help="replace the drafts of flows that are there already")
    how.add_argument("--copy", action="store_true", help="make flows of their own beside those that are there already")
    how.add_argument("--dry", action="store_true", help="only say what is in it")
    add_workspace(parser)


def _run(options: Namespace, screen: Screen) -> int:
    # Loaded when it is needed: the other parts of the command are quick without a database.
    from studio.transfer import plan
    from studio.transfer.parts import sort
    from studio.transfer.taking import take

    with entered(options.workspace):
        try:
            contents = sort(_sent(existing(options.path)))
            known = plan.known(contents)
            for each in contents.left:
                screen.say(f"{screen.paint('left out', 'yellow')} {each.path}: {each.words}")
            if options.dry:
                return _show(contents, {each.part.file for each in known}, screen)
            if known and not (options.update or options.copy):
                names = ", ".join(f"“{each.flow.name}”" for each in known)
                raise Unusable(f"{names}: here already. Say --update to replace the draft, or --copy.")
            taken = take(contents, "new" if not known else "update" if options.update else "copy", None)
        except Refusal as refused:
            raise Unusable(refused.message) from None
        return _told(taken, screen)


def _sent(path: Path) -> Sent:
    from studio.transfer.archive import MAX_ZIP, is_zip, unpack
    from studio.transfer.sent import of_files

    if path.is_dir():
        return of_files(path.name, _below(path))
    with path.open("rb") as file:
        raw = file.read(MAX_ZIP + 1)
    return unpack(raw, path.stem) if is_zip(raw) else of_files("", [("flow.json", raw)])


def _below(folder: Path) -> Iterator[tuple[str, bytes]]:
    """Every file of a folder, one byte more of each than is taken; links are not followed."""
    from flows.words.strictjson import MAX_BYTES

    for here, folders, files in os.walk(folder):
        folders[:] = sorted(name for name in folders if not name.startswith("."))
        for name in sorted(files):
            file = Path(here) / name
            if file.is_file() and not file.is_symlink():
                with file.open("rb") as opened:
                    yield file.relative_to(folder).as_posix(), opened.read(MAX_BYTES + 1)


def _show(contents: Contents, known: set[str], screen: Screen) -> int:
    for part in contents.parts:
        state = screen.paint("known here", "blue") if part.file in known else screen.paint("new", "green")
        errors = len(part.checked.errors)
        wrong = screen.paint(f" ({errors} {'error' if errors == 1 else 'errors'})", "red") if errors else ""
        screen.say(f"{state} {part.file} “{part.name}”{wrong}")
        for path in sorted(part.beside):
            screen.say(f"    {path}")
    screen.say("Nothing was imported.")
    return WRONG if any(part.checked.errors for part in contents.parts) else FINE


def _told(taken: Taken, screen: Screen) -> int:
    from django.conf import settings

    from flows.placed import checked_in_place
    from flows.stored import file_of
    from studio.transfer.lacks import needs

    wrong = 0
    for flow in taken.flows:
        errors = len(checked_in_place(flow).errors)
        wrong += errors
        said = screen.paint(f" ({errors} {'error' if errors == 1 else 'errors'})", "red") if errors else ""
        screen.say(f"{screen.paint('imported', 'green')} {file_of(flow.path)} “{flow.name}”{said}")
    for path in taken.stays:
        screen.say(f"{screen.paint('stays', 'yellow')} {path}")
    for need in needs(taken.flows[0]):
        if need.state != "there":
            screen.say(f"{screen.paint('needs', 'yellow')} {need.name}: {need.words}")
    screen.say(f"{settings.PUBLIC_URL}/flows/{taken.flows[0].pk}")
    return WRONG if wrong else FINE


IMPORT = Subcommand("import", "Take flows into a workspace, from a file, a folder or a zip.", _add, _run)
