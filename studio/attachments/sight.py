"""Who may open a file: whoever may see the conversation that it belongs to, and who decides a card that names it."""

from __future__ import annotations

import uuid

from flows.scope import enter
from runtime.models import Question, StoredFile
from studio import tracing, viewer
from studio.access import may
from studio.refusal import Missing, Refusal
from studio.strings import t
from studio.viewer import Caller

MOST_CARDS = 200


def file_of(id: uuid.UUID, caller: Caller) -> StoredFile:
    """The file, for who may open it; enters its workspace. Raises Missing, SignedOut, Forbidden or LinkRenewed."""
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
    enter(file.workspace_id)
    tracing.note(caller.user, file.run_id, file.deployment)
    return True


def _reviews(file: StoredFile, caller: Caller) -> bool:
    """Is the file among what a card shows that this person may decide?"""
    if caller.user is None or file.conversation_id is None:
        return False
    cards = Question.everywhere.filter(conversation_id=file.conversation_id, decider="reviewers")
    id = str(file.id).encode()
    for card, payload in cards.order_by("-created_at").values_list("id", "payload")[:MOST_CARDS]:
        if id in bytes(payload):
            try:
                viewer.question(card, caller)
            except Refusal:
                continue
            return True
    return False
