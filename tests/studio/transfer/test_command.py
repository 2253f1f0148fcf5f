"""`manage.py flow export` and `flow import`: a workspace's flows as folders that a repository keeps."""

from __future__ import annotations

from pathlib import Path

import pytest

from flows import store
from flows.models import Flow, Workspace
from tests.studio.test_flow_command import Ran
from tests.studio.transfer.conftest import text

Files = dict[str, str]


@pytest.fixture
def folder(tmp_path: Path, project: Files, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The project on a disk, with what is no part of it."""
    monkeypatch.chdir(tmp_path)
    for path, words in {**project, ".git/config": "x", "notes.md": "x", ".env": "OFFICE_KEY=canary-1f"}.items():
        file = tmp_path / "desk" / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(words, encoding="utf-8")
    return tmp_path / "desk"


def read(folder: Path) -> Files:
    return {file.relative_to(folder).as_posix(): file.read_text() for file in folder.rglob("*") if file.is_file()}


def test_a_folder_goes_in_and_comes_out_the_same(workspace: Workspace, folder: Path, tmp_path: Path) -> None:
    dry = Ran("import", folder, "--dry")
    assert dry.out.splitlines()[:2] == [
        "left out .env: Secrets are never imported. Set them where the agent is published.",
        "left out notes.md: No flow reads a file like this.",
    ]
    assert "Nothing was imported." in dry.out
    assert not Flow.objects.exists()
    taken = Ran("import", folder)
    assert (taken.code, taken.err) == (0, "")
    assert "imported desk/flow.json “Desk”" in taken.out
    assert "needs OFFICE_KEY: No value is kept yet." in taken.out
    first = Ran("export", "desk", tmp_path / "out")
    assert first.out.endswith("12 files in out.\n")
    assert Ran("import", tmp_path / "out").err.endswith("Say --update to replace the draft, or --copy.\n")
    assert Ran("import", tmp_path / "out", "--update").code == 0
    again = Ran("export", "Desk", tmp_path / "out")
    assert again.out == "12 files in out, 12 as before.\n"
    assert "canary-1f" not in "".join(read(tmp_path / "out").values())
    Ran("export", "desk", tmp_path / "a.zip")
    Ran("export", str(Flow.objects.get(path="desk").pk), tmp_path / "b.zip")
    assert (tmp_path / "a.zip").read_bytes() == (tmp_path / "b.zip").read_bytes()
    assert "imported desk-2/flow.json" in Ran("import", tmp_path / "a.zip", "--copy").out


def test_what_a_flow_has_no_more_is_said_and_stays(workspace: Workspace, folder: Path, tmp_path: Path) -> None:
    Ran("import", folder)
    Ran("export", "desk", tmp_path / "out")
    Flow.objects.get(path="desk").files.filter(path="triggers.json").delete()
    assert "left there triggers.json: the flow has it no more" in Ran("export", "desk", tmp_path / "out").out
    assert (tmp_path / "out" / "triggers.json").exists()


@pytest.mark.parametrize(
    ("argv", "words"),
    [
        (("import", "nowhere"), 'There is no file or folder "nowhere".'),
        (("export", "dsk", "out"), 'There is no flow "dsk". Did you mean "desk"?'),
        (("export", "desk", "out", "--workspace", "Acne"), 'There is no workspace "Acne".'),
        (("export", "desk", "blocked/out"), "could not be written"),
        (("import", "empty"), "There is no flow.json in it"),
    ],
)
def test_what_cannot_be_done_is_said(
    workspace: Workspace, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, argv: tuple[str, ...], words: str
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "blocked").write_text("")
    (tmp_path / "empty").mkdir()
    store.create("Desk")
    ran = Ran(*argv)
    assert ran.code == 2
    assert words in ran.err


def test_one_file_is_imported_with_its_mistakes(workspace: Workspace, tmp_path: Path) -> None:
    (tmp_path / "x.json").write_text(text({"version": "0.33", "name": "Odd"}), encoding="utf-8")
    ran = Ran("import", tmp_path / "x.json")
    assert ran.code == 1
    assert "“Odd”" in ran.out
    assert Flow.objects.get().name == "Odd"


def test_where_there_are_several_workspaces_one_is_named(workspace: Workspace) -> None:
    Workspace.objects.create(name="Elsewhere")
    flow = store.create("Desk")
    assert 'Name one with --workspace: "Acme" or "Elsewhere".' in Ran("export", flow.path, "out").err
