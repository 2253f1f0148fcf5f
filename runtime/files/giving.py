"""What a person gives: how much of it is taken, whose it is, and which files their answers may name."""

from __future__ import annotations

import uuid
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import timedelta
from typing import TYPE_CHECKING, Any

from django.conf import settings
from django.db import transaction
from django.db.models import Q, Sum
from django.utils import timezone

from flows.problem import quoted
from flows.words.fields import Fields
from runtime.files import keeping
from runtime.files.kinds import FileRefused, accepts, judge
from runtime.models import Conversation, StoredFile

if TYPE_CHECKING:
    from runtime.runs import Actor

MEGABYTE = 1 << 20
MOST_A_DAY = 500
"""Files that one person gives in a day, however small."""
WAITS = timedelta(hours=24)
"""So long an uploaded file waits for the message that it goes with."""


@dataclass(frozen=True)
class Giver:
    """Who gives files to an agent. conversation: where they are given, None where it begins with them."""

    deployment: uuid.UUID
    actor: Actor
    conversation: uuid.UUID | None = None

    def files(self) -> Any:
        """Scoped. Their own files with this agent, and those of the conversation that they answer in."""
        own = Q(user_id=self.actor.user) if self.actor.user else Q(visitor=self.actor.visitor, user=None)
        mine = own & Q(deployment_id=self.deployment)
        return StoredFile.objects.filter(mine | Q(conversation_id=self.conversation) if self.conversation else mine)


def keep(giver: Giver, name: str, content: bytes, accept: str | None = None) -> StoredFile:
    """Keep a file that somebody gives. Scoped. Raises FileRefused."""
    if not content:
        raise FileRefused("FILE_EMPTY", f"{quoted(name[:120])} is empty. Choose another file.")
    if len(content) > settings.FILE_LARGEST:
        raise FileRefused("FILE_TOO_LARGE", too_large(name))
    kind = judge(name, content)
    if not accepts(accept, kind.name, kind.media_type):
        raise FileRefused("FILE_NOT_ACCEPTED", _unwanted(kind.name, accept))
    _judge_day(giver, len(content))
    laid, written = keeping.Laid(content), False
    try:
        with transaction.atomic():
            row = laid.row(
                kind, deployment_id=giver.deployment, user_id=giver.actor.user,
                visitor="" if giver.actor.user else giver.actor.visitor,
            )  # fmt: skip
        written = True
    finally:
        laid.settle(written)
    return row


def too_large(name: str) -> str:
    most = settings.FILE_LARGEST // MEGABYTE
    return f"{quoted(name[:120])} is larger than {most} MB, and no larger file is taken. Give a smaller one."


def _judge_day(giver: Giver, size: int) -> None:
    since = timezone.now() - timedelta(days=1)
    all_of = StoredFile.objects.filter(given=True, created_at__gte=since)
    user = giver.actor.user
    mine = all_of.filter(user_id=user) if user else all_of.filter(visitor=giver.actor.visitor, user=None)
    bytes, count = mine.aggregate(sum=Sum("bytes"))["sum"] or 0, mine.count()
    if bytes + size > settings.FILES_A_DAY or count >= MOST_A_DAY:
        most = settings.FILES_A_DAY // MEGABYTE
        raise FileRefused(
            "FILES_A_DAY",
            f"You have given as many files as a day allows ({most} MB, {MOST_A_DAY} files). Go on tomorrow.",
        )
    if not user:
        # Whoever comes by an open link may come as somebody new each time.
        theirs = all_of.filter(deployment_id=giver.deployment, user=None).aggregate(sum=Sum("bytes"))["sum"] or 0
        if theirs + size > 10 * settings.FILES_A_DAY:
            raise FileRefused("FILES_A_DAY", "This agent has been given as many files as a day allows. Go on tomorrow.")


def resolve(fields: Fields, given: Mapping[str, Any], giver: Giver) -> tuple[dict[str, Any], dict[str, str]]:
    """The values with each file's own reference in place of what was sent, and what is wrong, by field.

    Only the id that was sent counts: name, type, size and address are those of the row. Scoped.
    """
    values, errors = dict(given), dict[str, str]()
    for name, field in fields.items():
        sent = values.get(name)
        if field.type != "file" or sent in (None, "", {}):
            if field.type == "file":
                values.pop(name, None)
            continue
        id = keeping.id_of(sent)
        file = giver.files().filter(id=id).first() if id is not None else None
        values.pop(name)
        if file is None:
            errors[name] = f"{quoted(field.titled(name))} is not here any more. Choose the file again."
        elif not accepts(field.accept, file.name, file.media_type):
            errors[name] = _unwanted(file.name, field.accept)
        else:
            values[name] = file.reference
    return values, errors


def attach(values: Mapping[str, Any], giver: Giver, talk: Conversation, run: uuid.UUID) -> None:
    """The files among these values belong to a conversation from here on. Scoped, in the message's transaction."""
    ids = [id for id in map(keeping.id_of, values.values()) if id is not None]
    if ids:
        # Held, so that retention takes none of an earlier conversation until it can see that this run refers to it.
        list(giver.files().select_for_update(of=("self",)).filter(id__in=ids).order_by("id").values_list("id"))
        giver.files().filter(id__in=ids, conversation=None).update(conversation=talk, run_id=run)


def _unwanted(name: str, accept: str | None) -> str:
    return f"{quoted(name)} is not among the files that are taken here: {accept}."


def take_back(giver: Giver, id: uuid.UUID) -> None:
    """Delete a file that no message has brought yet. Scoped."""
    with transaction.atomic():
        for file in giver.files().select_for_update(of=("self",)).filter(id=id, conversation=None):
            file.delete()
