"""The server as a process, and what a test tells it."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path

import httpx
import pytest
from openai import AsyncOpenAI

from runtime.demo.testing import ROOT, Scripted, ServerFailed, scripted
from tests.runtime.demo.test_wire import HELLO, joined, stream


def is_alive(pid: int) -> bool:
    try:
        state = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0]
    except FileNotFoundError:
        return False
    return state != "Z"


def gone(pid: int) -> bool:
    end = time.monotonic() + 10
    while is_alive(pid) and time.monotonic() < end:
        time.sleep(0.02)
    return not is_alive(pid)


def test_it_ends_when_its_parent_is_killed() -> None:
    code = "from runtime.demo.testing import Scripted; s = Scripted(); s.start(); print(s.pid, flush=True); input()"
    parent = subprocess.Popen([sys.executable, "-c", code], cwd=ROOT, stdin=subprocess.PIPE, stdout=subprocess.PIPE)
    assert parent.stdout is not None and parent.stdin is not None
    pid = int(parent.stdout.readline())
    assert is_alive(pid)
    parent.send_signal(signal.SIGKILL)
    parent.wait()
    assert gone(pid)
    parent.stdin.close()
    parent.stdout.close()


def test_it_outlives_the_thread_that_started_it() -> None:
    server = Scripted()
    thread = threading.Thread(target=server.start)
    thread.start()
    thread.join()
    try:
        time.sleep(0.2)
        assert server.counters()["asked"] == 0
    finally:
        pid = server.pid
        server.stop()
    assert gone(pid)


def test_a_port_in_use_is_said_in_words(demo: Scripted) -> None:
    with pytest.raises(ServerFailed, match=f"Cannot listen on 127.0.0.1:{demo.port}.*another --port"):
        Scripted(port=demo.port).start()


def test_a_script_of_ones_own_comes_before_the_examples(tmp_path: Path) -> None:
    file = tmp_path / "mine.json"
    file.write_text(json.dumps({"rules": [{"answer": "Mine."}]}))
    body = {"model": "demo", "messages": [{"role": "user", "content": "You host a word quiz. Decide"}]}
    with scripted(scripts=[file]) as server:
        reply = httpx.post(f"{server.base_url}/chat/completions", json=body).json()
        assert reply["choices"][0]["message"]["content"] == "Mine."
    file.write_text("{}")
    with pytest.raises(ServerFailed, match=r"mine\.json: rules"):
        Scripted(scripts=[file]).start()


def test_control_is_only_there_when_asked_for() -> None:
    command = [sys.executable, "-m", "runtime.demo.server", "--port", "0", "--parent", str(os.getpid())]
    with subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE) as process:
        assert process.stdout is not None
        port = json.loads(process.stdout.readline())["port"]
        assert httpx.get(f"http://127.0.0.1:{port}/control/requests").status_code == 404
        assert httpx.post(f"http://127.0.0.1:{port}/control/reset").status_code == 404
        assert httpx.get(f"http://127.0.0.1:{port}/health").status_code == 200
        assert httpx.get(f"http://127.0.0.1:{port}/else").status_code == 404
        process.terminate()


async def test_what_it_was_asked_is_kept_without_keys(client: AsyncOpenAI, demo: Scripted) -> None:
    demo.add({**HELLO, "name": "greeting"})
    await stream(client, "hello", temperature=0.3, seed=7)
    await stream(client, "nobody scripted this")
    first, second = demo.requests()
    assert first["messages"][-1] == {"role": "user", "content": "hello"}
    assert first["params"] == {"stream": True, "temperature": 0.3, "seed": 7}
    assert (first["rule"], first["scripted"], first["outcome"], first["keyed"]) == ("greeting", True, "answered", True)
    assert "sk-demo-key" not in json.dumps([first, second])
    assert (second["n"], second["scripted"]) == (2, False)
    assert demo.requests(since=1) == [second]
    counted = demo.counters()
    assert (counted["asked"], counted["outcomes"]["unscripted"]) == (2, 1)


async def test_reset_and_settings(client: AsyncOpenAI, demo: Scripted) -> None:
    demo.add(HELLO)
    demo.set(models=["a", "b"], record=False)
    await stream(client, "hello")
    assert demo.requests() == []
    assert [model.id for model in (await client.models.list()).data] == ["a", "b"]
    demo.reset()
    assert "no script" in joined(await stream(client, "hello"))
    assert demo.control("settings")["record"] is True
    assert [model.id for model in (await client.models.list()).data] == ["demo"]


@pytest.mark.parametrize(
    ("path", "body", "words"),
    [
        ("rules", [{"wen": 1}], "wen"),
        ("behave", {"cut": 1}, "cut"),
        ("behave", [1], "JSON object"),
        ("settings", {"volume": 3}, "volume"),
        ("settings", {"speed": -1}, "speed"),
        ("settings", {"record": "yes"}, "record"),
        ("office/faults", [{"do": "explode"}], "do"),
        ("office/settings", {"idempotent": "perhaps"}, "idempotent"),
        ("nothing", {}, "no /control/nothing"),
        ("requests?since=-1", None, "since"),
    ],
)
def test_what_control_does_not_understand_is_said(demo: Scripted, path: str, body: object, words: str) -> None:
    with pytest.raises(ServerFailed, match=words):
        demo.control(path, body)


def test_waiting_for_requests_gives_up_in_words(demo: Scripted) -> None:
    with pytest.raises(ServerFailed, match="asked 0 times, not 1"):
        demo.wait_for(1, seconds=0.05)
