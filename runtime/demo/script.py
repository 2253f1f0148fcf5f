"""What the scripted model says to what: rules, from files or added by a test, and how the first that fits is found."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from pydantic import ValidationError

from runtime.demo import acts, fill
from runtime.demo.rules import MANNERS, PLAIN, Asked, Manner, Rule, Script, Turn, When

Json = Any

FOLDER = Path(__file__).parent / "scripts"


class ScriptRefused(ValueError):
    """A script cannot be read. The message names the file or rule and what is wrong."""


@dataclass
class Said:
    """What was found for a request: the rule's name, what to say, and how."""

    rule: str
    text: str
    manner: Manner
    scripted: bool = True
    calls: tuple[dict[str, str], ...] = ()


@dataclass
class _Ready:
    """A rule with all that it inherits, and how often it was used."""

    rule: Rule
    whens: tuple[When, ...]
    read: dict[str, str]
    manner: Manner
    seen: int = 0
    used: int = 0

    def fits(self, asked: Asked) -> dict[str, Json] | None:
        if self.rule.times is not None and self.used >= self.rule.times:
            return None
        if not self.rule.overlay and asked.tools != any(when.tools for when in self.whens):
            return None
        groups: dict[str, Json] = {}
        if not all(when.holds(asked, groups) for when in self.whens):
            return None
        self.seen += 1
        if any(when.nth and self.seen not in when.nth for when in self.whens):
            return None
        self.used += 1
        return groups


def _over(base: Manner, top: Manner) -> Manner:
    given = {name: getattr(top, name) for name in MANNERS if getattr(top, name) is not None}
    return Manner.model_construct(**{**{name: getattr(base, name) for name in MANNERS}, **given})


def _flat(rules: Iterable[Rule], whens: tuple[When, ...], read: dict[str, str], manner: Manner) -> Iterator[_Ready]:
    for rule in rules:
        inside = (*whens, rule.when)
        reads = {**read, **rule.read}
        manners = _over(manner, rule)
        if rule.rules:
            yield from _flat(rule.rules, inside, reads, manners)
        else:
            yield _Ready(rule, inside, reads, manners)


def _picked(prompt: str, read: dict[str, str]) -> dict[str, Json]:
    """The JSON values that stand in the prompt after the words given. What is not there, or is no JSON, is left out."""
    decoder = json.JSONDecoder()
    found: dict[str, Json] = {}
    for name, words in read.items():
        at = prompt.find(words)
        if at < 0:
            continue
        rest = prompt[at + len(words) :].lstrip(" \t")
        try:
            found[name], _ = decoder.raw_decode(rest)
        except ValueError:
            continue
    return found


UNSCRIPTED = (
    "The demo model has no script for this. It only answers the example flows' own questions. "
    "Add a model in **Settings → Models** to have it answered."
)


@dataclass
class Book:
    """All rules in force: those added last come first, then the files' in their order."""

    added: list[_Ready] = field(default_factory=list)
    written: list[_Ready] = field(default_factory=list)

    def load(self, path: Path) -> None:
        """Put a script file's rules after those there are. Raises ScriptRefused."""
        try:
            script = Script.model_validate(_expanded(json.loads(path.read_text(encoding="utf-8"))))
        except (OSError, ValueError) as error:
            raise ScriptRefused(f"{path.name}: {_in_words(error)}") from error
        self.written.extend(_flat(script.rules, (), {}, script))

    def add(self, rules: Json) -> int:
        """Put these rules before all others, in the order given; returns how many. Raises ScriptRefused."""
        try:
            script = Script.model_validate({"rules": rules if isinstance(rules, list) else [rules]})
        except ValidationError as error:
            raise ScriptRefused(_in_words(error)) from error
        ready = list(_flat(script.rules, (), {}, PLAIN))
        self.added[:0] = ready
        return len(ready)

    def clear(self, files: bool = False) -> None:
        """Forget the added rules and all counts; with `files`, the files' rules as well."""
        self.added.clear()
        if files:
            self.written.clear()
        for ready in self.written:
            ready.seen = ready.used = 0

    def find(self, asked: Asked) -> Said:
        """The first rule that fits, with the overlays that fit laid over it; the plain 'no script' answer otherwise."""
        overlays: list[Manner] = []
        for ready in (*self.added, *self.written):
            groups = ready.fits(asked)
            if groups is None:
                continue
            if ready.rule.overlay:
                overlays.append(ready.manner)
                continue
            found = self._say(ready, asked, groups)
            if found is None:
                continue
            said = found
            break
        else:
            said = Said("", UNSCRIPTED, PLAIN, scripted=False)
        for manner in reversed(overlays):
            said.manner = _over(said.manner, manner)
        return said

    def _say(self, ready: _Ready, asked: Asked, groups: dict[str, Json]) -> Said | None:
        """What the rule says; None where its act has nothing to do with this request."""
        rule = ready.rule
        turns = acts.turns(rule.act, asked.said, asked.instructions, rule.example) if rule.act else rule.turns
        if turns is None:
            return None
        if turns:
            turn = Turn.model_validate(turns[min(asked.turn, len(turns) - 1)])
            calls = tuple(call.wire(f"call_{asked.turn}_{number}") for number, call in enumerate(turn.calls))
            return Said(rule.name, turn.say, ready.manner, calls=calls)
        answer = rule.answers[min(ready.used, len(rule.answers)) - 1] if rule.answers else rule.answer
        if isinstance(answer, str) and "${" not in answer:
            return Said(rule.name, answer, ready.manner)
        meant = {name: rule.means.get(name, {}).get(str(found).lower(), found) for name, found in groups.items()}
        names = {**_picked(asked.prompt, ready.read), **meant, "prompt": asked.prompt, "time": ready.used}
        filled = fill.fill(answer, names)
        if filled is fill.MISSING or filled is None:
            filled = ""
        text = filled if isinstance(filled, str) else json.dumps(filled, ensure_ascii=False)
        return Said(rule.name, text, ready.manner)


def _expanded(script: Json) -> Json:
    """The script with each {{name}} in its regexes replaced by the pattern of that name."""
    patterns: dict[str, str] = {}

    def put(text: str) -> str:
        for name, pattern in patterns.items():
            text = text.replace(f"{{{{{name}}}}}", pattern)
        return text

    def walk(value: Json, inside: bool = False) -> Json:
        if isinstance(value, str):
            return put(value) if inside else value
        if isinstance(value, list):
            return [walk(item, inside) for item in value]
        if isinstance(value, dict):
            return {key: walk(item, inside or key == "regex") for key, item in value.items()}
        return value

    given = script.get("patterns") if isinstance(script, dict) else None
    if isinstance(given, dict):
        for name, pattern in given.items():
            patterns[name] = put(str(pattern))
    return walk(script)


def _in_words(error: Exception) -> str:
    if isinstance(error, ValidationError):
        first = error.errors()[0]
        return f"{'.'.join(str(part) for part in first['loc'])}: {first['msg']}"
    return str(error)
