"""A visit to a node, as its kind sees it: state, templates, the model, code."""

from __future__ import annotations

import hashlib
import json
import time
from collections.abc import Mapping, Sequence
from functools import partial
from typing import TYPE_CHECKING, Any, Literal

from flows.kinds.base import Called, Given, Json, ModelReply, NodeFailed, Offer, Pause, Prompt, Turn
from flows.words import needs, template
from flows.words.answer import check_answer
from flows.words.document import Document
from flows.words.jsontext import NoJson, extract_json
from flows.words.strictjson import JsonRefused, loads
from runtime import crash, limits
from runtime.engine import calling
from runtime.engine.again import EACH
from runtime.engine.calls import Calls, Sends
from runtime.engine.lease import Cancelled, Lease
from runtime.engine.program import ANSWERS, CHANNEL, CLOCK, KEPT, PLACE
from runtime.engine.saying import Saying
from runtime.engine.servers import Servers
from runtime.engine.streaming import Stream
from runtime.engine.ways import RunFailure
from runtime.events import ModelCalled
from runtime.models import ModelCall
from runtime.rows import insert
from runtime.services.http import AddressRefused, request_of
from runtime.services.model import ModelCancelled, ModelFailed
from runtime.services.prompting import messages_for, schema_for
from runtime.stepname import named
from runtime.units.sandbox import CodeFailed, CodeGone, CodeLimit, SandboxUnavailable, ServiceFailed, env_marks

if TYPE_CHECKING:
    from runtime.services.model import Endpoint


class EngineStep:
    """Implements flows.kinds.base.Step for one attempt of one visit."""

    def __init__(
        self, lease: Lease, task: str, flow: Document, node: Any, state: Mapping[str, Json], address: str, attempt: int
    ) -> None:
        self._lease, self._task, self._flow, self._node = lease, task, flow, node
        place = state.get(PLACE)
        self._raw, self._address, self.attempt_number = state, address, attempt
        self._attempt = attempt + (place["tries"] if place else 0) + EACH * lease.again.get(address, 0)
        self._tried = tried(place)
        self._state = {name[len(CHANNEL) :]: value for name, value in state.items() if name.startswith(CHANNEL)}
        self._asked = 0
        self._off: dict[str, str] = {}
        self.saying = Saying(lease, task, flow, node, address, attempt)
        self.demo = False
        """Whether a scripted model answered in this attempt."""

    @property
    def address(self) -> str:
        return self._address

    @property
    def flow(self) -> Document:
        return self._flow

    @property
    def state(self) -> Mapping[str, Json]:
        return self._state

    @property
    def answers(self) -> Mapping[str, Given]:
        stored = (self._raw.get(ANSWERS) or {}).get(self._address) or {}
        return {slot: given(one) for slot, one in stored.items()}

    @property
    def kept(self) -> Json:
        return self._memory.get("kept")

    @property
    def turn(self) -> int:
        """How often the visit was unfinished before."""
        return self._memory.get("turn", 0)

    @property
    def _memory(self) -> Mapping[str, Json]:
        return (self._raw.get(KEPT) or {}).get(self._address) or {}

    def fill(self, text: str) -> str:
        return template.fill(text, self._state)

    def value(self, text: Json) -> Json:
        return template.value(text, self._state)

    async def model(self, prompt: Prompt) -> ModelReply:
        messages, schema = messages_for(prompt.text, prompt.schema), schema_for(prompt.schema)
        if prompt.said is not None:
            # In words alone: an endpoint that is held to the schema could not ask.
            messages, schema = needs.messages(messages, prompt.said), None
        asks = prompt.said is not None
        shown = prompt.schema is None and prompt.channel is not None and prompt.channel == self.saying.channel
        text = (await self._complete(messages, schema=schema, shown=shown, may_ask=asks)).reply
        asked = needs.read(text) if asks else None
        if asked is not None:
            self.saying.withdraw()
        if prompt.schema is None:
            return ModelReply(text, needs=asked)
        try:
            return ModelReply(text, _checked(text, prompt))
        except NodeFailed:
            if asked is None:
                raise
            return ModelReply(text, needs=asked)

    async def converse(self, messages: Sequence[Mapping[str, Json]], tools: Sequence[Mapping[str, Json]]) -> Turn:
        row = await self._complete([dict(message) for message in messages], shown=True, tools=tools)
        if row.calls:
            self.saying.withdraw()
        return Turn(row.reply, tuple(row.calls or ()), row.key)

    async def heard(self, key: str) -> tuple[list[dict[str, Json]], Turn]:
        row = self._lease.ledger.models.get(key)
        if row is None:
            raise NodeFailed("What the model was told before is not kept any more. Begin anew.", "TURN_NOT_KEPT")
        await self._lease.ledger.whole(row)
        return list(row.messages), Turn(row.reply, tuple(row.calls or ()), row.key)

    async def look(self) -> None:
        """Find out which tools of servers cannot be called at the moment, so that `off` can say it."""
        self._off = await self.servers.off(self._flow)

    @property
    def most_rounds(self) -> int:
        return limits.of(self._lease.run.deployment.limits).rounds

    @property
    def servers(self) -> Servers:
        return self._lease.resources.servers

    def off(self, tool: str) -> str:
        return self._off.get(tool, "")

    async def offers(self, names: Sequence[str]) -> list[Offer]:
        return await calling.offers(self, names)

    async def agreed(self, pause: Pause) -> None:
        from runtime.engine import approvals

        await approvals.recheck_call(self._lease, self._flow, self._raw, self._address, pause)

    async def call(self, tool: str, args: Mapping[str, Json], place: str = "") -> Json:
        return await calling.make(self, tool, args, place)

    async def attempt(self, tool: str, args: Mapping[str, Json], place: str) -> Called:
        return await calling.attempt(self, tool, args, place)

    async def document(self, source: Json, most: int, private: bool) -> dict[str, Json]:
        def calls(client: Sends) -> Calls:
            return self.calls("read", "", client=client, secrets={}, marks={})

        return await self._lease.resources.document(
            source, address=self._address, most=most, private=private, calls=calls
        )

    def calls(self, unit: str, place: str, **how: Any) -> Calls:
        """The ledger of one call of this step: what a tool's code, or its server, is asked to do."""
        return Calls(
            self._lease, self._task, address=self._address, unit=unit, place=place, attempt=self._attempt,
            tried=self._tried, answers=(self._raw.get(ANSWERS) or {}).get(self._address) or {}, **how,
        )  # fmt: skip

    async def code(self, kind: Literal["handler", "router", "tool"], name: str, given: Json, place: str = "") -> Json:
        lease = self._lease
        part, resources = lease.program.of(self._flow), lease.resources
        unit = f"{kind}:{name}"
        if unit not in part.units:
            raise NodeFailed(
                f'The code of {kind} "{name}" is missing. Generate or write it, then publish again.', "CODE_MISSING"
            )
        env = sorted(self._flow.requires.env)
        secrets = {name: value for name, value in (await resources.secrets()).items() if name in env}
        where = f"{self._address}/{place}" if place else self._address
        seed = hashlib.sha256(f"{lease.id}/{where}/{unit}".encode()).hexdigest()
        marks = env_marks(env, seed)
        calls = self.calls(name, place, client=await resources.http(), secrets=secrets, marks=marks)

        async def serve(service: str, args: Json) -> Json:
            if service == "http.request":
                try:
                    request = request_of(args, marks)
                except AddressRefused as refused:
                    raise ServiceFailed(refused.message) from None
                return await calls.send(request)
            if service == "sign":
                return resources.sign(secrets, args)
            if service in ("files.read", "files.save"):
                return await resources.files.serve(service, args, self._task, f"{where}/{unit}")
            raise ServiceFailed(f'There is no service "{service}".')

        clock = self._raw.get(CLOCK) or lease.run.created_at.timestamp()
        for again in (True, False):
            calls.restart()
            try:
                return await resources.code(
                    unit, given, address=self._address, env=env, seed=seed, clock=clock, services=serve
                )
            except CodeFailed as failed:
                raise NodeFailed(failed.message, "CODE_FAILED") from None
            except CodeLimit as limit:
                raise NodeFailed(limit.message, "CODE_LIMIT") from None
            except SandboxUnavailable as unavailable:
                raise NodeFailed(unavailable.message, "SANDBOX_UNAVAILABLE") from None
            except CodeGone as gone:
                lease.check()
                if not (gone.again and again):
                    raise NodeFailed(gone.message, "CODE_GONE") from None
            finally:
                # Code that did not wait for its request, or failed beside it, does not decide what became of it.
                calls.check()
        raise AssertionError("The second call ended neither way.")

    async def _complete(
        self, messages: list[Json], *, schema: Json = None, shown: bool = False, may_ask: bool = False,
        tools: Sequence[Mapping[str, Json]] = (),
    ) -> ModelCall:  # fmt: skip
        """The model's answer: from the ledger when it was given already, else from the model.

        shown: pages see it while it is written. may_ask: it may be a request for details in place of an answer.
        """
        lease = self._lease
        lease.check()
        resources = lease.resources
        turn = f"t{self.turn}" if self.turn else ""
        key = f"{self._address}/{turn}a{self._attempt}/{self._asked}"
        self._asked += 1
        asked = [messages, list(tools)] if tools else messages
        sha = hashlib.sha256(json.dumps(asked, sort_keys=True, ensure_ascii=False).encode()).hexdigest()
        known = lease.ledger.models.get(key)
        if known is not None and known.prompt_sha == sha and not _unanswered(known):
            self.demo = self.demo or known.demo
            if known.state == "failed":
                raise NodeFailed(known.error["message"], known.error["code"])
            await lease.ledger.whole(known)
            return known
        endpoint = await resources.endpoint()
        if endpoint is None:
            raise NodeFailed(
                "No model is set up for answers. Add one under Settings → Models, or choose one in this agent's "
                "settings.",
                "MODEL_KEY_MISSING",
            )
        self._check_cost()
        await resources.check_budget(endpoint)
        self.demo = self.demo or endpoint.demo
        row = ModelCall(
            workspace_id=lease.run.workspace_id, run_id=lease.id, key=key, address=self._address, attempt=self._attempt,
            fence=lease.fence, prompt_sha=sha, messages=messages, entry=endpoint.name, model=endpoint.model,
            demo=endpoint.demo,
        )  # fmt: skip
        lease.ledger.models[key] = row
        await lease.commit(task=self._task, ops=(partial(_save, row),))
        crash.point("model.started")
        stream = self.saying.stream(may_ask=may_ask) if shown else None
        await self._ask(row, endpoint, schema, stream, tools)
        crash.point("model.answered")
        return row

    def _check_cost(self) -> None:
        """Raise RunFailure where the run has cost all that it may."""
        most = limits.of(self._lease.run.deployment.limits).cost
        if most is not None and self._lease.ledger.cost >= most:
            raise RunFailure(
                "RUN_COST_USED",
                f"This run has cost {most:f} US dollars, as much as a run of this agent may. Raise the limit in the "
                "agent's settings, then let the run go on.",
                named(self._address),
                self._address,
            )

    async def _ask(
        self, row: ModelCall, endpoint: Endpoint, schema: Json, stream: Stream | None,
        tools: Sequence[Mapping[str, Json]],
    ) -> None:  # fmt: skip
        lease = self._lease
        heard: list[str] = []

        def hear(text: str) -> None:
            heard.append(text)
            if stream:
                stream.add(text)

        began = time.perf_counter()
        try:
            reply = await lease.resources.complete(
                endpoint, row.messages, address=row.address, schema=schema, on_text=hear, tools=tools,
                cancelled=lambda: lease.cancelled or lease.lost or lease.worked.over,
            )  # fmt: skip
        except ModelCancelled:
            # What was heard before somebody pressed stop was paid for all the same.
            row.input_tokens = sum(len(message["content"]) for message in row.messages) // 4
            row.output_tokens = len("".join(heard)) // 4
            self._closed(row, "failed", began, {"code": "CANCELLED", "message": "The run was stopped."})
            lease.check()
            raise Cancelled from None
        except ModelFailed as failed:
            self._closed(row, "failed", began, {"code": failed.code, "message": failed.message})
            raise NodeFailed(failed.message, failed.code) from None
        finally:
            if stream:
                await stream.close()
        row.reply, row.model = reply.text, (reply.model or row.model)[:120]
        row.input_tokens, row.output_tokens, row.cost = reply.input_tokens, reply.output_tokens, reply.cost
        row.first_token_ms = reply.first_token_ms
        row.calls = [calling.heard(call) for call in reply.calls] or None
        self._closed(row, "done", began)
        if lease.cancelled:
            raise Cancelled

    def _closed(self, row: ModelCall, state: str, began: float, error: Json = None) -> None:
        """The call is over: its row and its event go with the step's next commit."""
        row.state, row.error = state, error
        row.ms = round((time.perf_counter() - began) * 1000, 2)
        self._lease.later(self._task, self._event(row), ops=(partial(_save, row),))

    def _event(self, row: ModelCall) -> ModelCalled:
        return ModelCalled(
            address=row.address, key=row.key, model=row.model, entry=row.entry, demo=row.demo, ms=row.ms or 0,
            first_token_ms=row.first_token_ms, input_tokens=row.input_tokens, output_tokens=row.output_tokens,
            cost=float(row.cost) if row.cost is not None else None, code=(row.error or {}).get("code", ""),
        )  # fmt: skip


def tried(place: Mapping[str, Json] | None) -> tuple[int, ...]:
    """The attempt of each step around those that stand at this place of an inner flow, outermost first."""
    if not place:
        return ()
    # A run that entered the flow before this was kept counts as being there for the first time.
    return tuple(place.get("tried") or [1] * place["address"].count("/"))


def given(answer: Mapping[str, Json]) -> Given:
    """A stored answer as a kind reads it."""
    return Given(
        answer.get("value"), bool(answer.get("closed")), bool(answer.get("approved")), answer.get("answer") or ""
    )


def _checked(text: str, prompt: Prompt) -> Json:
    """The value in a reply that fits the prompt's schema. Raises NodeFailed naming what does not."""
    schema = prompt.schema or {}
    value = _answer(text, schema)
    problems = check_answer(schema, value, prompt.where or "answer")
    if problems:
        raise NodeFailed("; ".join(problems), "MODEL_SHAPE")
    return value


def _answer(text: str, schema: Mapping[str, Json]) -> Json:
    """The value in a reply that must be JSON; fences and a sentence around it are fine. Raises NodeFailed."""
    try:
        return loads(text)
    except JsonRefused:
        kind = schema.get("type")
        if kind != "object" and kind != "list":
            # A model that was asked for one word seldom puts it in quotes.
            return text.strip()
    try:
        return extract_json(text, kind)
    except NoJson as missing:
        raise NodeFailed(missing.message, "MODEL_SHAPE") from None


def _unanswered(row: ModelCall) -> bool:
    """Whether nobody knows what the model would have said: its worker ended, or the run was stopped meanwhile."""
    return row.state == "started" or (row.state == "failed" and row.error["code"] == "CANCELLED")


def _save(row: ModelCall) -> None:
    insert([row], conflict="replace", unique=("run", "key"))
