"""The browser of the machine: Chromium by name, by CHROMIUM, or the one Playwright installed.

Its headless shell is taken where there is one: the same engine without windows, tabs and extensions around it, which
takes less than half of the machine.

python -m tests.support.chromium             prints its path; exit code 1 when there is none
python -m tests.support.chromium --shell     exit code 1 also when it is not the headless shell
"""

from __future__ import annotations

import os
import shutil
import sys
from pathlib import Path

SHELL = "headless-shell"
NAMES = (
    "chromium-headless-shell",
    "chrome-headless-shell",
    "chromium",
    "chromium-browser",
    "google-chrome-stable",
    "google-chrome",
)


def find() -> str | None:
    """The path of a browser that can be started; None when the machine has none."""
    named = os.environ.get("CHROMIUM")
    if named:
        return shutil.which(named)
    for name in NAMES:
        found = shutil.which(name)
        # Ubuntu's /usr/bin/chromium-browser is a script that tells people to install a snap.
        if found and not _is_snap(Path(found)):
            return found
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        own = Path(playwright.chromium.executable_path)
    # Playwright keeps the shell in a folder of its own beside that of the whole browser.
    shells = sorted(own.parents[2].glob("chromium_headless_shell-*/*/*headless*shell"))
    found = next((file for file in (*reversed(shells), own) if file.exists()), None)
    return str(found) if found else None


def _is_snap(path: Path) -> bool:
    resolved = path.resolve()
    return "snap" in resolved.parts or (resolved.stat().st_size < 10_000 and b"/snap/" in resolved.read_bytes())


def flags() -> list[str]:
    """Chromium's own sandbox does not run as root; /dev/shm is small in containers."""
    return ["--disable-dev-shm-usage", *(["--no-sandbox"] if os.getuid() == 0 else [])]


def main() -> int:
    found = find()
    print(found or "no Chromium was found")
    if "--shell" in sys.argv and found and SHELL not in Path(found).name.replace("_", "-"):
        return 1
    return 0 if found else 1


if __name__ == "__main__":
    sys.exit(main())
