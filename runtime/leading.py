"""Which process leads a loop: the one whose name stands on a row, until its time there is over."""

from __future__ import annotations

from django.db.models import Q
from django.db.models.functions import Now

from runtime.clock import after
from runtime.models import Leader


def lead(name: str, owner: str, seconds: float) -> bool:
    """Take the lead of a loop, or keep it, for so long. False while another process has it."""
    Leader.objects.get_or_create(name=name, defaults={"owner": owner, "until": after(seconds)})
    return bool(
        Leader.objects.filter(name=name)
        .filter(Q(owner=owner) | Q(until__lt=Now()))
        .update(owner=owner, until=after(seconds))
    )


def is_silent(name: str, seconds: float) -> bool:
    """Whether nobody has led a loop for so long, or ever."""
    return not Leader.objects.filter(name=name, until__gte=after(-seconds)).exists()
