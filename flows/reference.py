"""The reference of the language: one text in Markdown for people, for `docs/reference` and for models.

A topic is a file flows/topics/<name>.md, or is made of a kind's docstring, or both: the file then goes on where the
docstring ends. Tables are never written by hand: a line `<!-- fields Channel -->` in a file becomes the table of that
word, `<!-- kinds -->`, `<!-- topics -->`, `<!-- versions -->`, `<!-- checks -->` and `<!-- beside -->` become theirs.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cache, lru_cache
from pathlib import Path

from flows import checks, kinds, tree
from flows.beside.doors import BESIDE_RULES
from flows.kinds.base import Kind
from flows.problem import Rule, listed, suggestion
from flows.tables import ages, field_table, spoken, words_in
from flows.vocabulary import FAMILIES, WITHOUT_DEFAULTS, family_of, roots, types_in
from flows.words.base import Word, declared
from flows.words.node import Node
from flows.words.versions import BROUGHT, below

GROUPS: dict[str, tuple[str, ...]] = {
    "basics": ("overview", "channels", "templates", "edges", "errors", "conversation"),
    "nodes": (
        "llm", "work", "agents", "handlers", "tools", "ask", "forms", "approval", "read", "knowledge", "index",
        "databases", "fanout", "subflows",
    ),
    "needs": ("contract", "services", "files"),
    "chat": ("views", "page", "shell"),
    "beside": ("triggers", "tests", "evals"),
    "practice": ("patterns", "recipes"),
    "tables": ("types", "identity", "versions", "checks"),
}  # fmt: skip
"""The topics in the order in which one would read them, in groups that a page draws apart."""

ORDER = tuple(name for names in GROUPS.values() for name in names)
EVERY_NODE = (
    "What every node may have, such as `id`, `description`, `approval`, `retry` and `onError`, is listed in "
    "[overview](overview.md)."
)
"""Stands in the topic of each kind, where it says nothing that is looked for."""
FILES = Path(__file__).parent / "topics"

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
    begin = roots(known)
    words, since = words_in(begin), ages(begin)
    types = {family: ", ".join(f"`{each}`" for each in types_in(family, begin)) for family in FAMILIES}
    made = {name: _Page(name, text, homes, words, types, since) for name, text in sources.items()}
    listed = "".join(f"- [{page.name}]({page.name}.md): {page.summary}\n" for page in made.values())
    general = {
        "kinds": _kind_table(known),
        "topics": listed.rstrip(),
        "versions": _version_table(known, words, since),
        "checks": _check_table(_rules()),
        "beside": _check_table(BESIDE_RULES),
    }
    return tuple(Topic(page.name, page.title, page.summary, page.filled(general)) for page in made.values())


class _Page:
    """A topic's source, and what its directives become."""

    def __init__(
        self,
        name: str,
        source: str,
        homes: Mapping[str, str],
        words: Mapping[str, type[Word]],
        types: Mapping[type[Word], str],
        since: Mapping[str, str],
    ) -> None:
        head, _, rest = source.partition("\n")
        self.name, self.source = name, source
        self.title = head.removeprefix("# ").strip()
        self.summary = _first_sentence(rest)
        self.homes = {word: home for word, home in homes.items() if home != f"{name}.md"}
        self.words, self.types, self.since = words, types, since

    def filled(self, general: Mapping[str, str]) -> str:
        def table(found: re.Match[str]) -> str:
            if found[1] == "fields":
                word = self.words[found[2]]
                family = family_of(word)
                skip = [name for name in (family.model_fields if family else ()) if name != "type" or family is Node]
                since, defaults = self.since[found[2]], word not in WITHOUT_DEFAULTS
                return field_table(word, self.homes, skip, self.types.get(word, ""), since, defaults).rstrip()
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
    # A kind that nobody has put into a group yet stands with the others.
    kind_topics = ORDER.index(GROUPS["nodes"][-1])
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
    return f"Its type is {written}, since version {kind.since}. {EVERY_NODE}"


def _table(kind: Kind) -> str:
    return f"<!-- fields {kind.fields.__name__} -->"


def _refused(kind: Kind) -> list[str]:
    return ["\n".join(f"- `{rule.code}`: {' '.join((rule.__doc__ or '').split())}" for rule in kind.rules)]


def _kind_table(known: tuple[Kind, ...]) -> str:
    rows = [
        f"| `{kind.type}` | {kind.title} | {summary_of(kind)} | {kind.since} | [{name}]({name}.md) |"
        for kind in known
        for name in (topic_of(kind),)
    ]
    drafts = [kind.type for kind in known if not kind.runs]
    table = "\n".join(["| type | called | what it does | since | topic |", "|---|---|---|---|---|", *rows])
    if not drafts:
        return table
    named = _ticked(drafts)
    return f"{table}\n\nThis installation checks {named} nodes and cannot run them: a flow with one stays a draft."


def _ticked(names: list[str]) -> str:
    return listed(names, "and").replace('"', "`")


def _version_table(known: tuple[Kind, ...], words: Mapping[str, type[Word]], ages: Mapping[str, str]) -> str:
    """Version → what it brought, and the words that are younger than what they stand in."""
    found: dict[str, list[str]] = {version: [] for version in BROUGHT}
    for kind in known:
        found[kind.since].append(f"the kind `{kind.type}`")
    for name, word in sorted(words.items()):
        family = family_of(word)
        for field, (key, dsl) in declared(word).items():
            if family and field in family.model_fields:
                continue
            of = f"of {spoken(name)}"
            new = [(dsl.since, f"`{key}` {of}")]
            new += [(since, f"`{key}: {value}` {of}") for value, since in dsl.values.items()]
            new += [(since, f"`{key}` as {form} {of}") for form, since in dsl.shapes.items()]
            for since, words_of_it in new:
                if below(ages[name], since):
                    found[since].append(words_of_it)
    rows = [f"| {version} | {BROUGHT[version]} | {', '.join(found[version])} |" for version in BROUGHT]
    return "\n".join(["| version | what it brought | its words |", "|---|---|---|", *rows])


def _check_table(rules: Iterable[Rule]) -> str:
    """Every rule's code and meaning. What reading finds has its codes written in the topic."""
    found: dict[str, tuple[str, list[str]]] = {}
    for rule in rules:
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
