"""Flows on a disk: which files a path means, and a folder as the mapping that trees of flows are read from."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from pathlib import Path

from flows.tree import TOP
from flows.words import strictjson
from flows.words.address import fault_of
from flows.words.base import Json
from flows.words.beside import kind_of_file
from flows.words.strictjson import MAX_BYTES, JsonRefused
from studio.commandline.command import Unusable

MAX_FILES = 5000
_SKIPPED = {"node_modules", "__pycache__", "venv"}
_MARKS = (".git", "manifest.json", "pyproject.toml", "package.json")
"""What stands at the top of a project: no address of a flow leads out of it."""


class Folder(Mapping[str, bytes]):
    """A folder's JSON files by their paths below it, read when they are asked for."""

    def __init__(self, root: Path) -> None:
        self.root = root

    def __contains__(self, path: object) -> bool:
        return isinstance(path, str) and (self.root / path).is_file()

    def __getitem__(self, path: str) -> bytes:
        if path not in self:
            raise KeyError(path)
        with (self.root / path).open("rb") as file:
            # One byte more than is taken: the reader refuses it as too large, and nothing larger is ever held.
            return file.read(MAX_BYTES + 1)

    def __iter__(self) -> Iterator[str]:
        return iter(json_below(self.root))

    def __len__(self) -> int:
        return len(json_below(self.root))


def json_below(folder: Path) -> list[str]:
    """The JSON files in a folder and below it, as paths from there, in order. Hidden folders are left alone."""
    found: list[str] = []
    for here, folders, files in os.walk(folder):
        folders[:] = sorted(name for name in folders if not name.startswith(".") and name not in _SKIPPED)
        below = Path(here).relative_to(folder)
        found += [(below / name).as_posix() for name in sorted(files) if name.endswith(".json")]
        if len(found) > MAX_FILES:
            break
    return found[:MAX_FILES]


def existing(path: str) -> Path:
    """The file or folder that a person named. Raises Unusable."""
    found = Path(path)
    if not found.exists():
        raise Unusable(f'There is no file or folder "{path}".')
    return found.absolute()


def flows_in(folder: Path) -> list[Path]:
    """The flow of a folder, or every flow below it. Raises Unusable when there is none."""
    tops = [path for path in json_below(folder) if path.rpartition("/")[2] == TOP]
    if not tops:
        raise Unusable(f'There is no {TOP} in "{shown(folder)}" or below it. Name a flow\'s file, or its folder.')
    return [folder / path for path in sorted(tops, key=lambda path: (path.count("/"), path))]


def beside_in(folder: Path) -> list[Path]:
    """The triggers, tests and evals in a folder and below it."""
    return [folder / path for path in json_below(folder) if kind_of_file(path)]


def project_of(file: Path, least: Path | None = None) -> Path:
    """The folder that the addresses in a flow's file may lead through: its project, or at least the folder named."""
    for folder in file.parents:
        if any((folder / mark).exists() for mark in _MARKS):
            return folder
    return least or file.parent


def common_folder(file: Path, least: Path, raw: bytes) -> Path:
    """The folder that has a file beside a flow, its flow and its code, or the one named where that has them all."""
    top = file.parent
    for key in ("flow", "handlers"):
        address = address_in(raw, key)
        folder = file.parent
        for part in address.split("/") if address and not fault_of(address) else ():
            folder = folder.parent if part == ".." else folder
        top = folder if top.is_relative_to(folder) else top
    return least if top.is_relative_to(least) else top


def address_in(raw: bytes, key: str = "flow") -> str:
    """Where a file beside a flow says that its flow is, or its code; "" when it does not or cannot be read."""
    try:
        value: Json = strictjson.loads(raw)
    except JsonRefused:
        return ""
    address = value.get(key) if isinstance(value, dict) else None
    return address if isinstance(address, str) else ""


def shown(path: Path) -> str:
    """A path as the person would write it from where they stand."""
    near = os.path.relpath(path)
    return str(path) if near.startswith(os.path.join("..", "..", "..")) else near
