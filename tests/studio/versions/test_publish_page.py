"""The publish page: what changes since the version that is live, and which runs stay on an older one."""

from __future__ import annotations

from collections.abc import Callable

from flows.models import Flow
from runtime.models import Deployment
from tests.studio.versions.conftest import Clients, Edit, Live
from tests.support import talk


def test_it_lists_what_changes_and_the_runs_that_stay(
    flow: Flow, edit: Edit, live: Live, desk: Deployment, member_client: Clients, user: Callable
) -> None:
    live()
    talk.run(talk.conversation(desk, user("member")), "waiting")
    edit("Answer the question", "Answer this question")
    edit('"edges": [', '"suggestions": ["What now?"],\n  "edges": [')
    page = member_client("operator").get(f"/flows/{flow.pk}/publish").content.decode()
    changed = page.split('id="changes-title"')[1].split('id="where-title"')[0]
    assert changed.count('class="change"') == 2
    assert "suggestions" in changed
    assert "reply" in changed
    waits = page.split('id="waits-title"')[1].split("</section>")[0]
    assert ("v1" in waits, "1 unfinished" in waits) == (True, True)


def test_without_unfinished_runs_it_does_not_speak_of_them(flow: Flow, live: Live, member_client: Clients) -> None:
    live()
    page = member_client("operator").get(f"/flows/{flow.pk}/publish").content.decode()
    assert "waits-title" not in page
    assert "Nothing changed since the version that is live" in page


def test_a_tried_draft_is_no_version_that_anybody_waits_on(
    flow: Flow, member_client: Clients, live: Live, desk: Deployment
) -> None:
    live()
    assert member_client("builder").post(f"/api/flows/{flow.pk}/try", "{}", "application/json").status_code == 200
    bench = Deployment.objects.get(workbench=True)
    talk.run(talk.conversation(bench), "waiting")
    page = member_client("operator").get(f"/flows/{flow.pk}/publish").content.decode()
    assert "waits-title" not in page
