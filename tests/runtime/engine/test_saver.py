"""The checkpoint saver does what LangGraph expects of one, and what stands in a checkpoint is never run."""

from __future__ import annotations

import json
import pickle
from collections.abc import AsyncGenerator, Iterator
from pathlib import Path
from typing import Any

import ormsgpack
import pytest
from asgiref.sync import sync_to_async
from langgraph.checkpoint.base import BaseCheckpointSaver
from langgraph.checkpoint.conformance import checkpointer_test, validate
from langgraph.checkpoint.conformance.capabilities import EXTENDED_CAPABILITIES

from runtime.engine.database import Database
from runtime.engine.saver import Saver
from runtime.models import Checkpoint, CheckpointBlob, CheckpointWrite


def _never(*_: object) -> None:
    raise AssertionError("Nothing pauses here.")


@pytest.mark.django_db(transaction=True)
async def test_the_saver_conforms() -> None:
    database = Database()

    @checkpointer_test(name="lgstudio")
    async def factory() -> AsyncGenerator[BaseCheckpointSaver, None]:
        yield Saver(database, _never)

        def clear() -> None:
            for table in (Checkpoint, CheckpointBlob, CheckpointWrite):
                table.objects.all().delete()

        await sync_to_async(clear)()

    report = await validate(factory)
    database.close()
    results = report.results
    assert report.passed_all_base(), report
    assert sum(one.tests_passed for one in results.values()) >= 50, "The suite was not run"
    # Nothing of what the saver offers was left out: these are what it does not offer, and nobody asks of it.
    assert {name for name, one in results.items() if not one.detected} == {one.value for one in EXTENDED_CAPABILITIES}


class Touch:
    """Unpickled, it makes a file."""

    def __init__(self, path: str) -> None:
        self.path = path

    def __reduce__(self) -> Any:
        return Path.touch, (Path(self.path),)


def _crafted(mark: Path) -> Iterator[tuple[str, bytes]]:
    """Rows that whoever can write to the database would try: each would make the mark, if anything of it were run."""
    pack, path = ormsgpack.packb, str(mark)
    calls = [("os", "system", f"touch {path}"), ("pathlib", "Path", path), ("builtins", "open", path),
             ("subprocess", "check_output", ["touch", path]), ("builtins", "eval", f"open({path!r}, 'w')")]  # fmt: skip
    for code in range(128):
        for module, name, argument in calls:
            yield "msgpack", pack(ormsgpack.Ext(code, pack((module, name, argument))))
            yield "msgpack", pack({"deep": [ormsgpack.Ext(code, pack((module, name, [argument])))]})
            yield "msgpack", pack(ormsgpack.Ext(code, pack((module, name, {"file": path, "mode": "w"}, "touch"))))
        # Of what may be made, a method that was not meant.
        yield "msgpack", pack(ormsgpack.Ext(code, pack(("pathlib", "Path", path, "touch"))))
        yield "msgpack", pack(ormsgpack.Ext(code, pack(("pathlib", "Path", [path], "write_text"))))
    for module, name, argument in calls:
        for version in (1, 2):
            for key in ("args", "kwargs"):
                given: Any = [argument] if key == "args" else {"file": path, "mode": "w", "command": argument}
                made = {"lc": version, "type": "constructor", "id": [module, name], key: given, "method": ["touch"]}
                yield "json", json.dumps({"a": [made]}).encode()
    yield "json", json.dumps({"lc": 1, "type": "secret", "id": ["SECRET_KEY"]}).encode()
    for protocol in range(pickle.HIGHEST_PROTOCOL + 1):
        for type in ("pickle", "msgpack", "json", "bytes"):
            yield type, pickle.dumps(Touch(path), protocol)


@pytest.mark.django_db(transaction=True)
async def test_a_crafted_checkpoint_runs_nothing(tmp_path: Path) -> None:
    # A run goes on from what is stored, and what is stored is only ever values.
    mark = tmp_path / "mark"
    database = Database()
    saver = Saver(database, _never)
    tried = refused = 0
    for type, body in _crafted(mark):
        tried += 1
        try:
            saver.serde.loads_typed((type, body))
        except Exception:
            refused += 1
        assert not mark.exists(), (type, body)
    assert tried > 1000 and 0 < refused < tried
    # The same by the saver's own way: as a checkpoint, as a channel's value, and as a pending write.
    call = ormsgpack.packb(ormsgpack.Ext(0, ormsgpack.packb(("os", "system", f"touch {mark}"))))
    for type, body in (("msgpack", call), ("pickle", pickle.dumps(Touch(str(mark))))):
        await sync_to_async(_store)(type, body)
        for place in ("checkpoint", "channel", "write"):
            try:
                await saver.aget_tuple({"configurable": {"thread_id": place, "checkpoint_ns": ""}})
            except Exception:
                assert type == "pickle" or place == "checkpoint"
            assert not mark.exists(), (type, place)
    database.close()


def _store(type: str, body: bytes) -> None:
    """Three threads, each with the crafted bytes in another of the places that a checkpoint is read from."""
    for table in (Checkpoint, CheckpointBlob, CheckpointWrite):
        table.objects.all().delete()
    plain = ormsgpack.packb({"v": 4, "id": "1", "ts": "", "channel_versions": {"a": "1"}, "versions_seen": {}})
    for thread in ("checkpoint", "channel", "write"):
        crafted = (type, body) if thread == "checkpoint" else ("msgpack", plain)
        Checkpoint.objects.create(
            thread=thread, checkpoint_id="1", parent_id="", type=crafted[0], body=crafted[1], metadata={}
        )
    CheckpointBlob.objects.create(thread="channel", channel="a", version="1", type=type, body=body)
    CheckpointWrite.objects.create(
        thread="write", checkpoint_id="1", task_id="t", idx=0, channel="a", type=type, body=body
    )
