"""Hearing a model's answer out: server-sent events, or one JSON body from servers that do not stream."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator, Callable
from dataclasses import dataclass, field
from typing import Any

from runtime.services.toolcalls import Calls
from runtime.storable import Joined, storable

LONGEST_EVENT = 8_000_000
LONGEST_TEXT = 2_000_000
LONGEST_NAME = 200


class NotAChat(Exception):
    """What came back is not what a chat model sends. The message completes "… answered, but"."""


class SaidError(Exception):
    """The server reported an error in the middle of its stream. body: its `error` member."""

    def __init__(self, body: Any) -> None:
        super().__init__("error in the stream")
        self.body = body


class TooMuch(Exception):
    """The answer grew past every use."""


class Refusal(Exception):
    """The server answered with an error status. said: its `error` object, its text, or None. retry_after: seconds."""

    def __init__(self, status: int, said: Any, retry_after: float | None) -> None:
        super().__init__(f"status {status}")
        self.status = status
        self.said = said
        self.retry_after = retry_after


class Unreachable(Exception):
    """No answer began. The message says why. kept: it may only have been that a kept connection was stale."""

    def __init__(self, words: str, kept: bool) -> None:
        super().__init__(words)
        self.kept = kept


class Lost(Exception):
    """The connection was lost while the answer was coming."""


class Thoughts:
    """Leaves out a <think>…</think> block with which some local models begin."""

    OPEN, CLOSE = "<think>", "</think>"

    def __init__(self) -> None:
        self._held: str | None = ""
        self._inside = False

    def pass_on(self, text: str) -> str:
        """What of the new text is answer."""
        if self._held is None:
            return text
        self._held += text
        begin = self._held.lstrip()
        if not self._inside:
            if not begin.startswith(self.OPEN):
                return "" if self.OPEN.startswith(begin) else self.rest()
            self._inside = True
        _, closed, answer = begin.partition(self.CLOSE)
        if not closed:
            return ""
        self._held, self._inside = answer.lstrip(), False
        return self.rest() if self._held else ""

    def rest(self) -> str:
        """What was held back and turned out to be answer, at the end or when it is certain."""
        held, self._held = self._held, None
        return "" if self._inside or held is None else held


MOST_TOKENS = 50_000_000
"""No answer takes more; a server that says so is not believed."""


@dataclass
class Heard:
    """An answer as far as it has come.

    finished: the server said that it is whole. unscripted: the demo model says that it knows no answer here.
    """

    text: str = ""
    model: str = ""
    finish_reason: str = ""
    done: bool = False
    refusal: str = ""
    unscripted: bool = False
    input_tokens: int | None = None
    output_tokens: int | None = None
    events: int = 0
    calls: Calls = field(default_factory=Calls)
    _size: int = 0
    _thoughts: Thoughts = field(default_factory=Thoughts)
    _joined: Joined = field(default_factory=Joined)

    @property
    def finished(self) -> bool:
        return self.done or bool(self.finish_reason)

    def take(self, event: Any) -> str:
        """The new text of one chunk (or of a whole completion). Raises SaidError, NotAChat."""
        if not isinstance(event, dict):
            raise NotAChat("not in the words of a chat model")
        if event.get("error"):
            raise SaidError(event["error"])
        self.events += 1
        if not self.model and isinstance(event.get("model"), str):
            self.model = storable(event["model"])[:LONGEST_NAME]
        self.unscripted = self.unscripted or event.get("unscripted") is True
        usage = event.get("usage")
        if isinstance(usage, dict):
            self.input_tokens = _count(usage.get("prompt_tokens"))
            self.output_tokens = _count(usage.get("completion_tokens"))
        choices = event.get("choices")
        if not isinstance(choices, list):
            raise NotAChat("not in the words of a chat model")
        if not choices or not isinstance(choices[0], dict):
            return ""
        choice = choices[0]
        said = choice.get("delta") or choice.get("message")
        said = said if isinstance(said, dict) else {}
        if isinstance(choice.get("finish_reason"), str):
            self.finish_reason = storable(choice["finish_reason"])[:LONGEST_NAME]
        if isinstance(said.get("refusal"), str):
            self.refusal += storable(said["refusal"])[:LONGEST_NAME]
            self._size += len(said["refusal"])
            self._measure()
        if said.get("tool_calls"):
            self._size += self.calls.take(said["tool_calls"])
            self._measure()
        return self._joined.pass_on(_text(said.get("content")))

    def add(self, text: str) -> str:
        """Append what is answer in the text, and give it back. Raises TooMuch."""
        new = self._thoughts.pass_on(text) if text else ""
        return self._append(new)

    def end(self) -> str:
        """The last piece, which was held back in case it began a block of thoughts."""
        return self.add(self._joined.rest()) + self._append(self._thoughts.rest())

    def _append(self, new: str) -> str:
        if new:
            self.text += new
            self._size += len(new)
            self._measure()
        return new

    def _measure(self) -> None:
        if self._size > LONGEST_TEXT:
            raise TooMuch


async def hear(
    chunks: AsyncIterator[bytes], heard: Heard, on_text: Callable[[str], None], on_finish: Callable[[], None]
) -> None:
    """Read the body into `heard`. on_text gets each new piece at once; on_finish is called when nothing more is due.

    Raises NotAChat, SaidError, TooMuch, and whatever the connection raises.
    """
    rest, lines, before = bytearray(), [], bytearray()
    async for chunk in chunks:
        rest += chunk
        whole: list[bytes] = []
        # Only a new line is looked for; going through all of a line that never ends, piece by piece, takes seconds.
        if b"\n" in chunk:
            *whole, last = bytes(rest).split(b"\n")
            rest = bytearray(last)
        if len(rest) > LONGEST_EVENT:
            raise TooMuch
        if not heard.events and len(before) < LONGEST_EVENT:
            before += chunk
        new = ""
        for line in whole:
            bare = line.rstrip(b"\r")
            if bare.startswith(b"data:"):
                lines.append(bare[5:].removeprefix(b" "))
            elif not bare and lines:
                new += _event(b"\n".join(lines), heard)
                lines = []
        if new and (new := heard.add(new)):
            on_text(new)
        if heard.finished:
            on_finish()
    if lines or rest.startswith(b"data:"):
        open_event = [*lines, bytes(rest[5:]).strip()] if rest.startswith(b"data:") else lines
        if new := heard.add(_last(b"\n".join(open_event), heard)):
            on_text(new)
    if not heard.events and not heard.done:
        new = heard.add(_whole(bytes(before), heard))
        if new:
            on_text(new)
    if new := heard.end():
        on_text(new)


def _event(line: bytes, heard: Heard) -> str:
    if line.startswith(b"[DONE]"):
        heard.done = True
        return ""
    try:
        event = json.loads(line)
    except (ValueError, RecursionError):
        raise NotAChat("with a stream that cannot be read") from None
    return heard.take(event)


def _last(line: bytes, heard: Heard) -> str:
    """An event that was not closed by an empty line: it counts if it is whole, and is a cut stream if not."""
    try:
        return _event(line, heard)
    except NotAChat:
        return ""


def _whole(body: bytes, heard: Heard) -> str:
    """The answer of a server that ignores `stream`: one completion in one JSON object."""
    try:
        found = json.loads(body)
    except (ValueError, RecursionError):
        found = None
    if not body.strip():
        raise NotAChat("with nothing")
    if not isinstance(found, dict):
        page = b"<html" in body[:500].lower() or b"<!doctype" in body[:500].lower()
        raise NotAChat("with a web page" if page else "not in the words of a chat model")
    text = heard.take(found)
    heard.done = True
    return text


def _text(content: Any) -> str:
    if isinstance(content, str):
        return content
    if isinstance(content, list):
        return "".join(part["text"] for part in content if isinstance(part, dict) and isinstance(part.get("text"), str))
    return ""


def _count(value: Any) -> int | None:
    """A number of tokens; None for what cannot be one, which no column would hold either."""
    return value if isinstance(value, int) and not isinstance(value, bool) and 0 <= value <= MOST_TOKENS else None
