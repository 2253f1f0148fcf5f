"""What a model says when it cannot answer yet: { "needs": { …fields… }, "why": "…" } in place of its answer."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import get_args

from flows.words.base import Json
from flows.words.fields import Fields, FieldType
from flows.words.jsontext import NoJson, extract_json
from flows.words.names import is_name
from flows.words.outside import FieldsRefused, from_json_schema

MOST_TIMES = 3
"""How often a node may ask in one visit. Topic: llm."""
LONGEST_WHY = 1_000
_TYPES = set(get_args(FieldType))
_KEYS = {"needs", "why"}


@dataclass(frozen=True)
class Needs:
    """What is to be asked for, and why in the model's own words."""

    fields: Fields
    why: str = ""


def read(reply: str) -> Needs | None:
    """The request for fields that a reply is; None for every other reply, which is an answer."""
    try:
        said = extract_json(reply, "object")
    except NoJson:
        return None
    if not said.keys() <= _KEYS or not said.get("needs"):
        return None
    try:
        fields = from_json_schema(_spelled(said["needs"]))
    except FieldsRefused:
        return None
    if not fields or not all(is_name(name) for name in fields):
        return None
    # A model reads no files, so it has no use for one that it asks for.
    if any(field.type == "file" for field in fields.values()):
        return None
    why = said.get("why")
    return Needs(fields, why.strip()[:LONGEST_WHY] if isinstance(why, str) else "")


def _spelled(needs: Json) -> Json:
    """Fields written in short: a list of names, or a name with its type or its label."""
    if isinstance(needs, list) and all(isinstance(name, str) for name in needs):
        return {name: {"type": "string", "required": True} for name in needs}
    if not isinstance(needs, Mapping) or isinstance(needs.get("properties"), Mapping):
        return needs
    return {name: _field(each) if isinstance(each, str) else each for name, each in needs.items()}


def _field(words: str) -> dict[str, Json]:
    kind = {"type": words} if words in _TYPES - {"file"} else {"type": "string", "label": words[:120]}
    return {**kind, "required": True}


_LONGEST_DOUBT = 200
_MAY_BEGIN = re.compile(
    r"`{1,2}\Z|```[\w-]*\s*\Z|(?:```[\w-]*\s*)?\{\s*(?:\Z|\"(?:\Z|n(?:e(?:e(?:ds?)?)?)?\Z|needs\"|w(?:hy?)?\Z|why\"))"
)
"""Where a request may stand: its first key, as far as it was written, behind a fence or not."""


class Spoken:
    """Of a reply that is still being written: the words that a person may read, without what may be a request."""

    def __init__(self) -> None:
        self._held = ""
        self._asks = False

    def pass_on(self, text: str) -> str:
        """What of the text so far is certain to be none, and was not passed on before."""
        if self._asks:
            return ""
        self._held += text
        found = _MAY_BEGIN.search(self._held)
        self._asks = found is not None and found[0].endswith(('needs"', 'why"'))
        until = len(self._held) if found is None or found.end() - found.start() > _LONGEST_DOUBT else found.start()
        certain, self._held = self._held[:until], self._held[until:]
        return certain


def instruction(left: int) -> str:
    """What the model is told about asking. left: how often it may still ask."""
    if left == 0:
        return "Nothing more can be asked. Give your answer with what you have, and say in it what is missing."
    kinds = ", ".join(sorted(_TYPES - {"file", "any", "object"}))
    return (
        "If you cannot do this without details that only the person can give, do not guess them and do not ask for "
        "them in prose. Answer instead with one JSON object and nothing else:\n"
        '{"needs": {"deliverOn": {"type": "date", "required": true, "label": "Deliver on"}}, "why": "one sentence"}\n'
        f"Each entry of needs is a field of a form that the person will be shown. Its type is one of {kinds}; it may "
        "have required, label, description, options (a list of the allowed values), default and maxLength; a list of "
        "like entries has of, with the fields of one row. Where what is missing is described by a schema that stands "
        "above, such as a tool's inputSchema, copy that schema's properties as the fields. Ask for everything at once. "
        "Ask only for what is missing; otherwise answer."
    )


def typed(answer: Json) -> str:
    """What the model is told once the form was filled in."""
    return f"The person filled in the form:\n{json.dumps(answer, ensure_ascii=False)}"


def messages(first: Sequence[Mapping[str, Json]], said: Sequence[Mapping[str, Json]]) -> list[dict[str, Json]]:
    """The conversation of a node that may ask. first: its prompt. said: [{"reply", "answer"}] of each form so far."""
    left = MOST_TIMES - len(said)
    made = [dict(message) for message in first]
    if not said:
        made[-1]["content"] = f"{made[-1]['content']}\n\n{instruction(left)}"
        return made
    made[-1]["content"] = f"{made[-1]['content']}\n\n{instruction(MOST_TIMES)}"
    for number, turn in enumerate(said, 1):
        words = typed(turn["answer"])
        if number == len(said) and left == 0:
            words = f"{words}\n\n{instruction(0)}"
        made += [{"role": "assistant", "content": turn["reply"]}, {"role": "user", "content": words}]
    return made
