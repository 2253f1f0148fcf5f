"""The model's side of the server: /v1/models and /v1/chat/completions, answered by the rules in force."""

from __future__ import annotations

import json
import time
from collections import Counter, deque
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field, replace
from typing import Any

from runtime.demo import wire
from runtime.demo.script import Asked, Book, Manner, Said
from runtime.demo.web import Exchange, HungUp, text_of

Json = Any

UNKEPT_HEADERS = frozenset({"authorization", "cookie", "api-key", "x-api-key"})
KEPT = 20_000


@dataclass
class Record:
    """What the model was asked, and what came of it. at: Unix seconds. ms: until the reply was whole, or ended."""

    n: int
    at: float
    model: str
    messages: Json
    params: dict[str, Json]
    headers: dict[str, str]
    keyed: bool
    rule: str = ""
    scripted: bool = True
    outcome: str = "working"
    hung_up: bool = False
    answer: str = ""
    ms: float = 0.0


@dataclass
class Settings:
    """How the server is set. key: the bearer key it wants, none when None. structured, tools: takes these.

    speed: all scripted delays are divided by it; 0 leaves them out. record: keeps what it was asked.
    first_delay, pace (milliseconds), chunk (words): where neither rule nor script says.
    """

    key: str | None = None
    structured: bool = True
    tools: bool = True
    speed: float = 1.0
    record: bool = True
    models: list[str] = field(default_factory=lambda: [wire.MODEL])
    first_delay: float = 0.0
    pace: float = 0.0
    chunk: int = 1


class Refused(Exception):
    """The request is answered with an OpenAI error."""

    def __init__(self, status: int, message: str, param: str | None = None) -> None:
        super().__init__(message)
        self.status = status
        kind, code = wire.kind_of(status)
        self.body = wire.error(message, kind, param, code)


class Model:
    """The scripted model, with what it was asked so far."""

    def __init__(self, book: Book, settings: Settings) -> None:
        self.book = book
        self.settings = settings
        self._first = replace(settings, models=list(settings.models))
        self.records: deque[Record] = deque(maxlen=KEPT)
        self.counts: Counter[str] = Counter()
        self.asked = 0
        self.in_flight = 0
        self.most_in_flight = 0
        self.releases = 0

    def release(self) -> None:
        """Answers that are held go on."""
        self.releases += 1

    def reset(self) -> None:
        """Forget added rules, records and counts, and set everything as it was at the start."""
        self.book.clear()
        self.settings = replace(self._first, models=list(self._first.models))
        self.records.clear()
        self.counts.clear()
        self.asked = 0
        self.release()
        self.most_in_flight = self.in_flight

    async def handle(self, exchange: Exchange) -> None:
        try:
            self._admit(exchange)
            if exchange.path == "/v1/models" and exchange.method == "GET":
                await exchange.reply(200, wire.models(self.settings.models))
            elif exchange.path == "/v1/chat/completions" and exchange.method == "POST":
                await self._complete(exchange)
            else:
                raise Refused(404, f"Unknown request URL: {exchange.method} {exchange.path}.")
        except Refused as refused:
            self.counts["refused"] += 1
            await exchange.reply(refused.status, refused.body)

    def _admit(self, exchange: Exchange) -> None:
        key = self.settings.key
        if key is None:
            return
        given = exchange.headers.get("authorization", "")
        if given != f"Bearer {key}":
            raise Refused(401, "Incorrect API key provided." if given else "You didn't provide an API key.")

    async def _complete(self, exchange: Exchange) -> None:
        body = exchange.json()
        asked = self._read(body)
        said = self.book.find(asked)
        started = time.perf_counter()
        record = self._record(exchange, body, said)
        self.in_flight += 1
        self.most_in_flight = max(self.most_in_flight, self.in_flight)
        try:
            record.outcome = await self._answer(exchange, body, said)
        except HungUp:
            record.outcome, record.hung_up = "hung up", True
        finally:
            self.in_flight -= 1
            record.ms = (time.perf_counter() - started) * 1000
            self.counts[record.outcome] += 1
            if not said.scripted:
                self.counts["unscripted"] += 1

    def _read(self, body: Json) -> Asked:
        if not isinstance(body, Mapping):
            raise Refused(400, "We could not parse the JSON body of your request.")
        model, messages = body.get("model"), body.get("messages")
        if not isinstance(model, str) or not model:
            raise Refused(400, "you must provide a model parameter", "model")
        if not isinstance(messages, list) or not messages:
            raise Refused(400, "'messages' must be a list with at least one message.", "messages")
        if not all(isinstance(message, Mapping) and isinstance(message.get("role"), str) for message in messages):
            raise Refused(400, "Each of 'messages' must be an object with a role.", "messages")
        wanted = body.get("response_format") or {}
        kind = wanted.get("type", "text") if isinstance(wanted, Mapping) else None
        if kind not in ("text", "json_object", "json_schema"):
            raise Refused(400, "'response_format.type' must be text, json_object or json_schema.", "response_format")
        name = None
        if kind == "json_schema":
            if not self.settings.structured:
                raise Refused(400, "This model does not support 'json_schema' response formats.", "response_format")
            stated = wanted.get("json_schema")
            if not isinstance(stated, Mapping) or not isinstance(stated.get("name"), str):
                raise Refused(400, "Missing required parameter: 'response_format.json_schema.name'.", "response_format")
            name = stated["name"]
        tools = body.get("tools")
        if tools is not None and not (isinstance(tools, list) and all(isinstance(tool, Mapping) for tool in tools)):
            raise Refused(400, "'tools' must be a list of objects.", "tools")
        if tools and not self.settings.tools:
            raise Refused(400, "This model does not support tools.", "tools")
        # Beside tools, what was wanted stands first; what follows are results and reminders.
        said = [text_of(m.get("content")) for m in messages if m["role"] == "user"]
        return Asked(
            prompt=(said[0 if tools else -1] if said else ""),
            instructions="\n".join(text_of(m.get("content")) for m in messages if m["role"] in ("system", "developer")),
            model=model,
            schema_name=name,
            structured=kind == "json_schema",
            tools=bool(tools),
            turn=sum(message["role"] == "assistant" for message in messages),
            said="\n".join(said),
        )

    def _record(self, exchange: Exchange, body: Mapping[str, Json], said: Said) -> Record:
        self.asked += 1
        if not self.settings.record:
            return Record(self.asked, 0.0, "", None, {}, {}, keyed=False)
        headers = exchange.headers
        record = Record(
            n=self.asked,
            at=time.time(),
            model=body["model"],
            messages=body["messages"],
            params={name: value for name, value in body.items() if name not in ("model", "messages")},
            headers={name: value for name, value in headers.items() if name not in UNKEPT_HEADERS},
            keyed="authorization" in headers,
            rule=said.rule,
            scripted=said.scripted,
            answer=said.text or json.dumps(said.calls, ensure_ascii=False),
        )
        self.records.append(record)
        return record

    def _wait_of(self, milliseconds: float | None, otherwise: float) -> float:
        wanted = otherwise if milliseconds is None else milliseconds
        return wanted / self.settings.speed if self.settings.speed else 0.0

    async def _answer(self, exchange: Exchange, body: Mapping[str, Json], said: Said) -> str:
        manner = said.manner
        first = self._wait_of(manner.first_delay, self.settings.first_delay)
        if first:
            await exchange.wait(first)
        if manner.drop:
            await exchange.drop()
            return "dropped"
        if manner.fail is not None:
            return await self._fail(exchange, manner)
        messages = [text_of(message.get("content")) for message in body["messages"]]
        usage = None
        if manner.usage is not False:
            usage = manner.usage and {**dict(manner.usage), "total_tokens": sum(dict(manner.usage).values())}
            usage = usage or wire.usage_of(messages, " ".join((said.text, *(call["arguments"] for call in said.calls))))
        if body.get("stream"):
            options = body.get("stream_options")
            asked_usage = isinstance(options, Mapping) and bool(options.get("include_usage"))
            return await self._stream(exchange, body["model"], said, usage if asked_usage else None, asked_usage)
        return await self._whole(exchange, body["model"], said, usage)

    async def _fail(self, exchange: Exchange, manner: Manner) -> str:
        fail = manner.fail
        assert fail is not None
        headers = [] if fail.retry_after is None else [(b"retry-after", f"{fail.retry_after:g}".encode())]
        kind, code = wire.kind_of(fail.status)
        body = wire.error(fail.message, kind, code=code) if fail.body is None else fail.body
        if isinstance(body, str):
            await exchange.reply_bytes(fail.status, body.encode(), [(b"content-type", b"text/html"), *headers])
        else:
            await exchange.reply(fail.status, body, headers)
        return f"failed {fail.status}"

    def _headers(self, said: Said, content_type: bytes) -> list[tuple[bytes, bytes]]:
        headers = [(b"content-type", content_type), (b"x-request-id", f"req_{self.asked}".encode())]
        if not said.scripted:
            headers.append((b"x-demo-unscripted", b"1"))
        return headers

    async def _whole(self, exchange: Exchange, model: str, said: Said, usage: Json) -> str:
        manner = said.manner
        pace = self._wait_of(manner.pace, self.settings.pace)
        if pace:
            await exchange.wait(pace * len(wire.pieces(said.text, manner.chunk or self.settings.chunk)))
        finish = manner.finish or ("tool_calls" if said.calls else "stop")
        reply = wire.completion(model, said.text, finish, usage, not said.scripted, said.calls)
        body = manner.raw.encode() if manner.raw is not None else json.dumps(reply, ensure_ascii=False).encode()
        headers = self._headers(said, b"application/json")
        if manner.cut_after is None and manner.hang_after is None:
            await exchange.reply_bytes(200, body, headers)
            return "answered"
        await exchange.start(200, [*headers, (b"content-length", str(len(body)).encode())])
        await exchange.write(body[: min(len(body) - 1, manner.cut_after or manner.hang_after or 0)])
        return await self._stop(exchange, manner)

    async def _stop(self, exchange: Exchange, manner: Manner) -> str:
        if manner.cut_after is not None:
            await exchange.drop()
            return "cut"
        await exchange.wait(None)
        return "hung"

    async def _stream(self, exchange: Exchange, model: str, said: Said, usage: Json, asked_usage: bool) -> str:
        manner = said.manner
        await exchange.start(200, [*self._headers(said, b"text/event-stream"), (b"cache-control", b"no-cache")])
        if manner.raw is not None:
            await exchange.write(manner.raw.encode(), more=False)
            return "raw"
        chunks = wire.Chunks(model, asked_usage, not said.scripted)
        stop = manner.cut_after if manner.cut_after is not None else manner.hang_after
        text = said.text if stop is None else said.text[:stop]
        parts = wire.pieces(text, manner.chunk or self.settings.chunk)
        pace = self._wait_of(manner.pace, self.settings.pace)
        hold = manner.hold_after
        if pace or hold is not None:
            await exchange.write(chunks.opening())
            said_so_far = 0
            for part in parts:
                if hold is not None and said_so_far >= hold:
                    await self._hold(exchange)
                    hold = None
                await exchange.write(chunks.words(part))
                said_so_far += len(part)
                if pace:
                    await exchange.wait(pace)
            if hold is not None and said.calls and said_so_far >= hold:
                await self._hold(exchange)
            ready = []
        else:
            ready = [chunks.opening(), *map(chunks.words, parts)]
        ready += chunks.calls(said.calls)
        if stop is not None:
            await exchange.write(b"".join(ready))
            return await self._stop(exchange, manner)
        finish = manner.finish or ("tool_calls" if said.calls else "stop")
        await exchange.write(b"".join((*ready, *chunks.closing(finish, usage))), more=False)
        return "answered"

    async def _hold(self, exchange: Exchange) -> None:
        before = self.releases
        while self.releases == before:
            await exchange.wait(10)

    def figures(self) -> Json:
        return {
            "asked": self.asked,
            "in_flight": self.in_flight,
            "most_in_flight": self.most_in_flight,
            "outcomes": dict(self.counts),
        }

    def asked_since(self, number: int) -> list[Json]:
        return [asdict(record) for record in self.records if record.n > number]
