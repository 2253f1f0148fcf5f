"""`flow new`: a flow that runs as it is, in a folder of its own."""

from __future__ import annotations

import re
import uuid
from argparse import ArgumentParser, Namespace
from pathlib import Path

from flows.store import blank
from flows.tidy import written
from flows.tree import TOP
from studio.commandline.command import FINE, Subcommand, Unusable
from studio.commandline.disk import shown
from studio.commandline.screen import Screen

LONGEST = 120


def _add(parser: ArgumentParser) -> None:
    parser.add_argument("name", help="what people call the flow")
    parser.add_argument("--dir", help="the folder that it is put into; else one named after it")


def _run(options: Namespace, screen: Screen) -> int:
    name = " ".join(options.name.split())
    if not name or len(name) > LONGEST:
        raise Unusable(f"A flow's name has 1 to {LONGEST} characters.")
    folder = Path(options.dir or re.sub(r"[^\w-]+", "-", name.lower()).strip("-_") or "flow")
    file = folder / TOP
    if file.exists():
        raise Unusable(f'There is a flow in "{shown(file)}" already. Name another folder with --dir.')
    try:
        folder.mkdir(parents=True, exist_ok=True)
        file.write_text(written(blank(uuid.uuid4(), name)), encoding="utf-8")
    except OSError as refused:
        raise Unusable(f'"{shown(file)}" could not be written: {refused.strerror}.') from None
    screen.say(f"{screen.paint('Made', 'green')} {shown(file)}: a question, a model, an answer.")
    screen.say(f"Change it, then: manage.py flow check {shown(folder)}")
    return FINE


NEW = Subcommand("new", "Make a flow that runs as it is.", _add, _run)
