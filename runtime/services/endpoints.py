"""Which model a purpose uses, which ones run on this machine, and whether one works."""

from __future__ import annotations

import asyncio
import json
import os
import time
from collections.abc import Awaitable, Callable, Iterable
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Literal

from django.utils import timezone

from runtime.models import Deployment, ModelChoice, ModelEntry
from runtime.prepared import Prepared
from runtime.services.failures import KEY_CODES, ModelFailed
from runtime.services.model import Endpoint, Messages, Reply, SchemaMode, complete, forget, list_models
from runtime.services.secrets import SecretUnreadable, SecretValue, decrypt

if TYPE_CHECKING:
    import httpx2

    from runtime.services.prompting import Json

Purpose = Literal["answers", "ask", "code"]

ENVIRONMENT = "From the environment"
OPENAI_URL = "https://api.openai.com/v1"
OPENAI_MODEL = "gpt-5.4-mini"

LOCAL = [("Ollama", 11434), ("LM Studio", 1234), ("llama.cpp", 8080), ("vLLM", 8000)]
LOCAL_SECONDS = 1.0
LARGEST_LIST = 1_000_000
TEST_SECONDS = 30.0


@dataclass(frozen=True)
class Found:
    """A model server on this machine."""

    name: str
    base_url: str
    models: list[str]


@dataclass(frozen=True)
class Tested:
    """What a test of an endpoint showed. code: "" when it works, else ModelFailed's. message: a sentence either way."""

    ok: bool
    code: str
    message: str
    models: list[str]
    schema_mode: SchemaMode
    ms: float | None


def _of_purpose(purpose: str) -> Iterable[ModelChoice]:
    return ModelChoice.objects.select_related("entry").filter(purpose=purpose)[:1]


_chosen = Prepared(_of_purpose, str)


def endpoint_for(deployment: Deployment | None, purpose: Purpose) -> Endpoint | None:
    """The deployment's own model, else the workspace's for this purpose, else the only one there is, else None.

    Beside a demo model the only real one counts as the only one: whoever added it did not mean the demo to answer.
    """
    if deployment is not None and deployment.model_entry is not None:
        return endpoint_of(deployment.model_entry)
    choice = _chosen.first(purpose)
    if choice is not None:
        return endpoint_of(choice.entry)
    every = [endpoint_of(entry) for entry in ModelEntry.objects.order_by("created_at")]
    environment = from_environment()
    if environment is not None:
        every.append(environment)
    real = [endpoint for endpoint in every if not endpoint.demo]
    if len(every) == 1:
        return every[0]
    return real[0] if len(real) == 1 else None


def endpoint_of(entry: ModelEntry) -> Endpoint:
    """An entry ready to be asked. A key that cannot be read any more is told when it is."""
    key, problem = None, ""
    if entry.key_cipher:
        try:
            key = SecretValue(decrypt(entry.key_cipher).decode())
        except SecretUnreadable as unreadable:
            problem = f"The key of the model “{entry.name}” is not used. {unreadable.message}"
    return Endpoint(
        name=entry.name,
        base_url=entry.base_url,
        key=key,
        model=entry.model,
        input_price=entry.input_price,
        output_price=entry.output_price,
        demo=entry.demo,
        schema_mode=entry.schema_mode if entry.schema_mode in ("yes", "no") else "unknown",  # type: ignore[arg-type]
        problem=problem,
    )


def from_environment() -> Endpoint | None:
    """The model of OPENAI_API_KEY, OPENAI_BASE_URL and OPENAI_MODEL; None when neither of the first two is set."""
    key, base_url = os.environ.get("OPENAI_API_KEY", "").strip(), os.environ.get("OPENAI_BASE_URL", "").strip()
    if not key and not base_url:
        return None
    model = os.environ.get("OPENAI_MODEL", "").strip()
    return Endpoint(
        name=ENVIRONMENT,
        base_url=base_url or OPENAI_URL,
        key=SecretValue(key) if key else None,
        model=model or ("" if base_url else OPENAI_MODEL),
    )


def remember_schema_mode(endpoint: Endpoint, mode: SchemaMode) -> None:
    """Keep with the entry what a call showed about json_schema. Only an answer to an open question is written."""
    ModelEntry.objects.filter(
        name=endpoint.name, base_url=endpoint.base_url, model=endpoint.model, schema_mode="unknown"
    ).update(schema_mode=mode)


async def ask_beside_runs(
    endpoint: Endpoint, messages: Messages, *, write: Callable[[Callable[[], object]], Awaitable[object]], **given: Any
) -> Reply:
    """As complete, which gets the rest, for whoever has no ledger: what it shows of the key is kept with the entry.

    write: does database work off the loop.
    """
    try:
        reply = await complete(endpoint, messages, **given)
    except ModelFailed as failed:
        if failed.code in KEY_CODES:
            await write(lambda: _judge_key(endpoint, refused=True))
        raise
    await write(lambda: _judge_key(endpoint, refused=False))
    return reply


def _judge_key(endpoint: Endpoint, *, refused: bool) -> None:
    entries = ModelEntry.objects.filter(name=endpoint.name, base_url=endpoint.base_url)
    entries.update(key_refused=refused, key_judged_at=timezone.now())


async def find_local(places: Iterable[tuple[str, int]] = LOCAL, host: str = "127.0.0.1") -> list[Found]:
    """The model servers that answer on their usual ports within a second, with the models they have."""
    import httpx2

    async with httpx2.AsyncClient(trust_env=False, timeout=LOCAL_SECONDS, follow_redirects=False) as client:
        found = await asyncio.gather(*(_look(client, name, f"http://{host}:{port}/v1") for name, port in places))
    return [each for each in found if each is not None]


async def _look(client: httpx2.AsyncClient, name: str, base_url: str) -> Found | None:
    import httpx2

    body = bytearray()
    try:
        async with asyncio.timeout(LOCAL_SECONDS), client.stream("GET", f"{base_url}/models") as response:
            if response.status_code != 200:
                return None
            async for chunk in response.aiter_bytes():
                body += chunk
                if len(body) > LARGEST_LIST:
                    return None
        listed = json.loads(body)
        return Found(name, base_url, [entry["id"] for entry in listed["data"] if isinstance(entry["id"], str)])
    except (TimeoutError, httpx2.HTTPError, ValueError, KeyError, TypeError):
        return None


_CHECK: Json = {
    "type": "object",
    "properties": {"ok": {"type": "boolean"}},
    "required": ["ok"],
    "additionalProperties": False,
}


async def test_endpoint(endpoint: Endpoint) -> Tested:
    """Ask for one word, for a structured answer, and for the list of models. Never raises for what the server does."""
    from runtime.services import clients

    async with clients.apart():
        return await _tested(endpoint)


async def _tested(endpoint: Endpoint) -> Tested:
    open_question = replace(endpoint, schema_mode="unknown")
    forget(endpoint)
    listing = asyncio.create_task(_listed(endpoint))
    started = time.perf_counter()
    try:
        reply = await complete(
            open_question, [{"role": "user", "content": "Answer with the single word OK."}], timeout=TEST_SECONDS
        )
    except ModelFailed as failed:
        models = await listing
        has = f" It has: {', '.join(models[:8])}." if failed.code == "MODEL_NOT_FOUND" and models else ""
        return Tested(False, failed.code, failed.message + has, models, endpoint.schema_mode, None)
    ms = (time.perf_counter() - started) * 1000
    learned: list[SchemaMode] = []
    try:
        await complete(
            open_question,
            [{"role": "user", "content": "Set ok to true."}],
            schema=_CHECK,
            timeout=TEST_SECONDS,
            on_learned=learned.append,
        )
    except ModelFailed:
        learned.clear()
    says = " ".join(reply.text.split())
    message = f"{reply.model} answered in {ms / 1000:.1f} s: “{says if len(says) <= 60 else says[:59] + '…'}”"
    return Tested(True, "", message, await listing, learned[-1] if learned else endpoint.schema_mode, ms)


async def _listed(endpoint: Endpoint) -> list[str]:
    try:
        return await list_models(endpoint)
    except ModelFailed:
        return []
