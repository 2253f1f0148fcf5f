"""Which files may stand beside a flow: where a path may lead, and what a file is by its name."""

from __future__ import annotations

import unicodedata
from typing import Literal

from flows.words.agents import FILE as REGISTRY
from flows.words.beside import kind_of_file

MAX_PATH = 200
MAX_PARTS = 8

FileKind = Literal["triggers", "agents", "test", "eval", "dataset"]

FLOW = "flow.json"
CODE = "handlers.py"
LAYOUT = "layout.json"
MANIFEST = "manifest.json"
SECRETS = ".env.example"
OWN = {
    FLOW: "is the flow itself",
    LAYOUT: "is where the flow's nodes stand",
    MANIFEST: "is written anew with each export",
}
"""What a flow has beside it of which it is kept elsewhere, with the reason."""

_NO_DISK_TAKES = frozenset('\\:*?"<>|')


def kind_of(path: str) -> FileKind:
    """What a file beside a flow is by its name. Whatever is nothing else is a list of cases that evals may name."""
    kind = kind_of_file(path)
    if kind == "triggers" or kind == "test" or kind == "eval":
        return kind
    return "agents" if path == REGISTRY else "dataset"


def fault_of_path(path: str) -> str:
    """What makes a path none of a file beside a flow, as the end of a sentence; "" when it is one."""
    parts = path.split("/")
    if len(path) > MAX_PATH or len(parts) > MAX_PARTS:
        return f"is longer than {MAX_PATH} characters, or deeper than {MAX_PARTS} folders"
    if any(unicodedata.category(letter) in ("Cc", "Cf", "Cs", "Co", "Cn", "Zl", "Zp") for letter in path):
        return "holds signs that nobody sees"
    if path != unicodedata.normalize("NFC", path):
        return "holds letters written in two parts"
    if _NO_DISK_TAKES & set(path):
        return "holds a sign that not every disk takes"
    if any(not part or part.startswith(".") or part != part.strip() or part.endswith(".") for part in parts):
        return "has a part that is empty, or begins or ends with a dot or a space"
    if not path.endswith(".json"):
        return "does not end with .json"
    if parts[-1] == FLOW or path in OWN:
        return OWN.get(path, "is another flow's own file")
    return ""
