"""A file as it goes over the wire: what a channel of type file holds of it."""

from __future__ import annotations

from studio.frames.items import Wire


class FileReference(Wire):
    """A stored file. bytes: how large it is. Of what is sent back, only the id counts."""

    id: str
    name: str
    media_type: str
    url: str
    bytes: int
