"""The example flows as they ship: their files, their code, and a deployment of each on a real engine."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator, Awaitable, Callable
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from flows.check import check
from flows.units import units_of
from flows.words.document import Document
from flows.words.when import compile_router
from runtime.demo.testing import ROOT, Scripted
from runtime.services.http import Guarded, Request
from runtime.units.handlerfile import parse_handlers
from runtime.units.inside.given import Env, Services, Settings
from tests.runtime.demo.conftest import demo, server
from tests.runtime.engine.conftest import Desk, db, deploy, engine, house, workspace

__all__ = ["db", "demo", "deploy", "engine", "house", "server", "workspace"]

FOLDER = ROOT / "flows" / "examples"
NAMES = sorted(path.parent.name for path in FOLDER.glob("*/flow.json"))

Json = Any
Run = Callable[..., Awaitable[Json]]


def text(name: str, file: str) -> str:
    return (FOLDER / name / file).read_text(encoding="utf-8")


def document(name: str) -> Document:
    found = check(text(name, "flow.json"))
    assert found.flow is not None, found.problems
    return found.flow


def units(name: str) -> dict[str, str]:
    """Each unit's code by its id, as a version keeps it."""
    codes = parse_handlers(text(name, "handlers.py"))
    made = {}
    for spec in units_of(document(name)):
        code = codes.get(spec.name) or compile_router(spec.name, spec.routes, spec.when)
        assert code is not None, f"{spec.id} has no code"
        made[spec.id] = code
    return made


@pytest.fixture
async def run(demo: Scripted) -> AsyncIterator[Run]:
    """`run("order-desk", "findCustomers", args)`: as plain Python, with the guarded client."""
    client = Guarded([demo.host])

    async def ask(name: str, parts: dict[str, Json]) -> Json:
        assert name == "http.request", name
        return (await client.send(Request(**parts))).as_json()

    async def call(example: str, function: str, given: Json) -> Json:
        module = SimpleNamespace()
        names: dict[str, Any] = vars(module)
        exec(compile(text(example, "handlers.py"), str(Path(example) / "handlers.py"), "exec"), names)
        settings = Settings({"officeUrl": demo.office_url})
        made = await names[function](
            json.loads(json.dumps(given)), services=Services(ask), settings=settings, env=Env({})
        )
        assert json.loads(json.dumps(made)) == made
        return made

    yield call
    await client.close()


@pytest.fixture
def desk(deploy: Callable[..., Desk], demo: Scripted) -> Callable[[str], Desk]:
    """`desk("order-desk")`: the example live on a real engine, with the demo model and the demo office."""

    def make(name: str) -> Desk:
        settings = {"officeUrl": demo.office_url} if name == "order-desk" else {}
        return deploy(json.loads(text(name, "flow.json")), units(name), settings=settings)

    return make
