"""The checkpoint saver does what LangGraph expects of one, and decodes nothing into a call."""

from __future__ import annotations

from collections.abc import AsyncGenerator
from pathlib import Path

import ormsgpack
import pytest
from asgiref.sync import sync_to_async
from langgraph.checkpoint.base import BaseCheckpointSaver
from langgraph.checkpoint.conformance import checkpointer_test, validate

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
    assert report.passed_all_base(), report
    print(report)


@pytest.mark.django_db(transaction=True)
async def test_a_crafted_checkpoint_calls_nothing(tmp_path: Path) -> None:
    marker = tmp_path / "marker"
    database = Database()
    saver = Saver(database, _never)
    call = ormsgpack.packb(("os", "system", f"touch {marker}"))
    for code in range(8):
        crafted = ormsgpack.packb({"v": ormsgpack.Ext(code, call)})
        try:
            saver.serde.loads_typed(("msgpack", crafted))
        except Exception as error:
            assert not isinstance(error, KeyboardInterrupt)
        assert not marker.exists()
    database.close()
