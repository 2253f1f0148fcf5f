"""Has a document read in a sandbox of its own, in a process that reads no other."""

from __future__ import annotations

import asyncio
import base64
import importlib.util
import os
import re
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from runtime.units.sandbox import (
    CodeFailed,
    CodeGone,
    CodeLimit,
    Limits,
    Sandbox,
    SandboxUnavailable,
)

Json = Any

MEMORY = 512 << 20
LARGEST = 15 << 20
"""How many bytes a document may have."""
AT_ONCE = 8
LIMITS = Limits(seconds=30.0, result=6 << 20, services=0)

_TOO_MUCH = "takes more time or memory to read than a document may. Give a smaller part of it."
_DAMAGED = "cannot be opened: it is damaged, or only a part of it came."

_READING = Path(__file__).parent / "reading"
_UNIT = "tool:read_document"
_CODE = """
from reading import document

async def read_document(args, *, services, settings, env):
    return document.read(args)
"""


class DocumentRefused(Exception):
    """The document cannot be read. message: a sentence for whoever gave it."""

    def __init__(self, code: str, message: str) -> None:
        super().__init__(message)
        self.code = code
        self.message = message


@dataclass(frozen=True)
class Given:
    """A document as it came. media_type: as it was said, which may be wrong. source: what a person knows it by."""

    content: bytes
    name: str
    source: str
    media_type: str = ""
    charset: str = ""


class Reader:
    """Starts its sandbox at the first document. places: as many documents as are held and read at the same time."""

    def __init__(self) -> None:
        self._sandbox = Sandbox(MEMORY, packages())
        self.places = asyncio.Semaphore(AT_ONCE)

    async def read(self, given: Given, most: int) -> dict[str, Json]:
        """What a read node writes. most: characters of its text. Raises DocumentRefused, SandboxUnavailable."""
        if len(given.content) > LARGEST:
            raise _refused(given, "DOCUMENT_TOO_LARGE", f"has more than {LARGEST >> 20} MB, which is too much to read.")
        if not given.content:
            raise _refused(given, "DOCUMENT_EMPTY", "is empty.")
        args = {
            "base64": base64.b64encode(given.content).decode(), "name": given.name, "mediaType": given.media_type,
            "charset": given.charset, "most": most,
        }  # fmt: skip
        found = await self._read(given, args)
        if "refused" in found:
            raise _refused(given, found["refused"]["code"], found["refused"]["message"])
        return {
            "title": found["title"], "source": given.source, "mediaType": found["mediaType"], "pages": found["pages"],
            "chars": found["chars"], "truncated": found["truncated"], "text": found["text"],
        }  # fmt: skip

    async def close(self) -> None:
        await self._sandbox.close()

    async def _read(self, given: Given, args: dict[str, Json]) -> dict[str, Json]:
        lease = await self._sandbox.lease()
        try:
            await lease.load({_UNIT: _CODE})
            return _checked(await lease.call(
                _UNIT, args, settings={}, env=[], seed="document", clock=0.0, services=_nothing, limits=LIMITS
            ))  # fmt: skip
        except CodeLimit:
            raise _refused(given, "DOCUMENT_TOO_MUCH", _TOO_MUCH) from None
        except (CodeFailed, CodeGone, _Odd):
            raise _refused(given, "DOCUMENT_DAMAGED", _DAMAGED) from None
        finally:
            await lease.close()


class _Odd(Exception):
    """The process gave back what our code never gives."""


def _checked(found: Json) -> dict[str, Json]:
    """What a process that read a hostile document says is hostile itself."""
    if not isinstance(found, dict):
        raise _Odd
    refused = found.get("refused")
    if refused is not None:
        if not isinstance(refused, dict) or not all(isinstance(refused.get(key), str) for key in ("code", "message")):
            raise _Odd
        if not re.fullmatch(r"DOCUMENT_[A-Z_]{1,40}", refused["code"]) or len(refused["message"]) > 400:
            raise _Odd
        return {"refused": refused}
    pages, chars = found.get("pages"), found.get("chars")
    fine = (
        all(isinstance(found.get(key), str) for key in ("title", "mediaType", "text"))
        and isinstance(found.get("truncated"), bool)
        and isinstance(chars, int)
        and (pages is None or isinstance(pages, int))
    )
    if not fine:
        raise _Odd
    return found


def _refused(given: Given, code: str, message: str) -> DocumentRefused:
    return DocumentRefused(code, f'"{given.name[:120]}" {message}')


async def _nothing(name: str, args: Json) -> Json:
    raise AssertionError("A document asks for nothing.")


def packages() -> tuple[str, ...]:
    """The folders that the sandbox sees: pypdf, and the code that reads documents with it."""
    spec = importlib.util.find_spec("pypdf")
    if spec is None or spec.origin is None:
        raise SandboxUnavailable("The package pypdf is not installed, so no document can be read.")
    return (os.path.dirname(spec.origin), str(_READING))


__all__ = ["DocumentRefused", "Given", "Reader"]
