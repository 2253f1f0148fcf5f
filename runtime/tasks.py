"""Thin tasks; their arguments are ids. Only a worker that runs one imports the engine."""

from __future__ import annotations

import functools
import uuid
from typing import TYPE_CHECKING, Any

from runtime.celery import app

if TYPE_CHECKING:
    from runtime.engine.worker import Worker


@functools.lru_cache(maxsize=1)
def engine() -> Worker:
    """This process's engine, started on first use."""
    from runtime.engine.worker import Worker

    worker = Worker()
    worker.start()
    return worker


@app.task(name="runtime.execute", acks_late=False)
def execute(run_id: str, **_: Any) -> None:
    """A run is due: hand it to the loop. Unknown keywords are a newer sender's and are ignored."""
    engine().submit(uuid.UUID(run_id))


@app.task(name="runtime.errand", acks_late=False)
def errand(name: str, id: str, **_: Any) -> None:
    """An errand is due: hand it to the loop."""
    engine().run_errand(name, uuid.UUID(id))


def publish(run: uuid.UUID) -> None:
    """Tell the workers that a run is due. Raises at once when the broker does not take it."""
    task: Any = execute
    task.apply_async((str(run),), retry=False)


def publish_errand(name: str, id: uuid.UUID) -> None:
    """The same of an errand."""
    task: Any = errand
    task.apply_async((name, str(id)), retry=False)


def load() -> None:
    """Import what publishing needs, without a connection: the first message then waits for none of it."""
    app.finalize()
    app.connection_for_write().get_transport_cls()
    assert app.amqp.producer_pool is not None and app.amqp.router is not None


@app.task(name="runtime.tick")
def tick(**_: Any) -> None:
    """Beat's only task: the loops look now instead of at their next turn."""
    engine().nudge()
