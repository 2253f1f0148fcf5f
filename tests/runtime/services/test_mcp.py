"""One connection to a real server of the official SDK, over each transport: what it gives, and how it goes wrong."""

from __future__ import annotations

import asyncio
import json
import os
import subprocess
import sys
from collections.abc import AsyncIterator, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from runtime.processes import ROOT
from runtime.services.http import NotSent, OutcomeUnclear
from runtime.services.mcp import definitions, place, session
from runtime.services.mcp.place import Place
from runtime.services.mcp.session import Session
from runtime.services.mcp.web import Trip
from runtime.services.secrets import SecretValue

TOKEN = "tok-9f31-not-for-eyes"
STDIO = (sys.executable, "-m", "tests.support.mcp_office", "stdio")


@contextmanager
def office(transport: str, **environment: str) -> Iterator[str]:
    """The office over HTTP, in a process of its own; its address."""
    process = subprocess.Popen(
        [sys.executable, "-m", "tests.support.mcp_office", transport], cwd=ROOT, stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL, env={**os.environ, **environment},
    )  # fmt: skip
    assert process.stdout is not None
    try:
        port = json.loads(process.stdout.readline())["port"]
        yield f"http://127.0.0.1:{port}/{'mcp' if transport == 'http' else 'sse'}"
    finally:
        process.kill()
        process.wait()


@pytest.fixture(scope="module")
def addresses() -> Iterator[dict[str, str]]:
    with office("http") as http, office("sse") as sse:
        yield {"http": http, "sse": sse}


def program(*more: str, **env: str) -> Place:
    values = {"PYTHONPATH": SecretValue(str(ROOT)), **{name: SecretValue(value) for name, value in env.items()}}
    return Place("office", "stdio", argv=(*STDIO, *more), env=values, seconds=5)


@pytest.fixture(params=["stdio", "http", "sse"])
async def connected(request: Any, addresses: dict[str, str]) -> AsyncIterator[Session]:
    kind = request.param
    found = Session(program() if kind == "stdio" else Place("office", kind, url=addresses[kind], seconds=5))
    yield found
    await found.close()


async def test_it_is_asked_what_it_offers_and_called(connected: Session) -> None:
    # LG-services-11, LG-work-08
    tools = await connected.tools()
    assert {"find_customer", "add_order", "broken"} <= set(tools)
    assert tools["find_customer"].description == "Finds a customer by name."
    assert tools["find_customer"].reads and not tools["add_order"].reads
    assert tools["add_order"].schema["required"] == ["customer", "quantity"]
    answer = await connected.call("find_customer", {"name": "Meridian"})
    assert (answer.failed, answer.value) == (False, {"id": "MERID", "name": "Meridian"})
    assert (await connected.call("echo", {"text": "שלום"}, wrapped=tools["echo"].wrapped)).value == "שלום"
    assert (await connected.call("listing", {})).value == [{"id": 1}, {"id": 2}]


async def test_what_a_tool_says_against_a_call_is_said(connected: Session) -> None:
    failed = await connected.call("broken", {})
    assert failed.failed and "broken" in failed.value
    assert "quantity" in (await connected.call("add_order", {"customer": "A"})).value
    assert (await connected.call("nobody", {})).failed


async def test_a_call_that_takes_too_long_may_have_happened(connected: Session) -> None:
    connected.place = Place(**{**connected.place.__dict__, "seconds": 0.5})
    with pytest.raises(OutcomeUnclear, match=r'The server "office" gave no answer to slow within 0.5 seconds\.'):
        await connected.call("slow", {"seconds": 3})


async def test_a_server_that_dies_in_a_call_is_reached_again_where_it_can_be() -> None:
    connected = Session(program())
    with pytest.raises(OutcomeUnclear, match="the connection was lost"):
        await connected.call("die", {})
    assert (await connected.call("listing", {})).value[0] == {"id": 1}
    await connected.close()


async def test_a_failure_of_an_earlier_connection_ends_no_later_one(connected: Session) -> None:
    await connected.call("echo", {"text": "one"})
    now = connected._client
    failed = await connected._in_words(ConnectionError(), object(), Trip(), "gave no answer to echo")
    assert isinstance(failed, OutcomeUnclear) and connected._client is now
    assert not (await connected.call("echo", {"text": "two"})).failed


async def test_an_answer_without_end_is_not_read(connected: Session) -> None:
    # It ends by its size: were it given up for its time, the rest of it would come before the next answer.
    connected.place = Place(**{**connected.place.__dict__, "seconds": 60})
    with pytest.raises(OutcomeUnclear, match=r"more than 10 MB|the connection was lost"):
        await connected.call("huge", {"megabytes": 12})
    assert (await connected.call("listing", {})).value[0] == {"id": 1}


async def test_many_calls_go_over_one_connection_at_once(connected: Session) -> None:
    found = await asyncio.gather(*(connected.call("find_customer", {"name": f"C{n}"}) for n in range(40)))
    assert [answer.value["name"] for answer in found] == [f"C{n}" for n in range(40)]


@pytest.mark.parametrize(
    ("where", "words"),
    [
        (Place("x", "http", url="http://127.0.0.1:9/mcp"), "does not answer, or does not speak MCP"),
        (Place("x", "sse", url="http://127.0.0.1:9/sse"), "does not answer, or does not speak MCP"),
        (Place("x", "stdio", argv=("no-such-program",)), "did not start: No such file or directory"),
        (Place("x", "stdio", argv=("true",)), "ended, or did not speak MCP"),
        (Place("x", "stdio", argv=("yes",)), "ended, or did not speak MCP"),
        (Place("x", "stdio", argv=("cat", "/dev/zero")), "ended, or did not speak MCP"),
    ],
    ids=["refused", "refused-sse", "none", "ends", "garbage", "endless-line"],
)
async def test_a_server_that_is_none_is_said_to_be(where: Place, words: str) -> None:
    found = Session(where)
    with pytest.raises(NotSent, match=words):
        await found.tools()
    await found.close()


async def test_a_server_that_says_nothing_is_given_up(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(session, "OPEN_SECONDS", 0.5)
    found = Session(Place("x", "stdio", argv=("sleep", "30")))
    with pytest.raises(NotSent, match=r"did not answer within 0\.5 seconds"):
        await found.tools()
    await found.close()


@pytest.mark.parametrize("transport", ["http", "sse"])
async def test_who_may_not_sign_in_is_told(transport: str) -> None:
    with office(transport, OFFICE_BEARER=TOKEN) as url:
        refused = Session(Place("office", transport, url=url))  # type: ignore[arg-type]
        with pytest.raises(NotSent, match=r"refuses the sign-in \(status 401\)"):
            await refused.tools()
        headers = {"Authorization": SecretValue(f"Bearer {TOKEN}")}
        signed = Session(Place("office", transport, url=url, headers=headers))  # type: ignore[arg-type]
        assert "echo" in await signed.tools()
        # What the server repeats of a secret is masked.
        answer = await signed.call("echo", {"text": f"Bearer {TOKEN}"}, wrapped=True)
        assert TOKEN not in json.dumps(answer.value)
        for one in (refused, signed):
            await one.close()


async def test_a_program_knows_its_own_secrets_and_nothing_of_the_worker(monkeypatch: pytest.MonkeyPatch) -> None:
    # reliability R7, §4.7
    monkeypatch.setenv("SECRET_KEY", "the-worker-s-own")
    found = Session(program(OFFICE_TOKEN=TOKEN))
    said = (await found.call("leak", {}, wrapped=True)).value
    await found.close()
    assert said.startswith("••• and") and "SECRET_KEY" not in said
    assert set(said.split(" and ")[1].split()) <= {
        "HOME", "LANG", "LC_ALL", "LC_CTYPE", "OFFICE_TOKEN", "PATH", "PYTHONPATH", "TMPDIR", "TZ",
    }  # fmt: skip


async def test_a_program_ends_with_its_connection(tmp_path: Path) -> None:
    notes = tmp_path / "pid"
    argv = ("sh", "-c", f"echo $$ > {notes}; trap '' TERM; exec cat > /dev/null; sleep 60")
    found = Session(Place("x", "stdio", argv=argv))
    with pytest.raises(NotSent):
        async with asyncio.timeout(30):
            await found.tools()
    await found.close()
    pid = int(notes.read_text())
    for _ in range(100):
        try:
            os.kill(pid, 0)
        except ProcessLookupError:
            return
        await asyncio.sleep(0.1)
    raise AssertionError("The program outlived its connection.")


def test_only_the_installation_s_own_file_names_programs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    # LG-services-09; reliability R7
    monkeypatch.delenv(place.COMMANDS, raising=False)
    assert place.commands() == {}
    file = tmp_path / "commands.json"
    monkeypatch.setenv(place.COMMANDS, str(file))
    with pytest.raises(place.CommandsUnreadable, match="cannot be read"):
        place.commands()
    file.write_text(json.dumps({"files": {"argv": ["serve", "--root", "x"], "describe": "Files.", "env": ["TOKEN"]}}))
    (command,) = place.commands().values()
    assert (command.name, command.argv, command.env) == ("files", ("serve", "--root", "x"), ("TOKEN",))
    for broken in ('{"a": {"argv": "sh -c x"}}', '{"a": {"argv": []}}', '{"a": {"argv": ["x"], "env": "A"}}', "[]"):
        file.write_text(broken)
        with pytest.raises(place.CommandsUnreadable):
            place.commands()


@pytest.mark.parametrize(
    ("name", "schema"), [("", {}), ("a" * 201, {}), ("a\0b", {}), ("a\ud800", {}), ("a", {"title": "x" * 60_000})]
)
def test_a_tool_that_cannot_be_kept_is_none(name: str, schema: dict[str, Any]) -> None:
    assert definitions.taken(name, "", schema, None, None) is None
