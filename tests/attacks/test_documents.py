"""Documents that mean harm: each is refused in words, or read, within its limits; and the run that met it can go on."""

# LG-read-11; reliability R27, A6

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncIterator, Callable
from typing import Any

import pytest
import pytest_asyncio

from runtime import control
from runtime.services.documents import reader as reading
from runtime.services.documents.reader import DocumentRefused, Given, Reader
from tests.attacks.bombs import Bomb, bombs
from tests.attacks.obedient import Obedient, obedient
from tests.attacks.test_sandbox import resident
from tests.runtime.engine.conftest import Desk, flow

AT_ONCE = 6
SECONDS = 0.8
CODES = {"DOCUMENT_DAMAGED", "DOCUMENT_TOO_MUCH", "DOCUMENT_TOO_LARGE", "DOCUMENT_EMPTY", "DOCUMENT_KIND",
         "DOCUMENT_SCANNED", "DOCUMENT_LOCKED"}  # fmt: skip
MOST = 1000


@pytest.fixture
def short(monkeypatch: pytest.MonkeyPatch) -> None:
    """Documents get less time than in earnest, so that those that use all of it up are soon done."""
    monkeypatch.setattr(reading, "LIMITS", reading.Limits(seconds=SECONDS, result=6 << 20, services=0))


@pytest_asyncio.fixture
async def reader(short: None) -> AsyncIterator[Reader]:
    found = Reader()
    yield found
    await found.close()


async def test_each_ends_in_words_or_in_text(reader: Reader) -> None:
    places, before = asyncio.Semaphore(AT_ONCE), resident()

    async def one(name: str, bomb: Bomb) -> str:
        file, kind, content = bomb
        media, _, charset = kind.partition("; charset=")
        async with places:
            began = time.monotonic()
            try:
                found = await reader.read(Given(content, file, f"https://x.example/{file}", media, charset), MOST)
            except DocumentRefused as refused:
                right = (
                    refused.code in CODES and refused.message.startswith(f'"{file}" ') and len(refused.message) < 400
                )
                said = f"{refused.code} {refused.message}"
            else:
                right = len(found["text"]) <= MOST and len(found["title"]) <= 300 and "root:" not in found["text"]
                said = str(found)[:300]
            spent = time.monotonic() - began
        return "" if right else f"{name}: {said} ({spent:.1f} s)"

    every = bombs()
    assert len(every) >= 80
    wrong = [said for said in await asyncio.gather(*(one(*each) for each in every.items())) if said]
    assert wrong == []
    assert resident() - before < 400 << 20
    # And the next document is read as ever.
    assert (await reader.read(Given(b"fine", "a.txt", "a"), MOST))["text"] == "fine"


@pytest.fixture(scope="module")
def shelf() -> Any:
    with obedient() as found:
        yield found


LED = ["Word: laughs in another writing", "PDF: pages that hold themselves", "text: half of everything"]  # fmt: skip


@pytest.mark.any_database
def test_a_run_that_met_one_goes_on_with_a_better_one(
    deploy: Callable[..., Desk], shelf: Obedient, short: None
) -> None:
    document = flow(
        [{"id": "load", "type": "read", "from": ["{{url}}"], "output": "doc", "allowPrivate": True},
         {"id": "say", "handler": "say", "description": "Writes the text of 'doc' to 'answer'."}],
        inputs=["question", "url"],
        state={"url": {"type": "string", "description": "An address."},
               "doc": {"type": "object", "description": "The document."}},
    )  # fmt: skip
    code = "async def say(state, *, services, settings, env):\n    return {'answer': state['doc']['text']}"
    every = bombs()
    for name in LED:
        desk = deploy(document, {"handler:say": code})
        desk.deployment.allowed_hosts = [shelf.host]
        desk.deployment.save()
        run = desk.say(question="?", url=shelf.put("paper", every[name][2]))
        assert (run.status, run.error["code"] in CODES) == ("failed", True), (name, run.error)
        assert run.error["message"].endswith(".")
        shelf.put("paper", "It is fine.")
        control.let_go_on(run.id, "Olga")
        desk.engine.submit(run.id)
        run = desk.settle(run.id)
        assert (run.status, run.outputs) == ("done", {"answer": "It is fine."}), (name, run.error)
