"""Prepared queries answer as the querysets they are made of, in the workspace entered when they are asked."""

from __future__ import annotations

import uuid
from datetime import timedelta

import pytest
from django.db.models import F
from django.db.models.functions import Now
from django.utils import timezone

from flows.models import Workspace
from flows.scope import NoWorkspace, workspace
from runtime.models import Conversation
from runtime.prepared import Prepared, PreparedUpdate
from runtime.rows import NOW, update
from tests.support import talk

pytestmark = pytest.mark.django_db

by_id = Prepared(lambda id: Conversation.objects.select_related("deployment").filter(id=id), uuid.UUID)
by_seq = Prepared(lambda title, seq: Conversation.objects.filter(title=title, next_seq__gt=seq), str, int)
titles = Prepared(lambda id: Conversation.objects.filter(id=id).values_list("title", flat=True), uuid.UUID)


def test_the_rows_are_those_of_the_queryset_each_time() -> None:
    with workspace(Workspace.objects.create(name="One").id):
        agent = talk.agent()
        one, two = talk.conversation(agent), talk.conversation(agent)
        Conversation.objects.filter(id=two.id).update(title="Two", next_seq=5)
        for wanted in (one, two, one):
            assert by_id(wanted.id) == [wanted]
        found = by_id.first(two.id)
        assert found is not None and found.deployment == agent
        assert by_seq("Two", 4) == [two] and by_seq("Two", 5) == [] and by_seq("One", 0) == []
        assert titles.first(two.id) == "Two" and titles.first(uuid.uuid4()) is None


def test_a_scoped_table_stays_scoped() -> None:
    one, two = Workspace.objects.create(name="One"), Workspace.objects.create(name="Two")
    with workspace(one.id):
        mine = talk.conversation(talk.agent())
        assert by_id.first(mine.id) == mine
    with workspace(two.id):
        assert by_id.first(mine.id) is None
    with pytest.raises(NoWorkspace):
        by_id.first(mine.id)


def test_a_parameter_that_the_statement_does_not_keep_is_refused() -> None:
    with pytest.raises(ValueError, match="can only be compared"):
        Prepared(lambda title: Conversation.everywhere.filter(title=title.upper()), str)("two")


def test_an_update_changes_the_rows_that_fit_each_time() -> None:
    retitle = PreparedUpdate(
        lambda id, seq: Conversation.objects.filter(id=id, next_seq=seq),
        lambda: {"title": "New", "next_seq": F("next_seq") + 2, "last_at": Now()},
        uuid.UUID,
        int,
    )
    with workspace(Workspace.objects.create(name="One").id):
        agent = talk.agent()
        one, two = talk.conversation(agent), talk.conversation(agent)
        kept = two.title
        assert retitle(one.id, 1) == 1 and retitle(one.id, 1) == 0 and retitle(two.id, 7) == 0
        one.refresh_from_db()
        two.refresh_from_db()
        assert (one.title, one.next_seq) == ("New", 3) and (two.title, two.next_seq) == (kept, 1)
    with workspace(Workspace.objects.create(name="Two").id):
        assert retitle(one.id, 3) == 0


def test_rows_are_changed_by_exact_columns_with_the_fields_own_preparation() -> None:
    with workspace(Workspace.objects.create(name="One").id):
        agent = talk.agent()
        one, two = talk.conversation(agent), talk.conversation(agent)
        before = one.last_at
        kept = {"history": [{"b": 1, "a": "ü"}], "remembered": {}, "last_at": NOW}
        assert update(Conversation, kept, id=one.id) == 1
        assert update(Conversation, {"title": "x"}, id=uuid.uuid4()) == 0
        one.refresh_from_db()
        two.refresh_from_db()
        assert list(one.history[0]) == ["b", "a"] and one.history[0]["a"] == "ü" and two.history == []
        # SQLite counts milliseconds.
        assert before - timedelta(milliseconds=1) <= one.last_at <= timezone.now() + timedelta(seconds=5)
