"""Time zones, read into memory once: a unit's process opens no file."""

import io
import os
import zoneinfo

FOLDER = "/zones"


def load() -> None:
    """Let ZoneInfo find every zone of FOLDER in memory; without the folder there are none but UTC."""
    known: dict[str, bytes] = {}
    for folder, folders, names in os.walk(FOLDER):
        folders[:] = [name for name in folders if name not in ("posix", "right")]
        for name in names:
            path = os.path.join(folder, name)
            if os.path.islink(path) and not os.path.exists(path):
                continue
            with open(path, "rb") as file:
                content = file.read()
            if content[:4] == b"TZif":
                known[os.path.relpath(path, FOLDER)] = content

    def find(key: str) -> io.BytesIO:
        if key not in known:
            raise zoneinfo.ZoneInfoNotFoundError(f"there is no time zone named {key!r}")
        return io.BytesIO(known[key])

    zoneinfo.reset_tzpath([])
    vars(zoneinfo)["_common"].load_tzdata = find
    zoneinfo.available_timezones = lambda: set(known)
