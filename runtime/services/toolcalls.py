"""The tools a model asks to have called: put together from the pieces in which they are streamed."""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from typing import Any

from runtime.storable import storable

MOST_CALLS = 2_000
LONGEST_NAME = 200


@dataclass
class ToolCall:
    """One call as the model wrote it. arguments: its own text, which should be a JSON object and may be anything."""

    id: str = ""
    name: str = ""
    arguments: str = ""

    def wire(self) -> dict[str, Any]:
        """The call as it is sent back with its result."""
        return {"id": self.id, "type": "function", "function": {"name": self.name, "arguments": self.arguments}}


@dataclass
class Calls:
    """The calls of one answer, in their order.

    Servers differ: pieces are told apart by `index`, but some leave it out, and some send each call whole under the
    same one.
    """

    found: list[ToolCall] = field(default_factory=list)
    _by_index: dict[int, ToolCall] = field(default_factory=dict)

    def take(self, pieces: Any) -> int:
        """Add the pieces of one chunk. Returns how many characters that were."""
        if not isinstance(pieces, list):
            return 0
        size = 0
        for piece in pieces:
            if isinstance(piece, dict):
                size += self._piece(piece)
        return size

    def _piece(self, piece: dict[str, Any]) -> int:
        function = piece.get("function")
        function = function if isinstance(function, dict) else {}
        id, name, arguments = piece.get("id"), function.get("name"), function.get("arguments")
        id = id[:LONGEST_NAME] if isinstance(id, str) else ""
        name = name[:LONGEST_NAME] if isinstance(name, str) else ""
        if arguments is None:
            arguments = ""
        elif not isinstance(arguments, str):
            arguments = json.dumps(arguments, ensure_ascii=False)
        index = piece.get("index")
        call = self._by_index.get(index) if isinstance(index, int) else None
        if call is None and not isinstance(index, int) and not id and not name and self.found:
            call = self.found[-1]
        if call is None or (id and call.id and id != call.id):
            if len(self.found) >= MOST_CALLS:
                return len(arguments)
            call = ToolCall()
            self.found.append(call)
            if isinstance(index, int):
                self._by_index[index] = call
        call.id = call.id or id
        if name and name != call.name:
            call.name = (call.name + name)[:LONGEST_NAME]
        call.arguments += arguments
        return len(id) + len(name) + len(arguments)

    def named(self) -> tuple[ToolCall, ...]:
        """The calls, storable, each with an id: some servers give none, and a result has to name one."""
        for call in self.found:
            call.id, call.name, call.arguments = storable(call.id), storable(call.name), storable(call.arguments)
        taken = {call.id for call in self.found}
        for number, call in enumerate(self.found, 1):
            if not call.id:
                call.id = f"call_{number}"
                while call.id in taken:
                    call.id += "_"
                taken.add(call.id)
        return tuple(self.found)
