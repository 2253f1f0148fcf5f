"""LangGraph's checkpoints in our tables, and the engine's commit points.

`aput` and `aput_writes` write, in one fenced transaction, the checkpoint and everything its steps reported: events,
ledger rows, questions. While no lease holds the thread (tools, tests) they write plainly.
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable, Sequence
from functools import partial
from typing import Any

from django.db import transaction
from langchain_core.runnables import RunnableConfig
from langgraph.checkpoint.base import (
    WRITES_IDX_MAP,
    BaseCheckpointSaver,
    ChannelVersions,
    Checkpoint,
    CheckpointMetadata,
    CheckpointTuple,
    get_checkpoint_id,
    get_checkpoint_metadata,
)
from langgraph.checkpoint.serde.jsonplus import JsonPlusSerializer
from langgraph.types import Interrupt

from runtime import crash
from runtime.engine.copies import note_pending
from runtime.engine.database import Database
from runtime.engine.lease import Lease, of_thread, stored, task_key
from runtime.models import Checkpoint as CheckpointRow
from runtime.models import CheckpointBlob, CheckpointWrite
from runtime.rows import insert

INTERRUPT = "__interrupt__"
ERROR = "__error__"
EMPTY = "empty"
SENT = "~__pregel_push"
"""How the path begins of a task that a Send made, as the copies of a fan-out are."""

HEARD_SECONDS = 0.003
"""A step that was told something outside, by a model or by a read, is on disk about so soon after it ended."""
MADE_SECONDS = 0.05
"""A step that only computed is on disk so soon after it ended, and before anything goes out, is asked, or ends.

It computes the same again where that is lost: its clock and its seed belong to its address.
"""

OnInterrupt = Callable[[Lease, Interrupt], None]


class Saver(BaseCheckpointSaver[str]):
    """Checkpoints over the ORM. `on_interrupt` writes the Question of a pause, inside its transaction."""

    def __init__(self, database: Database, on_interrupt: OnInterrupt) -> None:
        super().__init__(serde=JsonPlusSerializer())
        self._database = database
        self._on_interrupt = on_interrupt

    def get_next_version(self, current: str | None, channel: None) -> str:
        return f"{int(current or 0) + 1:012d}"

    async def aput(
        self,
        config: RunnableConfig,
        checkpoint: Checkpoint,
        metadata: CheckpointMetadata,
        new_versions: ChannelVersions,
    ) -> RunnableConfig:
        thread, ns, parent = _where(config)
        place = stored(ns)
        values = checkpoint["channel_values"]
        body = {key: value for key, value in checkpoint.items() if key != "channel_values"}
        type, packed = self.serde.dumps_typed(body)
        row = CheckpointRow(
            thread=thread, ns=place, checkpoint_id=checkpoint["id"], parent_id=parent, type=type, body=packed,
            metadata=get_checkpoint_metadata(config, metadata),
        )  # fmt: skip
        blobs = []
        for channel, version in new_versions.items():
            type, packed = self.serde.dumps_typed(values[channel]) if channel in values else (EMPTY, b"")
            blobs.append(
                CheckpointBlob(thread=thread, ns=place, channel=channel, version=str(version), type=type, body=packed)
            )

        def put() -> None:
            insert([row], conflict="ignore")
            insert(blobs, conflict="ignore")

        lease = of_thread(thread)
        if lease is not None:
            lease.stored = True
            if lease.places is not None:
                lease.places.add(place)
        if lease is None:
            await self._plainly(put)
        elif metadata.get("source") == "input" or metadata.get("step") == 0:
            # Before the first step there is nothing to lose: a crash begins again from the run's inputs.
            lease.later("", ops=(put,))
        else:
            crash.point("checkpoint.before")
            within = HEARD_SECONDS if lease.heard(ns) else MADE_SECONDS
            events, ops = lease.take(place=ns)
            lease.keep_soon(*events, ops=(*ops, put), within=within)
            crash.point("checkpoint.after")
        return {"configurable": {"thread_id": thread, "checkpoint_ns": ns, "checkpoint_id": checkpoint["id"]}}

    async def aput_writes(
        self, config: RunnableConfig, writes: Sequence[tuple[str, Any]], task_id: str, task_path: str = ""
    ) -> None:
        thread, ns, checkpoint_id = _where(config)
        place = stored(ns)
        rows = []
        for position, (channel, value) in enumerate(writes):
            type, packed = self.serde.dumps_typed(value)
            rows.append(
                CheckpointWrite(
                    thread=thread,
                    ns=place,
                    checkpoint_id=checkpoint_id,
                    task_id=task_id,
                    task_path=task_path[:300],
                    idx=WRITES_IDX_MAP.get(channel, position),
                    channel=channel,
                    type=type,
                    body=packed,
                )
            )
        replaced = any(channel in WRITES_IDX_MAP for channel, _ in writes)

        def put() -> None:
            if replaced:
                # A task that is resumed pauses, fails or resumes again under the same number: the newest holds.
                special = [row.idx for row in rows]
                CheckpointWrite.objects.filter(
                    thread=thread, ns=place, checkpoint_id=checkpoint_id, task_id=task_id, idx__in=special
                ).delete()
            insert(rows, conflict="ignore")

        lease = of_thread(thread)
        if lease is None:
            await self._plainly(put)
            return
        lease.stored = True
        if lease.lost:
            return
        interrupts = [found for channel, value in writes if channel == INTERRUPT for found in value]
        if interrupts:
            crash.point("question.before")
            asked = tuple(partial(self._on_interrupt, lease, one) for one in interrupts)
            await lease.commit(task=task_key(ns, task_id), ops=(put, *asked), progress=True)
            crash.point("question.after")
        elif any(channel == ERROR for channel, _ in writes):
            return
        elif lease.active[ns] or task_path.startswith(SENT):
            # Others of this step are still at work, so the checkpoint is not near: keep this one's result now.
            task = task_key(ns, task_id)
            lease.later(task, ops=(put,))
            await lease.commit_together(task)

    async def aget_tuple(self, config: RunnableConfig) -> CheckpointTuple | None:
        thread, ns, _ = _where(config)
        wanted = get_checkpoint_id(config)
        lease = of_thread(thread)
        if lease is not None and lease.fresh and not lease.stored:
            # No worker had the run before this one, and this one has put nothing yet.
            return None
        if lease is not None and ns and not wanted and stored(ns) not in await lease.known_places():
            return None

        if lease is not None and lease.keeping.waits:
            await lease.commit()

        def get() -> CheckpointTuple | None:
            rows = CheckpointRow.objects.filter(thread=thread, ns=stored(ns))
            row = rows.filter(checkpoint_id=wanted).first() if wanted else rows.order_by("-checkpoint_id").first()
            return None if row is None else self._tuple(row, ns)

        found = await self._database.read(get)
        if lease is not None and found is not None:
            note_pending(lease, found.pending_writes or ())
        return found

    async def alist(
        self,
        config: RunnableConfig | None,
        *,
        filter: dict[str, Any] | None = None,
        before: RunnableConfig | None = None,
        limit: int | None = None,
    ) -> AsyncIterator[CheckpointTuple]:
        def get() -> list[CheckpointTuple]:
            rows = CheckpointRow.objects.order_by("-checkpoint_id")
            place: dict[str, Any] = {}
            if config is not None:
                place = config.get("configurable", {})
                rows = rows.filter(thread=str(place["thread_id"]))
                if "checkpoint_ns" in place:
                    rows = rows.filter(ns=stored(place["checkpoint_ns"]))
                if wanted := get_checkpoint_id(config):
                    rows = rows.filter(checkpoint_id=wanted)
            if before is not None and (end := get_checkpoint_id(before)):
                rows = rows.filter(checkpoint_id__lt=end)
            kept = []
            for row in rows.iterator():
                if filter and any(row.metadata.get(key) != value for key, value in filter.items()):
                    continue
                kept.append(self._tuple(row, place.get("checkpoint_ns", row.ns)))
                if limit is not None and len(kept) >= limit:
                    break
            return kept

        for found in await self._database.read(get):
            yield found

    async def adelete_thread(self, thread_id: str) -> None:
        def delete() -> None:
            for table in (CheckpointRow, CheckpointBlob, CheckpointWrite):
                table.objects.filter(thread=thread_id).delete()

        await self._plainly(delete)

    async def _plainly(self, act: Callable[[], None]) -> None:
        def run() -> None:
            with transaction.atomic():
                act()

        await self._database.write(run)

    def _tuple(self, row: CheckpointRow, ns: str) -> CheckpointTuple:
        checkpoint: dict[str, Any] = self.serde.loads_typed((row.type, bytes(row.body)))
        versions = {channel: str(version) for channel, version in checkpoint["channel_versions"].items()}
        blobs = CheckpointBlob.objects.filter(
            thread=row.thread, ns=row.ns, channel__in=versions, version__in=set(versions.values())
        )
        checkpoint["channel_values"] = {
            blob.channel: self.serde.loads_typed((blob.type, bytes(blob.body)))
            for blob in blobs
            if versions[blob.channel] == blob.version and blob.type != EMPTY
        }
        writes = CheckpointWrite.objects.filter(thread=row.thread, ns=row.ns, checkpoint_id=row.checkpoint_id)
        pending = [
            (write.task_id, write.channel, self.serde.loads_typed((write.type, bytes(write.body))))
            for write in writes.order_by("task_path", "task_id", "idx")
        ]
        return CheckpointTuple(
            config=_config(row.thread, ns, row.checkpoint_id),
            checkpoint=checkpoint,  # type: ignore[arg-type]
            metadata=row.metadata,
            parent_config=_config(row.thread, ns, row.parent_id) if row.parent_id else None,
            pending_writes=pending,
        )


def _where(config: RunnableConfig) -> tuple[str, str, str]:
    place = config.get("configurable", {})
    return str(place["thread_id"]), place.get("checkpoint_ns", ""), place.get("checkpoint_id") or ""


def _config(thread: str, ns: str, checkpoint_id: str) -> RunnableConfig:
    return {"configurable": {"thread_id": thread, "checkpoint_ns": ns, "checkpoint_id": checkpoint_id}}
