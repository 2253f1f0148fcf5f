"""`flow export`: a flow out of a workspace, with all that it runs and what stands beside it, as a folder or a zip."""

from __future__ import annotations

from argparse import ArgumentParser, Namespace
from pathlib import Path

from flows.beside.names import MANIFEST
from studio.commandline.command import FINE, Subcommand, Unusable
from studio.commandline.disk import shown
from studio.commandline.screen import Screen
from studio.commandline.workspaces import add_workspace, entered, named


def _add(parser: ArgumentParser) -> None:
    parser.add_argument("flow", help="the flow's path, name or id")
    parser.add_argument("to", metavar="PATH", help="a folder, or a file that ends with .zip")
    add_workspace(parser)


def _run(options: Namespace, screen: Screen) -> int:
    # Loaded when it is needed: the other parts of the command are quick without a database.
    from studio.transfer.archive import pack
    from studio.transfer.giving import give

    with entered(options.workspace):
        given = give(named(options.flow))
    to = Path(options.to)
    try:
        if to.suffix == ".zip":
            to.parent.mkdir(parents=True, exist_ok=True)
            to.write_bytes(pack(given.files))
            screen.say(f"{screen.paint('Wrote', 'green')} {shown(to.absolute())}: {_counted(given.files)}.")
            return FINE
        for path in _gone(to, given.files):
            screen.say(f"{screen.paint('left there', 'yellow')} {path}: the flow has it no more")
        written = _write(to, given.files)
    except OSError as refused:
        raise Unusable(f'"{shown(to.absolute())}" could not be written: {refused.strerror}.') from None
    for path in written:
        screen.say(f"{screen.paint('wrote', 'green')} {path}")
    same = len(given.files) - len(written)
    screen.say(f"{_counted(given.files)} in {shown(to.absolute())}{f', {same} as before' if same else ''}.")
    return FINE


def _write(folder: Path, files: dict[str, str]) -> list[str]:
    """Write what differs from what is there; its paths."""
    written: list[str] = []
    for path, text in sorted(files.items()):
        file, raw = folder / path, text.encode()
        if file.is_file() and file.read_bytes() == raw:
            continue
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_bytes(raw)
        written.append(path)
    return written


def _gone(folder: Path, files: dict[str, str]) -> list[str]:
    """What an earlier export wrote that this one does not: it is not removed, but said."""
    from studio.transfer.manifest import read

    file = folder / MANIFEST
    earlier = read(file.read_text(encoding="utf-8", errors="replace")) if file.is_file() else None
    return [path for path in (earlier.files if earlier else {}) if path not in files and (folder / path).is_file()]


def _counted(files: dict[str, str]) -> str:
    return f"{len(files)} {'file' if len(files) == 1 else 'files'}"


EXPORT = Subcommand("export", "Write a flow of a workspace, whole, as a folder or a zip.", _add, _run)
