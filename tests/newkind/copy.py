"""A copy of the product with one more kind: one module, and its name in the list of kinds."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

from runtime.processes import ROOT

COPIED = ("flows", "runtime", "studio", "tests", "frontend/scripts", "manage.py", "pyproject.toml")
LINKED = ("frontend/node_modules", "static", "docs")
KINDS = "flows/kinds/__init__.py"


def with_shout(folder: Path) -> Path:
    """The product as it is now, with the kind "shout" added, in this folder."""
    there = folder / "product"
    listed = subprocess.run(
        ["git", "ls-files", "--cached", "--others", "--exclude-standard", *COPIED],
        cwd=ROOT, capture_output=True, text=True, check=True,
    )  # fmt: skip
    for name in listed.stdout.splitlines():
        if (ROOT / name).is_file():
            (there / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(ROOT / name, there / name)
    for name in LINKED:
        (there / name).parent.mkdir(parents=True, exist_ok=True)
        (there / name).symlink_to(ROOT / name)
    shutil.copyfile(ROOT / "tests/newkind/shout.py", there / "flows/kinds/shout.py")
    before = (there / KINDS).read_text(encoding="utf-8")
    (there / KINDS).write_text(listing(before), encoding="utf-8")
    return there


def listing(kinds: str) -> str:
    """The list of kinds with one more in it: its import and its place."""
    imported = kinds.replace(
        "from flows.kinds.tool import", "from flows.kinds.shout import Shout\nfrom flows.kinds.tool import"
    )
    added = imported.replace("Tools()", "Tools(), Shout()")
    assert imported != kinds and added != imported
    return added


def passes(there: Path, cases: str) -> None:
    """Run a file of cases inside the copy, and say what failed in it."""
    environment = {name: value for name, value in os.environ.items() if not name.startswith(("LGSTUDIO_", "PYTEST"))}
    environment["PYTHONPATH"] = str(there)
    run = subprocess.run(
        [sys.executable, "-m", "pytest", cases, "-q", "-x"],
        cwd=there, env=environment, capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert run.returncode == 0, run.stdout[-6000:] + run.stderr[-2000:]
    assert " passed" in run.stdout or "100%" in run.stdout
