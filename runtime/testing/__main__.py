"""`python -m runtime.testing`: the process in which tests run. Jobs come in on lines, results go out on lines.

It has a database of its own, made when it starts and gone when it ends, and is told of no other.
"""

from __future__ import annotations

import asyncio
import json
import os
import sys
import threading
from typing import TextIO

import django
from pydantic import ValidationError


def main() -> None:
    # Whatever prints must not end up among the results.
    told, sys.stdout = sys.stdout, sys.stderr
    django.setup()
    _make_tables()
    asyncio.run(_serve(told))


def _make_tables() -> None:
    from django.apps import apps
    from django.db import connection

    with connection.schema_editor() as editor:
        for model in apps.get_models():
            editor.create_model(model)


async def _serve(told: TextIO) -> None:
    from runtime.testing.bench import Bench

    bench = Bench()
    lines: asyncio.Queue[str] = asyncio.Queue()
    loop = asyncio.get_running_loop()

    def read() -> None:
        for line in sys.stdin:
            loop.call_soon_threadsafe(lines.put_nowait, line)
        # Whoever wanted the results is gone.
        os._exit(0)

    threading.Thread(target=read, name="jobs", daemon=True).start()
    while True:
        await _work(bench, await lines.get(), told)


async def _work(bench, line: str, told: TextIO) -> None:
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
