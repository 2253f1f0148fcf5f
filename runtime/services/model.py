"""The one model client: any OpenAI-compatible endpoint, always streamed, one client per endpoint and loop."""

from __future__ import annotations

import asyncio
import json
import re
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from typing import Any, Literal
from urllib.parse import urlsplit

from runtime.services import failures, prompting
from runtime.services.failures import ModelCancelled, ModelFailed
from runtime.services.prompting import Messages
from runtime.services.replies import Heard, Lost, NotAChat, Refusal, SaidError, TooMuch, Unreachable, hear
from runtime.services.secrets import SecretValue
from runtime.services.toolcalls import ToolCall
from runtime.storable import storable

__all__ = ["Endpoint", "ModelCancelled", "ModelFailed", "Reply", "complete", "forget", "list_models"]

SchemaMode = Literal["unknown", "yes", "no"]

SECONDS = 120.0
LONGEST_WAIT = 5.0
"""A Retry-After up to this many seconds is waited for, once, as long as no word of the answer has come."""

GRACE_SECONDS = 1.0
"""How long the token counts and the end mark may follow the last word."""

POLL_SECONDS = 0.2

LONGEST_NAME = 200
"""A model's name, as servers give it."""

_NO_CHAT = re.compile(r"embed|rerank|whisper|tts|transcri|moderation|dall-e|image|audio|realtime", re.IGNORECASE)


@dataclass(frozen=True)
class Endpoint:
    """A model as an operator set it. model "" asks for the first one the server lists. Prices: USD per million tokens.

    schema_mode: whether `response_format: json_schema` is known to work here. problem: why it cannot be asked at all.
    """

    name: str
    base_url: str
    key: SecretValue | None
    model: str
    input_price: Decimal | None = None
    output_price: Decimal | None = None
    demo: bool = False
    schema_mode: SchemaMode = "unknown"
    problem: str = ""


@dataclass(frozen=True)
class Reply:
    """A whole answer. Tokens are None when the server does not count them, cost (USD) also without prices.

    calls: the tools it wants called, as it wrote them; text may be empty then.
    """

    text: str
    model: str
    input_tokens: int | None
    output_tokens: int | None
    cost: Decimal | None
    first_token_ms: float | None
    ms: float
    demo: bool
    finish_reason: str
    calls: tuple[ToolCall, ...] = ()


async def complete(
    endpoint: Endpoint,
    messages: Messages,
    *,
    schema: Mapping[str, Any] | None = None,
    on_text: Callable[[str], None] | None = None,
    cancelled: Callable[[], bool] | None = None,
    timeout: float = SECONDS,  # noqa: ASYNC109 the whole call's deadline, with words of its own
    on_learned: Callable[[SchemaMode], None] | None = None,
    tools: Sequence[Mapping[str, Any]] = (),
) -> Reply:
    """Ask once. on_text gets each new piece of the answer; schema is JSON Schema, and the answer is not checked here.

    tools: functions that the model may have called, as the wire declares them; calling them is the caller's.

    on_learned is told when the endpoint turns out to take (or not to take) json_schema. Raises ModelFailed; raises
    ModelCancelled soon after `cancelled` says so. There are no retries but one short wait that the server asked for.
    """
    if cancelled is not None and cancelled():
        raise ModelCancelled
    call = _Call(endpoint, on_text, on_learned)
    watch: _Watch | None = None
    try:
        async with asyncio.timeout(timeout) as limit:
            call.limit = limit
            watch = _Watch(limit, cancelled)
            try:
                await call.ask(messages, schema, tools)
            finally:
                watch.stop()
    except TimeoutError:
        if watch is not None and watch.hit:
            raise ModelCancelled from None
        if not call.heard.finished:
            raise failures.late(endpoint, timeout, begun=call.begun) from None
    return call.reply()


async def list_models(endpoint: Endpoint) -> list[str]:
    """The names the endpoint lists. Raises ModelFailed."""
    if endpoint.problem:
        raise ModelFailed("MODEL_KEY_MISSING", endpoint.problem)
    from runtime.services import clients

    try:
        async with asyncio.timeout(clients.CONNECT_SECONDS):
            body = await clients.models(endpoint)
    except TimeoutError:
        raise failures.late(endpoint, clients.CONNECT_SECONDS, begun=False) from None
    except Unreachable as error:
        raise failures.down(endpoint, str(error)) from None
    except Refusal as refusal:
        raise failures.refused(endpoint, refusal.status, refusal.said) from None
    try:
        names = [entry["id"] for entry in json.loads(body)["data"] if isinstance(entry["id"], str)]
        return [name for name in names if len(name) <= LONGEST_NAME and name == storable(name)]
    except (ValueError, KeyError, TypeError, RecursionError):
        raise failures.not_a_chat(endpoint, "not with a list of models") from None


@dataclass
class _Learned:
    """What an endpoint turned out not to take, kept while the process lives."""

    schema_mode: SchemaMode = "unknown"
    lists: bool = True
    usage: bool = True
    first_model: str = ""


_memory: dict[tuple[str, str], _Learned] = {}


def forget(endpoint: Endpoint) -> None:
    """Find out again what the endpoint takes."""
    _memory.pop((endpoint.base_url, endpoint.model), None)


class _Call:
    """One question, and what came of it so far."""

    def __init__(
        self,
        endpoint: Endpoint,
        on_text: Callable[[str], None] | None,
        on_learned: Callable[[SchemaMode], None] | None,
    ) -> None:
        self.endpoint = endpoint
        self.limit: asyncio.Timeout | None = None
        self.started = time.perf_counter()
        self.first_at: float | None = None
        self.heard = Heard()
        self._on_text = on_text
        self._on_learned = on_learned
        self._waited = False
        self._asked_again = False

    async def ask(
        self, messages: Messages, schema: Mapping[str, Any] | None, tools: Sequence[Mapping[str, Any]] = ()
    ) -> None:
        """Send, and send again without what this server does not know. Raises ModelFailed."""
        endpoint = self.endpoint
        if endpoint.problem:
            raise ModelFailed("MODEL_KEY_MISSING", endpoint.problem)
        if endpoint.key is None and urlsplit(endpoint.base_url).hostname == "api.openai.com":
            raise failures.key_missing(endpoint)
        learned = _memory.setdefault((endpoint.base_url, endpoint.model), _Learned())
        model = endpoint.model or learned.first_model
        if not model:
            model = learned.first_model = await _first_model(endpoint)
        mode = endpoint.schema_mode if endpoint.schema_mode != "unknown" else learned.schema_mode
        is_object = schema is not None and schema.get("type") == "object"
        formatted = schema is not None and mode != "no" and (is_object or learned.lists)
        fell_back = False
        while True:
            asked: dict[str, Any] = {"model": model, "messages": list(messages), "stream": True}
            if learned.usage:
                asked["stream_options"] = {"include_usage": True}
            if tools:
                asked["tools"] = list(tools)
            if schema is not None and formatted:
                asked["response_format"] = prompting.response_format(schema)
            elif schema is not None:
                asked["messages"] = prompting.with_schema(messages, schema)
            try:
                await self._hear(asked)
                break
            except Refusal as refusal:
                if refusal.status in (429, 503) and await self._wait(refusal):
                    continue
                if refusal.status in (400, 422, 501) and not failures.is_long(refusal.status, refusal.said):
                    if learned.usage and "stream_options" in str(refusal.said):
                        learned.usage = False
                        continue
                    if formatted:
                        formatted, fell_back = False, True
                        continue
                    if tools and "tool" in str(refusal.said).lower():
                        raise failures.no_tools(endpoint, refusal.said) from None
                raise failures.refused(endpoint, refusal.status, refusal.said) from None
        if self.heard.unscripted and schema is not None:
            raise failures.unscripted()
        if mode == "unknown" and (formatted or fell_back):
            self._learn(learned, "yes" if formatted else "no", is_object)

    @property
    def begun(self) -> bool:
        return self.first_at is not None or bool(self.heard.calls.found)

    def reply(self) -> Reply:
        """The answer, once it is known to be whole and to say something. Raises ModelFailed."""
        endpoint, heard = self.endpoint, self.heard
        if not heard.finished:
            raise failures.cut(endpoint)
        if heard.finish_reason == "length":
            raise failures.too_long(endpoint, "reached the longest the model may write and was cut there")
        if heard.finish_reason == "content_filter":
            raise failures.empty(endpoint, "was stopped by its provider's content filter")
        calls = heard.calls.named()
        if heard.refusal and not heard.text.strip() and not calls:
            raise failures.declined(endpoint, heard.refusal)
        if not heard.text.strip() and not calls:
            raise failures.empty(endpoint, "gave an empty answer")
        return Reply(
            text=heard.text,
            model=heard.model or endpoint.model,
            input_tokens=heard.input_tokens,
            output_tokens=heard.output_tokens,
            cost=_cost(endpoint, heard),
            first_token_ms=None if self.first_at is None else (self.first_at - self.started) * 1000,
            ms=(time.perf_counter() - self.started) * 1000,
            demo=endpoint.demo,
            finish_reason=heard.finish_reason or "stop",
            calls=calls,
        )

    async def _hear(self, asked: dict[str, Any]) -> None:
        """Send the request and listen to the end. Raises Refusal and ModelFailed."""
        from runtime.services import clients

        endpoint = self.endpoint
        try:
            async with clients.answer(endpoint, asked) as chunks:
                await hear(chunks, self.heard, self._said, self._finished)
        except Unreachable as error:
            if error.kept and not self._asked_again and not self.begun:
                # A kept connection that the server had closed: nobody heard the question.
                self._asked_again = True
                await self._hear(asked)
                return
            raise failures.down(endpoint, str(error)) from None
        except Lost:
            if not self.heard.finished:
                raise failures.cut(endpoint) from None
        except SaidError as error:
            raise failures.in_stream(endpoint, error.body) from None
        except NotAChat as error:
            raise failures.not_a_chat(endpoint, str(error)) from None
        except TooMuch:
            raise failures.too_long(endpoint, "grew past two million characters") from None

    def _said(self, text: str) -> None:
        if self.first_at is None:
            self.first_at = time.perf_counter()
        if self._on_text is not None:
            self._on_text(text)

    def _finished(self) -> None:
        """The answer is whole; a server that keeps the line open is not waited for long."""
        loop = asyncio.get_running_loop()
        if self.limit is not None:
            until = loop.time() + GRACE_SECONDS
            self.limit.reschedule(min(until, self.limit.when() or until))

    async def _wait(self, refusal: Refusal) -> bool:
        seconds = refusal.retry_after
        if self._waited or seconds is None or seconds > LONGEST_WAIT:
            return False
        self._waited = True
        await asyncio.sleep(seconds)
        return True

    def _learn(self, learned: _Learned, mode: SchemaMode, is_object: bool) -> None:
        if not is_object:
            # OpenAI itself takes only objects there; that says nothing about the endpoint as such.
            learned.lists = mode == "yes"
            return
        learned.schema_mode = mode
        if self._on_learned is not None:
            self._on_learned(mode)


class _Watch:
    """Asks `cancelled` a few times a second and ends the call's time when it says yes."""

    def __init__(self, limit: asyncio.Timeout, cancelled: Callable[[], bool] | None) -> None:
        self.hit = False
        self._limit = limit
        self._cancelled = cancelled
        self._loop = asyncio.get_running_loop()
        self._timer = self._loop.call_later(POLL_SECONDS, self._look) if cancelled is not None else None

    def stop(self) -> None:
        if self._timer is not None:
            self._timer.cancel()

    def _look(self) -> None:
        if self._cancelled is not None and self._cancelled():
            self.hit = True
            self._limit.reschedule(self._loop.time())
        else:
            self._timer = self._loop.call_later(POLL_SECONDS, self._look)


async def _first_model(endpoint: Endpoint) -> str:
    names = [name for name in await list_models(endpoint) if not _NO_CHAT.search(name)]
    if not names:
        raise ModelFailed(
            "MODEL_NOT_FOUND", f"“{endpoint.name}” lists no model. Load one, or name it under {failures.WHERE}."
        )
    return names[0]


def _cost(endpoint: Endpoint, heard: Heard) -> Decimal | None:
    parts = (heard.input_tokens, endpoint.input_price), (heard.output_tokens, endpoint.output_price)
    cost = Decimal(0)
    for tokens, price in parts:
        if tokens is None or price is None:
            return None
        cost += Decimal(tokens) * Decimal(price) / 1_000_000
    return cost
