"""Who may open a file: whoever may see the conversation that it belongs to, and who decides a card that names it."""

from __future__ import annotations

import uuid

from django.db.models import Q

from flows.scope import enter
from runtime import cards
from runtime.models import Question, StoredFile
from studio import tracing, viewer
from studio.access import may
from studio.presence import Locked
from studio.refusal import Missing, Refusal
from studio.strings import t
from studio.viewer import Caller

MOST_CARDS = 200


def file_of(id: uuid.UUID, caller: Caller) -> StoredFile:
    """The file, for who may open it; enters its workspace. Raises Missing, and whatever `viewer.agent` raises."""
    found = StoredFile.everywhere.select_related("deployment").filter(id=id).first()
    if found is None:
        raise Missing(t("attachments.gone"))
    try:
        _admit(found, caller)
    except Missing:
        if not (_reviews(found, caller) or _looks_into(found, caller)):
            raise
    enter(found.workspace_id)
    return found


def _admit(file: StoredFile, caller: Caller) -> None:
    if file.conversation_id is not None:
        try:
            viewer.conversation(file.conversation_id, caller)
        except Missing:
            raise Missing(t("attachments.gone")) from None
        return
    actor = viewer.admit(file.deployment, caller).actor
    mine = actor.user == file.user_id if file.user_id else bool(actor.visitor) and actor.visitor == file.visitor
    if not mine:
        raise Missing(t("attachments.gone"))


def _looks_into(file: StoredFile, caller: Caller) -> bool:
    """Does the person see what other people's runs read and wrote? Each look is recorded, as of the run itself."""
    if file.run_id is None or caller.user is None or not may(viewer.role_in(file.workspace_id, caller.user), "traces"):
        return False
    viewer.judge_there(file.deployment, caller)
    enter(file.workspace_id)
    tracing.note(caller.user, file.run_id, file.deployment)
    return True


def _reviews(file: StoredFile, caller: Caller) -> bool:
    """Is the file among what a card shows that this person may decide?"""
    if caller.user is None or file.conversation_id is None:
        return False
    talks = Q(conversation_id=file.conversation_id)
    if file.user_id is not None:
        # A document may come from another conversation of the same person.
        talks |= Q(conversation__user_id=file.user_id, workspace_id=file.workspace_id)
    asked = Question.everywhere.filter(talks, decider="reviewers").order_by("-created_at")
    id, locked = str(file.id), None
    for card, talk, payload in asked.values_list("id", "conversation_id", "payload")[:MOST_CARDS]:
        if id.encode() in bytes(payload) and (talk == file.conversation_id or _is_exhibit(id, bytes(payload))):
            try:
                viewer.question(card, caller)
            except Locked as refused:
                locked = refused
            except Refusal:
                continue
            else:
                return True
    if locked is not None:
        raise locked
    return False


def _is_exhibit(id: str, payload: bytes) -> bool:
    """Outside of the file's own conversation only the engine's word counts, and no value that happens to name it."""
    return any(one["id"] == id for one in cards.read(payload).get("exhibits", ()))
