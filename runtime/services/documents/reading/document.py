"""One document: what it is by its content, and what it says."""

from __future__ import annotations

import base64
import io
import re
import zipfile
from typing import Any

from . import charsets, pdf, web, word
from .refusal import Unreadable

PDF = "application/pdf"
WORD = "application/vnd.openxmlformats-officedocument.wordprocessingml.document"
HTML, PLAIN = "text/html", "text/plain"

_OLD_OFFICE = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"
_CANNOT = "Documents that can be read are PDF, Word (.docx), web pages and text."
_HTML = re.compile(r"\s*(?><!--.*?-->\s*)*+<(!doctype\s+html|html|head|body)\b", re.IGNORECASE | re.DOTALL)
_LONGEST_TITLE = 300


def read(args: dict[str, Any]) -> dict[str, Any]:
    """args: base64, name, mediaType as it was said, charset, most. Gives what a read node writes but its source, or
    { refused: { code, message } }."""
    try:
        media_type, title, text, pages = _read(
            base64.b64decode(args["base64"]), args["name"], args["mediaType"], args["charset"]
        )
        text = _clean(text)
        if not text.strip():
            raise Unreadable("DOCUMENT_EMPTY", "has no text in it.")
    except Unreadable as unreadable:
        return {"refused": {"code": unreadable.code, "message": unreadable.message}}
    most = args["most"]
    return {
        "title": _clean(" ".join(title.split()))[:_LONGEST_TITLE] or args["name"],
        "mediaType": media_type,
        "pages": pages,
        "chars": len(text),
        "truncated": len(text) > most,
        "text": text[:most],
    }


def _read(content: bytes, name: str, said: str, charset: str) -> tuple[str, str, str, int | None]:
    """Media type, title, text, pages."""
    if b"%PDF-" in content[:1024]:
        title, text, pages = pdf.read(content)
        return PDF, title, text, pages
    if content.startswith(_OLD_OFFICE):
        raise _old_office(content)
    if content.startswith(b"PK\x03\x04"):
        if not _is_word(content):
            raise Unreadable("DOCUMENT_KIND", f"is neither a document nor a text. {_CANNOT}")
        return WORD, *word.read(content), None
    if _is_binary(content):
        raise Unreadable("DOCUMENT_KIND", f"is neither a document nor a text. {_CANNOT}")
    text = charsets.decoded(content, charset)
    if text.startswith("{\\rtf"):
        raise Unreadable("DOCUMENT_KIND", f"is a document of the kind RTF, which is not read. {_CANNOT}")
    if said in (HTML, "application/xhtml+xml") or _HTML.match(text) or name.lower().endswith((".html", ".htm")):
        return HTML, *web.read(text), None
    first = next((line.strip("# \t") for line in text.splitlines() if line.strip()), "")
    heading = first if text.lstrip().startswith("# ") else ""
    return (said if said.startswith("text/") else PLAIN), heading, text, None


def _is_word(content: bytes) -> bool:
    try:
        with zipfile.ZipFile(io.BytesIO(content)) as package:
            return word.is_word(package)
    except Exception:
        return False


def _old_office(content: bytes) -> Unreadable:
    if "EncryptedPackage".encode("utf-16-le") in content:
        return Unreadable("DOCUMENT_LOCKED", "is protected by a password. Give a copy without one.")
    if "WordDocument".encode("utf-16-le") in content:
        return Unreadable(
            "DOCUMENT_OLD_WORD", "is an old Word document (.doc), which is not read. Save it as .docx or as PDF."
        )
    return Unreadable("DOCUMENT_KIND", f"is a file of an old Office program, which is not read. {_CANNOT}")


def _is_binary(content: bytes) -> bool:
    start = content[:4096]
    if start.startswith((b"\xff\xfe", b"\xfe\xff")):
        return False
    return b"\0" in start or sum(byte < 9 or 13 < byte < 32 for byte in start) > len(start) // 20


def _clean(text: str) -> str:
    """Without what cannot be kept: the character NUL, and halves of characters."""
    return text.replace("\0", "").encode("utf-8", "replace").decode()
