"""The sockets, on a real broker: nothing is lost, nothing is for others, and whoever may no longer is told so."""

from __future__ import annotations

import asyncio
import json
import threading
import uuid
from collections.abc import AsyncIterator, Callable, Iterator
from typing import Any

import pytest
from asgiref.sync import sync_to_async
from channels.testing import WebsocketCommunicator
from django.db import connections
from django.test import Client

from flows import scope
from runtime import bell, events
from runtime.models import Deployment, Run
from studio import consumers, watch
from studio.asgi import application
from studio.frames import Eyes, compact
from studio.models import Membership
from tests.studio.chat.test_frames import applied, drawn
from tests.support import talk

pytestmark = pytest.mark.django_db(transaction=True)
AT: dict[str, Any] = {"address": "reply#1", "node": "reply", "kind": "llm", "title": "Reply"}
Open = Callable[..., Any]


@pytest.fixture(autouse=True)
def closed_threads() -> Iterator[None]:
    """The sockets' threads keep their connections; a test database goes only when they are closed."""
    yield
    every = threading.Barrier(4)

    def close() -> None:
        every.wait(10)
        connections.close_all()

    for closed in [watch._threads.submit(close) for _ in range(4)]:
        closed.result()


@pytest.fixture
def brisk(monkeypatch: pytest.MonkeyPatch) -> None:
    """The watch looks around often, and asks every socket each time."""
    monkeypatch.setattr(watch, "POLL_SECONDS", 0.05)
    monkeypatch.setattr(watch, "CHECK_SECONDS", 0.0)


def cookies(client: Client) -> bytes:
    return "; ".join(f"{name}={morsel.value}" for name, morsel in client.cookies.items()).encode()


@pytest.fixture
async def open_socket() -> AsyncIterator[Open]:
    """`await open_socket(path, client)`: a socket after its handshake, closed after the test."""
    made: list[WebsocketCommunicator] = []

    async def open_it(path: str, client: Client | None = None, origin: bytes | None = b"http://127.0.0.1") -> Any:
        headers = [(b"host", b"127.0.0.1")]
        headers += [(b"origin", origin)] if origin else []
        headers += [(b"cookie", cookies(client))] if client else []
        socket = WebsocketCommunicator(application, path, headers=headers)
        made.append(socket)
        accepted, code = await socket.connect(timeout=10)
        socket.denied = None if accepted else (code or 403)
        return socket

    yield open_it
    for socket in made:
        await socket.disconnect()


async def heard(socket: Any) -> dict[str, Any]:
    return json.loads(await socket.receive_from(timeout=10))


async def closed_with(socket: Any) -> int:
    """The code the socket ends with, whatever it said before."""
    while True:
        output = await socket.receive_output(timeout=10)
        if output["type"] == "websocket.close":
            code = output["code"]
            assert code == 1000 or 3000 <= code < 5000, "the web server would refuse to say it"
            return code


@pytest.fixture
def dana(workspace, user, member_client) -> tuple[Run, Client]:
    """A run of Dana's that works, and her browser."""
    run = talk.run(talk.conversation(talk.agent("desk"), user("member", "Dana")), "running")
    return run, member_client("member", "Dana")


async def happens(run: Run, *facts: events.Event) -> int:
    def write() -> int:
        with scope.workspace(run.workspace_id):
            return talk.log(run, *facts)

    return await sync_to_async(write)()


def address(run: Run, since: int = 0) -> str:
    return f"/ws/conversations/{run.conversation_id}?since={since}"


async def whole_page(run: Run) -> list[tuple[str, Any]]:
    def read() -> list[tuple[str, Any]]:
        with scope.workspace(run.workspace_id):
            return drawn(applied({}, compact(run.conversation_id, Eyes(True, "member")).frames))

    return await sync_to_async(read)()


class Page:
    """What a browser makes of a socket's messages."""

    def __init__(self) -> None:
        self.items: dict[str, Any] = {}
        self.seq = 0
        self.text: dict[str, str] = {}

    async def follow(self, socket: Any, seq: int) -> None:
        while self.seq < seq:
            message = await heard(socket)
            if message["type"] == "frames":
                for frame in message["frames"]:
                    if frame["op"] == "remove":
                        self.items.pop(frame["id"], None)
                    else:
                        self.items[frame["id"]] = frame["item"]
                self.seq = message["seq"]
            elif message["type"] == "delta":
                self.text[message["item"]] = self.text.get(message["item"], "") + message["text"]


async def test_opening_living_and_coming_back_show_the_same(dana, open_socket) -> None:
    run, client = dana
    page = Page()
    socket = await open_socket(address(run), client)
    await page.follow(socket, await happens(run, events.RunStarted(), events.StepStarted(**AT, streams="answer")))
    await socket.disconnect()
    await happens(run, events.StepFinished(**AT, ms=5))
    last = await happens(run, events.OutputWritten(channel="answer", label="Answer", value="Two orders."))
    again = await open_socket(address(run, page.seq), client)
    await page.follow(again, last)
    assert drawn(page.items) == await whole_page(run)


# reliability C8
async def test_events_of_a_storm_arrive_whole_and_in_order(dana, open_socket) -> None:
    run, client = dana
    sockets = [await open_socket(address(run), client) for _ in range(5)]
    pages = [Page() for _ in sockets]
    following = asyncio.gather(*(page.follow(socket, 121) for page, socket in zip(pages, sockets, strict=True)))
    for n in range(40):
        step = {**AT, "address": f"reply#{n}"}
        await happens(run, events.StepStarted(**step), events.StepFinished(**step, ms=1))
        await happens(run, events.OutputWritten(channel="answer", label="Answer", value=f"{n}"))
    await following
    expected = await whole_page(run)
    assert all(drawn(page.items) == expected for page in pages)


async def test_streamed_text_passes_in_order_after_the_step_that_streams_it(dana, open_socket) -> None:
    run, client = dana
    socket = await open_socket(address(run), client)
    assert (await heard(socket))["seq"] == 1
    await happens(run, events.StepStarted(**AT, streams="answer"))
    item = f"out:{run.id}:answer"
    said = [f"word{n} " for n in range(100)]
    for n, text in enumerate(said):
        await sync_to_async(bell.delta)(run.conversation_id, item, 1, sum(map(len, said[:n])), text)
    page = Page()
    page.seq = 1
    await page.follow(socket, 2)
    assert page.items[item]["streaming"] is True
    while len(page.text.get(item, "")) < sum(map(len, said)):
        message = await heard(socket)
        assert (message["type"], message["attempt"]) == ("delta", 1)
        assert message["offset"] == len(page.text.get(item, ""))
        page.text[item] = page.text.get(item, "") + message["text"]
    assert page.text[item] == "".join(said)


async def test_a_lost_doorbell_costs_a_look_around_and_no_event(dana, open_socket, brisk, monkeypatch) -> None:
    run, client = dana
    socket = await open_socket(address(run), client)
    await heard(socket)
    monkeypatch.setattr(bell, "conversation", lambda id, seq: None)
    page = Page()
    page.seq = 1
    await page.follow(socket, await happens(run, events.RunStarted(), events.StepStarted(**AT)))
    assert page.items[f"steps:{run.id}"]["steps"][0]["title"] == "Reply"


async def test_a_page_that_is_ahead_of_the_log_is_told_to_begin_anew(dana, open_socket) -> None:
    run, client = dana
    socket = await open_socket(address(run, 99), client)
    assert await heard(socket) == {"type": "reset"}


@pytest.mark.parametrize("since", ["", "x", "-5", "1e9", "9" * 40, "%00"])
async def test_a_number_that_is_none_is_the_beginning(dana, open_socket, since) -> None:
    run, client = dana
    socket = await open_socket(f"/ws/conversations/{run.conversation_id}?since={since}", client)
    assert (await heard(socket))["frames"]


# reliability R18, R19, A15
async def test_a_conversation_is_told_to_its_person_only(dana, open_socket, member_client) -> None:
    run, client = dana
    eve = await sync_to_async(member_client)("member", "Eve")
    owner = await sync_to_async(member_client)("owner")
    assert await closed_with(await open_socket(address(run))) == 4401
    assert await closed_with(await open_socket(address(run), eve)) == 4404
    assert await closed_with(await open_socket(address(run), owner)) == 4404
    assert await closed_with(await open_socket(f"/ws/conversations/{uuid.uuid4()}", client)) == 4404


@pytest.mark.parametrize(
    "origin", [b"https://evil.example", b"null", b"", None, b"http://127.0.0.1.evil.example", b"http://evil.127.0.0.1"]
)
async def test_a_foreign_page_opens_no_socket(dana, open_socket, origin) -> None:
    run, client = dana
    for path in (address(run), "/ws/inbox"):
        assert (await open_socket(path, client, origin)).denied


async def test_a_visitor_follows_its_own_conversation_until_the_link_is_renewed(workspace, open_socket, brisk) -> None:
    from tests.studio.chat.test_talking import say, visitor

    def begin() -> tuple[Deployment, Client, Client, Run]:
        with scope.workspace(workspace.id):
            agent = talk.agent("open-desk", access="link", link_token="t" * 32)
            browser = visitor(agent)
            other = visitor(agent)
            return agent, browser, other, Run.everywhere.get(id=say(browser, agent).json()["run"])

    agent, browser, other, run = await sync_to_async(begin)()
    assert await closed_with(await open_socket(address(run), other)) == 4404
    socket = await open_socket(address(run), browser)
    assert (await heard(socket))["frames"][0]["item"]["text"] == "Hello"
    await sync_to_async(Deployment.everywhere.filter(id=agent.id).update)(link_token="n" * 32)
    assert await closed_with(socket) == 4410


async def test_signing_out_ends_the_socket(dana, open_socket, brisk) -> None:
    run, client = dana
    socket = await open_socket(address(run), client)
    await heard(socket)
    await sync_to_async(client.session.flush)()
    assert await closed_with(socket) == 4401


async def test_leaving_the_workspace_ends_the_sockets(dana, open_socket, brisk, member_client, user) -> None:
    run, client = dana
    rina = await sync_to_async(member_client)("reviewer", "Rina")
    sockets = [await open_socket(address(run), client), await open_socket("/ws/inbox", rina)]
    await sync_to_async(Membership.everywhere.all().delete)()
    assert [await closed_with(socket) for socket in sockets] == [4403, 4403]


@pytest.mark.parametrize("said", ["hello", '{"type": "poke", "seq": 9}', "[" * 500, b"\x00\xff"])
async def test_a_socket_that_is_spoken_to_is_closed(dana, open_socket, said) -> None:
    run, client = dana
    socket = await open_socket(address(run), client)
    await socket.send_to(**({"bytes_data": said} if isinstance(said, bytes) else {"text_data": said}))
    assert await closed_with(socket) == 4400


# reliability L2
async def test_a_page_that_does_not_read_is_closed_and_reads_again(dana, open_socket, monkeypatch) -> None:
    run, client = dana
    monkeypatch.setattr(consumers, "MOST_WAITING", 8)
    reached, waits = asyncio.Event(), asyncio.Event()

    async def slow(self: Any, *args: Any, **given: Any) -> None:
        reached.set()
        await waits.wait()

    monkeypatch.setattr(consumers.ConversationSocket, "send", slow)
    socket = await open_socket(address(run), client)
    # A socket is open before it is admitted and hears anything.
    await asyncio.wait_for(reached.wait(), 10)
    for n in range(20):
        await sync_to_async(bell.delta)(run.conversation_id, f"out:{run.id}:answer", 1, n, "x")
    assert await closed_with(socket) == 4429


async def test_one_person_has_so_many_sockets_at_a_time(dana, open_socket, monkeypatch) -> None:
    run, client = dana
    monkeypatch.setattr(watch, "MOST_PER_PERSON", 2)
    held = [await open_socket(address(run), client) for _ in range(2)]
    for socket in held:
        await heard(socket)
    assert await closed_with(await open_socket(address(run), client)) == 4429
    await held[0].disconnect()
    assert (await heard(await open_socket(address(run), client)))["type"] == "frames"


async def test_the_inbox_is_poked_when_a_question_is_closed(dana, open_socket, member_client) -> None:
    run, client = dana
    rina = await sync_to_async(member_client)("reviewer", "Rina")

    def ask() -> Any:
        with scope.workspace(run.workspace_id):
            return talk.ask(run, decider="reviewers")

    question = await sync_to_async(ask)()
    socket = await open_socket("/ws/inbox", rina)
    assert await socket.receive_nothing(0.2)
    body = json.dumps({"digest": question.digest, "decision": "approve", "key": "k"})
    answered = await sync_to_async(rina.post)(
        f"/api/questions/{question.id}/answer", body, content_type="application/json"
    )
    assert answered.status_code == 200
    assert await heard(socket) == {"type": "poke"}
    assert await closed_with(await open_socket("/ws/inbox", client)) == 4403
    assert await closed_with(await open_socket("/ws/inbox")) == 4401


async def test_without_the_broker_a_page_still_lives(dana, open_socket, brisk, monkeypatch) -> None:
    run, client = dana

    class Away:
        async def new_channel(self) -> str:
            raise ConnectionError

    monkeypatch.setattr(consumers, "get_channel_layer", Away)
    monkeypatch.setattr(watch, "CHECK_SECONDS", 60.0)
    socket = await open_socket(address(run), client)
    page = Page()
    await page.follow(socket, await happens(run, events.RunStarted(), events.StepStarted(**AT)))
    assert drawn(page.items) == await whole_page(run)
