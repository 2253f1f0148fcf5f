"""What a unit may import. All of it is loaded before the first unit, which reads nothing from disk."""

import contextlib
import importlib.abc
import importlib.machinery
import importlib.util
import os
import sys
from collections.abc import Callable, Iterable
from typing import Any

ALLOWED = (
    "__future__",
    "abc",
    "asyncio",
    "base64",
    "binascii",
    "bisect",
    "calendar",
    "cmath",
    "collections",
    "colorsys",
    "contextlib",
    "copy",
    "csv",
    "dataclasses",
    "datetime",
    "decimal",
    "difflib",
    "email",
    "enum",
    "fractions",
    "functools",
    "hashlib",
    "heapq",
    "hmac",
    "html",
    "io",
    "ipaddress",
    "itertools",
    "json",
    "logging",
    "math",
    "numbers",
    "operator",
    "random",
    "re",
    "secrets",
    "statistics",
    "string",
    "struct",
    "textwrap",
    "time",
    "types",
    "typing",
    "unicodedata",
    "urllib",
    "uuid",
    "warnings",
    "xml",
    "zlib",
    "zoneinfo",
)

SUBMODULES = (
    "collections.abc",
    "email.message",
    "email.mime.multipart",
    "email.mime.text",
    "email.utils",
    "html.entities",
    "html.parser",
    "json.decoder",
    "urllib.parse",
    "xml.etree.ElementTree",
    "xml.sax.saxutils",
)

# What C code of the modules above imports in the name of whoever calls it.
IMPLIED = ("_strptime", "copyreg", "encodings")

# Loaded by the standard library at its first use: strptime, text codecs, an event loop's own parts.
HIDDEN = (
    "_strptime",
    "_ctypes",
    "ctypes",
    "encodings.ascii",
    "encodings.cp1252",
    "encodings.cp437",
    "encodings.idna",
    "encodings.iso8859_1",
    "encodings.iso8859_15",
    "encodings.latin_1",
    "encodings.punycode",
    "encodings.raw_unicode_escape",
    "encodings.unicode_escape",
    "encodings.utf_16",
    "encodings.utf_16_be",
    "encodings.utf_16_le",
    "encodings.utf_32",
    "encodings.utf_8",
    "encodings.utf_8_sig",
    "linecache",
    "resource",
    "select",
    "signal",
    "socket",
    "stringprep",
    "traceback",
    "xml.parsers.expat",
    "zoneinfo._common",
)


packages: list[str] = []
"""Packages that this sandbox has beside the standard library."""


def load(places: list[str]) -> None:
    """Import them all, and whole packages from their folders and files."""
    for name in (*ALLOWED, *SUBMODULES, *HIDDEN):
        __import__(name)
    placed = {os.path.basename(place).removesuffix(".py"): place for place in places}
    finder, hook = _Placed(placed), _source_only(placed.values())
    sys.meta_path.append(finder)
    sys.path_hooks.insert(0, hook)
    for name, place in placed.items():
        _load_package(name, place)
    sys.meta_path.remove(finder)
    sys.path_hooks.remove(hook)


class _Placed(importlib.abc.MetaPathFinder):
    """Finds the packages that were given, each in its own place: no path leads to what else is installed there."""

    def __init__(self, places: dict[str, str]) -> None:
        self._places = places

    def find_spec(self, name: str, path: object = None, target: object = None) -> importlib.machinery.ModuleSpec | None:
        place = self._places.get(name)
        if place is None:
            return None
        alone = place.endswith(".py")
        start = place if alone else f"{place}/__init__.py"
        loader = importlib.machinery.SourceFileLoader(name, start)
        inner = None if alone else [place]
        return importlib.util.spec_from_file_location(name, start, loader=loader, submodule_search_locations=inner)


def _source_only(places: Iterable[str]) -> Callable[[str], Any]:
    """A path hook that finds Python source in these folders and nothing compiled."""
    find = importlib.machinery.FileFinder.path_hook(
        (importlib.machinery.SourceFileLoader, importlib.machinery.SOURCE_SUFFIXES)
    )
    folders = [os.path.realpath(place) for place in places]

    def hook(path: str) -> Any:
        if not any(os.path.realpath(path).startswith(folder) for folder in folders):
            raise ImportError
        return find(path)

    return hook


def _load_package(name: str, folder: str) -> None:
    """A package and everything in it: a unit's process reads nothing from disk."""
    __import__(name)
    packages.append(name)
    for where, folders, files in os.walk(folder):
        # Tests of a package are no part of what code calls.
        folders[:] = sorted(inner for inner in folders if inner not in ("test", "tests"))
        inner = os.path.relpath(where, folder).replace(os.sep, ".")
        prefix = name if inner == "." else f"{name}.{inner}"
        for file in sorted(files):
            if file.endswith(".py") and not file.startswith("__"):
                # What wants a package that is not there is left out, as its own package leaves it out.
                with contextlib.suppress(ImportError):
                    __import__(f"{prefix}.{file[:-3]}")
