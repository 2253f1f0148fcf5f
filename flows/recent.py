"""The checks of the texts looked at last: a save and the page after it check one text several times."""

from __future__ import annotations

import threading
from collections import OrderedDict

from flows.check import Checked, examine
from flows.draft import Draft

MOST = 2_000_000
"""So many characters of text are remembered, whichever texts they are: what is found in one grows with it."""

_lock = threading.Lock()
_known: OrderedDict[str, tuple[Checked, Draft | None]] = OrderedDict()


def checked(text: str) -> Checked:
    """What check() says of the text, found once as long as it is among the last ones."""
    return examined(text)[0]


def examined(text: str) -> tuple[Checked, Draft | None]:
    """As checked, with the draft that the rules looked at, which nobody changes."""
    with _lock:
        found = _known.get(text)
        if found is not None:
            _known.move_to_end(text)
            return found
    found = examine(text)
    if len(text) <= MOST:
        with _lock:
            _known[text] = found
            while held() > MOST:
                _known.popitem(last=False)
    return found


def held() -> int:
    """How many characters are remembered."""
    return sum(map(len, _known))
