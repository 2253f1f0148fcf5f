"""What a unit may import. All of it is loaded before the first unit, which reads nothing from disk."""

import contextlib
import importlib.machinery
import importlib.util
import os
import sys

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
    "encodings.idna",
    "encodings.iso8859_1",
    "encodings.iso8859_15",
    "encodings.latin_1",
    "encodings.punycode",
    "encodings.raw_unicode_escape",
    "encodings.unicode_escape",
    "encodings.utf_16",
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


def load(folders: list[str]) -> None:
    """Import them all, and whole packages from their folders."""
    for name in (*ALLOWED, *SUBMODULES, *HIDDEN):
        __import__(name)
    for folder in folders:
        _load_package(folder)


def _load_package(folder: str) -> None:
    """A package and everything in it, without its neighbours: no path leads to what else is installed."""
    name = os.path.basename(folder)
    start = f"{folder}/__init__.py"
    loader = importlib.machinery.SourceFileLoader(name, start)
    spec = importlib.machinery.ModuleSpec(name, loader, origin=start, is_package=True)
    spec.submodule_search_locations = [folder]
    package = sys.modules[name] = importlib.util.module_from_spec(spec)
    loader.exec_module(package)
    for where, _, files in sorted(os.walk(folder)):
        inner = os.path.relpath(where, folder).replace(os.sep, ".")
        prefix = name if inner == "." else f"{name}.{inner}"
        for file in sorted(files):
            if file.endswith(".py") and not file.startswith("__"):
                # What wants a package that is not there is left out, as its own package leaves it out.
                with contextlib.suppress(ImportError):
                    __import__(f"{prefix}.{file[:-3]}")
    packages.append(name)
