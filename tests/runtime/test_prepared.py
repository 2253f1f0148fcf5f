"""Prepared queries answer as the querysets they are made of, in the workspace entered when they are asked."""

from __future__ import annotations

import uuid

import pytest

from flows.models import Workspace
from flows.scope import NoWorkspace, workspace
from runtime.models import Conversation
from runtime.prepared import Prepared
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
