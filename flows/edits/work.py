"""A draft while operations work on it: every step of theirs is written down as a change, and can be taken back."""

from __future__ import annotations

import uuid
from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

from flows.edits.changes import Change, Doc, Sketch, copied, look, make, reverse, same
from flows.words.names import END

Json = Any


class Mistake(Exception):
    """An operation cannot be done. code: names why; message: what is wrong; hint: what to do; name: what was missed."""

    def __init__(self, code: str, message: str, hint: str = "", name: str = "") -> None:
        super().__init__(message)
        self.code = code
        self.message = message
        self.hint = hint
        self.name = name


class UnitMove(NamedTuple):
    """The code of a unit goes with its new name."""

    kind: str
    old: str
    new: str


class Work:
    """The draft under work, changed in place. A part of the wrong type is read as empty and never thrown away.

    id: the flow's. forced: what somebody saw in a field before they set it does not matter. text: the draft's text,
    when it was put in place as a text and nothing changed it since.
    """

    def __init__(self, sketch: Sketch, *, id: uuid.UUID | None = None, forced: bool = False) -> None:
        self.sketch = sketch
        self.id = id
        self.forced = forced
        self.text: str | None = None
        self.changes: list[Change] = []
        self.renamed: dict[str, str] = {}
        self.moves: list[UnitMove] = []

    @property
    def document(self) -> dict[str, Json]:
        return self.sketch.document if isinstance(self.sketch.document, dict) else {}

    # Reading

    def listed(self, name: str) -> list[Json]:
        found = self.document.get(name)
        return found if isinstance(found, list) else []

    def mapped(self, name: str) -> dict[str, Json]:
        found = self.document.get(name)
        return found if isinstance(found, dict) else {}

    def parts(self, section: str, key: str) -> Iterator[tuple[int, str, dict[str, Json]]]:
        """(position, name, object) of each part of a list that has a name."""
        for index, each in enumerate(self.listed(section)):
            if isinstance(each, dict) and isinstance(each.get(key), str):
                yield index, each[key], each

    def nodes(self) -> Iterator[tuple[int, str, dict[str, Json]]]:
        return self.parts("nodes", "id")

    def tools(self) -> Iterator[tuple[int, str, dict[str, Json]]]:
        return self.parts("tools", "name")

    def edges(self) -> Iterator[tuple[int, str, dict[str, Json]]]:
        return self.parts("edges", "from")

    def leaving(self, id: str) -> list[tuple[int, dict[str, Json]]]:
        """The edges that leave a node, with their positions."""
        return [(index, edge) for index, from_, edge in self.edges() if from_ == id]

    @property
    def node_ids(self) -> list[str]:
        return [id for _, id, _ in self.nodes()]

    @property
    def tool_names(self) -> list[str]:
        return [name for _, name, _ in self.tools()]

    def node_at(self, id: str) -> int | None:
        return next((index for index, each, _ in self.nodes() if each == id), None)

    def is_next(self, id: str) -> bool:
        """May an edge lead there?"""
        return id == END or self.node_at(id) is not None

    # Changing

    def put(self, path: Sequence[str | int], value: Json, *, before: Sequence[str] = (), doc: Doc = "flow") -> None:
        """Set what stands at the path: replaced where something stands, else inserted. Nothing for the same value.

        before: keys that a new key goes in front of, where the object has one of them; else it goes last.
        """
        inside, last = look(self.sketch.top(doc), path[:-1]), path[-1]
        there = last in inside if isinstance(inside, dict) else isinstance(last, int) and last < len(inside)
        change: Change = {"doc": doc, "path": list(path), "new": copied(value)}
        if there:
            old = inside[last]
            if same(old, value):
                return
            change["old"] = copied(old)
        elif isinstance(inside, dict):
            change["index"] = next((index for index, key in enumerate(inside) if key in before), len(inside))
        self._do(change)

    def insert(self, path: Sequence[str | int], value: Json, doc: Doc = "flow") -> None:
        """Insert into a list, at the position that ends the path."""
        self._do({"doc": doc, "path": list(path), "new": copied(value)})

    def drop(self, path: Sequence[str | int], doc: Doc = "flow") -> None:
        """Remove what stands at the path."""
        inside, last = look(self.sketch.top(doc), path[:-1]), path[-1]
        change: Change = {"doc": doc, "path": list(path), "old": copied(look(inside, [last]))}
        if isinstance(inside, dict):
            change["index"] = list(inside).index(str(last))
        self._do(change)

    def rename_key(self, path: Sequence[str | int], new: str, doc: Doc = "flow") -> None:
        """Give a key of an object another name, at the same position."""
        inside, last = look(self.sketch.top(doc), path[:-1]), str(path[-1])
        value, index = copied(inside[last]), list(inside).index(last)
        self._do({"doc": doc, "path": list(path), "old": value, "index": index})
        self._do({"doc": doc, "path": [*path[:-1], new], "new": value, "index": index})

    def swap(self, new: Json, doc: Doc = "flow") -> None:
        """Replace the whole document or layout."""
        self._do({"doc": doc, "path": [], "old": copied(self.sketch.top(doc)), "new": copied(new)})

    def do(self, changes: Sequence[Change]) -> None:
        """Make changes that were found elsewhere."""
        for change in changes:
            self._do(change)

    def section(self, name: str, empty: list[Json] | dict[str, Json], before: Sequence[str] = ()) -> None:
        """Make sure that the document has the section. Raises Mistake when it is of another type."""
        found = self.document.get(name)
        if found is None and name not in self.document:
            self.put([name], empty, before=before)
        elif not isinstance(found, type(empty)):
            kind = "a list" if isinstance(empty, list) else "an object"
            raise Mistake(
                "SECTION_UNREADABLE", f'"{name}" of this flow is not {kind}, so nothing can be added to it.',
                f'Correct "{name}" in the JSON view first.',
            )  # fmt: skip

    def take_back(self, count: int) -> None:
        """Take back every change after the first `count`."""
        gone = self.changes[count:]
        make(self.sketch, reverse(gone))
        del self.changes[count:]

    def _do(self, change: Change) -> None:
        make(self.sketch, [change])
        self.changes.append(change)
        if change["doc"] == "flow":
            self.text = None

    # Layout

    def place(self, id: str, x: float, y: float) -> None:
        """Write down where a node stands."""
        self._layout("nodes", {})
        self.put(["nodes", id], {"x": x, "y": y}, doc="layout")

    def placed(self) -> dict[str, Json]:
        found = self.sketch.layout.get("nodes")
        return found if isinstance(found, dict) else {}

    def comments(self) -> list[Json]:
        found = self.sketch.layout.get("comments")
        return found if isinstance(found, list) else []

    def comment_at(self, id: str) -> int | None:
        here = enumerate(self.comments())
        return next((index for index, each in here if isinstance(each, dict) and each.get("id") == id), None)

    def add_comment(self, comment: dict[str, Json]) -> None:
        self._layout("comments", [])
        self.insert(["comments", len(self.comments())], comment, doc="layout")

    def _layout(self, name: str, empty: Json) -> None:
        if not isinstance(self.sketch.layout.get(name), type(empty)):
            self.put([name], empty, doc="layout")
