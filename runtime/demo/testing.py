"""The scripted server for tests and benches: the real one, in a process of its own, on a free port.

with scripted() as server:
    server.add({"when": {"contains": "hello"}, "answer": "Hello to you."})
    client = AsyncOpenAI(base_url=server.base_url, api_key="any")
    ...
    server.requests()
"""

from __future__ import annotations

import json
import os
import select
import subprocess
import sys
import time
import urllib.error
import urllib.request
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

Json = Any

ROOT = Path(__file__).resolve().parents[2]
PATIENCE = 20.0


class ServerFailed(Exception):
    """The server did not start, or refused what control asked. The message is its own words."""


class Scripted:
    """A running server. base_url: for an OpenAI client. office_url: for the order desk."""

    def __init__(self, port: int = 0, scripts: Sequence[Path] = (), office_file: Path | None = None, speed: float = 0):
        self.port = port
        self._scripts = scripts
        self._office_file = office_file
        self._speed = speed
        self._process: subprocess.Popen[bytes] | None = None

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    @property
    def base_url(self) -> str:
        return f"{self.url}/v1"

    @property
    def office_url(self) -> str:
        return f"{self.url}/office"

    @property
    def host(self) -> str:
        """host:port, as a deployment allows it."""
        return f"127.0.0.1:{self.port}"

    @property
    def pid(self) -> int:
        assert self._process is not None
        return self._process.pid

    def start(self) -> None:
        """Start, on the same port as before when there was one, and wait until it answers. Raises ServerFailed."""
        command = [sys.executable, "-m", "runtime.demo.server", "--control", "--port", str(self.port)]
        command += ["--parent", str(os.getpid()), "--speed", str(self._speed)]
        for script in self._scripts:
            command += ["--script", str(script)]
        if self._office_file is not None:
            command += ["--office-file", str(self._office_file)]
        pipe = subprocess.PIPE
        self._process = subprocess.Popen(command, cwd=ROOT, stdout=pipe, stderr=pipe)  # noqa: S603 - our own words
        assert self._process.stdout is not None
        ready, _, _ = select.select([self._process.stdout], [], [], PATIENCE)
        line = self._process.stdout.readline() if ready else b""
        if not line:
            self._process.kill()
            _, words = self._process.communicate()
            raise ServerFailed(words.decode().strip() or f"The server said nothing for {PATIENCE:g} seconds.")
        self.port = json.loads(line)["port"]

    def stop(self) -> None:
        """End it in good order; what is under way gets a second."""
        self._end(kill=False)

    def kill(self) -> None:
        """End it as a power cut would."""
        self._end(kill=True)

    def restart(self) -> None:
        """End and start again on the same port: added rules and records are gone, an office file stays."""
        self.stop()
        self.start()

    def _end(self, kill: bool) -> None:
        process, self._process = self._process, None
        if process is None:
            return
        if kill:
            process.kill()
        else:
            process.terminate()
        try:
            process.communicate(timeout=PATIENCE)
        except subprocess.TimeoutExpired:
            process.kill()
            process.communicate()

    def control(self, path: str, body: Json = None, method: str | None = None) -> Json:
        """Ask /control/<path>: GET without a body, else POST. Raises ServerFailed with the server's words."""
        sent = None if body is None else json.dumps(body).encode()
        request = urllib.request.Request(  # noqa: S310 - our own address
            f"{self.url}/control/{path}", sent, {"content-type": "application/json"}, method=method
        )
        try:
            with urllib.request.urlopen(request, timeout=PATIENCE) as reply:  # noqa: S310
                return json.load(reply)
        except urllib.error.HTTPError as error:
            words = json.load(error)
            raise ServerFailed(words["error"]["message"] if words else f"There is no /control/{path}.") from error

    def add(self, *rules: Json) -> None:
        """Put these rules before all others, the first of them first."""
        self.control("rules", list(rules))

    def behave(self, **manner: Json) -> None:
        """Lay a manner over whatever answers: behave(fail={"status": 429}, times=2), behave(pace=20)."""
        self.control("behave", manner)

    def release(self) -> None:
        """Let the answers go on that hold_after holds."""
        self.control("release", {})

    def fail(self, status: int, times: int = 1, retry_after: float | None = None) -> None:
        """Fail the next requests to the model."""
        self.behave(fail={"status": status, "retry_after": retry_after}, times=times)

    def set(self, **settings: Json) -> None:
        """Change settings: key, structured, speed, record, models, first_delay, pace, chunk."""
        self.control("settings", settings)

    def reset(self, office: bool = True) -> None:
        """As at the start: no added rules, records, counts or settings; with office, its orders and faults too."""
        self.control("reset", {"office": office})

    def requests(self, since: int = 0) -> list[Json]:
        """What the model was asked: n, at, model, messages, params, headers, rule, scripted, outcome, hung_up, ms."""
        return self.control(f"requests?since={since}")["requests"]

    def counters(self) -> Json:
        return self.control("counters")

    def wait_for(self, count: int, seconds: float = PATIENCE) -> list[Json]:
        """The requests, once there are so many. Raises ServerFailed when there are not in time."""
        until = time.monotonic() + seconds
        while len(found := self.requests()) < count:
            if time.monotonic() > until:
                raise ServerFailed(f"The model was asked {len(found)} times, not {count}.")
            time.sleep(0.02)
        return found

    def office(self, **settings: Json) -> None:
        """Change the office's settings: idempotent, slow (ms)."""
        self.control("office/settings", settings)

    def faults(self, *faults: Json) -> None:
        """Set what goes wrong at the office, e.g. {"at": "after", "do": "hang", "times": 1}; none clears them."""
        self.control("office/faults", list(faults))

    def writes(self) -> Json:
        """{"writes": every POST received, "placed": how many orders, "placed_twice": {key: times}}."""
        return self.control("office/writes")


@contextmanager
def scripted(
    *rules: Json,
    port: int = 0,
    scripts: Sequence[Path] = (),
    office_file: Path | None = None,
    speed: float = 0,
) -> Iterator[Scripted]:
    """A running server with the example scripts, these files and rules. speed 0: no scripted delays; 1: as written."""
    server = Scripted(port, scripts, office_file, speed)
    server.start()
    try:
        if rules:
            server.add(*rules)
        yield server
    finally:
        server.stop()
