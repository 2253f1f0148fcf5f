"""What a run of a test may use: the engine's own, except where it would leave the machine or ask a model."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import TYPE_CHECKING, Any, NamedTuple, cast

from django.utils import timezone

from flows.kinds.base import Json
from flows.problem import quoted
from runtime.engine.nodes import RunFailure
from runtime.engine.resources import Clients, Resources
from runtime.services.http import Guarded, Request
from runtime.services.model import Endpoint, Reply
from runtime.services.secrets import SecretValue
from runtime.services.toolcalls import ToolCall
from runtime.testing.results import TestCall
from runtime.testing.standing import LEAVES, Fails, StandIns, as_words, calls_of
from runtime.testing.steps import plain
from runtime.units.sandbox import CodeFailed, Services

if TYPE_CHECKING:
    from runtime.engine.lease import Lease
    from runtime.units.sandbox import Sandbox

NOBODY = Endpoint(name="test", base_url="", key=None, model="test")


@dataclass
class Asked:
    """A question that a step put to its model, and what stood in for the answer."""

    messages: list[Json]
    reply: str
    calls: tuple[ToolCall, ...] = ()


@dataclass
class Reached:
    """What the steps of one run reached, in order."""

    found: list[Touch] = field(default_factory=list)

    def add(self, address: str, what: Asked | TestCall) -> None:
        self.found.append(Touch(timezone.now(), address, what))

    @property
    def tools(self) -> list[TestCall]:
        return [each.what for each in self.found if isinstance(each.what, TestCall)]

    @property
    def models(self) -> list[tuple[str, Asked]]:
        return [(each.address, each.what) for each in self.found if isinstance(each.what, Asked)]


class Touch(NamedTuple):
    """A call of a tool or a model: when, by the step of which address, and what."""

    at: datetime
    address: str
    what: Asked | TestCall


class StandingResources(Resources):
    """Resources whose outside is stood in for. Code runs in the real sandbox; only what it would send is refused."""

    def __init__(self, lease: Lease, sandbox: Sandbox, clients: Clients, stand: StandIns, reached: Reached) -> None:
        super().__init__(lease, sandbox, clients)
        self._stand, self._reached = stand, reached

    async def endpoint(self) -> Endpoint | None:
        return NOBODY

    async def complete(
        self,
        endpoint: Endpoint,
        messages: list[Json],
        *,
        address: str,
        schema: Json,
        on_text: Callable[[str], None] | None,
        cancelled: Callable[[], bool],
        tools: Sequence[Mapping[str, Json]] = (),
    ) -> Reply:
        answer = self._stand.model(address)
        calls = calls_of(answer) if tools else ()
        text = "" if calls else as_words(answer)
        self._reached.add(address, Asked(messages, text, calls))
        if on_text is not None and text:
            on_text(text)
        return Reply(text, "test", None, None, None, None, 0.0, False, "tool_calls" if calls else "stop", calls)

    async def code(
        self, unit: str, given: Json, *, address: str, env: list[str], seed: str, clock: float, services: Services
    ) -> Json:
        kind, _, name = unit.partition(":")
        if kind != "tool":
            try:
                return await super().code(
                    unit, given, address=address, env=env, seed=seed, clock=clock, services=services
                )
            except RunFailure as failure:
                raise RunFailure(failure.code, failure.message, plain(address), address) from None
        answer = self._stand.tool(name, address)
        why = answer.why if isinstance(answer, Fails) else ""
        call = TestCall(name=name, args=given, ok=not why, node=plain(address), error=why)
        self._reached.add(address, call)
        if why:
            raise CodeFailed(why)
        return answer

    async def http(self) -> Guarded:
        return cast(Guarded, Closed())

    async def secrets(self) -> dict[str, SecretValue]:
        # Code that signs something gets a signature: the same one in every test, of a key that opens nothing.
        return {name: SecretValue(f"a value for tests of {name}") for name in self._lease.program.document.requires.env}


class Closed:
    """Stands where the client for HTTP does: nothing gets out."""

    async def send(self, request: Request, **_: Any) -> Json:
        where = f"{request.method} {request.url}".partition("?")[0]
        raise RunFailure(
            LEAVES,
            f"The code sends {quoted(where)}, and in a test nothing leaves this machine. Let a tool make the call, so "
            "that the test can stand in for it.",
        )
