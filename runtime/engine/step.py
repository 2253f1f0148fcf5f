"""A visit to a node, as its kind sees it: state, templates, the model, code."""

from __future__ import annotations

import hashlib
import json
import time
from collections.abc import Callable, Mapping
from functools import partial
from typing import TYPE_CHECKING, Any, Literal

from flows.kinds import kind_of
from flows.kinds.base import Given, Json, ModelReply, NodeFailed, Prompt
from flows.words import template
from flows.words.answer import check_answer
from flows.words.document import Document
from flows.words.jsontext import NoJson, extract_json
from flows.words.strictjson import JsonRefused, loads
from runtime import crash
from runtime.engine.calls import Calls
from runtime.engine.lease import Cancelled, Lease
from runtime.engine.program import ANSWERS, CHANNEL, CLOCK, PLACE
from runtime.engine.streaming import Stream
from runtime.events import ModelCalled
from runtime.models import ModelCall, RunStream
from runtime.rows import delete, insert
from runtime.services.http import AddressRefused, request_of
from runtime.services.model import ModelCancelled, ModelFailed
from runtime.services.prompting import messages_for, schema_for
from runtime.stepname import is_inside
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
        self._attempt = attempt + (place["tries"] if place else 0)
        self._state = {name[len(CHANNEL) :]: value for name, value in state.items() if name.startswith(CHANNEL)}
        self._asked = 0
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
        return {slot: Given(one.get("value"), bool(one.get("closed"))) for slot, one in stored.items()}

    @property
    def stream_attempt(self) -> int:
        """Numbers the text on the page: a later worker's or attempt's text replaces an earlier one's."""
        return self._lease.fence * 100 + self.attempt_number

    def streamed_output(self) -> str | None:
        """The output channel whose text arrives word by word: a plain answer into a text output."""
        flow = self._flow
        if is_inside(self._address):
            return None
        channel = kind_of(self._node.type).streams(self._node)
        if channel is None or channel not in flow.outputs or flow.state[channel].type not in ("string", "any"):
            return None
        return channel

    def fill(self, text: str) -> str:
        return template.fill(text, self._state)

    def value(self, text: Json) -> Json:
        return template.value(text, self._state)

    def forget_stream(self, channel: str) -> Callable[[], Any]:
        """What removes the saved text, in the transaction of the event that repeats it."""
        item = stream_item(self._lease, channel)
        return partial(delete, RunStream, run=self._lease.id, item=item)

    async def model(self, prompt: Prompt) -> ModelReply:
        text = await self._complete(prompt)
        if prompt.schema is None:
            return ModelReply(text)
        value = _answer(text, prompt.schema)
        problems = check_answer(prompt.schema, value, prompt.where or "answer")
        if problems:
            raise NodeFailed("; ".join(problems), "MODEL_SHAPE")
        return ModelReply(text, value)

    async def code(self, kind: Literal["handler", "router", "tool"], name: str, given: Json) -> Json:
        lease = self._lease
        part, resources = lease.program.of(self._flow), lease.resources
        unit = f"{kind}:{name}"
        if unit not in part.units:
            raise NodeFailed(
                f'The code of {kind} "{name}" is missing. Generate or write it, then publish again.', "CODE_MISSING"
            )
        env = sorted(self._flow.requires.env)
        secrets = {name: value for name, value in (await resources.secrets()).items() if name in env}
        seed = hashlib.sha256(f"{lease.id}/{self._address}/{unit}".encode()).hexdigest()
        marks = env_marks(env, seed)
        calls = Calls(
            lease, self._task, address=self._address, unit=name, attempt=self._attempt, client=await resources.http(),
            secrets=secrets, marks=marks,
            answers=(self._raw.get(ANSWERS) or {}).get(self._address) or {},
        )  # fmt: skip

        async def serve(service: str, args: Json) -> Json:
            if service == "http.request":
                try:
                    request = request_of(args, marks)
                except AddressRefused as refused:
                    raise ServiceFailed(refused.message) from None
                return await calls.send(request)
            if service == "sign":
                return resources.sign(secrets, args)
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

    async def _complete(self, prompt: Prompt) -> str:
        """The model's words: from the ledger when it was given already, else from the model."""
        lease = self._lease
        lease.check()
        resources = lease.resources
        key = f"{self._address}/a{self._attempt}/{self._asked}"
        self._asked += 1
        messages = messages_for(prompt.text, prompt.schema)
        sha = hashlib.sha256(json.dumps(messages, sort_keys=True, ensure_ascii=False).encode()).hexdigest()
        known = lease.model_calls.get(key)
        if known is not None and known.prompt_sha == sha and known.state != "started":
            self.demo = self.demo or known.demo
            if known.state == "failed":
                raise NodeFailed(known.error["message"], known.error["code"])
            return known.reply
        endpoint = await resources.endpoint()
        if endpoint is None:
            raise NodeFailed(
                "No model is set up for answers. Add one under Settings → Models, or choose one in this agent's "
                "settings.",
                "MODEL_KEY_MISSING",
            )
        await resources.check_budget(endpoint)
        self.demo = self.demo or endpoint.demo
        row = ModelCall(
            workspace_id=lease.run.workspace_id, run_id=lease.id, key=key, address=self._address, attempt=self._attempt,
            fence=lease.fence, prompt_sha=sha, messages=messages, entry=endpoint.name, model=endpoint.model,
            demo=endpoint.demo,
        )  # fmt: skip
        lease.model_calls[key] = row
        await lease.commit(task=self._task, ops=(partial(_save, row),))
        crash.point("model.started")
        text = await self._ask(row, endpoint, prompt)
        crash.point("model.answered")
        return text

    async def _ask(self, row: ModelCall, endpoint: Endpoint, prompt: Prompt) -> str:
        lease = self._lease
        channel = self.streamed_output()
        channel = channel if prompt.schema is None and prompt.channel == channel else None
        stream = Stream(lease, stream_item(lease, channel), self.stream_attempt) if channel else None
        heard: list[str] = []

        def hear(text: str) -> None:
            text = text.replace("\0", "")  # PostgreSQL stores every character but this one
            heard.append(text)
            if stream:
                stream.add(text)

        began = time.perf_counter()
        try:
            reply = await lease.resources.complete(
                endpoint, row.messages, address=row.address, schema=schema_for(prompt.schema), on_text=hear,
                cancelled=lambda: lease.cancelled or lease.lost,
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
        row.reply, row.model = reply.text.replace("\0", ""), (reply.model or row.model)[:120]
        row.input_tokens, row.output_tokens, row.cost = reply.input_tokens, reply.output_tokens, reply.cost
        row.first_token_ms = reply.first_token_ms
        self._closed(row, "done", began)
        if lease.cancelled:
            raise Cancelled
        return row.reply

    def _closed(self, row: ModelCall, state: str, began: float, error: Json = None) -> None:
        """The call is over: its row and its event go with the step's next commit."""
        row.state, row.error = state, error
        row.ms = round((time.perf_counter() - began) * 1000, 2)
        self._lease.later(self._task, self._event(row), ops=(partial(_save, row),))

    def _event(self, row: ModelCall) -> ModelCalled:
        return ModelCalled(
            address=row.address, key=row.key, model=row.model, entry=row.entry, demo=row.demo, ms=row.ms or 0,
            first_token_ms=row.first_token_ms, input_tokens=row.input_tokens, output_tokens=row.output_tokens,
            cost=float(row.cost) if row.cost is not None else None,
        )  # fmt: skip


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


def stream_item(lease: Lease, channel: str) -> str:
    """The page item in which an output channel of this run is drawn."""
    return f"out:{lease.id}:{channel}"


def _save(row: ModelCall) -> None:
    insert([row], conflict="replace", unique=("run", "key"))
