"""Files of a run: what a step may read of them, and what it makes. A step that runs again makes no file twice."""

from __future__ import annotations

import base64
import binascii
import uuid
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING

from django.conf import settings
from django.db.models import Sum

from flows.kinds.base import Json
from runtime.files import keeping
from runtime.files.kinds import FileRefused, Kind, judge_made
from runtime.models import Conversation, StoredFile
from runtime.units.sandbox import ServiceFailed

if TYPE_CHECKING:
    from runtime.engine.lease import Lease

MEGABYTE = 1 << 20
LARGEST_MADE = 5 * MEGABYTE
"""What a frame out of the sandbox can carry, in base64."""
MOST_MADE = 500


@dataclass(frozen=True)
class Found:
    """A file as a step reads it."""

    name: str
    media_type: str
    content: bytes


class Files:
    """What services.files does, for the steps of one run."""

    def __init__(self, lease: Lease) -> None:
        self._lease = lease

    async def find(self, source: Json) -> Found:
        """The file that a reference names. Raises FileRefused."""
        id = keeping.id_of(source)
        if id is None:
            raise FileRefused("FILE_MISSING", _missing(source))

        def read() -> Found:
            file = StoredFile.objects.filter(id=id).first()
            if file is None or not self.may_read(file):
                raise FileRefused("FILE_MISSING", _missing(source))
            return Found(file.name, file.media_type, keeping.content(file))

        return await self._lease.database.read(read)

    async def serve(self, service: str, args: Json, task: str, where: str) -> Json:
        """Answer services.files.read or .save, asked from this place of the run. Raises ServiceFailed."""
        try:
            if service == "files.read":
                return base64.b64encode((await self.find(args)).content).decode()
            name, said = str(args.get("name") or "file"), str(args.get("mediaType") or "")
            content = _decoded(args.get("base64"))
            kind = judge_made(name, said, content)
            return await self.made(content, kind, task, where)
        except FileRefused as refused:
            raise ServiceFailed(refused.message) from None

    async def made(self, content: bytes, kind: Kind, task: str, where: str) -> Json:
        """The reference to a file that a step made; the same one when the step makes it again."""
        lease = self._lease
        lease.check()
        parts = "\n".join((where, kind.name, kind.media_type, keeping.sha(content)))
        id = uuid.uuid5(lease.id, parts)

        def look() -> Json | keeping.Laid:
            known = StoredFile.objects.filter(id=id).first()
            if known is not None:
                return known.reference
            made = StoredFile.objects.filter(run_id=lease.id, given=False)
            size = made.aggregate(sum=Sum("bytes"))["sum"] or 0
            if made.count() >= MOST_MADE or size + len(content) > settings.FILES_A_DAY:
                most = settings.FILES_A_DAY // MEGABYTE
                raise FileRefused(
                    "FILES_TOO_MANY", f"This run has made as many files as a run may: {MOST_MADE}, or {most} MB."
                )
            return keeping.Laid(content)

        found = await lease.database.read(look)
        if not isinstance(found, keeping.Laid):
            return found
        rows: list[StoredFile] = []
        # Where nobody saw how this ended, the bytes wait for whoever looks for those without a row.
        await lease.commit(task=task, ops=(partial(self._write, found, kind, id, rows),))
        await lease.database.read(partial(found.settle, True))
        return rows[-1].reference

    def _write(self, laid: keeping.Laid, kind: Kind, id: uuid.UUID, rows: list[StoredFile]) -> None:
        run = self._lease.run
        talk = Conversation.objects.only("user_id", "visitor").get(id=run.conversation_id)
        rows.append(
            laid.row(
                kind,
                id=id,
                deployment_id=run.deployment_id,
                conversation_id=run.conversation_id,
                run_id=run.id,
                user_id=talk.user_id,
                visitor=talk.visitor,
                given=False,
            )
        )

    def may_read(self, file: StoredFile) -> bool:
        """Files of this conversation, and of others of the same person; on a workbench, of its flow's agents."""
        run = self._lease.run
        if file.conversation_id == run.conversation_id:
            return True
        talk = Conversation.objects.only("user_id", "visitor").get(id=run.conversation_id)
        if talk.user_id is not None:
            mine = file.user_id == talk.user_id
        else:
            mine = bool(talk.visitor) and file.visitor == talk.visitor and file.deployment_id == run.deployment_id
        return mine or (run.deployment.workbench and file.deployment.flow_id == run.deployment.flow_id)


def _decoded(text: Json) -> bytes:
    if not isinstance(text, str) or not text:
        raise FileRefused("FILE_EMPTY", "There is nothing in the file: services.files.save takes its content as data.")
    if len(text) > LARGEST_MADE * 4 // 3 + 4:
        raise FileRefused("FILE_TOO_LARGE", f"A step may save files of at most {LARGEST_MADE // MEGABYTE} MB.")
    try:
        content = base64.b64decode("".join(text.split()), validate=True)
    except (binascii.Error, ValueError):
        raise FileRefused(
            "FILE_NOT_BASE64", "What is to be saved is neither bytes nor base64. Encode a text first: text.encode()."
        ) from None
    if not content:
        raise FileRefused("FILE_EMPTY", "There is nothing in the file that is to be saved.")
    return content


def _missing(source: Json) -> str:
    name = source.get("name") if isinstance(source, dict) else None
    return keeping.missing(name if isinstance(name, str) and name else "file")
