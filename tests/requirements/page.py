"""docs/requirements.md: each requirement with the cases that prove it, or why it can be shown later only."""

from __future__ import annotations

from collections import Counter

from runtime.processes import ROOT
from tests.requirements.proofs import Proof, later, proofs, requirements

PAGE = ROOT / "docs" / "requirements.md"
MARK = "<!-- Written by `python -m tests.requirements` from what the tests name. Never edited. -->\n"
SHOWN = 3
DECIDABLE = "RLD"


def page() -> str:
    """A function of the tests alone, so that the page in the repository can be compared with it."""
    wanted, proved, waiting = requirements(), proofs(), later()
    counted = Counter(each.section for each in wanted.values() if each.id in proved)
    lines = [
        "# What the language promises, and where it is shown",
        "",
        "Every refusal (R), limit (L) and default (D) of the flow language, every behaviour (B), what a person sees",
        "(U), how a flow is written (A) and what an installation does (P), with the cases that prove it.",
        "",
        f"{len(set(proved) & set(wanted))} of {len(wanted)} are proved. {len(waiting)} can only be shown later, each "
        "with its reason.",
        "",
    ]
    for section in dict.fromkeys(each.section for each in wanted.values()):
        inside = [each for each in wanted.values() if each.section == section]
        lines += [
            f"## {section} ({counted[section]} of {len(inside)})",
            "",
            "| | | | Shown by |",
            "| --- | --- | --- | --- |",
        ]
        for each in inside:
            shown = _shown(proved.get(each.id, [])) or f"*Later: {waiting.get(each.id, 'nothing shows it yet')}*"
            lines.append(f"| {each.id} | {each.kinds} | {_cell(each.words)} | {shown} |")
        lines.append("")
    return "\n".join([*lines, MARK])


def _shown(found: list[Proof]) -> str:
    # The golden words first: they say most.
    found = sorted(found, key=lambda each: (not each.file.startswith("tests/cases/"), each))
    links = [f"[{_name(each)}](../{each.file})" for each in found[:SHOWN]]
    if len(found) > SHOWN:
        links.append(f"{len(found) - SHOWN} more")
    return ", ".join(links)


def _name(proof: Proof) -> str:
    """A test's name as a sentence."""
    words = proof.test.removeprefix("test_").replace("_", " ") if proof.test else proof.file.rpartition("/")[2]
    return _cell(words.replace("[", "(").replace("]", ")"))


def _cell(words: str) -> str:
    return words.replace("|", "\\|")
