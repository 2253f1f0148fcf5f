"""Which model answers, which are on this machine, and what a test of one says."""

from __future__ import annotations

import asyncio
from decimal import Decimal

import pytest

from flows.models import Flow
from runtime.models import Deployment, ModelChoice, ModelEntry
from runtime.services import endpoints
from runtime.services.endpoints import endpoint_for, endpoint_of, find_local, from_environment, remember_schema_mode
from runtime.services.model import ModelFailed, complete
from runtime.services.secrets import encrypt
from tests.runtime.services.models import each, endpoint, fails, routed, says, streams
from tests.runtime.services.servers import Asked, always, reply, serve

MODELS = routed(streams(says("OK")), ["qwen", "llama"])


@pytest.fixture(autouse=True)
def no_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("OPENAI_API_KEY", "OPENAI_BASE_URL", "OPENAI_MODEL"):
        monkeypatch.delenv(name, raising=False)


def entry(name: str, **more) -> ModelEntry:
    return ModelEntry.objects.create(name=name, base_url="http://127.0.0.1:9/v1", model="m", **more)


def deployment(chosen: ModelEntry | None = None) -> Deployment:
    flow = Flow.objects.create(path="f", name="F", draft="{}")
    return Deployment.objects.create(flow=flow, slug="f", name="F", model_entry=chosen)


def name_of(found) -> str | None:
    return found and found.name


def test_the_nearest_choice_wins(workspace) -> None:
    agent = deployment()
    assert endpoint_for(agent, "answers") is None
    first = entry("First")
    assert name_of(endpoint_for(agent, "answers")) == "First"
    second = entry("Second")
    assert endpoint_for(agent, "answers") is None
    ModelChoice.objects.create(purpose="answers", entry=second)
    assert name_of(endpoint_for(agent, "answers")) == name_of(endpoint_for(None, "answers")) == "Second"
    assert endpoint_for(None, "code") is None
    agent.model_entry = first
    assert name_of(endpoint_for(agent, "answers")) == "First"


def test_a_demo_beside_one_real_model_does_not_answer(workspace) -> None:
    entry("Demo", demo=True)
    found = endpoint_for(None, "answers")
    assert found is not None and found.demo
    entry("Real")
    assert name_of(endpoint_for(None, "answers")) == "Real"


def test_the_environment_is_one_more_entry(workspace, monkeypatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "sk-env")
    found = endpoint_for(None, "answers")
    assert found is not None
    assert (found.name, found.base_url) == ("From the environment", "https://api.openai.com/v1")
    assert found.key is not None and found.key.value == "sk-env" and found.model
    entry("Other")
    assert endpoint_for(None, "answers") is None
    monkeypatch.delenv("OPENAI_API_KEY")
    monkeypatch.setenv("OPENAI_BASE_URL", "http://127.0.0.1:11434/v1")
    local = from_environment()
    assert local is not None and (local.key, local.model) == (None, "")
    monkeypatch.setenv("OPENAI_MODEL", "qwen")
    assert from_environment().model == "qwen"  # type: ignore[union-attr]


def test_another_workspace_is_not_looked_into(workspace) -> None:  # R21
    from flows import scope
    from flows.models import Workspace

    other = Workspace.objects.create(name="Other")
    with scope.workspace(other.id):
        entry("Theirs")
    assert endpoint_for(None, "answers") is None


async def test_a_key_that_cannot_be_read_is_told_when_it_is_needed(workspace, settings) -> None:
    settings.SECRET_KEY = "before"
    row = ModelEntry(name="Old", base_url="http://127.0.0.1:9/v1", model="m", key_cipher=encrypt(b"sk-1"))
    assert endpoint_of(row).key.value == "sk-1"  # type: ignore[union-attr]
    settings.SECRET_KEY = "after"
    found = endpoint_of(row)
    assert found.key is None
    with pytest.raises(ModelFailed) as failed:
        await complete(found, [{"role": "user", "content": "x"}])
    assert failed.value.code == "MODEL_KEY_MISSING" and "SECRET_KEYS" in failed.value.message


def test_an_entry_comes_with_its_prices(workspace) -> None:
    row = entry("Priced", input_price=Decimal("1.5"), output_price=Decimal("6"), schema_mode="yes")
    found = endpoint_of(row)
    assert (found.input_price, found.output_price, found.schema_mode) == (Decimal("1.5"), Decimal("6"), "yes")


def test_what_was_learned_is_kept_once(workspace) -> None:
    row = entry("Learner")
    remember_schema_mode(endpoint_of(row), "no")
    row.refresh_from_db()
    assert row.schema_mode == "no"
    remember_schema_mode(endpoint_of(row), "yes")
    row.refresh_from_db()
    assert row.schema_mode == "no"


async def test_local_servers_are_found_at_once() -> None:
    async def hangs(_: Asked, writer: asyncio.StreamWriter) -> None:
        await asyncio.sleep(60)

    async def endless(_: Asked, writer: asyncio.StreamWriter) -> None:
        writer.write(b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n")
        while True:
            writer.write(b"10000\r\n" + b"x" * 65536 + b"\r\n")
            await writer.drain()

    page = always(reply(200, "<html>", Content_Type="text/html"))
    odd = always(reply(200, '{"data": [{"name": "x"}]}', Content_Type="application/json"))
    async with (
        serve(MODELS) as good,
        serve(page) as web,
        serve(hangs) as slow,
        serve(odd) as other,
        serve(endless) as big,
    ):
        async with serve(MODELS) as gone:
            pass
        servers = {"Web": web, "Ollama": good, "Slow": slow, "Other": other, "Big": big, "Gone": gone}
        loop = asyncio.get_running_loop()
        began = loop.time()
        found = await find_local([(name, server.port) for name, server in servers.items()])
        assert loop.time() - began < 5
        assert [(each.name, each.models) for each in found] == [("Ollama", ["qwen", "llama"])]
        assert found[0].base_url == f"http://127.0.0.1:{good.port}/v1"


async def test_a_working_endpoint_is_shown_with_what_it_said() -> None:
    async with serve(MODELS) as server:
        tested = await endpoints.test_endpoint(endpoint(server))
        assert (tested.ok, tested.code, tested.models, tested.schema_mode) == (True, "", ["qwen", "llama"], "yes")
        assert "m-1-2026 answered in" in tested.message and "“OK”" in tested.message and tested.ms
    answers = each(streams(says("OK")), fails(400, "no json_schema here"), streams(says("OK")))
    async with serve(routed(answers, None)) as server:
        tested = await endpoints.test_endpoint(endpoint(server, schema_mode="yes"))
        assert (tested.ok, tested.models, tested.schema_mode) == (True, [], "no")


async def test_a_broken_endpoint_is_told_in_words() -> None:
    async with serve(routed(fails(404, "The model m-1 does not exist"), ["qwen", "llama"])) as server:
        tested = await endpoints.test_endpoint(endpoint(server))
        assert (tested.ok, tested.code) == (False, "MODEL_NOT_FOUND")
        assert tested.message.endswith("It has: qwen, llama.")
    async with serve(fails(401, "bad key")) as server:
        tested = await endpoints.test_endpoint(endpoint(server))
        assert (tested.ok, tested.code, tested.models) == (False, "MODEL_KEY_REFUSED", [])
        assert "sk-canary-11" not in tested.message
    gone = endpoint(server)
    assert (await endpoints.test_endpoint(gone)).code == "MODEL_DOWN"
