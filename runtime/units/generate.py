"""From a description to code: ask the model, read what it wrote, and let it mend what is refused, twice at most."""

from __future__ import annotations

import ast
import re
from collections.abc import Awaitable, Callable, Iterator, Mapping
from dataclasses import dataclass

from flows.units import UnitSpec
from flows.words.document import Document
from flows.words.when import compile_router
from runtime.units import prompt
from runtime.units.lint import Ground, lint

Ask = Callable[[list[prompt.Message]], Awaitable[str]]
"""One chat call: messages {role, content} in, the answer's text out. Its exceptions pass through."""

MOST_ANSWERS = 3
"""How often a model is asked for one unit: once, and again with what is wrong with its answer."""

_FENCE = re.compile(r"```[ \t]*([A-Za-z0-9_+-]*)[^\n]*\n(.*?)(?:^[ \t]*```|\Z)", re.DOTALL | re.MULTILINE)
_TICKED = re.compile(r"`([^`\n]+)`")
_HOLE = re.compile(r"\{[^{}]*\}|<[^<>]*>|…|\.\.\.")


@dataclass(frozen=True)
class Generated:
    """code: the last that was written. problems: why it is refused, in sentences; empty when it is accepted.

    by_model: False for a router made from regular sentences. answers: how often the model was asked.
    """

    code: str
    problems: tuple[str, ...] = ()
    by_model: bool = True
    answers: int = 0


async def generate(spec: UnitSpec, document: Document, ask: Ask, written: Mapping[str, str] | None = None) -> Generated:
    """Write a unit's code. Asks the model once, and again while its answer is refused; a regular router, never.

    written: the code of the flow's own services, by name, as far as there is any.
    """
    regular = regular_router(spec)
    if regular is not None:
        return Generated(regular, by_model=False)
    if not spec.description.strip() and spec.kind != "router":
        return Generated("", (f"{spec.name} is not described. Say what it reads, what it does and what it gives.",))
    chat = prompt.messages(spec, document, written)
    code = code_in(await ask(chat))
    for answers in range(1, MOST_ANSWERS + 1):
        problems = judge(spec, document, code)
        # A text that is lost is a reason to ask once more, and none to refuse code.
        doubts = problems or (lost_words(spec.description, code) if answers == 1 else [])
        if not doubts or answers == MOST_ANSWERS:
            return Generated(code, tuple(problems), answers=answers)
        # Only the newest answer goes along: older ones are mistakes that need no repeating.
        code = code_in(await ask([*chat, *prompt.repair(code, doubts)]))
    raise AssertionError("The last answer is returned above.")


def regular_router(spec: UnitSpec) -> str | None:
    """A router's code where its sentences are regular, else None."""
    return compile_router(spec.name, spec.routes, spec.when) if spec.kind == "router" else None


def judge(spec: UnitSpec, document: Document, code: str) -> list[str]:
    """Why written code is refused, in sentences."""
    if not code.strip():
        return ["The model wrote no code."]
    channels = {name: channel.type for name, channel in document.state.items()}
    return lint(Ground.of(spec, channels), code)


def code_in(answer: str) -> str:
    """The code of a model's answer: its longest python block, else the answer itself where it has no fences."""
    blocks = _FENCE.findall(answer)
    python = [body for language, body in blocks if language.lower() in ("python", "py", "python3")]
    plain = [body for language, body in blocks if not language]
    chosen = max(python or plain or [""], key=len) if blocks else answer
    return chosen.strip("\n").rstrip() + "\n" if chosen.strip() else ""


def lost_words(description: str, code: str) -> list[str]:
    """Text in backticks is copied into code exactly; what is missing, as sentences.

    Holes in it, {name} or <name>, are the code's to fill. An example of a result looks the same as a text to copy, so
    these are reasons to ask the model again and none to refuse its second answer.
    """
    return list(_lost(description, "\n".join([code, *_texts(code)])))


def _lost(description: str, held: str) -> Iterator[str]:
    for words in dict.fromkeys(_TICKED.findall(description)):
        if words.lstrip().startswith(("{", "[")):
            continue
        pieces = [words] if not _HOLE.search(words) else _HOLE.split(words)
        if re.fullmatch(r"[A-Za-z_]\w*(?:\.\w+)+", words):
            pieces = words.split(".")
        if any(piece.strip() and piece.strip() not in held for piece in pieces):
            yield f"The description's text `{words}` must be in the code exactly, letter for letter."


def _texts(code: str) -> list[str]:
    """The text constants, as they are when the code runs."""
    constants = [node.value for node in ast.walk(ast.parse(code)) if isinstance(node, ast.Constant)]
    return [value for value in constants if isinstance(value, str)]
