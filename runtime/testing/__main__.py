"""`python -m runtime.testing`: the process in which tests run. Jobs come in on lines, results go out on lines.

It has a database of its own, in a folder that is made when it starts and gone when it ends, and knows of no other.
"""

from __future__ import annotations

import asyncio
import contextlib
import json
import os
import shutil
import sys
import tempfile
import threading
from typing import TYPE_CHECKING, TextIO

if TYPE_CHECKING:
    from runtime.testing.bench import Bench


def main() -> None:
    # Whatever prints must not end up among the results.
    told, sys.stdout = sys.stdout, sys.stderr
    folder = tempfile.mkdtemp(prefix="lgstudio-tests-")
    os.environ.update(
        DJANGO_SETTINGS_MODULE="studio.settings", LGSTUDIO_VAR=folder, LOG_LEVEL="WARNING",
        DATABASE_URL=f"sqlite:///{folder}/tests.sqlite3",
    )  # fmt: skip
    try:
        import django

        django.setup()
        _make_tables()
        asyncio.run(_serve(told))
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def _make_tables() -> None:
    from django.apps import apps
    from django.db import connection

    with connection.schema_editor() as editor:
        for model in apps.get_models():
            editor.create_model(model)


async def _serve(told: TextIO) -> None:
    """Do one job after another, until nobody wants the results any more; what is under way ends then too."""
    from runtime.testing.bench import Bench

    bench = Bench()
    lines: asyncio.Queue[str] = asyncio.Queue()
    gone = asyncio.Event()
    loop = asyncio.get_running_loop()

    def read() -> None:
        for line in sys.stdin:
            loop.call_soon_threadsafe(lines.put_nowait, line)
        loop.call_soon_threadsafe(gone.set)

    async def work() -> None:
        while True:
            await _work(bench, await lines.get(), told)

    threading.Thread(target=read, name="jobs", daemon=True).start()
    working, waiting = asyncio.create_task(work()), asyncio.create_task(gone.wait())
    await asyncio.wait([working, waiting], return_when=asyncio.FIRST_COMPLETED)
    working.cancel()
    with contextlib.suppress(asyncio.CancelledError):
        await working
    await bench.sandbox.close()


async def _work(bench: Bench, line: str, told: TextIO) -> None:
    from pydantic import ValidationError

    from runtime.testing.job import Job, Told
    from runtime.testing.running import run_job

    def tell(words: Told) -> None:
        told.write(words.model_dump_json() + "\n")
        told.flush()

    try:
        job = Job.model_validate(json.loads(line))
    except (ValidationError, ValueError) as error:
        tell(Told(done=True, fault=f"The job cannot be read: {error}"))
        return
    try:
        async for result in run_job(bench, job):
            tell(Told(result=result))
    except Exception as error:
        tell(Told(done=True, fault=f"The tests ended by a fault: {type(error).__name__}: {error}"))
        raise
    tell(Told(done=True))


if __name__ == "__main__":
    main()
