"""`manage.py flow run` and `flow test` of a flow that answers only known people: nobody is there who knows them."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from flows.models import Workspace
from studio.models import Membership, User
from tests.runtime.testing.flows import CODED
from tests.studio.test_flow_command import Ran, put
from tests.studio.test_flow_test_command import GREETS

KNOWS: dict[str, Any] = {**CODED, "requires": {"users": True}}
TEST = {"name": "Greets", "input": {"q": "Ada"}, "expect": {"output": {"a": "Hello, Ada"}}}


@pytest.fixture
def desk(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    folder = tmp_path / "desk"
    put(folder / "flow.json", KNOWS)
    (folder / "handlers.py").write_text(GREETS)
    put(folder / "tests/greet.test.json", {"flow": "../flow.json", "tests": [TEST]})
    return folder


# LG-contract-18
def test_it_refuses_before_anything_runs_and_says_what_to_do(desk: Path) -> None:
    ran = Ran("run", desk, "--input", "q=Ada")
    assert ran.code == 1 and "Hello" not in ran.out
    assert "answers only people whom it knows" in ran.out and "--as EMAIL" in ran.out
    tested = Ran("test", desk)
    assert tested.code == 1 and "answers only people whom it knows" in tested.out


# LG-contract-18: what runs it inherits the rule.
def test_a_flow_inside_that_says_so_is_enough(desk: Path) -> None:
    put(desk / "inner/flow.json", KNOWS)
    (desk / "inner/handlers.py").write_text(GREETS)
    node = {"id": "work", "type": "flow", "flow": "./inner/flow.json", "input": {"q": "{{q}}"}, "output": {"a": "a"}}
    put(desk / "flow.json", {**CODED, "nodes": [node]})
    assert "answers only people whom it knows" in Ran("run", desk, "--input", "q=Ada").out


# LG-contract-17, LG-contract-18
def test_it_runs_under_the_name_of_a_person_of_the_workspace(
    desk: Path, workspace: Workspace, user: Callable[..., User]
) -> None:
    dana = user("member", "Dana")
    ran = Ran("run", desk, "--input", "q=Ada", "--as", dana.email.upper())
    assert (ran.code, ran.err) == (0, "") and ran.out.endswith("a\nHello, Ada\n")
    tested = Ran("test", desk, "--as", dana.email, "--json")
    assert (tested.code, [one["state"] for one in json.loads(tested.out)]) == (0, ["passed"])


def test_a_name_that_nobody_here_has_runs_nothing(desk: Path, workspace: Workspace, user: Callable[..., User]) -> None:
    away = User.objects.create_user("eve@example.test", None, name="Eve")
    gone = user("member", "Dana")
    User.objects.filter(pk=gone.pk).update(is_active=False)
    for address in ("nobody@example.test", away.email, gone.email):
        ran = Ran("run", desk, "--as", address)
        assert ran.code == 2 and f'"{address}"' in ran.err and "Nobody in the workspace" in ran.err
    assert "by their e-mail address" in Ran("run", desk, "--as", " ").err
    Membership.objects.all().delete()
    Workspace.objects.create(name="Another")
    assert "There are several workspaces" in Ran("run", desk, "--as", away.email).err
