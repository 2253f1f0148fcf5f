"""The conversation with the model: asked, answered with tool calls, told what came of them, until it ends in words.

It is bounded in every direction. Whatever the model does, it ends with an Outcome: a proposal made of what was really
applied, an answer in words, or a failure that says why.
"""

from __future__ import annotations

import asyncio
import re
import time
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, field
from decimal import Decimal
from typing import Any, Literal, Protocol

from runtime.services.failures import ModelFailed
from runtime.services.model import Reply
from runtime.services.toolcalls import ToolCall
from studio.ask import prompt, tools
from studio.ask.tools import BadCall
from studio.ask.working import Result, Working
from studio.strings import t

Json = Any
Message = dict[str, Json]


@dataclass(frozen=True)
class Limits:
    """rounds: answers of the model. calls: of tools. seconds, tokens: in all. idle: rounds in a row without progress.

    reminders: how often the model is told that it ends with errors, or speaks of edits that it did not make.
    """

    rounds: int = 40
    calls: int = 600
    seconds: float = 600.0
    tokens: int = 1_000_000
    idle: int = 3
    reminders: int = 2


@dataclass
class Step:
    """What was done, for the page. tool: "" for words that the model said on its way."""

    tool: str
    words: str
    ok: bool

    def wire(self) -> dict[str, Json]:
        return {"tool": self.tool, "words": self.words, "ok": self.ok}


@dataclass
class Usage:
    """What the model has cost so far. None: a call of it was not counted, or has no price."""

    model: str = ""
    demo: bool = False
    input_tokens: int | None = 0
    output_tokens: int | None = 0
    cost: Decimal | None = Decimal(0)

    def add(self, reply: Reply) -> None:
        self.model, self.demo = reply.model, reply.demo
        self.input_tokens = _sum(self.input_tokens, reply.input_tokens)
        self.output_tokens = _sum(self.output_tokens, reply.output_tokens)
        self.cost = None if self.cost is None or reply.cost is None else self.cost + reply.cost

    @property
    def tokens(self) -> int:
        return (self.input_tokens or 0) + (self.output_tokens or 0)


@dataclass
class Outcome:
    """How it ended. claims: the words speak of edits, and there are none."""

    state: Literal["proposed", "answered", "failed"]
    reply: str = ""
    claims: bool = False
    error: dict[str, str] | None = None


class Model(Protocol):
    """Asks the model once. Raises ModelFailed, and ModelCancelled when the person stopped it."""

    async def __call__(self, messages: Sequence[Message], declared: Sequence[Json], *, seconds: float) -> Reply: ...


Tell = Callable[["Talk"], Awaitable[None]]
"""Told after every round; what it raises ends the conversation."""


@dataclass
class Talk:
    """One conversation, and what came of it so far."""

    model: Model
    working: Working
    messages: list[Message]
    tell: Tell
    limits: Limits = field(default_factory=Limits)
    steps: list[Step] = field(default_factory=list)
    refused: list[dict[str, str]] = field(default_factory=list)
    usage: Usage = field(default_factory=Usage)
    _seen: dict[tuple[str, str, int], int] = field(default_factory=dict)
    _calls: int = 0
    _idle: int = 0
    _reminded: int = 0

    async def hold(self) -> Outcome:
        """Talk to the end."""
        until = time.monotonic() + self.limits.seconds
        for _ in range(self.limits.rounds):
            left = until - time.monotonic()
            if left <= 0:
                return self._gave_up("ASK_TOO_LONG", t("ask.too_slow", seconds=f"{self.limits.seconds:g}"))
            try:
                reply = await self.model(self.messages, tools.declared(), seconds=left)
            except ModelFailed as failed:
                if failed.code == "MODEL_EMPTY" and self.working.changed:
                    # Some models end without a word once their calls are done.
                    return Outcome("proposed")
                return Outcome("failed", error={"code": failed.code, "message": failed.message})
            self.usage.add(reply)
            if not reply.calls:
                ended = await self._ended(reply)
                if ended is not None:
                    return ended
                continue
            await self._carry_out(reply)
            await self.tell(self)
            if self._idle >= self.limits.idle:
                return self._gave_up("ASK_STUCK", t("ask.stuck", count=self._idle))
            if self._calls > self.limits.calls or self.usage.tokens > self.limits.tokens:
                return self._gave_up("ASK_TOO_LONG", t("ask.too_much"))
        return self._gave_up("ASK_TOO_LONG", t("ask.too_many_rounds", count=self.limits.rounds))

    def _gave_up(self, code: str, message: str) -> Outcome:
        return Outcome("failed", error={"code": code, "message": message})

    async def _ended(self, reply: Reply) -> Outcome | None:
        """How the conversation ends with these words; None when the model is asked to go on."""
        text = reply.text.strip()
        reminders = self._reminded < self.limits.reminders
        claims = not self.working.edited and claims_edits(text)
        if claims and reminders:
            return self._remind(text, prompt.CLAIMED)
        if self.working.changed:
            errors = await asyncio.to_thread(self.working.new_errors)
            if errors and reminders:
                return self._remind(text, prompt.mend(errors))
            return Outcome("proposed", reply=text, claims=claims)
        return Outcome("answered", reply=text, claims=claims)

    def _remind(self, said: str, words: str) -> None:
        self._reminded += 1
        self.messages += [{"role": "assistant", "content": said}, {"role": "user", "content": words}]

    async def _carry_out(self, reply: Reply) -> None:
        """Every call of the answer, in its order, and the results as the model gets them."""
        said = reply.text.strip()
        if said:
            self.steps.append(Step("", said, ok=True))
        self.messages.append(
            {"role": "assistant", "content": reply.text or None, "tool_calls": [call.wire() for call in reply.calls]}
        )
        results: list[tuple[ToolCall, Result]] = []
        progress = False
        for call in reply.calls:
            self._calls += 1
            result = await asyncio.to_thread(self._call, call)
            results.append((call, result))
            progress = progress or result.progress
        edited = [result for _, result in results if result.edited]
        if edited:
            # What the edits of one answer bring is judged once they are all made: halfway there, much is missing.
            edited[-1].problems = await asyncio.to_thread(self.working.new_problems)
        for call, result in results:
            self.messages.append({"role": "tool", "tool_call_id": call.id, "content": result.text()})
        self._idle = 0 if progress else self._idle + 1

    def _call(self, call: ToolCall) -> Result:
        if self._calls > self.limits.calls:
            return Result(ok=False, code="TOO_MANY_CALLS", message="There were too many calls; this one was not made.")
        repeated = (call.name, call.arguments, len(self.working.operations))
        times = self._seen[repeated] = self._seen.get(repeated, 0) + 1
        if times > 1:
            return self._refuse(
                call.name,
                "REPEATED",
                "You made this very call before, and nothing has changed since: its result stands above. "
                "Do something else, or end in words.",
            )
        try:
            wanted = tools.read(call.name, call.arguments)
        except BadCall as bad:
            return self._refuse(call.name, bad.code, bad.message)
        result = self.working.do(wanted)
        if result.ok:
            self.steps += [Step(wanted.tool, words, ok=True) for words in result.words]
            return result
        return self._refuse(wanted.tool, result.code, result.message, result)

    def _refuse(self, tool: str, code: str, message: str, result: Result | None = None) -> Result:
        words = t("ask.step_refused", words=message if len(message) <= 300 else message[:299] + "…")
        self.steps.append(Step(tool[:64], words, ok=False))
        if code != "REPEATED":
            self.refused.append({"tool": tool[:64], "code": code, "message": message[:1000]})
        return result or Result(ok=False, code=code, message=message)


_MADE = (
    "added|changed|removed|renamed|updated|created|built|connected|inserted|replaced|edited|rewritten|rewrote|deleted"
    "|adjusted|modified|moved"
)
_PARTS = "flow|step|node|prompt|channel|tool|edge|route|approval|description|schema|form|condition|setting"
_CLAIM = re.compile(
    rf"(?i)\b(?:i|i've|we|we've)\s+(?:have\s+|just\s+|also\s+|now\s+)*(?:{_MADE})\b"
    rf"|\b(?:{_PARTS})s?\b[^.!?\n]{{0,60}}\b(?:has|have|was|were)\s+(?:now\s+)?(?:been\s+)?(?:{_MADE})\b"
    rf"|^\s*(?:done|{_MADE})\b"
)


def claims_edits(text: str) -> bool:
    """Do the words sound as if something had been changed? Only asked where nothing was."""
    return _CLAIM.search(text) is not None


def _sum(one: int | None, other: int | None) -> int | None:
    return None if one is None or other is None else one + other
