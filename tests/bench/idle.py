"""Prints how long `manage.py up` takes until the page, and what everything then holds in memory while idle."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from runtime.processes import ROOT, Place, answers_http, has_listener
from tests.support.stack import free_ports

PATIENCE = 120.0
SETTLE = 5.0


def memory_of(process: int) -> tuple[str, float]:
    """(what it is, its proportional share of memory in MB)."""
    folder = Path(f"/proc/{process}")
    words = (folder / "cmdline").read_bytes().replace(b"\0", b" ").decode().split()
    known = {"runtime.supervisor": "supervisor", "daphne": "web", "celery": "worker", "runtime.demo.server": "demo"}
    title = next((name for word, name in known.items() if word in words), Path(words[0]).name)
    rollup = (folder / "smaps_rollup").read_text()
    return title, int(rollup.split("\nPss:", 1)[1].split()[0]) / 1024


def family(process: int) -> list[int]:
    """The process and all it has started, however deep."""
    listed = Path(f"/proc/{process}/task/{process}/children").read_text().split()
    return [process, *(each for child in listed for each in family(int(child)))]


def start(place: Place) -> tuple[subprocess.Popen[bytes], float, float]:
    """(the supervisor, seconds until the page, seconds until the worker takes work)."""
    began = time.monotonic()
    child = subprocess.Popen(
        [sys.executable, "manage.py", "up"],
        cwd=ROOT,
        env={**place.environment(), "REDIS_URL": "", "PUBLIC_URL": place.address},
        stdout=subprocess.DEVNULL,
    )
    page = worker = 0.0
    while not (page and worker):
        if child.poll() is not None or time.monotonic() - began > PATIENCE:
            raise SystemExit("manage.py up did not come up")
        if not page and answers_http(place.host, place.port, "/sign-in"):
            page = time.monotonic() - began
        if not worker and place.socket.exists() and has_listener(place.broker):
            worker = time.monotonic() - began
        time.sleep(0.02)
    return child, page, worker


def stop(child: subprocess.Popen[bytes]) -> None:
    child.send_signal(signal.SIGTERM)
    child.wait(PATIENCE)


def main() -> None:
    with tempfile.TemporaryDirectory(prefix="lgstudio-idle-") as folder:
        port, demo_port = free_ports(2)
        place = Place(var=Path(folder), port=port, demo_port=demo_port)
        print(f"{'start':<12}{'page':>8}{'worker':>9}   (s; load {os.getloadavg()[0]:.1f})")
        child, page, worker = start(place)
        print(f"{'first':<12}{page:>8.1f}{worker:>9.1f}")
        stop(child)
        child, page, worker = start(place)
        print(f"{'again':<12}{page:>8.1f}{worker:>9.1f}")
        time.sleep(SETTLE)
        print(f"\n{'idle memory':<12}{'PSS MB':>8}")
        total = 0.0
        for process in family(child.pid):
            title, size = memory_of(process)
            total += size
            print(f"{title:<12}{size:>8.1f}")
        print(f"{'all':<12}{total:>8.1f}   (to reach: 400)")
        stop(child)


if __name__ == "__main__":
    main()
