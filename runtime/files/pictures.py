"""How large a picture is, by its first bytes: one of a few kilobytes may unfold to more than a browser can hold."""

from __future__ import annotations

MOST_PIXELS = 50_000_000
MOST_MARKS = 20_000
"""Parts of a JPEG before its size. One that only fills with them is none to draw, and to read on would take seconds."""
_SIZED = frozenset(range(0xC0, 0xD0)) - {0xC4, 0xC8, 0xCC}
_ALONE = frozenset({0x01, *range(0xD0, 0xD8)})


def is_drawable(content: bytes, media_type: str) -> bool:
    """May a page draw it? A picture whose size cannot be read is none that a page should try."""
    size = {
        "image/png": _png, "image/gif": _gif, "image/jpeg": _jpeg, "image/webp": _webp, "image/avif": _avif,
    }[media_type](content)  # fmt: skip
    return size is not None and 0 < size[0] * size[1] <= MOST_PIXELS


def _png(content: bytes) -> tuple[int, int] | None:
    if content[12:16] != b"IHDR" or len(content) < 24:
        return None
    return int.from_bytes(content[16:20], "big"), int.from_bytes(content[20:24], "big")


def _gif(content: bytes) -> tuple[int, int] | None:
    if len(content) < 10:
        return None
    return int.from_bytes(content[6:8], "little"), int.from_bytes(content[8:10], "little")


def _jpeg(content: bytes) -> tuple[int, int] | None:
    at = 2
    for _ in range(MOST_MARKS):
        if at + 9 > len(content) or content[at] != 0xFF:
            break
        mark = content[at + 1]
        if mark in _SIZED:
            return int.from_bytes(content[at + 7 : at + 9], "big"), int.from_bytes(content[at + 5 : at + 7], "big")
        if mark == 0xFF:
            at += 1
        elif mark in _ALONE:
            at += 2
        else:
            at += 2 + int.from_bytes(content[at + 2 : at + 4], "big")
    return None


def _webp(content: bytes) -> tuple[int, int] | None:
    form = content[12:16]
    if len(content) < 30:
        return None
    if form == b"VP8X":
        return 1 + int.from_bytes(content[24:27], "little"), 1 + int.from_bytes(content[27:30], "little")
    if form == b"VP8L":
        bits = int.from_bytes(content[21:25], "little")
        return 1 + (bits & 0x3FFF), 1 + (bits >> 14 & 0x3FFF)
    if form == b"VP8 ":
        width, height = int.from_bytes(content[26:28], "little"), int.from_bytes(content[28:30], "little")
        return width & 0x3FFF, height & 0x3FFF
    return None


def _avif(content: bytes) -> tuple[int, int] | None:
    """The largest of the sizes that it names."""
    found, at = None, content.find(b"ispe")
    while 0 <= at < 65_536 and at + 16 <= len(content):
        size = int.from_bytes(content[at + 8 : at + 12], "big"), int.from_bytes(content[at + 12 : at + 16], "big")
        found = size if found is None or size[0] * size[1] > found[0] * found[1] else found
        at = content.find(b"ispe", at + 4)
    return found
