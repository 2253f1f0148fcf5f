"""Drafts as they stand in their workspace: read and checked with the flows that they run."""

from __future__ import annotations

import threading
import uuid
from collections import OrderedDict
from collections.abc import Mapping
from typing import NamedTuple

from flows import scope
from flows.calls import Tree
from flows.check import Checked
from flows.models import Flow
from flows.recent import checked
from flows.stored import WorkspaceFiles, file_of
from flows.tree import check_tree, read_tree

CALLING = ("flow", "agent")
"""The kinds of nodes that run another flow."""

MOST = 200


class _Known(NamedTuple):
    """texts: what was read for it, and what was looked for in vain; while these stay so, it stays so."""

    texts: Mapping[str, str | None]
    checked: Checked


_lock = threading.Lock()
_known: OrderedDict[tuple[uuid.UUID, str], _Known] = OrderedDict()


def tree_of(flow: Flow) -> Tree:
    """The draft with every flow that it runs or may call, from their drafts."""
    return read_tree(_files(flow), file_of(flow.path))


def checked_in_place(flow: Flow) -> Checked:
    """What is wrong with a draft, by itself and with the flows that it runs."""
    alone = checked(flow.draft)
    if alone.flow is None or not any(node.type in CALLING for node in alone.flow.nodes):
        return alone
    file, key = file_of(flow.path), (scope.current(), flow.path)
    with _lock:
        known = _known.get(key)
    files = _files(flow)
    if known is not None:
        files.read_ahead(known.texts)
    if known is not None and all(files.get(path) == text for path, text in known.texts.items()):
        return known.checked
    found = check_tree(files, file)[file]
    # What is near to a name that leads nowhere depends on every file there is.
    if not files.listed:
        with _lock:
            _known[key] = _Known(files.seen, found)
            _known.move_to_end(key)
            while len(_known) > MOST:
                _known.popitem(last=False)
    return found


def _files(flow: Flow) -> WorkspaceFiles:
    return WorkspaceFiles({file_of(flow.path): flow.draft})
