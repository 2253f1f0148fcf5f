"""Frames between the worker and a unit's process: four bytes of length, then JSON. What a process sends is hostile."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable
from typing import cast

from flows.kinds.base import Json

TO_CODE = 32 << 20
FROM_CODE = 8 << 20
DEEPEST = 64
SERVICES = frozenset({"http.request", "files.read", "files.save", "sign"})


class Hostile(Exception):
    """A frame that the sandbox's own code would never send."""


def pack(frame: dict[str, Json]) -> bytes:
    """Raises ValueError where the frame is no JSON or larger than TO_CODE."""
    text = json.dumps(frame, ensure_ascii=False, allow_nan=False, separators=(",", ":"))
    body = text.encode("utf-8", "surrogatepass")
    if len(body) > TO_CODE:
        raise ValueError(f"larger than {TO_CODE >> 20} MB")
    return len(body).to_bytes(4, "big") + body


def _no_constant(word: str) -> None:
    raise Hostile(word)


def unpack(body: bytes) -> dict[str, Json]:
    """A frame as a dict of plain JSON, nested at most DEEPEST. Raises Hostile."""
    try:
        frame = json.loads(body, parse_constant=_no_constant)
        if b"\\u" in body:
            json.dumps(frame, ensure_ascii=False).encode()
    except (ValueError, RecursionError):
        raise Hostile("no JSON") from None
    if not isinstance(frame, dict):
        raise Hostile("no object")
    if body.count(b"[") + body.count(b"{") > DEEPEST and _deeper(frame, DEEPEST + 4):
        raise Hostile("nested too deep")
    return frame


def _deeper(value: Json, left: int) -> bool:
    level = [value]
    while level and left:
        level = [
            item
            for box in level
            for item in (box.values() if isinstance(box, dict) else box)
            if isinstance(item, dict | list)
        ]
        left -= 1
    return bool(level)


class Link(asyncio.Protocol):
    """The worker's end of a process's socket. Holds at most one unfinished frame of FROM_CODE."""

    def __init__(self, on_frame: Callable[[dict[str, Json], int], None], on_lost: Callable[[str], None]) -> None:
        """on_frame(frame, bytes); on_lost(why): "" when the process hung up, else what was hostile. At most once."""
        self._on_frame = on_frame
        self._on_lost = on_lost
        self._buffer = bytearray()
        self._transport: asyncio.Transport | None = None
        self._lost = False

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        # Other loops' transports (uvloop's) are Transports by what they do, not by class.
        self._transport = cast(asyncio.Transport, transport)

    def send(self, packed: bytes) -> None:
        if self._transport is not None:
            self._transport.write(packed)

    def data_received(self, data: bytes) -> None:
        self._buffer += data
        try:
            while not self._lost and len(self._buffer) >= 4:
                size = int.from_bytes(self._buffer[:4], "big")
                if size > FROM_CODE:
                    raise Hostile("too large")
                if len(self._buffer) < 4 + size:
                    return
                body = bytes(self._buffer[4 : 4 + size])
                del self._buffer[: 4 + size]
                self._on_frame(unpack(body), size)
        except Hostile as why:
            self.drop(str(why))

    def connection_lost(self, exc: Exception | None) -> None:
        self.drop("")

    def drop(self, why: str) -> None:
        """Hang up, and say so once."""
        if self._lost:
            return
        self._lost = True
        self._buffer.clear()
        if self._transport is not None:
            self._transport.abort()
        self._on_lost(why)
