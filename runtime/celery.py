"""Celery as a doorbell: a message says which run is due, and nothing else. The database is the truth."""

from __future__ import annotations

import logging
import os
from typing import Any

from celery import Celery, signals

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "studio.settings")

from django.conf import settings

log = logging.getLogger(__name__)


def broker_url(redis_url: str) -> str:
    """Celery's spelling of a Redis address: a unix socket is redis+socket."""
    return redis_url.replace("unix://", "redis+socket://", 1)


app = Celery("lgstudio")
# Threads that Django started find this app, not Celery's own default with its amqp broker.
app.set_default()
app.conf.update(
    broker_url=broker_url(settings.REDIS_URL),
    accept_content=["json"],
    task_serializer="json",
    task_ignore_result=True,
    result_backend=None,
    worker_prefetch_multiplier=1,
    worker_hijack_root_logger=False,
    worker_enable_remote_control=False,
    worker_send_task_events=False,
    broker_connection_retry_on_startup=True,
    # The sweeper rings again for a run whose message went down with its worker: none is kept to be acknowledged.
    # Whoever publishes is told at once that the broker is away, and tries again in its own time.
    broker_transport_options={
        "ack_emulation": False,
        "socket_timeout": 5,
        "socket_connect_timeout": 5,
        "health_check_interval": 10,
        "max_retries": 0,
    },
    broker_pool_limit=8,
    imports=["runtime.tasks"],
    beat_schedule={"tick": {"task": "runtime.tick", "schedule": 5.0}},
)


@signals.worker_init.connect
def _start(**_: Any) -> None:
    try:
        import django

        django.setup()
        from runtime.tasks import engine

        engine()
    except Exception as error:
        # Celery only logs what a signal raises, and a worker without its engine would take runs and do nothing.
        log.exception("The worker could not start.")
        raise SystemExit(1) from error


@signals.worker_shutting_down.connect
def _drain(**_: Any) -> None:
    from runtime.tasks import engine

    engine().drain()


@signals.worker_shutdown.connect
def _stop(**_: Any) -> None:
    from runtime.tasks import engine

    engine().stop()
