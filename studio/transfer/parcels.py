"""What was sent is kept until the person who sent it has looked, and decided what becomes of it."""

from __future__ import annotations

import uuid
from datetime import timedelta

from django.utils import timezone

from studio.models import Parcel, User
from studio.refusal import Missing
from studio.strings import t
from studio.transfer.parts import Contents, sort
from studio.transfer.sent import Left, Sent

KEPT = timedelta(days=1)
MOST_OF_ONE = 5
"""How many a person may have waiting; the oldest go first."""


def keep(sent: Sent, by: User) -> Parcel:
    """Keep what was sent. Raises Refusal when there is no flow in it."""
    sort(sent)
    Parcel.objects.filter(at__lt=timezone.now() - KEPT).delete()
    older = list(Parcel.objects.filter(by=by).order_by("-at").values_list("pk", flat=True)[MOST_OF_ONE - 1 :])
    Parcel.objects.filter(pk__in=older).delete()
    left = [[each.path, each.words] for each in sent.left]
    return Parcel.objects.create(name=sent.name[:200], files=sent.files, left=left, by=by)


def find(id: uuid.UUID, by: User) -> Parcel:
    """What this person sent. Raises Missing."""
    found = Parcel.objects.filter(pk=id, by=by, at__gte=timezone.now() - KEPT).first()
    if found is None:
        raise Missing(t("transfer.parcel_gone"))
    return found


def contents_of(parcel: Parcel) -> Contents:
    return sort(Sent(parcel.name, dict(parcel.files), [Left(path, words) for path, words in parcel.left]))
