"""The supervisor, with real processes: order, restarts, a gentle end, and nothing left behind however it ends."""

from __future__ import annotations

import os
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from runtime.processes import ROOT, Place, refusal
from runtime.supervisor import boxed

PATIENCE = 20.0


@pytest.fixture
def supervise(tmp_path: Path) -> Iterator[Callable[..., subprocess.Popen[str]]]:
    """`supervise("valkey", "web")`: a supervisor over such processes, in a process of its own."""
    started: list[subprocess.Popen[str]] = []

    def start(*names: str) -> subprocess.Popen[str]:
        child = subprocess.Popen(
            [sys.executable, "-m", "tests.support.supervised", str(tmp_path), *names],
            cwd=ROOT,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
        )
        started.append(child)
        return child

    yield start
    for child in started:
        child.kill()
        child.wait()
        assert child.stdout
        child.stdout.close()


def eventually(condition: Callable[[], bool]) -> None:
    until = time.monotonic() + PATIENCE
    while not condition():
        assert time.monotonic() < until, "it did not happen"
        time.sleep(0.02)


def read_until(child: subprocess.Popen[str], words: str) -> list[str]:
    assert child.stdout
    lines = []
    for line in child.stdout:
        lines.append(line.rstrip())
        if words in line:
            return lines
    raise AssertionError(f"{words!r} was not printed:\n" + "\n".join(lines))


def notes(folder: Path) -> list[str]:
    return (folder / "notes").read_text().splitlines()


def pid(folder: Path, name: str) -> int:
    return int((folder / f"{name}.pid").read_text())


def gone(process: int) -> bool:
    try:
        state = Path(f"/proc/{process}/stat").read_text().rsplit(")", 1)[1].split()[0]
    except FileNotFoundError:
        return True
    return state == "Z"


def test_starts_in_order_and_ends_the_worker_before_what_it_works_with(supervise, tmp_path: Path) -> None:
    child = supervise("valkey", "web", "worker")
    lines = read_until(child, "all ready")
    assert "web    │ hello from web" in lines
    assert notes(tmp_path) == ["valkey started", "web started", "worker started"]
    child.send_signal(signal.SIGTERM)
    assert child.wait(PATIENCE) == 0
    assert notes(tmp_path)[3:] == ["worker asked to end", "web asked to end", "valkey asked to end"]


def test_starts_again_what_dies(supervise, tmp_path: Path) -> None:
    child = supervise("valkey", "web")
    read_until(child, "all ready")
    first = pid(tmp_path, "web")
    os.kill(first, signal.SIGKILL)
    lines = read_until(child, "hello from web")
    assert "web    │ ended (SIGKILL); starting it again in 0.5 s" in lines
    eventually(lambda: pid(tmp_path, "web") != first)
    child.send_signal(signal.SIGINT)
    assert child.wait(PATIENCE) == 0


def test_leaves_nothing_behind_when_it_is_killed_itself(supervise, tmp_path: Path) -> None:
    child = supervise("valkey", "web")
    read_until(child, "all ready")
    children = [pid(tmp_path, "valkey"), pid(tmp_path, "web")]
    child.kill()
    eventually(lambda: all(gone(each) for each in children))


def test_says_in_words_what_never_came_up(supervise) -> None:
    child = supervise("valkey", "dies")
    lines = read_until(child, "ended 3 times")
    assert lines[-1] == "The dies process ended 3 times while starting. Its lines above say why."
    assert child.wait(PATIENCE) == 1


def test_ends_what_does_not_listen(supervise) -> None:
    child = supervise("worker", "stubborn")
    read_until(child, "all ready")
    child.terminate()
    assert child.wait(PATIENCE) == 0


def test_a_port_in_use_is_named_with_the_way_out(tmp_path: Path) -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = taken.getsockname()[1]
        words = refusal(Place(var=tmp_path, port=port), with_demo=False)
    assert words == (
        f"Cannot listen on 127.0.0.1:{port}: another program already listens there. "
        f"Choose another: PORT={port + 80} make run"
    )


def test_a_folder_too_deep_for_a_socket_is_refused_in_words(tmp_path: Path) -> None:
    words = refusal(Place(var=tmp_path / ("x" * 120)), with_demo=False)
    assert "is too long for a socket" in words
    assert "Set LGSTUDIO_VAR to a shorter folder" in words


def test_the_box_is_as_wide_as_its_longest_line() -> None:
    assert boxed(["LGStudio", "Open  here"]) == "╭──────────────╮\n│  LGStudio    │\n│  Open  here  │\n╰──────────────╯"
