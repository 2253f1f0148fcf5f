"""Writes docs/requirements.md, and takes off later.md what a test now proves: `python -m tests.requirements`."""

from __future__ import annotations

import textwrap

from tests.requirements.page import PAGE, page
from tests.requirements.proofs import LATER, later, proofs, requirements

WIDTH = 118


def main() -> None:
    proved = proofs()
    waiting = later()
    now = sorted(set(waiting) & set(proved))
    if now:
        print(f"Proved now, and off the list for later: {', '.join(now)}")
        LATER.write_text(_list({id: reason for id, reason in waiting.items() if id not in proved}), encoding="utf-8")
    PAGE.write_text(page(), encoding="utf-8")
    nowhere = [id for id in requirements() if id not in proved and id not in later()]
    print(
        f"{len(proved)} of {len(requirements())} proved; {len(later())} later; nowhere: {' '.join(nowhere) or 'none'}"
    )


def _list(waiting: dict[str, str]) -> str:
    """later.md: its first lines as they are, then each reason with what waits for it."""
    head = LATER.read_text(encoding="utf-8").partition("\n## ")[0].rstrip()
    parts = [head]
    for reason in dict.fromkeys(waiting.values()):
        ids = " ".join(id for id, said in waiting.items() if said == reason)
        parts.append(f"## {reason}\n{textwrap.fill(ids, WIDTH, break_on_hyphens=False)}")
    return "\n\n".join(parts) + "\n"


if __name__ == "__main__":
    main()
