"""Zips: read without trusting a word of what they say about themselves, and written the same way each time."""

from __future__ import annotations

import io
import stat
import struct
import zipfile
import zlib
from collections.abc import Mapping

from flows.words.strictjson import MAX_BYTES
from studio.refusal import Refusal
from studio.strings import t
from studio.transfer.sent import MAX_FILES, MOST, Sent

MAX_ZIP = 20_000_000
MAX_RATIO = 200
"""How many times its size a file may grow to; text that says something does not come near it."""

_END = b"PK\x05\x06"
_LARGE, _LARGE_END = b"PK\x06\x06", b"PK\x06\x07"
_LARGE_SIZE, _LARGE_END_SIZE = 56, 20
_END_SIZE = 22
_DIRECTORY_ENTRY = 46 + 600
_PIECE = 65_536
# A zip has no use for the time at which it was made: the same flow is the same zip.
_ALWAYS = (1980, 1, 1, 0, 0, 0)
_BROKEN = (
    zipfile.BadZipFile, zlib.error, struct.error, EOFError, OSError, ValueError, OverflowError, RuntimeError,
)  # fmt: skip
_TAKEN = (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED)


def is_zip(raw: bytes) -> bool:
    return raw[:4] in (b"PK\x03\x04", _END)


def unpack(raw: bytes, name: str) -> Sent:
    """The files of a zip. Raises Refusal for one that is broken, too large, or made to be."""
    if len(raw) > MAX_ZIP:
        raise _too_large()
    _judge_directory(raw)
    sent = Sent(name)
    try:
        with zipfile.ZipFile(io.BytesIO(raw)) as archive:
            for entry in archive.infolist():
                _take(archive, entry, sent)
    except _BROKEN as broken:
        raise Refusal("ZIP_BROKEN", t("transfer.zip_broken"), 422) from broken
    sent.settle()
    return sent


def _judge_directory(raw: bytes) -> None:
    """Refuse a list of contents that would fill the memory before the first file is looked at."""
    start = raw.rfind(_END, max(0, len(raw) - _END_SIZE - 65_535))
    if start < 0 or start + _END_SIZE > len(raw):
        raise Refusal("ZIP_BROKEN", t("transfer.zip_broken"), 422)
    count, size = struct.unpack("<HL", raw[start + 10 : start + 16])
    # Where a larger list is told of before it, that one is read.
    at = start - _LARGE_END_SIZE - _LARGE_SIZE
    told = raw[max(0, start - _LARGE_END_SIZE) : start]
    if told.startswith(_LARGE_END):
        if at < 0 or struct.unpack("<Q", told[8:16]) != (at,) or not raw[at:].startswith(_LARGE):
            raise Refusal("ZIP_BROKEN", t("transfer.zip_broken"), 422)
        count, size = struct.unpack("<QQ", raw[at + 32 : at + 48])
    if count > MAX_FILES or size > MAX_FILES * _DIRECTORY_ENTRY:
        raise Refusal("IMPORT_TOO_MANY", t("transfer.too_many", count=f"{MAX_FILES:,}"), 413)


def _take(archive: zipfile.ZipFile, entry: zipfile.ZipInfo, sent: Sent) -> None:
    path = entry.filename
    if entry.is_dir() or not sent.wants(path):
        return
    if entry.flag_bits & 0x1:
        sent.leave(path, t("transfer.left_locked"))
    elif stat.S_ISLNK(entry.external_attr >> 16):
        sent.leave(path, t("transfer.left_link"))
    elif entry.compress_type not in _TAKEN:
        sent.leave(path, t("transfer.left_packed"))
    else:
        sent.add(path, _read(archive, entry))


def _read(archive: zipfile.ZipFile, entry: zipfile.ZipInfo) -> bytes:
    """No more of a file than is kept of one, whatever the zip says of its size."""
    found = bytearray()
    with archive.open(entry) as file:
        while piece := file.read(_PIECE):
            found += piece
            if len(found) > MAX_RATIO * max(entry.compress_size, 1_000):
                raise Refusal("ZIP_BOMB", t("transfer.zip_bomb"), 422)
            if len(found) > MAX_BYTES:
                break
    return bytes(found)


def _too_large() -> Refusal:
    return Refusal("IMPORT_TOO_LARGE", t("transfer.too_large", size=f"{MOST // 1_000_000} MB"), 413)


def pack(files: Mapping[str, str]) -> bytes:
    """The files as a zip: the same bytes for the same files."""
    raw = io.BytesIO()
    with zipfile.ZipFile(raw, "w", zipfile.ZIP_DEFLATED, compresslevel=9) as archive:
        for path in sorted(files):
            entry = zipfile.ZipInfo(path, _ALWAYS)
            entry.compress_type = zipfile.ZIP_DEFLATED
            entry.create_system = 3
            entry.external_attr = (stat.S_IFREG | 0o644) << 16
            archive.writestr(entry, files[path].encode("utf-8"))
    return raw.getvalue()
