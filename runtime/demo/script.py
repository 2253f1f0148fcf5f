"""What the scripted model says to what: rules, from files or added by a test, and how the first that fits is found."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any, Literal, Self

from pydantic import BaseModel, ConfigDict, Field, ValidationError, field_validator, model_validator

from runtime.demo import fill

Json = Any

FOLDER = Path(__file__).parent / "scripts"


class ScriptRefused(ValueError):
    """A script cannot be read. The message names the file or rule and what is wrong."""


class Word(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)


def _several(value: Json) -> Json:
    return [value] if isinstance(value, str) else value


class When(Word):
    """What a request must be. Everything given must hold; texts are looked for in the last user message, in any case.

    contains: all of these. any: one of these. without: none of these. regex: all of these; named groups are kept.
    system: all of these in the system messages. schema: true, false, or the response format's name. model: its name.
    nth: only the nth time (1 is the first) that the rest holds.
    """

    contains: tuple[str, ...] = ()
    any: tuple[str, ...] = ()
    without: tuple[str, ...] = ()
    regex: tuple[str, ...] = ()
    system: tuple[str, ...] = ()
    structured: bool | str | None = Field(None, alias="schema")
    model: str | None = None
    nth: tuple[int, ...] = ()

    lists = field_validator("contains", "any", "without", "regex", "system", mode="before")(_several)

    @field_validator("nth", mode="before")
    @classmethod
    def _numbers(cls, value: Json) -> Json:
        return [value] if isinstance(value, int) else value

    @field_validator("contains", "any", "without", "system")
    @classmethod
    def _lowered(cls, value: tuple[str, ...]) -> tuple[str, ...]:
        return tuple(text.lower() for text in value)

    @field_validator("regex")
    @classmethod
    def _compiles(cls, value: tuple[str, ...]) -> tuple[str, ...]:
        for pattern in value:
            try:
                re.compile(pattern)
            except re.error as error:
                raise ValueError(f"the regex {pattern!r} does not parse: {error}") from error
        return value

    @cached_property
    def patterns(self) -> tuple[re.Pattern[str], ...]:
        return tuple(re.compile(pattern) for pattern in self.regex)

    def holds(self, asked: Asked, groups: dict[str, Json]) -> bool:
        """Whether all but nth holds; adds the named groups that were found."""
        text = asked.lowered
        if not all(piece in text for piece in self.contains) or any(piece in text for piece in self.without):
            return False
        if self.any and not any(piece in text for piece in self.any):
            return False
        if self.system and not all(piece in asked.system for piece in self.system):
            return False
        if self.structured is not None and not asked.has_schema(self.structured):
            return False
        if self.model is not None and self.model != asked.model:
            return False
        for pattern in self.patterns:
            found = pattern.search(asked.prompt)
            if found is None:
                return False
            groups.update((name, value) for name, value in found.groupdict().items() if value is not None)
        return True


class Fail(Word):
    """An HTTP error instead of an answer. retry_after: seconds. body: the whole reply, else an OpenAI error object."""

    status: int = Field(500, ge=400, le=599)
    message: str = "The scripted server was told to fail."
    retry_after: float | None = None
    body: Json = None


class Usage(Word):
    prompt_tokens: int
    completion_tokens: int


class Manner(Word):
    """How an answer is given. Times in milliseconds; None leaves it to what is above: group, script, server.

    first_delay: before the first word. pace: between chunks. chunk: words per chunk. cut_after, hang_after: drop the
    line, or say nothing more, after so many characters; hold_after: go on when a test releases it. raw: these bytes as
    the body. drop: hang up without a reply.
    usage: false for a server that reports none. finish: the finish_reason.
    """

    first_delay: float | None = Field(None, ge=0)
    pace: float | None = Field(None, ge=0)
    chunk: int | None = Field(None, ge=1)
    cut_after: int | None = Field(None, ge=0)
    hang_after: int | None = Field(None, ge=0)
    hold_after: int | None = Field(None, ge=0)
    drop: bool | None = None
    raw: str | None = None
    fail: Fail | None = None
    usage: Usage | Literal[False] | None = None
    finish: str | None = None


MANNERS = tuple(Manner.model_fields)
PLAIN = Manner.model_construct()


class Rule(Manner):
    """One thing to say. A rule with `rules` is a group: its when, read and manner hold for each of them too.

    read: name -> the words in the prompt after which its JSON value stands. means: group -> found text (in lower case)
    -> the value it stands for. answer: text, or JSON sent as text. answers: the first time the first, and so on; the
    last repeats. times: how often the rule may be used.
    overlay: not an answer but a manner, laid over whatever rule answers.
    """

    name: str = ""
    note: str = ""
    when: When = When()  # pyright: ignore[reportCallIssue]
    read: dict[str, str] = {}
    means: dict[str, dict[str, Json]] = {}
    answer: Json = None
    answers: tuple[Json, ...] = ()
    times: int | None = Field(None, ge=1)
    overlay: bool = False
    rules: tuple[Rule, ...] = ()

    @model_validator(mode="after")
    def _whole(self) -> Self:
        if self.answer is not None and self.answers:
            raise ValueError("a rule has an answer or answers, not both")
        if self.rules and (self.answer is not None or self.answers or self.times or self.overlay):
            raise ValueError("a group has rules of its own and no answer, times or overlay")
        try:
            fill.check([self.answer, *self.answers])
        except fill.FillRefused as refused:
            raise ValueError(str(refused)) from refused
        return self


class Script(Manner):
    """A script file: title, what holds for all of its rules, and the rules.

    patterns: name -> a piece of regex. `{{name}}` in a regex, or in a later pattern, stands for it.
    """

    title: str = ""
    patterns: dict[str, str] = {}
    rules: tuple[Rule, ...]


@dataclass
class Asked:
    """A request as rules see it."""

    prompt: str
    system: str = ""
    model: str = ""
    schema_name: str | None = None
    structured: bool = False

    @cached_property
    def lowered(self) -> str:
        return self.prompt.lower()

    def has_schema(self, wanted: bool | str) -> bool:
        return self.schema_name == wanted if isinstance(wanted, str) else self.structured == wanted


@dataclass
class Said:
    """What was found for a request: the rule's name, what to say, and how."""

    rule: str
    text: str
    manner: Manner
    scripted: bool = True


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
            said = self._say(ready, asked, groups)
            break
        else:
            said = Said("", UNSCRIPTED, PLAIN, scripted=False)
        for manner in reversed(overlays):
            said.manner = _over(said.manner, manner)
        return said

    def _say(self, ready: _Ready, asked: Asked, groups: dict[str, Json]) -> Said:
        rule = ready.rule
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
