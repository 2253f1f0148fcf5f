"""Files as they were sent: within limits, under paths that lead nowhere else, with a word about each that was left."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field

from flows.beside.names import SECRETS, fault_of_path
from flows.words.strictjson import MAX_BYTES
from studio.refusal import Refusal
from studio.strings import t

MAX_FILES = 2_000
MOST = 20_000_000
"""So many bytes are taken in at once, in all files together."""

# What systems and tools leave in folders, about which nobody needs to hear.
_LITTER = {"__MACOSX", ".DS_Store", "Thumbs.db", "desktop.ini", "__pycache__", "node_modules", "venv"}
_CODE = ".py"


@dataclass(frozen=True)
class Left:
    """A file that was not taken, and why, as a sentence."""

    path: str
    words: str


@dataclass
class Sent:
    """name: of the folder or file. files: path from its top → text. left: what is not among them."""

    name: str
    files: dict[str, str] = field(default_factory=dict)
    left: list[Left] = field(default_factory=list)
    size: int = 0
    _names: set[str] = field(default_factory=set)

    def add(self, path: str, raw: bytes) -> None:
        """Take one file, or say why not. Raises Refusal when it is too much altogether."""
        if not self.wants(path):
            return
        self.size += len(raw)
        if self.size > MOST:
            raise Refusal("IMPORT_TOO_LARGE", t("transfer.too_large", size=f"{MOST // 1_000_000} MB"), 413)
        words = _unreadable(raw)
        if words:
            self.leave(path, words)
            return
        if len(self.files) + len(self.left) >= MAX_FILES:
            raise Refusal("IMPORT_TOO_MANY", t("transfer.too_many", count=f"{MAX_FILES:,}"), 413)
        self.files[path] = raw.decode("utf-8-sig")
        self._names.add(path.casefold())

    def wants(self, path: str) -> bool:
        """Is this a file that may be taken? If not, a word about it is kept where somebody may miss it."""
        parts = path.split("/")
        if _LITTER & set(parts) or any(_is_hidden(part) for part in parts[:-1]):
            return False
        if parts[-1].startswith(".env") and parts[-1] != SECRETS:
            self.leave(path, t("transfer.left_secrets"))
            return False
        if _is_hidden(parts[-1]) and parts[-1] != SECRETS:
            return False
        fault = fault_of(path)
        if fault:
            self.leave(path, t("transfer.left_path", fault=fault))
        elif path.casefold() in self._names:
            self.leave(path, t("transfer.left_twice"))
        elif not path.endswith((".json", _CODE, SECRETS)):
            self.leave(path, t("transfer.left_unread"))
        else:
            return True
        return False

    def leave(self, path: str, words: str) -> None:
        """Say of a file that it is not taken. Raises Refusal when there is no end to them."""
        if len(self.files) + len(self.left) >= MAX_FILES:
            raise Refusal("IMPORT_TOO_MANY", t("transfer.too_many", count=f"{MAX_FILES:,}"), 413)
        self.left.append(Left(shown(path), words))

    def settle(self) -> None:
        """Begin at the folder that everything is in: a folder around it all says only what it is called."""
        while self.files and all("/" in path for path in self.files):
            tops = {path.partition("/")[0] for path in self.files}
            if len(tops) > 1:
                return
            self.name = tops.pop()
            self.files = {path.partition("/")[2]: text for path, text in self.files.items()}
            self.left = [Left(each.path.removeprefix(f"{self.name}/"), each.words) for each in self.left]


def _is_hidden(part: str) -> bool:
    return part.startswith(".") and part not in (".", "..")


def fault_of(path: str) -> str:
    """What makes a path one that nothing is taken from, as the end of a sentence; "" when it is none."""
    if path.startswith(("/", "~")) or "\\" in path or (len(path) > 1 and path[1] == ":"):
        return t("transfer.path_outside")
    if ".." in path.split("/"):
        return t("transfer.path_outside")
    # Any name of a file will do here; only where it stands is looked at.
    folder, _, name = path.rpartition("/")
    plain = name.removesuffix(_CODE).removesuffix(".json").removeprefix(".") or "x"
    return fault_of_path(f"{folder}/x{plain}.json" if folder else f"x{plain}.json")


def shown(path: str) -> str:
    """A path that may hold anything, as a page shows it."""
    return "".join(letter if letter.isprintable() else "\ufffd" for letter in path)[:200]


def _unreadable(raw: bytes) -> str:
    if len(raw) > MAX_BYTES:
        return t("transfer.left_large", size=f"{MAX_BYTES // 1_000_000} MB")
    if b"\x00" in raw:
        return t("transfer.left_no_text")
    try:
        raw.decode("utf-8-sig")
    except UnicodeDecodeError:
        return t("transfer.left_no_text")
    return ""


def of_files(name: str, files: Iterable[tuple[str, bytes]]) -> Sent:
    """What was sent file by file. Raises Refusal."""
    sent = Sent(name)
    for path, raw in files:
        sent.add(path, raw)
    sent.settle()
    return sent
