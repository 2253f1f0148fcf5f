"""A worker that cannot work ends, so that whoever supervises it sees it."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

from runtime.processes import ROOT, Place, worker


def test_a_worker_without_its_engine_ends_with_an_error(tmp_path: Path) -> None:
    place = Place(var=tmp_path, port=1, demo_port=2)
    command = worker(place).argv
    # What the engine reads first is broken; everything before it works.
    environment = {**place.environment(dict(os.environ)), "LGSTUDIO_CRASH": "claim.before:never"}
    ended = subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, text=True, timeout=60, check=False)
    assert ended.returncode == 1
    assert "The worker could not start." in ended.stderr + ended.stdout
