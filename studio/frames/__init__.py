"""From events to what a page draws: items, put and removed by frames, for one viewer."""

from studio.frames.draw import Eyes
from studio.frames.log import Follower, Read, compact, since

__all__ = ["Eyes", "Follower", "Read", "compact", "since"]
