"""The reference of the language: one text in Markdown for people, for `docs/reference` and for models.

A topic is a file flows/topics/<name>.md, or is made of a kind's docstring, or both: the file then goes on where the
docstring ends. Tables are never written by hand: a line `<!-- fields Channel -->` in a file becomes the table of that
word, `<!-- kinds -->`, `<!-- topics -->`, `<!-- versions -->` and `<!-- checks -->` become theirs.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cache, lru_cache
from pathlib import Path

from flows import checks, kinds, tree
from flows.blocks import VIEWS
from flows.kinds.base import Kind
from flows.problem import Rule, suggestion
from flows.tables import field_table, spoken, words_in
from flows.words.base import Word, declared
from flows.words.document import Document
from flows.words.edge import ConditionalEdge, PlainEdge
from flows.words.node import Node
from flows.words.versions import NEWEST

ORDER = (
    "overview", "channels", "templates", "handlers", "llm", "tools", "work", "forms", "ask", "approval", "edges",
    "errors", "fanout", "conversation", "contract", "services", "views", "page", "shell", "subflows",
    "agents", "identity", "types", "versions", "checks",
)  # fmt: skip
FILES = Path(__file__).parent / "topics"

CANNOT_RUN = " It is checked, and cannot be run here: a flow that has one stays a draft."

_DIRECTIVE = re.compile(r"^<!-- (\w+)(?: (\w+))? -->$", re.MULTILINE)
_FIELDS = re.compile(r"^<!-- fields (\w+) -->$", re.MULTILINE)


class TopicUnknown(LookupError):
    """The reference has no such topic. The message is a sentence that says which there are."""

    def __init__(self, name: str) -> None:
        names = [each.name for each in topics()]
        said = f"Its topics are {', '.join(names)}."
        super().__init__(f'The reference has no topic "{name[:80]}". {suggestion(name, names, said)}')


@dataclass(frozen=True)
class Topic:
    """name: what it is asked for by. title and summary: one line each. text: the whole of it, its title first."""

    name: str
    title: str
    summary: str
    text: str


def overview() -> str:
    """What a flow is, its kinds of nodes, a whole example, and which topics say more."""
    return topic("overview").text


def topics() -> tuple[Topic, ...]:
    """Every topic, in the order in which one would read them."""
    return _topics(kinds.KINDS)


def topic(name: str) -> Topic:
    """The topic with this name, or the one of the kind with this type. Raises TopicUnknown."""
    kind = kinds.BY_TYPE.get(name)
    wanted = name if kind is None else topic_of(kind)
    for each in topics():
        if each.name == wanted:
            return each
    raise TopicUnknown(name)


def topic_of(kind: Kind) -> str:
    """The name of the topic that explains a kind."""
    return declared(kind.fields)["type"][1].topic or kind.type


def summary_of(kind: Kind) -> str:
    """What a kind does, in one sentence."""
    return kind.summary or _first_sentence(_prose(kind))


@lru_cache(maxsize=8)
def _topics(known: tuple[Kind, ...]) -> tuple[Topic, ...]:
    sources = _sources(known)
    homes = {word: f"{name}.md" for name, text in sources.items() for word in _FIELDS.findall(text)}
    words = words_in([Document, PlainEdge, ConditionalEdge, *VIEWS.values(), *(kind.fields for kind in known)])
    types = ", ".join(f"`{kind.type}`" for kind in known)
    made = {name: _Page(name, text, homes, words, types) for name, text in sources.items()}
    listed = "".join(f"- [{page.name}]({page.name}.md): {page.summary}\n" for page in made.values())
    general = {
        "kinds": _kind_table(known),
        "topics": listed.rstrip(),
        "versions": _version_table(known, words),
        "checks": _check_table(),
    }
    return tuple(Topic(page.name, page.title, page.summary, page.filled(general)) for page in made.values())


class _Page:
    """A topic's source, and what its directives become."""

    def __init__(
        self, name: str, source: str, homes: Mapping[str, str], words: Mapping[str, type[Word]], types: str
    ) -> None:
        head, _, rest = source.partition("\n")
        self.name, self.source = name, source
        self.title = head.removeprefix("# ").strip()
        self.summary = _first_sentence(rest)
        self.homes = {word: home for word, home in homes.items() if home != f"{name}.md"}
        self.words, self.types = words, types

    def filled(self, general: Mapping[str, str]) -> str:
        def table(found: re.Match[str]) -> str:
            if found[1] == "fields":
                word = self.words[found[2]]
                skip = list(Node.model_fields) if issubclass(word, Node) and word is not Node else []
                return field_table(word, self.homes, skip, self.types).rstrip()
            return general[found[1]]

        return _DIRECTIVE.sub(table, self.source).rstrip() + "\n"


def _sources(known: tuple[Kind, ...]) -> dict[str, str]:
    """Topic → its Markdown with directives, in reading order."""
    found = {file.stem: file.read_text(encoding="utf-8") for file in _files()}
    explained: set[str] = set()
    for kind in known:
        name = topic_of(kind)
        # The first kind of a topic leads; a further one has a section at its end.
        found[name] = found[name] + _kind_section(kind) if name in explained else _kind_page(kind, found.get(name, ""))
        explained.add(name)
    kind_topics = ORDER.index("ask")
    places = {name: ORDER.index(name) if name in ORDER else kind_topics for name in found}
    return {name: found[name] for name in sorted(found, key=places.__getitem__)}


@cache
def _files() -> tuple[Path, ...]:
    return tuple(sorted(FILES.glob("*.md")))


def _prose(kind: Kind) -> str:
    return (type(kind).__doc__ or sys.modules[type(kind).__module__].__doc__ or "").strip()


def _kind_page(kind: Kind, more: str) -> str:
    """A kind's topic. more: its file, whose beginning stands before the fields and whose sections stand after them."""
    first, mark, sections = more.partition("\n## ")
    parts = [f"# {_titled(kind)}", *_paragraphs(kind), first.strip(), "## Fields", _typed(kind), _table(kind)]
    refused = ["## What is refused", *_refused(kind)] if kind.rules else []
    return "\n\n".join(part for part in [*parts, (mark + sections).strip(), *refused] if part) + "\n"


def _kind_section(kind: Kind) -> str:
    """A kind in the topic of another."""
    refused = ["What is refused:", *_refused(kind)] if kind.rules else []
    parts = [f"## {_titled(kind)}", *_paragraphs(kind), _typed(kind), _table(kind), *refused]
    return "\n" + "\n\n".join(parts) + "\n"


def _titled(kind: Kind) -> str:
    return f"{kind.title}: the node kind `{kind.type}`"


def _paragraphs(kind: Kind) -> list[str]:
    return [" ".join(each.split()) for each in _prose(kind).split("\n\n")]


def _typed(kind: Kind) -> str:
    written = f'`"type": "{kind.type}"`' if kind.fields.model_fields["type"].is_required() else "left out"
    return (
        f"Its type is {written}, since version {kind.since}. What every node may have, such as `id`, `description`, "
        "`approval`, `retry` and `onError`, is listed in [overview](overview.md)."
    )


def _table(kind: Kind) -> str:
    return f"<!-- fields {kind.fields.__name__} -->"


def _refused(kind: Kind) -> list[str]:
    return ["\n".join(f"- `{rule.code}`: {' '.join((rule.__doc__ or '').split())}" for rule in kind.rules)]


def _kind_table(known: tuple[Kind, ...]) -> str:
    rows = [
        f"| `{kind.type}` | {kind.title} | {summary_of(kind)}{'' if kind.runs else CANNOT_RUN} | {kind.since} "
        f"| [{name}]({name}.md) |"
        for kind in known
        for name in (topic_of(kind),)
    ]
    return "\n".join(["| type | called | what it does | since | topic |", "|---|---|---|---|---|", *rows])


def _version_table(known: tuple[Kind, ...], words: Mapping[str, type[Word]]) -> str:
    found: dict[str, list[str]] = {}
    for kind in known:
        found.setdefault(kind.since, []).append(f"the kind `{kind.type}`")
    for name, word in sorted(words.items()):
        for key, dsl in declared(word).values():
            inherited = issubclass(word, Node) and word is not Node and key in {k for k, _ in declared(Node).values()}
            if not inherited and dsl.since != "0.1":
                found.setdefault(dsl.since, []).append(f"`{key}` of {spoken(name)}")
            if inherited:
                continue
            for value, since in dsl.values.items():
                found.setdefault(since, []).append(f"`{key}: {value}` of {spoken(name)}")
            for form, since in dsl.shapes.items():
                found.setdefault(since, []).append(f"`{key}` as {form} of {spoken(name)}")
    found.setdefault(NEWEST, [])
    rows = [f"| {version} | {'; '.join(found[version]) or 'no word yet'} |" for version in sorted(found, key=_numbers)]
    return "\n".join(["| version | what it brought |", "|---|---|", *rows])


def _numbers(version: str) -> tuple[int, ...]:
    return tuple(int(part) for part in version.split("."))


def _check_table() -> str:
    """Every rule's code and meaning. What reading finds has its codes written in the topic."""
    found: dict[str, tuple[str, list[str]]] = {}
    for rule in _rules():
        _, meanings = found.setdefault(rule.code, (rule.level, []))
        meaning = " ".join((rule.__doc__ or "").split())
        if meaning not in meanings:
            meanings.append(meaning)
    rows = [f"| `{code}` | {level} | {' '.join(means)} |" for code, (level, means) in sorted(found.items())]
    return "\n".join(["| code | level | why |", "|---|---|---|", *rows])


def _rules() -> Iterator[Rule]:
    yield from checks.RULES
    yield from tree.RULES
    for kind in kinds.KINDS:
        yield from kind.rules


def _first_sentence(text: str) -> str:
    """The first sentence of the first paragraph."""
    paragraph = " ".join(text.strip().split("\n\n")[0].split())
    found = re.match(r".*?[.!?](?=\s|$)", paragraph)
    return found[0] if found else paragraph
