"""`/ws/flows/<id>`: the draft that a page shows has a new revision; the page reads the changes by HTTP."""

from __future__ import annotations

import json
import uuid
from types import SimpleNamespace
from typing import Any

from flows.models import Flow
from flows.scope import workspace
from runtime import bell
from studio.access import may
from studio.consumers import SendingSocket
from studio.middleware import chosen_membership
from studio.refusal import Forbidden, Missing, SignedOut
from studio.viewer import Caller
from studio.watch import read_in_thread


class FlowSocket(SendingSocket):
    """News of one flow, for whoever may see it: `{"type": "draft", "revision", "by"}`, and how an ask goes."""

    _revision = 0

    async def admit(self, caller: Caller) -> str:
        if caller.user is None:
            raise SignedOut
        id: uuid.UUID = self.scope["url_route"]["kwargs"]["id"]  # pyright: ignore[reportTypedDictNotRequiredAccess]
        await read_in_thread(self._look)(id, caller)
        self.person = str(caller.user.pk)
        return bell.flow_group(id)

    def _look(self, id: uuid.UUID, caller: Caller) -> None:
        asked: Any = SimpleNamespace(user=caller.user, session=self.scope["session"])  # type: ignore[typeddict-item]
        membership = chosen_membership(asked)
        if membership is None or not may(membership.role, "flows.view"):
            raise Forbidden
        with workspace(membership.workspace_id):
            now = Flow.objects.filter(pk=id, deleted_at=None).values_list("revision", flat=True).first()
        if now is None:
            raise Missing
        self._now = now

    async def flow_news(self, message: dict[str, Any]) -> None:
        news = message["news"]
        if news["type"] == "draft":
            self._revision = max(self._revision, news["revision"])
        self._put(news)

    async def check(self) -> None:
        await super().check()
        self.wake()

    async def caught_up(self) -> None:
        # Said when a page connects, and again where a doorbell was lost: it asks for what it has not seen.
        if self._now > self._revision:
            self._revision = self._now
            await self.send(json.dumps({"type": "draft", "revision": self._now, "by": ""}))
