"""Writes docs/requirements.md, and takes off later.md what a test now proves: `python -m tests.requirements`."""

from __future__ import annotations

import re

from tests.requirements.page import PAGE, page
from tests.requirements.proofs import ID, LATER, later, proofs, requirements


def main() -> None:
    proved = proofs()
    now = set(later()) & set(proved)
    if now:
        text = LATER.read_text(encoding="utf-8")
        for id in now:
            text = re.sub(rf" ?\b{id}\b", "", text)
        kept = [part for part in re.split(r"(?m)^(?=## )", text) if not part.startswith("## ") or ID.search(part)]
        text = re.sub(r"(?m)^ ?\n(?=\n)|^ +", "", "".join(kept))
        LATER.write_text(text.rstrip() + "\n", encoding="utf-8")
        print(f"Proved now, and off the list for later: {', '.join(sorted(now))}")
    PAGE.write_text(page(), encoding="utf-8")
    open_ = [id for id in requirements() if id not in proved and id not in later()]
    print(f"{len(proved)} of {len(requirements())} proved; {len(later())} later; {len(open_)} open: {' '.join(open_)}")


if __name__ == "__main__":
    main()
