"""A conversation opened and spoken into, whoever speaks: a person, a visitor or a program."""

from __future__ import annotations

import uuid
from typing import Any, cast

from django.db import IntegrityError

from runtime.models import Conversation, Deployment
from studio import workbench
from studio.inputs import Inputs, inputs_of
from studio.viewer import NotPublished, Paused, Viewer

_NAMES = uuid.UUID("5b0c5c3e-6f0e-4a53-9d2b-8a4b7c1f2f10")


def inputs_for(deployment: Deployment, who: Viewer) -> Inputs:
    """What the version that runs takes; on a workbench the newest draft's. Raises NotPublished, NotReady or Paused."""
    if deployment.workbench:
        workbench.refresh(deployment, who.actor.user)
    if deployment.version is None:
        raise NotPublished
    if deployment.paused:
        raise Paused(deployment)
    return inputs_of(cast(dict[str, Any], deployment.version.document))


def id_of(deployment: Deployment, who: Viewer, key: str) -> uuid.UUID:
    """The same key of the same person names the same new conversation, so a message sent twice opens one."""
    if not key:
        return uuid.uuid4()
    return uuid.uuid5(_NAMES, f"{deployment.id}/{who.actor.user or who.actor.visitor}/{key}")


def begin(deployment: Deployment, who: Viewer, key: str) -> Conversation:
    """The conversation that this key names, made when there is none yet. Scoped."""
    id = id_of(deployment, who, key)
    try:
        talk, _ = Conversation.objects.get_or_create(
            id=id,
            defaults={
                "workspace_id": deployment.workspace_id,
                "deployment": deployment,
                "user_id": who.actor.user,
                "visitor": who.actor.visitor,
            },
        )
    except IntegrityError:
        talk = Conversation.objects.get(id=id)
    return talk
