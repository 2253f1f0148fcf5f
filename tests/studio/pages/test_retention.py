"""Settings → What is kept: nothing goes that was not shown before."""

from __future__ import annotations

from django.test import Client

from flows.models import Workspace
from runtime import retention
from runtime.models import Retention
from studio.strings import t
from tests.runtime.test_retention import deployed, ran
from tests.studio.pages.conftest import Clients

HERE = "/settings/retention"
KEPT = {"checkpoints": "14", "details": "ever", "conversations": "ever", "tries": "30", "files": "ever"}


def test_what_would_go_is_said_before_it_goes(workspace: Workspace, member_client: Clients) -> None:
    # GAP-13
    client: Client = member_client("operator", "Olga")
    agent = deployed()
    ran(agent, 100)
    ran(agent, 10)
    page = client.get(HERE).content.decode()
    assert "2 kept at the moment" in page and t("retention.confirm_title") not in page
    reply = client.post(HERE, {**KEPT, "conversations": "90"})
    page = reply.content.decode()
    assert reply.status_code == 409 and t("retention.going.conversations", count=1) in page
    assert not Retention.objects.exists(), "Nothing is saved before the yes."
    # Who answers yes to this and sends other days is asked again.
    assert client.post(HERE, {**KEPT, "conversations": "7", "yes": reply.context["yes"]}).status_code == 409
    assert client.post(HERE, {**KEPT, "conversations": "90", "yes": reply.context["yes"]}).status_code == 302
    assert retention.days().conversations == 90 and Retention.objects.get().set_by == "Olga"
    assert "Set by Olga" in client.get(HERE).content.decode()
    # Keeping things longer takes nothing away.
    assert client.post(HERE, {**KEPT, "conversations": "365"}).status_code == 302


def test_other_days_than_offered_are_refused(workspace: Workspace, member_client: Clients) -> None:
    client = member_client("operator")
    for wrong in ("0", "-1", "x", "14.5", "99999999999", ""):
        reply = client.post(HERE, {**KEPT, "checkpoints": wrong})
        assert reply.status_code == 422 and t("field.choose") in reply.content.decode()
    assert not Retention.objects.exists()


def test_only_operators_say_it(workspace: Workspace, member_client: Clients) -> None:
    for role in ("builder", "reviewer", "member"):
        assert member_client(role).get(HERE).status_code == 403
        assert member_client(role).post(HERE, KEPT).status_code == 403
