""".env.example: the names of what a flow needs from where it runs, each with what it is for, and never a value."""

from __future__ import annotations

import json
import textwrap
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from flows.words.beside import TRIGGERS
from flows.words.document import Document
from flows.words.names import ENV_NAME, variable
from flows.words.strictjson import JsonRefused, loads
from runtime.services import renewal

_WIDTH = 100


def environment(documents: Sequence[Document], files: Mapping[str, str]) -> str:
    """The text of the file; "" when nothing is needed. files: path → text, whose triggers name addresses."""
    found: dict[str, list[str]] = {}
    for name, words in [*_secrets(documents), *_addresses(files), *_settings(documents)]:
        lines = found.setdefault(name, [])
        if words not in lines:
            lines.append(words)
    return "\n".join("".join(_comment(line) for line in words) + f"{name}=\n" for name, words in found.items())


def _secrets(documents: Sequence[Document]) -> Iterator[tuple[str, str]]:
    for document in documents:
        for name in document.requires.env:
            if ENV_NAME.fullmatch(name):
                yield (
                    name,
                    f"A secret of the flow “{_line(document.name or '')}”. It is set where the agent is published.",
                )
        for name in renewal.renewing(document.requires.env):
            yield name, "With the others of its kind, access tokens of Google renew themselves and need no value."


def _settings(documents: Sequence[Document]) -> Iterator[tuple[str, str]]:
    for document in documents:
        for name, setting in document.requires.settings.items():
            words = _line(setting.description) or f"A setting of the flow “{_line(document.name or '')}”."
            default = json.dumps(setting.default, ensure_ascii=False)
            yield f"SETTING_{variable(name)}", f"{words} Without it: {default}"


def _addresses(files: Mapping[str, str]) -> Iterator[tuple[str, str]]:
    for path, text in sorted(files.items()):
        if path.rpartition("/")[2] != TRIGGERS:
            continue
        try:
            raw: Any = loads(text)
        except JsonRefused:
            continue
        triggers = raw.get("triggers") if isinstance(raw, dict) else None
        for trigger in triggers if isinstance(triggers, list) else ():
            deliver = trigger.get("deliver") if isinstance(trigger, dict) else None
            name = deliver.get("urlFrom") if isinstance(deliver, dict) else None
            if isinstance(name, str) and ENV_NAME.fullmatch(name):
                yield name, f"The address that the trigger “{_line(str(trigger.get('id')))}” delivers to."


def _line(words: str) -> str:
    return " ".join(words.split())


def _comment(words: str) -> str:
    return "".join(f"# {line}\n" for line in textwrap.wrap(words, _WIDTH, break_long_words=False) or [""])
