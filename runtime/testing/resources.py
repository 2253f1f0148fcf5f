"""What a run of a test may use: the engine's own, except where it would leave the machine or ask a model."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, cast

from flows.kinds.base import Json, NodeFailed
from flows.problem import quoted
from runtime.engine.resources import Clients, Resources
from runtime.engine.ways import RunFailure
from runtime.services.http import Guarded, Request
from runtime.services.model import Endpoint, Reply
from runtime.services.secrets import SecretValue
from runtime.testing.reached import Asked, Reached
from runtime.testing.servers import StandingServers
from runtime.testing.standing import LEAVES, Fails, StandIns, as_words, calls_of
from runtime.testing.steps import plain
from runtime.units.sandbox import CodeFailed, Services

if TYPE_CHECKING:
    from runtime.engine.calls import Calls, Sends
    from runtime.engine.lease import Lease
    from runtime.units.sandbox import Sandbox

NOBODY = Endpoint(name="test", base_url="", key=None, model="test")


class StandingResources(Resources):
    """Resources whose outside is stood in for. Code runs in the real sandbox; only what it would send is refused."""

    def __init__(self, lease: Lease, sandbox: Sandbox, clients: Clients, stand: StandIns, reached: Reached) -> None:
        super().__init__(lease, sandbox, clients)
        self._stand, self._reached = stand, reached
        self.servers = StandingServers(lease, stand, reached)

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
        answer = self._reached.call(self._stand, name, given, address)
        if isinstance(answer, Fails):
            raise CodeFailed(answer.why)
        return answer

    async def document(
        self, source: Json, *, address: str, most: int, private: bool, calls: Callable[[Sends], Calls]
    ) -> dict[str, Json]:
        if not self._stand.reads(address):
            return await super().document(source, address=address, most=most, private=private, calls=calls)
        given = self._stand.document(address)
        if isinstance(given, Fails):
            raise NodeFailed(given.why, "DOCUMENT_UNREACHABLE")
        return _whole(given, source, most)

    async def http(self) -> Sends:
        return cast(Guarded, Closed())

    async def secrets(self) -> dict[str, SecretValue]:
        # Code that signs something gets a signature: the same one in every test, of a key that opens nothing.
        names = {name for part in self._lease.program.parts.values() for name in part.document.requires.env}
        return {name: SecretValue(f"a value for tests of {name}") for name in names}


def _whole(given: Json, source: Json, most: int) -> dict[str, Json]:
    """A document as a read node writes it: what the test says of it, and the rest as of a plain text."""
    said: dict[str, Json] = given if isinstance(given, dict) else {"text": given}
    text = said.get("text")
    text = text if isinstance(text, str) else ""
    where = source if isinstance(source, str) else str(source.get("name", "")) if isinstance(source, dict) else ""
    return {
        "title": "", "source": where, "mediaType": "text/plain", "pages": None, "chars": len(text),
        "truncated": len(text) > most, **said, "text": text[:most],
    }  # fmt: skip


class Closed:
    """Stands where the client for HTTP does: nothing gets out."""

    async def send(self, request: Request, **_: Any) -> Json:
        where = f"{request.method} {request.url}".partition("?")[0]
        raise RunFailure(
            LEAVES,
            f"The code sends {quoted(where)}, and in a test nothing leaves this machine. Let a tool make the call, so "
            "that the test can stand in for it.",
        )
