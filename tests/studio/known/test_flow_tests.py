"""Tests of a flow that answers only known people, run in the studio: under the name of whoever wants them run."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import pytest

from flows import files
from flows.models import Flow, Unit, Workspace
from runtime.testing.process import Process
from studio import drafts
from studio.models import LatestTests, User
from studio.testing import errand
from tests.studio.testing.conftest import CODE, FLOW, TESTS

KNOWS: dict[str, Any] = {**FLOW, "requires": {"users": True}}


@pytest.fixture
def asked(workspace: Workspace, user: Callable[..., User]) -> LatestTests:
    flow: Flow = drafts.import_text(json.dumps(KNOWS), "Greeter", user("builder"))
    Unit.objects.create(flow=flow, kind="handler", name="tidy", key="k", code=CODE, origin="edited")
    files.write(flow, "tests/first.test.json", json.dumps(TESTS), user("builder"))
    return LatestTests.objects.create(
        flow=flow, by=user("builder"), paths=["tests/first.test.json"], names=["Greets Ada"], revision=flow.revision
    )


def test_they_run_as_the_person_who_wants_them(asked: LatestTests, user: Callable[..., User]) -> None:
    job, _ = errand._job(asked)
    assert job.person is not None and job.person.address == user("builder").email
    with Process() as process:
        assert [(one.test, one.state) for one in process.run(job)] == [("Greets Ada", "passed")]
        # LG-contract-18: an account that is gone is nobody.
        asked.by = None
        (refused,) = process.run(errand._job(asked)[0])
    assert refused.state == "refused" and "answers only people whom it knows" in refused.failures[0].message
