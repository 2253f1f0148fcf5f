"""The sockets: what happens in a conversation, as frames and streamed text, and a poke for open inboxes.

They only send. Commands go by HTTP; a socket that is spoken to is closed.
"""

from __future__ import annotations

import asyncio
import contextlib
import json
import logging
import uuid
from abc import ABC, abstractmethod
from collections.abc import Awaitable, Callable
from functools import partial
from importlib import import_module
from types import SimpleNamespace
from typing import Any, cast
from urllib.parse import parse_qs

from channels.auth import get_user
from channels.consumer import get_handler_name
from channels.exceptions import StopConsumer
from channels.generic.websocket import AsyncWebsocketConsumer
from channels.layers import get_channel_layer
from django.conf import settings

from flows.scope import workspace
from runtime import bell
from studio import presence, viewer
from studio.access import may
from studio.frames import Eyes, Follower, Read
from studio.frames.items import ResetMessage
from studio.middleware import chosen_membership
from studio.presence import Locked
from studio.refusal import Forbidden, Missing, Refusal, SignedOut
from studio.viewer import Caller, LinkRenewed, Viewer, caller_of_socket
from studio.watch import read_in_thread, watch

log = logging.getLogger(__name__)

SIGNED_OUT, NOT_ALLOWED, NO_SUCH, LINK_ENDED, LOCKED = 4401, 4403, 4404, 4410, 4423
# The web server takes 1000 and codes from 3000 to 4999; any other ends as a fault of the server.
SPOKEN_TO, BROKEN, FULL = 4400, 4500, 4429
# So many messages behind, a page is better served by reading the log anew.
MOST_WAITING = 256
LAYER_SECONDS = 2.0


class SendingSocket(AsyncWebsocketConsumer, ABC):
    """A socket that is admitted, joins a group, sends in order, and is asked again now and then who it is for."""

    place: uuid.UUID | None = None
    seq = 0
    person = ""
    locks_with = ""
    layer: Any = None

    async def __call__(self, scope: Any, receive: Any, send: Any) -> None:
        self.scope, self.base_send = scope, send
        self.layer = get_channel_layer()
        try:
            self.channel_name = await asyncio.wait_for(self.layer.new_channel(), LAYER_SECONDS)
        except Exception as error:
            # Without the broker a page still lives: the watch reads its log every other second.
            log.warning("A socket goes without doorbells: %s", type(error).__name__)
            self.layer = None
        # Two readers, one for each source: a dispatcher over both makes tasks anew for every message.
        self._ready = asyncio.Event()
        readers = [asyncio.create_task(self._handle(receive))]
        if self.layer is not None:
            readers.append(asyncio.create_task(self._hear(partial(self.layer.receive, self.channel_name))))
        try:
            done, _ = await asyncio.wait(readers, return_when=asyncio.FIRST_COMPLETED)
            for reader in done:
                with contextlib.suppress(StopConsumer):
                    reader.result()
        finally:
            # A server that goes away may cancel the socket before it says disconnect.
            watch().remove(self, self.person)
            for reader in readers:
                reader.cancel()
            await asyncio.gather(*readers, return_exceptions=True)

    async def _hear(self, source: Callable[[], Awaitable[dict[str, Any]]]) -> None:
        """The doorbells, once the socket is admitted: before that there is nobody to send anything to."""
        await self._ready.wait()
        await self._handle(source)

    async def _handle(self, source: Callable[[], Awaitable[dict[str, Any]]]) -> None:
        """Every message of a source, one after the other, until it says that the socket ended."""
        while True:
            await self.dispatch(await source())

    async def dispatch(self, message: dict[str, Any]) -> None:
        # Without the look at old database connections before each message: no handler here uses one.
        await getattr(self, get_handler_name(message))(message)

    async def connect(self) -> None:
        # A browser is told a close code only after the handshake.
        await self.accept()
        self._group = ""
        self._queue: asyncio.Queue[dict[str, Any] | None] = asyncio.Queue(MOST_WAITING)
        self._poked = self._late = False
        self._sender: asyncio.Task[None] | None = None
        try:
            group = await self.admit(caller_of_socket(self.scope))
        except Refusal as refused:
            await self.close(close_code(refused))
            return
        if watch().full(self.person):
            await self.close(FULL)
            return
        self._group = group
        if self.layer is not None:
            await self.layer.group_add(group, self.channel_name)
        watch().add(self, self.person)
        self.wake()
        self._sender = asyncio.create_task(self._send_in_order())
        self._ready.set()

    async def disconnect(self, code: int) -> None:
        watch().remove(self, self.person)
        if self._sender is not None:
            self._sender.cancel()
        if self._group and self.layer is not None:
            with contextlib.suppress(Exception):
                await self.layer.group_discard(self._group, self.channel_name)

    async def receive(self, text_data: str | None = None, bytes_data: bytes | None = None) -> None:
        await self.close(SPOKEN_TO)

    @abstractmethod
    async def admit(self, caller: Caller) -> str:
        """Find out who this is for. Returns the group to join; raises Refusal."""

    @abstractmethod
    async def caught_up(self) -> None:
        """Send what happened since the last time."""

    def wake(self) -> None:
        """There is something to read: several at once are one."""
        if not self._poked:
            self._poked = True
            self._put(None)

    async def check(self) -> None:
        """The watch asks: is this still for whom it was? Closes the socket when it is not."""
        try:
            await self.admit(await fresh_caller(self.scope))
        except Refusal as refused:
            # It is not asked again while its page lets go of it.
            watch().remove(self, self.person)
            await self.close(close_code(refused))
        else:
            if self.layer is None:
                # The page comes back at once, and by then perhaps with doorbells.
                await self.close(FULL)

    def _put(self, message: dict[str, Any] | None) -> None:
        try:
            self._queue.put_nowait(message)
        except asyncio.QueueFull:
            if self._sender is not None and not self._late:
                self._late = True
                self._sender.cancel()
                self._sender = asyncio.create_task(self.close(FULL))

    async def _send_in_order(self) -> None:
        try:
            while True:
                message = await self._queue.get()
                if message is None:
                    self._poked = False
                    await self.caught_up()
                else:
                    await self.send(json.dumps(message, ensure_ascii=False))
        except Exception:
            log.exception("A socket broke")
            with contextlib.suppress(Exception):
                await self.close(BROKEN)


class ConversationSocket(SendingSocket):
    """`/ws/conversations/<id>?since=<seq>`: frames after `since`, then everything as it happens."""

    _follower: Follower | None = None
    _first = True

    async def admit(self, caller: Caller) -> str:
        id: uuid.UUID = self.scope["url_route"]["kwargs"]["id"]  # pyright: ignore[reportTypedDictNotRequiredAccess]
        found, who = await read_in_thread(viewer.conversation)(id, caller)
        self.person = str(who.actor.user or who.actor.visitor)
        self._who: Viewer = who
        self.locks_with = presence.key_of(caller.session) if viewer.knows_people(found.deployment) else ""
        if self._follower is None:
            self.place = found.id
            self.seq = _since(self.scope)
            self._follower = Follower(found.id, Eyes(True, who.role), self.seq)
        return bell.group(found.id)

    async def poke(self, message: dict[str, Any]) -> None:
        if message["seq"] > self.seq:
            self.wake()

    async def delta(self, message: dict[str, Any]) -> None:
        self._put(message)

    async def caught_up(self) -> None:
        read: Read = await read_in_thread(self._read)()
        if read.ahead:
            await self.send(json.dumps(ResetMessage(type="reset").wire()))
            return
        self.seq = read.seq
        # The first message is sent even when it is empty: the page knows then that it is up to date.
        if read.frames or self._first:
            self._first = False
            await self.send(json.dumps(read.message().wire(), ensure_ascii=False))

    def _read(self) -> Read:
        assert self._follower is not None
        with workspace(self._who.workspace):
            return self._follower.read()


class InboxSocket(SendingSocket):
    """`/ws/inbox`: a poke whenever a question came or went in the workspace that the session chose."""

    _first = True

    async def admit(self, caller: Caller) -> str:
        if caller.user is None:
            raise SignedOut
        membership = await read_in_thread(chosen_membership)(
            SimpleNamespace(user=caller.user, session=self.scope["session"])  # type: ignore[arg-type]
        )
        if membership is None or not may(membership.role, "inbox"):
            raise Forbidden
        self.person = str(caller.user.pk)
        return f"inbox.{membership.workspace_id.hex}"

    async def inbox_poke(self, message: dict[str, Any]) -> None:
        self.wake()

    async def caught_up(self) -> None:
        # The page has just read its list when it connects.
        if not self._first:
            await self.send('{"type": "poke"}')
        self._first = False


def close_code(refused: Refusal) -> int:
    """What the page is told: signed out, gone, by a link that was renewed, locked, or not (any longer) allowed."""
    if isinstance(refused, LinkRenewed):
        return LINK_ENDED
    if isinstance(refused, Locked):
        return LOCKED
    if isinstance(refused, SignedOut):
        return SIGNED_OUT
    return NO_SUCH if isinstance(refused, Missing) else NOT_ALLOWED


async def fresh_caller(scope: Any) -> Caller:
    """Who the session is now: a sign-out, a new password and a closed account end it while the socket stands."""
    engine = import_module(settings.SESSION_ENGINE)
    session = engine.SessionStore(session_key=scope["session"].session_key)
    return caller_of_socket({**scope, "user": await get_user(cast(Any, {"session": session}))})


def _since(scope: Any) -> int:
    text = parse_qs(scope.get("query_string", b"").decode("latin-1")).get("since", ["0"])[0]
    return int(text) if text.isascii() and text.isdigit() and len(text) < 16 else 0
