"""`flow schema`: the published JSON Schema of a kind of file."""

from __future__ import annotations

import json
from argparse import ArgumentParser, Namespace

from flows.schemas import SCHEMAS
from studio.commandline.command import FINE, Subcommand
from studio.commandline.screen import Screen


def _add(parser: ArgumentParser) -> None:
    parser.add_argument("file", nargs="?", default="flow", choices=tuple(SCHEMAS), help="what kind of file")


def _run(options: Namespace, screen: Screen) -> int:
    screen.say(json.dumps(SCHEMAS[options.file](), indent=2, ensure_ascii=False))
    return FINE


SCHEMA = Subcommand("schema", "Print the JSON Schema of flows, or of the files beside them.", _add, _run)
