"""A flow's declared inputs as a chat asks for them: the first text is the message box, the others are fields."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from flows.words.form import Field, check_values
from flows.words.label import label
from runtime.files import giving
from runtime.files.giving import Giver
from studio.refusal import Wrong
from studio.strings import t

LONGEST = 64_000


@dataclass(frozen=True)
class Inputs:
    """text: the channel that the message fills, None without one. fields: every other input."""

    text: str | None
    fields: dict[str, Field]
    none: bool

    def as_json(self) -> dict[str, Any]:
        return {name: field.plain() for name, field in self.fields.items()}

    def check(self, text: str | None, given: Mapping[str, Any], giver: Giver) -> dict[str, Any]:
        """The run's inputs. Raises Wrong with a sentence beside each field that does not fit.

        giver: whose files may be among them. Scoped. Topic: contract ("inputs").
        """
        given, missing = giving.resolve(self.fields, given, giver)
        values, errors = check_values(self.fields, given)
        errors |= missing
        words = (text or "").strip()
        if self.text is None and words:
            errors["text"] = t("conversation.no_message")
        elif self.text is not None and not words:
            errors["text"] = t("conversation.message_missing")
        elif len(words.encode()) > LONGEST:
            errors["text"] = t("conversation.message_long", count=LONGEST // 1000)
        if errors:
            raise Wrong(errors, next(iter(errors.values())) if len(errors) == 1 else "")
        return {self.text: words, **values} if self.text is not None else values


def inputs_of(document: Mapping[str, Any]) -> Inputs:
    """The inputs that a version's document declares, in its order."""
    names: list[str] = document.get("inputs", [])
    state: Mapping[str, Mapping[str, Any]] = document.get("state", {})
    text = next((name for name in names if state.get(name, {}).get("type") == "string"), None)
    fields = {name: _field(name, state.get(name, {}), names == [name]) for name in names if name != text}
    return Inputs(text, fields, not names)


def _field(name: str, channel: Mapping[str, Any], alone: bool) -> Field:
    type = channel.get("type", "any")
    # A message may come without a file, unless there is nothing else that it could bring.
    needed = alone if type == "file" else channel.get("default") is None and type != "boolean"
    return Field.model_validate(
        {
            "type": type,
            # A channel that starts from a value of its own need not be given one.
            "required": needed,
            "label": label(name)[:120],
            **({"default": channel["default"]} if channel.get("default") is not None else {}),
            **({"accept": channel["accept"]} if type == "file" and channel.get("accept") else {}),
            **({"description": channel["description"][:1000]} if channel.get("description") else {}),
        }
    )
