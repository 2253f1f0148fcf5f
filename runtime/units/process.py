"""One process of a lease, seen from the worker: send a call, serve its requests, watch the clock, read the outcome."""

from __future__ import annotations

import asyncio
import contextvars
import hashlib
import secrets
import signal
import time
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass

from flows.kinds.base import Json
from runtime.units.faults import CodeError, CodeFailed, CodeGone, CodeLimit, ServiceFailed
from runtime.units.frames import FROM_CODE, SERVICES, TO_CODE, Link, pack
from runtime.units.warm import CPU_SECONDS, Warm

Services = Callable[[str, Json], Awaitable[Json]]
"""services(name, args) -> reply, in the worker. ServiceFailed reaches the code as an error; any other exception ends
the call and leaves it unchanged."""

BEGIN_FRESH, BEGIN_AGAIN = 15.0, 2.0
"""Seconds until a process must have begun a call: a new one may still be starting, a used one only has to listen."""

FIELDS = {"done": {"value"}, "failed": {"message", "line"}, "limit": {"message"}}


@dataclass(frozen=True)
class Limits:
    """seconds: of the code's own time, while it waits for no service. result: bytes of JSON. services: requests."""

    seconds: float = 10.0
    result: int = 1 << 20
    services: int = 200
    at_once: int = 32


DEFAULT = Limits()


@dataclass(frozen=True)
class Call:
    """One call of a unit, as the process gets it."""

    unit: str
    given: Json
    settings: Mapping[str, Json]
    env: Mapping[str, str]
    seed: str
    clock: float
    services: Services
    limits: Limits

    @property
    def name(self) -> str:
        return self.unit.partition(":")[2]


class _Gone(Exception):
    """The process hung up, or sent what ours never sends."""


class Process:
    """Runs one call at a time. Not alive any more: fork another one."""

    def __init__(self, warm: Warm, number: int, end: asyncio.Future[int]) -> None:
        self._warm = warm
        self._number = number
        self._end = end
        self._link = Link(self._on_frame, self._on_lost)
        self._loaded: dict[str, str] = {}
        self._talk: _Talk | None = None
        self.alive = True
        self.spent = 0.0
        self.calls = 0
        self.asked = False

    @classmethod
    async def fork(cls, warm: Warm) -> Process:
        """Raises OSError when the zygote is gone."""
        number, sock, end = warm.fork()
        process = cls(warm, number, end)
        await asyncio.get_running_loop().create_unix_connection(lambda: process._link, sock=sock)
        return process

    @property
    def fresh(self) -> bool:
        """Whether enough processor time is left for another call."""
        return self.alive and self._warm.alive and self.spent < CPU_SECONDS / 2

    @property
    def spoilt(self) -> bool:
        """After a failed call: an earlier call may be at fault, and this one has asked nothing, so try it elsewhere."""
        return self.calls > 1 and not self.asked

    def load(self, units: Mapping[str, str], barred: Mapping[str, str]) -> None:
        """Send the units that this process does not have yet. barred: packages that they may not import, and why."""
        shas = {key: hashlib.sha256(code.encode("utf-8", "surrogatepass")).hexdigest() for key, code in units.items()}
        missing = {key: units[key] for key, sha in shas.items() if self._loaded.get(key) != sha}
        if missing:
            self._link.send(pack({"op": "load", "units": missing, "barred": dict(barred)}))
            self._loaded |= {key: shas[key] for key in missing}

    async def run(self, call: Call) -> Json:
        """The unit's result. Raises CodeFailed, CodeLimit, CodeGone, or what the services callback raised."""
        nonce = secrets.token_hex(16)
        frame = {"op": "call", "id": nonce, "unit": call.unit, "given": call.given, "settings": dict(call.settings)}
        frame |= {"env": dict(call.env), "seed": call.seed, "clock": call.clock, "most": call.limits.result}
        try:
            packed = pack(frame)
        except ValueError as error:
            raise CodeLimit(f"What {call.name} is given cannot be sent to it: {error}.") from None
        talk = self._talk = _Talk(self._link, nonce, call, self.kill, BEGIN_AGAIN if self.calls else BEGIN_FRESH)
        self.calls += 1
        self._link.send(packed)
        try:
            return await talk.outcome()
        except _Gone:
            raise await self._why(call, talk) from None
        finally:
            self.spent += talk.own_seconds()
            self.asked = talk.asked
            self._talk = None
            if talk.broken:
                self.kill()

    def kill(self) -> None:
        """End it at once, whatever it does."""
        if self.alive:
            self.alive = False
            self._warm.kill(self._number)
            self._link.drop("killed")

    def _on_frame(self, frame: dict[str, Json], size: int) -> None:
        if self._talk is None:
            self.kill()
        else:
            self._talk.on_frame(frame, size)

    def _on_lost(self, why: str) -> None:
        if why:
            self._warm.kill(self._number)
        self.alive = False
        if self._talk is not None:
            self._talk.lost(why)

    async def _why(self, call: Call, talk: _Talk) -> CodeError:
        if talk.deaf:
            return CodeGone(f"The process for {call.name} did not answer.", again=True)
        if talk.why:
            return CodeGone(f"The code of {call.name} wrote into the sandbox's own channel ({talk.why}) and was ended.")
        done, _ = await asyncio.wait([self._end], timeout=1.0)
        if not done and self._warm.alive:
            self._warm.kill(self._number)
            return CodeGone(f"The code of {call.name} closed the sandbox's own channel and was ended.")
        if not done or self._end.cancelled():
            return CodeGone(f"The sandbox ended while {call.name} ran. Running it again is safe.", again=True)
        status = self._end.result()
        killed, code = status & 0x7F, status >> 8
        if killed == signal.SIGXCPU:
            return CodeLimit(f"The code of {call.name} used more than {CPU_SECONDS} seconds of processor time.")
        if killed == signal.SIGKILL:
            why = f"The system ended the code of {call.name}, most likely because memory ran out."
            return CodeGone(why, again=True)
        if killed:
            return CodeGone(f"The code of {call.name} crashed its process ({signal.Signals(killed).name}).")
        return CodeGone(f"The code of {call.name} ended its process (exit {code}).")


class _Talk:
    """The frames of one call. `broken`: the process cannot be trusted with another call."""

    def __init__(self, link: Link, nonce: str, call: Call, kill: Callable[[], None], begin: float) -> None:
        self._loop = asyncio.get_running_loop()
        self._link = link
        self._nonce = nonce
        self._call = call
        self._kill = kill
        self._context = contextvars.copy_context()
        self._answer: asyncio.Future[Json] = self._loop.create_future()
        self._tasks: set[asyncio.Task[None]] = set()
        self._ids: set[int] = set()
        self._waiting = self._bytes = 0
        self._since = time.monotonic()
        self._own = 0.0
        self._begun = False
        self._timer = self._loop.call_later(begin, self._not_begun)
        self.broken = True
        self.deaf = False
        self.why = ""

    @property
    def asked(self) -> bool:
        return bool(self._ids)

    def own_seconds(self) -> float:
        """Time used while no service request was open."""
        return self._own + (time.monotonic() - self._since if not self._waiting else 0.0)

    async def outcome(self) -> Json:
        try:
            value = await self._answer
            self.broken = False
            return value
        except CodeFailed:
            self.broken = False
            raise
        except asyncio.CancelledError:
            for task in self._tasks:
                task.cancel()
            raise
        finally:
            self._timer.cancel()
            if self._tasks:
                # A request that is under way is never cut off: it may be a write, and its end must be recorded.
                await asyncio.wait(self._tasks)

    def on_frame(self, frame: dict[str, Json], size: int) -> None:
        op = frame.pop("op", None)
        if frame.pop("call", None) != self._nonce or self._answer.done():
            return self._hostile("a frame out of turn")
        if op == "begun" and not self._begun and not frame:
            return self._begin()
        if op == "service" and set(frame) == {"id", "name", "args"}:
            return self._on_service(frame, size)
        if op not in FIELDS or set(frame) != FIELDS[op]:
            return self._hostile("a frame of another form")
        return self._on_end(op, frame, size)

    def _begin(self) -> None:
        self._begun = True
        self._since = time.monotonic()
        self._timer.cancel()
        self._timer = self._loop.call_later(self._call.limits.seconds, self._too_long)

    def _on_end(self, op: str, frame: dict[str, Json], size: int) -> None:
        limits, name = self._call.limits, self._call.name
        if op == "done":
            if size > limits.result + 200:
                self._end(CodeLimit(_too_much(name, limits)))
            elif not _fits(self._call.unit, frame["value"]):
                self._hostile("a result of another type")
            else:
                self._answer.set_result(frame["value"])
        elif op == "limit":
            self._end(CodeLimit(_too_much(name, limits) if frame["message"] == "output" else _memory(name)))
        else:
            line = frame["line"] if isinstance(frame["line"], int) else None
            self._end(CodeFailed(str(frame["message"])[:1000], line))

    def _on_service(self, frame: dict[str, Json], size: int) -> None:
        number, name, args, limits = frame["id"], frame["name"], frame["args"], self._call.limits
        if not isinstance(number, int) or number in self._ids or name not in SERVICES or not isinstance(args, dict):
            return self._hostile("a request of another form")
        self._ids.add(number)
        if len(self._ids) > limits.services:
            return self._end(CodeLimit(f"The code of {self._call.name} made more than {limits.services} requests."))
        self._bytes += size
        if self._waiting >= limits.at_once or self._bytes > 2 * FROM_CODE:
            return self._end(CodeLimit(f"The code of {self._call.name} made too many requests at once."))
        if self._waiting == 0:
            self._own += time.monotonic() - self._since
            self._timer.cancel()
        self._waiting += 1
        task = self._loop.create_task(self._serve(number, name, args, size), context=self._context)
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)
        return None

    async def _serve(self, number: int, name: str, args: dict[str, Json], size: int) -> None:
        reply: dict[str, Json] = {"op": "reply", "id": number}
        try:
            reply["value"] = await self._call.services(name, args)
        except ServiceFailed as error:
            reply["error"] = error.message
        except asyncio.CancelledError:
            raise
        except BaseException as error:
            self._end(error)
        finally:
            self._bytes -= size
            self._waiting -= 1
            if self._waiting == 0:
                self._since = time.monotonic()
        if self._answer.done():
            return
        try:
            self._link.send(pack(reply))
        except ValueError:
            larger = f"The answer is larger than {TO_CODE >> 20} MB."
            self._link.send(pack({"op": "reply", "id": number, "error": larger}))
        if self._waiting == 0:
            self._timer = self._loop.call_later(max(0.0, self._call.limits.seconds - self._own), self._too_long)

    def lost(self, why: str) -> None:
        self.why = why if why != "killed" else ""
        self._end(_Gone())

    def _hostile(self, why: str) -> None:
        self.why = why
        self._end(_Gone())
        self._kill()

    def _not_begun(self) -> None:
        self.deaf = True
        self._end(_Gone())
        self._kill()

    def _too_long(self) -> None:
        seconds = f"{self._call.limits.seconds:g}"
        self._end(CodeLimit(f"The code of {self._call.name} took longer than {seconds} seconds."))
        self._kill()

    def _end(self, error: BaseException) -> None:
        if not self._answer.done():
            self._answer.set_exception(error)


def _fits(unit: str, value: Json) -> bool:
    return {"handler": isinstance(value, dict), "router": isinstance(value, str)}.get(unit.partition(":")[0], True)


def _too_much(name: str, limits: Limits) -> str:
    return f"The code of {name} gave more than {limits.result >> 10} KB back."


def _memory(name: str) -> str:
    return f"The code of {name} needed more memory than it may have."
