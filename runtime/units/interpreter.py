"""What of this machine the sandbox has to see: one Python, its standard library, its C libraries, time zones.

Nothing is guessed from the distribution. A short run of the same Python loads everything that the sandbox will load
and tells which files its loader took, so a Debian, pyenv, uv or container Python works alike.
"""

from __future__ import annotations

import contextlib
import functools
import importlib.util
import json
import os
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

INSIDE = Path(__file__).parent / "inside"
_PACKAGES = ("site-packages", "dist-packages")
_ZONES = ("/usr/share/zoneinfo", "/usr/lib/zoneinfo", "/usr/share/lib/zoneinfo")

_ASK = """
import sys
sys.path.insert(0, sys.argv[1])
from inside import modules
modules.load(sys.argv[2:])
import ctypes, json, os, sysconfig

class Entry(ctypes.Structure):
    _fields_ = [("address", ctypes.c_void_p), ("name", ctypes.c_char_p)]

names = []
Seen = ctypes.CFUNCTYPE(ctypes.c_int, ctypes.POINTER(Entry), ctypes.c_size_t, ctypes.c_void_p)
seen = Seen(lambda entry, size, _: names.append(os.fsdecode(entry.contents.name or b"")) or 0)
ctypes.CDLL(None).dl_iterate_phdr(seen, None)
folders = {sysconfig.get_path("stdlib"), sysconfig.get_path("platstdlib"), os.path.dirname(os.__file__)}
print(json.dumps({"exe": os.readlink("/proc/self/exe"), "loaded": names, "folders": sorted(folders),
                  "prefix": sys.base_prefix}))
"""


@dataclass(frozen=True)
class View:
    """files: (path here, path inside), all read only. hidden: folders inside to cover with an empty one."""

    files: tuple[tuple[str, str], ...]
    hidden: tuple[str, ...]
    python: str = "/python/bin/python3"
    libraries: str = "/libraries"


class NoView(Exception):
    """The interpreter cannot be described; the message says why."""


@functools.cache
def view(packages: tuple[str, ...] = ()) -> View:
    """Compute once per process; takes about 0.1 s. packages: folders to see beside the rest. Raises NoView."""
    python = os.path.realpath(getattr(sys, "_base_executable", None) or sys.executable)
    _compile(python, packages)
    command = [python, "-I", "-S", "-B", "-c", _ASK, str(INSIDE.parent), *packages]
    try:
        told = subprocess.run(command, capture_output=True, text=True, timeout=30, check=False)  # noqa: S603 - our own interpreter
    except (OSError, subprocess.SubprocessError) as error:
        raise NoView(f"{python} cannot be started: {error}") from None
    if told.returncode != 0:
        raise NoView(f"{python} lacks a part that the sandbox needs: {told.stderr.strip().splitlines()[-1:]}")
    return _view(json.loads(told.stdout), packages)


def _compile(python: str, packages: tuple[str, ...]) -> None:
    """Keep the packages' bytecode beside them, so that each start of a sandbox reads it. A folder that this process may
    not write stays as it is: then they are compiled at each start."""
    if packages:
        with contextlib.suppress(OSError, subprocess.SubprocessError):
            words = [python, "-I", "-S", "-m", "compileall", "-q", *packages]
            subprocess.run(words, capture_output=True, timeout=60, check=False)  # noqa: S603 - our own interpreter


def inside(package: str) -> str:
    """Where the sandbox sees a package's folder."""
    return f"/packages/{os.path.basename(package)}"


def _view(told: dict, packages: tuple[str, ...]) -> View:
    prefix = told["prefix"]
    files = [(os.path.realpath(told["exe"]), View.python), (str(INSIDE), "/box/inside")]
    files += [(os.path.realpath(package), inside(package)) for package in packages]
    hidden = []
    for folder in _outermost(told["folders"]):
        place = "/python/" + os.path.relpath(folder, prefix)
        files.append((os.path.realpath(folder), place))
        hidden += [f"{place}/{name}" for name in _PACKAGES if os.path.isdir(f"{folder}/{name}")]
    loaders = [name for name in told["loaded"] if os.path.basename(name).startswith(("ld-", "ld."))]
    for name in told["loaded"]:
        if "/" not in name or any(name.startswith(folder + "/") for folder in told["folders"]):
            continue
        place = name if name in loaders else f"{View.libraries}/{os.path.basename(name)}"
        if name != told["exe"]:
            files.append((os.path.realpath(name), place))
    zones = _zones()
    if zones:
        files.append((zones, "/zones"))
    return View(tuple(files), tuple(hidden))


def _outermost(folders: list[str]) -> list[str]:
    return [f for f in folders if not any(f != other and f.startswith(other + "/") for other in folders)]


def _zones() -> str | None:
    """The time zone files of the tzdata package, or of the system."""
    spec = importlib.util.find_spec("tzdata")
    if spec is not None and spec.submodule_search_locations:
        return os.path.join(next(iter(spec.submodule_search_locations)), "zoneinfo")
    return next((folder for folder in _ZONES if os.path.isdir(folder)), None)
