"""The answer that carries a file. Pictures and recordings may stand in a page; everything else is only downloaded."""

from __future__ import annotations

import re
from typing import Any, cast

from django.http import HttpResponse
from django.utils.http import content_disposition_header  # pyright: ignore[reportAttributeAccessIssue]

from runtime.files import keeping
from runtime.files.kinds import INLINE, FileRefused
from runtime.files.pictures import is_drawable
from runtime.models import StoredFile
from studio.refusal import Refusal

_RANGE = re.compile(r"bytes=(\d{0,15})-(\d{0,15})")
MINUTES = 10


def answer(file: StoredFile, *, download: bool = False, wanted: str = "", kept: bool = True) -> HttpResponse:
    """The bytes of a file. wanted: the Range header, by which players jump. Raises Refusal.

    kept: a browser may show them for a while without asking again.
    """
    try:
        content = keeping.content(file)
    except FileRefused as refused:
        raise Refusal(refused.code, refused.message, 410) from None
    inline = not download and file.media_type in INLINE
    if inline and file.media_type.startswith("image/"):
        inline = is_drawable(content, file.media_type)
    # What a browser might draw or run is handed out as bytes, whatever it is.
    response = HttpResponse(content, content_type=file.media_type if inline else "application/octet-stream")
    part = _part(wanted, len(content)) if inline else None
    if part is not None:
        first, last = part
        response = HttpResponse(content[first : last + 1], content_type=file.media_type, status=206)
        response["Content-Range"] = f"bytes {first}-{last}/{len(content)}"
    response["Accept-Ranges"] = "bytes" if inline else "none"
    response["Content-Disposition"] = content_disposition_header(not inline, file.name) or "attachment"
    response["Cache-Control"] = f"private, max-age={MINUTES * 60}" if kept else "private, no-store"
    response["X-Content-Type-Options"] = "nosniff"
    cast(Any, response).sandboxed = True
    return response


def _part(wanted: str, size: int) -> tuple[int, int] | None:
    """The first and the last byte of a range; None for all of it, or for a range that is none."""
    found = _RANGE.fullmatch(wanted.strip())
    if found is None or not size or not (found[1] or found[2]):
        return None
    if not found[1]:
        return (max(0, size - int(found[2])), size - 1) if int(found[2]) else None
    first = int(found[1])
    last = min(size - 1, int(found[2])) if found[2] else size - 1
    return (first, last) if first <= last else None
