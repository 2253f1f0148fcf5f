"""What a file is, by what is in it. A name and a sender's word may only agree with that, or the file is refused."""

from __future__ import annotations

import re
import unicodedata
from dataclasses import dataclass

from flows.problem import quoted

HEAD, TAIL = 4096, 65_536
UNKNOWN = "application/octet-stream"
TEXT = "text/plain"
LONGEST_NAME = 120

_MAGIC: tuple[tuple[int, bytes, str], ...] = (
    (0, b"\x89PNG\r\n\x1a\n", "image/png"),
    (0, b"\xff\xd8\xff", "image/jpeg"),
    (0, b"GIF87a", "image/gif"),
    (0, b"GIF89a", "image/gif"),
    (0, b"BM", "image/bmp"),
    (0, b"II*\x00", "image/tiff"),
    (0, b"MM\x00*", "image/tiff"),
    (0, b"%PDF-", "application/pdf"),
    (0, b"{\\rtf", "application/rtf"),
    (0, b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1", "application/x-ole-storage"),
    (0, b"\x1f\x8b", "application/gzip"),
    (0, b"7z\xbc\xaf'\x1c", "application/x-7z-compressed"),
    (0, b"Rar!\x1a\x07", "application/vnd.rar"),
    (0, b"fLaC", "audio/flac"),
    (0, b"OggS", "audio/ogg"),
    (0, b"ID3", "audio/mpeg"),
    (0, b"\x1a\x45\xdf\xa3", "video/webm"),
    (0, b"\x7fELF", "application/x-executable"),
    (0, b"MZ", "application/x-executable"),
)
_IN_LETTERS = ("application/pdf", "application/rtf")
_RIFF = {b"WEBP": "image/webp", b"WAVE": "audio/wav", b"AVI ": "video/x-msvideo"}
_BRANDS = {
    b"avif": "image/avif", b"avis": "image/avif", b"heic": "image/heic", b"heix": "image/heic", b"mif1": "image/heic",
    b"M4A ": "audio/mp4", b"M4B ": "audio/mp4", b"qt  ": "video/quicktime",
}  # fmt: skip
_INSIDE_ZIP: tuple[tuple[bytes, str], ...] = (
    (b"mimetypeapplication/vnd.oasis.opendocument.text", "application/vnd.oasis.opendocument.text"),
    (b"mimetypeapplication/vnd.oasis.opendocument.spreadsheet", "application/vnd.oasis.opendocument.spreadsheet"),
    (b"mimetypeapplication/epub+zip", "application/epub+zip"),
)
WORD = "application/vnd.openxmlformats-officedocument.wordprocessingml.document"
SHEET = "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet"
SLIDES = "application/vnd.openxmlformats-officedocument.presentationml.presentation"

_ENDINGS: dict[str, tuple[str, ...]] = {
    "image/png": ("png",), "image/jpeg": ("jpg", "jpeg", "jpe", "jfif"), "image/gif": ("gif",), "image/bmp": ("bmp",),
    "image/webp": ("webp",), "image/avif": ("avif",), "image/heic": ("heic", "heif"), "image/tiff": ("tif", "tiff"),
    "application/pdf": ("pdf",), "application/rtf": ("rtf",), "application/zip": ("zip",),
    "application/gzip": ("gz", "tgz"),
    "application/x-ole-storage": ("doc", "xls", "ppt", "msg"), "application/x-7z-compressed": ("7z",),
    "application/vnd.rar": ("rar",), WORD: ("docx",), SHEET: ("xlsx",), SLIDES: ("pptx",),
    "application/vnd.oasis.opendocument.text": ("odt",), "application/vnd.oasis.opendocument.spreadsheet": ("ods",),
    "application/epub+zip": ("epub",), "audio/flac": ("flac",), "audio/ogg": ("ogg", "oga", "opus"),
    "audio/mpeg": ("mp3",), "audio/wav": ("wav",), "audio/mp4": ("m4a", "m4b"), "video/mp4": ("mp4", "m4v"),
    "video/webm": ("webm", "mkv"), "video/quicktime": ("mov",), "video/x-msvideo": ("avi",),
    "application/x-executable": ("exe", "dll", "so"),
}  # fmt: skip
_TEXTS = {
    "txt": TEXT, "log": TEXT, "md": "text/markdown", "markdown": "text/markdown", "csv": "text/csv",
    "tsv": "text/tab-separated-values", "json": "application/json", "jsonl": TEXT, "yaml": "application/yaml",
    "yml": "application/yaml", "xml": "application/xml", "html": "text/html", "htm": "text/html",
    "svg": "image/svg+xml", "ics": "text/calendar", "vcf": "text/vcard", "eml": "message/rfc822", "css": "text/css",
    "js": "text/javascript", "py": "text/x-python", "srt": TEXT, "vtt": "text/vtt",
}  # fmt: skip
_BY_ENDING = {ending: type for type, endings in _ENDINGS.items() for ending in endings}
_TEXT_TYPES = frozenset(_TEXTS.values())
_LIKE = {
    frozenset(pair)
    for pair in (("audio/ogg", "video/ogg"), ("audio/mp4", "video/mp4"), ("video/mp4", "video/quicktime"))
}

INLINE = frozenset(
    {
        "image/png", "image/jpeg", "image/gif", "image/webp", "image/avif",
        "audio/mpeg", "audio/wav", "audio/ogg", "audio/flac", "audio/mp4", "video/mp4", "video/webm",
    }
)  # fmt: skip
"""What a page may draw or play. Everything else is only ever downloaded."""


@dataclass(frozen=True)
class Kind:
    """A file's name as it is kept, and what it is."""

    name: str
    media_type: str


class FileRefused(Exception):
    """The file is not taken. message: a sentence for whoever gives it."""

    def __init__(self, code: str, message: str) -> None:
        super().__init__(message)
        self.code = code
        self.message = message


def judge(name: str, content: bytes) -> Kind:
    """What a file is. Raises FileRefused where name and content disagree."""
    name = clean(name)
    ending = ending_of(name)
    found = _by_content(content)
    said = _BY_ENDING.get(ending)
    if found is None:
        if said is not None:
            raise _other(name, said, "something else")
        if not _is_text(content[:HEAD]):
            return Kind(name, UNKNOWN)
        return Kind(name, _TEXTS.get(ending) or _text_of(content[:HEAD]))
    if ending in _TEXTS or (said is not None and not _agree(said, found)):
        raise _other(name, said or _TEXTS[ending], found)
    if said is not None and frozenset((said, found)) in _LIKE:
        found = said
    return Kind(name if ending else f"{name}.{_ENDINGS[found][0]}" if found in _ENDINGS else name, found)


def judge_made(name: str, media_type: str, content: bytes) -> Kind:
    """As judge, for a file that code made and says the type of."""
    kind = judge(name, content)
    said = media_type.partition(";")[0].strip().lower()
    if not said or said in (kind.media_type, UNKNOWN) or frozenset((said, kind.media_type)) in _LIKE:
        return kind
    is_text = kind.media_type in _TEXT_TYPES
    if is_text and (said in _TEXT_TYPES or (said.startswith("text/") and re.fullmatch(r"text/[\w.+-]{1,60}", said))):
        # A text is what its author says it is; what was found looks at its beginning only.
        return Kind(kind.name, kind.media_type if kind.media_type in ("text/html", "image/svg+xml") else said)
    if kind.media_type == UNKNOWN and said not in INLINE and re.fullmatch(r"[\w.+-]{1,40}/[\w.+-]{1,58}", said):
        return Kind(kind.name, said if said not in _TEXT_TYPES else UNKNOWN)
    raise _other(kind.name, said, kind.media_type)


def accepts(accept: str | None, name: str, media_type: str) -> bool:
    """Is a file one of those that `accept` names? ".pdf,.docx", "image/*" and whole types; nothing accepts all."""
    wanted = [word.strip().lower() for word in (accept or "").split(",") if word.strip()]
    if not wanted:
        return True
    return any(
        name.lower().endswith(word)
        if word.startswith(".")
        else media_type.startswith(word[:-1])
        if word.endswith("/*")
        else word in (media_type, "*")
        for word in wanted
    )


def clean(name: str) -> str:
    """A file's name that is safe to show and to save under: no path, no control character, not too long."""
    name = unicodedata.normalize("NFC", name).replace("\\", "/").rpartition("/")[2]
    # Marks that turn the direction of writing make exe.fdp of pdf.exe.
    name = "".join(each for each in name if unicodedata.category(each)[0] != "C")
    name = " ".join(re.sub(r'[<>:"|?*]', "_", name).split()).strip(". ")
    stem, dot, ending = name.rpartition(".")
    if len(name) > LONGEST_NAME:
        keeps = dot and len(ending) <= 10
        name = f"{stem[: LONGEST_NAME - len(ending) - 1]}.{ending}" if keeps else name[:LONGEST_NAME]
    return name or "file"


def ending_of(name: str) -> str:
    stem, dot, ending = name.rpartition(".")
    return ending.lower() if dot and stem else ""


def _agree(said: str, found: str) -> bool:
    return said == found or frozenset((said, found)) in _LIKE


def _other(name: str, said: str, found: str) -> FileRefused:
    what = found if found == "something else" else f"a file of the type {found}"
    return FileRefused(
        "FILE_IS_OTHER",
        f"{quoted(name)} is {what}, and its name or type says {said}. Give the file as it really is, under a name that "
        "fits.",
    )


def _by_content(content: bytes) -> str | None:
    head = content[:HEAD]
    found = next((type for at, mark, type in _MAGIC if head.startswith(mark, at)), None)
    if head[:4] == b"RIFF":
        found = _RIFF.get(head[8:12])
    elif head[4:8] == b"ftyp":
        found = _BRANDS.get(head[8:12], "video/mp4")
    elif head[:4] in (b"PK\x03\x04", b"PK\x05\x06"):
        found = _in_zip(head, content[-TAIL:])
    elif found is None and len(head) > 3 and head[0] == 0xFF and head[1] & 0xE6 == 0xE2:
        found = "audio/mpeg"
    # A text may begin with the same letters: MZ, BM or ID3.
    return None if found not in _IN_LETTERS and _is_text(head) else found


def _in_zip(head: bytes, tail: bytes) -> str:
    """What a ZIP archive holds, by the names in its first entries and in the list at its end."""
    for mark, type in _INSIDE_ZIP:
        if mark in head[:200]:
            return type
    if b"[Content_Types].xml" in head or b"[Content_Types].xml" in tail:
        for folder, type in ((b"word/", WORD), (b"xl/", SHEET), (b"ppt/", SLIDES)):
            if folder in tail or folder in head:
                return type
    return "application/zip"


def _is_text(head: bytes) -> bool:
    if head.startswith((b"\xff\xfe", b"\xfe\xff")):
        return True
    if b"\0" in head:
        return False
    controls = sum(each < 32 and each not in b"\t\n\r\f\x1b" for each in head)
    return controls <= len(head) // 100


def _text_of(head: bytes) -> str:
    """A text whose name says nothing: HTML and SVG are told apart, because no page may ever draw them."""
    start = head.lstrip(b"\xef\xbb\xbf \t\r\n").lower()[:600]
    if start.startswith(b"<svg") or (start.startswith(b"<?xml") and b"<svg" in start):
        return "image/svg+xml"
    if start.startswith((b"<!doctype html", b"<html", b"<head", b"<body", b"<script")):
        return "text/html"
    return TEXT
