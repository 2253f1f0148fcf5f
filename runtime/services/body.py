"""Reading an answer that may be hostile: unpacked piece by piece, never more than 10 MB, never a bomb."""

from __future__ import annotations

import zlib
from collections.abc import AsyncIterable, Iterator

LARGEST = 10_000_000
RATIO = 100
RATIO_FROM = 65_536
"""A small page of blanks may well shrink to a hundredth; only above this does the ratio tell a bomb."""

PIECE = 65_536


class Unreadable(Exception):
    """The answer was not read to its end. The message completes "The answer of HOST …"."""


async def read(stream: AsyncIterable[bytes], encoding: str) -> bytes:
    """The unpacked body. encoding: the Content-Encoding header. Raises Unreadable."""
    unpacker = _unpacker(encoding)
    taken, out = 0, bytearray()
    async for chunk in stream:
        taken += len(chunk)
        for piece in unpacker.feed(chunk):
            out += piece
            if len(out) > LARGEST:
                raise Unreadable("is larger than 10 MB")
            if len(out) > RATIO_FROM and len(out) > RATIO * taken:
                raise Unreadable("unpacks to more than 100 times its size")
    if not unpacker.whole:
        raise Unreadable("broke off before its end")
    return bytes(out)


def _unpacker(encoding: str) -> Plain | Packed:
    names = [name.strip().lower() for name in encoding.split(",") if name.strip().lower() not in ("", "identity")]
    if not names:
        return Plain()
    if names in (["gzip"], ["x-gzip"]):
        return Packed(zlib.MAX_WBITS | 16)
    if names == ["deflate"]:
        return Packed(zlib.MAX_WBITS)
    raise Unreadable(f'is packed as "{encoding[:40]}", which was not asked for')


class Plain:
    """Bytes as they come."""

    whole = True

    def feed(self, chunk: bytes) -> Iterator[bytes]:
        yield chunk


class Packed:
    """gzip or deflate, unpacked in pieces small enough to be counted before they hurt."""

    def __init__(self, bits: int) -> None:
        self._bits = bits
        self._inflate = zlib.decompressobj(bits)
        self._begun = False

    @property
    def whole(self) -> bool:
        return self._inflate.eof or not self._begun

    def feed(self, chunk: bytes) -> Iterator[bytes]:
        while chunk:
            if self._inflate.eof:
                if self._bits != zlib.MAX_WBITS | 16 or not chunk.startswith(b"\x1f\x8b"):
                    return
                self._inflate = zlib.decompressobj(self._bits)
            if not self._begun and self._bits == zlib.MAX_WBITS and chunk[0] & 0x0F != 8:
                # Some servers say deflate and mean it without the zlib header.
                self._bits, self._inflate = -zlib.MAX_WBITS, zlib.decompressobj(-zlib.MAX_WBITS)
            self._begun = True
            try:
                yield self._inflate.decompress(chunk, PIECE)
            except zlib.error:
                raise Unreadable("is packed in a way that cannot be unpacked") from None
            chunk = self._inflate.unused_data if self._inflate.eof else self._inflate.unconsumed_tail
