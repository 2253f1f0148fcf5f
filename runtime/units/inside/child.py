"""One lease's process: it reads its own frames, runs one unit at a time, and ends when the worker hangs up.

Frames are four bytes of length and JSON. From the worker: load, call, reply. To it: begun, service, done, failed,
limit. Everything here can be changed by a hostile unit. The worker trusts no frame; what holds is the system call
filter, the namespaces around the zygote, and the worker's own limits.
"""

import asyncio
import builtins
import json
import os
import selectors
import sys
import types
import warnings

from . import clock, modules, words
from .given import Env, ServiceError, Services, Settings

_read, _write = os.read, os.write


class Loop(asyncio.SelectorEventLoop):
    """The event loop, on the clock that moves.

    It holds no descriptor of its own, so the zygote makes it and each fork takes it over: a process has no threads,
    and needs no pipe to wake itself.
    """

    def __init__(self) -> None:
        super().__init__(selectors.PollSelector())

    def time(self) -> float:
        return clock.real_monotonic()

    def _make_self_pipe(self) -> None:
        self._ssock = self._csock = None
        self._internal_fds = 0

    def _write_to_self(self) -> None:
        pass


class Link:
    """The lease's socket, framed. Reading waits in the loop; writing waits for the worker, which always reads."""

    def __init__(self, fd: int) -> None:
        self.fd = fd
        self._buffer = bytearray()

    def send(self, frame: dict, **encoded: bytes) -> None:
        """A frame of short parts, and parts that are JSON already."""
        body = json.dumps(frame, separators=(",", ":")).encode()
        for name, value in encoded.items():
            body = body[:-1] + b',"' + name.encode() + b'":' + value + b"}"
        view = memoryview(len(body).to_bytes(4, "big") + body)
        while view:
            view = view[_write(self.fd, view) :]

    def frames(self) -> list[dict]:
        """The frames that one read completes. Raises EOFError when the worker is gone."""
        piece = _read(self.fd, 1 << 18)
        if not piece:
            raise EOFError
        self._buffer += piece
        found = []
        while len(self._buffer) >= 4:
            end = 4 + int.from_bytes(self._buffer[:4], "big")
            if len(self._buffer) < end:
                break
            found.append(json.loads(self._buffer[4:end]))
            del self._buffer[:end]
        return found


class Child:
    """Units by key, the call that runs, and the replies it waits for."""

    def __init__(self, link: Link, loop: Loop) -> None:
        self.link = link
        self.loop = loop
        self.code: dict[str, str] = {}
        self.compiled: dict[str, types.CodeType] = {}
        self.barred: dict[str, str] = {}
        """Packages that are loaded and that this flow does not declare, each with the reason."""
        self.builtins = _plain_builtins(self.barred)
        self.waiting: dict[int, asyncio.Future] = {}
        self.asked = 0
        self.call = ""
        self.dropped: list[str] = []
        """Calls of this call's code that nobody waited for, so that they never happened."""
        warnings.__dict__["_warn_unawaited_coroutine"] = lambda coroutine: self.dropped.append(coroutine.__name__)

    def on_readable(self) -> None:
        try:
            for frame in self.link.frames():
                self.on_frame(frame)
        except EOFError:
            os._exit(0)

    def on_frame(self, frame: dict) -> None:
        match frame["op"]:
            case "call":
                self.loop.create_task(self.run(frame))
            case "reply":
                future = self.waiting.pop(frame["id"], None)
                if future is None or future.done():
                    return
                if "error" in frame:
                    future.set_exception(ServiceError(frame["error"]))
                else:
                    future.set_result(frame["value"])
            case "load":
                self.barred.update(frame["barred"])
                for key, code in frame["units"].items():
                    self.code[key] = code
                    self.compiled.pop(key, None)

    async def ask(self, name: str, parts: dict) -> object:
        try:
            args = words.encoded(parts)
        except words.NotJson as found:
            raise TypeError(f"what is sent to services.{name.partition('.')[0]} is no JSON: {found}") from None
        self.asked += 1
        number, future = self.asked, self.loop.create_future()
        self.waiting[number] = future
        self.link.send({"op": "service", "call": self.call, "id": number, "name": name}, args=args)
        return await future

    async def run(self, frame: dict) -> None:
        self.call = frame["id"]
        self.link.send({"op": "begun", "call": self.call})
        answer, encoded = await self.outcome(frame)
        for task in asyncio.all_tasks(self.loop):
            if task is not asyncio.current_task(self.loop):
                task.cancel()
        await asyncio.sleep(0)
        self.waiting.clear()
        self.link.send({"call": frame["id"], **answer}, **encoded)

    async def outcome(self, frame: dict) -> tuple[dict, dict[str, bytes]]:
        """The call's last frame without its id, and the parts of it that are JSON already."""
        unit = frame["unit"]
        filename = f"<{unit}>"
        clock.begin(frame["seed"], frame["clock"])
        self.dropped.clear()
        try:
            value = await self.function(unit, filename)(frame["given"], **self.given(frame))
            answer = self.result(unit, value, frame["most"])
            if self.dropped:
                name, called = unit.partition(":")[2], self.dropped[0]
                return _failed(f"The code of {name} calls {called} without await, so what it does never happened.")
            return answer
        except MemoryError:
            return {"op": "limit", "message": "memory"}, {}
        except asyncio.CancelledError:
            return _failed(f"The code of {unit.partition(':')[2]} cancelled itself.")
        except BaseException as error:
            return _failed(*words.tell(error, unit, self.code))

    def given(self, frame: dict) -> dict:
        """What every function of the call is given beside its own: the same services, settings and env for all."""
        given = {"settings": Settings(frame["settings"]), "env": Env(frame["env"])}

        def make(name: str) -> object:
            key = f"service:{name}"
            if key not in self.code:
                return None
            made = self.function(key, f"<{key}>")(**given)
            if made is None or asyncio.iscoroutine(made):
                raise ServiceError(f"The code of services.{name} gives no object; it must be def and return one.")
            return made

        given["services"] = Services(self.ask, make)
        return given

    def function(self, unit: str, filename: str):
        """The unit's function out of a fresh module, so that no call sees what another left behind."""
        code = self.compiled.get(unit)
        if code is None:
            code = self.compiled[unit] = compile(self.code[unit], filename, "exec", dont_inherit=True)
        module = {"__name__": "unit", "__builtins__": dict(self.builtins)}
        exec(code, module)  # noqa: S102 - this process is the sandbox
        return module[unit.partition(":")[2]]

    def result(self, unit: str, value: object, most: int) -> tuple[dict, dict[str, bytes]]:
        kind, _, name = unit.partition(":")
        if kind == "handler" and value is None:
            value = {}
        wanted = {"handler": (dict, "an object of the channels it changes"), "router": (str, "the name of a route")}
        kept = wanted.get(kind)
        if kept and not isinstance(value, kept[0]):
            return _failed(f"The code of {name} gave {_shape(value)} back; it must return {kept[1]}.")
        try:
            body = words.encoded(value)
        except words.NotJson as found:
            return _failed(f"The code of {name} gave back what cannot be kept: {found}")
        if len(body) > most:
            return {"op": "limit", "message": "output"}, {}
        return {"op": "done"}, {"value": body}


def _failed(message: str, line: int | None = None) -> tuple[dict, dict[str, bytes]]:
    return {"op": "failed", "message": message[: words.LONGEST], "line": line}, {}


def _shape(value: object) -> str:
    return "nothing" if value is None else f"a {type(value).__name__}"


def _plain_builtins(barred: dict[str, str]) -> dict:
    """The built-in names, with an import that says what code may import and file functions that say where files are.

    Courtesy for authors, no boundary.
    """

    def no_files(*_args, **_more):
        raise PermissionError("code has no files of its own; use services.files")

    def no_terminal(*_args, **_more):
        raise PermissionError("code has no terminal")

    real_import = builtins.__import__

    def allowed_import(name, *more, **named):
        top = name.partition(".")[0]
        if top in barred:
            raise ImportError(f"{top} cannot be imported here: {barred[top]}")
        if top not in (*modules.ALLOWED, *modules.IMPLIED, *modules.packages):
            raise ImportError(f"{name} cannot be imported here")
        return real_import(name, *more, **named)

    return {
        **vars(builtins),
        "__import__": allowed_import,
        "open": no_files,
        "input": no_terminal,
        "breakpoint": no_terminal,
        "print": lambda *_args, **_more: None,
    }


def prepare(fd: int) -> Loop:
    """Everything that a fork needs, made once in the zygote; the fork has its socket at fd and runs the loop."""
    loop = Loop()
    asyncio.set_event_loop(loop)
    loop.set_exception_handler(lambda _loop, _context: None)
    child = Child(Link(fd), loop)
    loop.add_reader(fd, child.on_readable)
    sys.path.clear()
    sys.path_hooks.clear()
    sys.path_importer_cache.clear()
    return loop
