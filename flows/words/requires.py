"""requires: what a flow needs from the place where it runs. It names things and never says where they are."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Annotated, ClassVar, Literal

from pydantic import Discriminator, Field, Tag

from flows.problem import Finding, at, quoted, rule
from flows.words import ranges
from flows.words.base import Dsl, Json, OnlyTrue, Word
from flows.words.fields import Field as FormField
from flows.words.names import ENV_NAME, PACKAGE_NAME, is_code_name, is_name, variable
from flows.words.strictjson import JsonRefused, loads

ALWAYS = ("http", "files", "sign")
"""Services that every flow has without declaring them."""

_ELSEWHERE = "Where {0} is, and how it is reached, is said where the flow is deployed."
_TRAVELS = "A flow is a file that travels: who signs in, and by what, is known only where it is deployed."

_ON, _OFF = ("1", "true", "yes", "on"), ("", "0", "false", "no", "off")

Sentence = Annotated[str, Field(min_length=1, max_length=2000)]


def _refused(what: str, places: str, secrets: str = "") -> dict[str, str]:
    """Keys that say where something is, and keys that are secrets, each with the reason."""
    return {
        **dict.fromkeys(places.split(), _ELSEWHERE.format(what)),
        **dict.fromkeys(secrets.split(), _TRAVELS),
    }


class Setting(Word):
    """A value that code reads as settings.<name>, and that a deployment may change."""

    default: Annotated[Json, Dsl(widget="json")] = Field(None, description="The value when nothing else is set.")
    description: Annotated[str, Field(max_length=1000), Dsl(widget="text")] = Field(
        "", description="What it does, for whoever sets it."
    )

    def of_text(self, text: str) -> Json:
        """The value that an environment variable spells: of the default's type. Raises ValueError."""
        if self.default is None or isinstance(self.default, str):
            return text
        word = text.strip().lower()
        if isinstance(self.default, bool):
            if word not in (*_ON, *_OFF):
                raise ValueError("yes or no")
            return word in _ON
        try:
            found = loads(text)
        except JsonRefused:
            found = None
        if isinstance(self.default, int | float):
            if isinstance(found, bool) or not isinstance(found, int | float):
                raise ValueError("a number")
        elif not isinstance(found, type(self.default)):
            raise ValueError("a list in JSON" if isinstance(self.default, list) else "an object in JSON")
        return found


class McpTool(Word):
    """A tool of an MCP server, with more than its name."""

    refuses: ClassVar[Mapping[str, str]] = {
        "args": 'What a tool takes is "inputs".',
        "description": 'What a tool does is "describe".',
    }

    name: Annotated[str, Dsl(widget="line", topic="services")] = Field(
        description="What this flow calls the tool. Each tool of a flow has a name of its own, wherever it is."
    )
    remote: Annotated[str | None, Field(min_length=1, max_length=200), Dsl(widget="line", label="Name there")] = Field(
        None, description="What the server calls it, where that differs."
    )
    describe: Annotated[str, Field(max_length=2000), Dsl(widget="text", label="What it does")] = Field(
        "", description="What it does, for whoever reads the flow and for the model that may call it."
    )
    inputs: Annotated[dict[str, FormField] | None, Field(max_length=60), Dsl(widget="fields", since="0.24")] = Field(
        None,
        description="What it takes. A call without a required one stops the run with a form, and nothing is called "
        "until it is filled in.",
    )


def _entry(value: Json) -> str:
    return "<tool>" if isinstance(value, dict | Word) else "<name>"


class McpServer(Word):
    """An MCP server that a flow calls: what it is for, and the tools that the flow may call on it."""

    refuses: ClassVar[Mapping[str, str]] = _refused(
        "the server",
        "url uri address host port path transport type command args cwd env headers timeout",
        "token apiKey key secret password auth authorization credential credentials user username",
    )

    describe: Annotated[Sentence, Dsl(widget="text", topic="services", label="What it is for")] = Field(
        description="What the server is for. Never where it is."
    )
    tools: Annotated[
        list[Annotated[Annotated[str, Tag("<name>")] | Annotated[McpTool, Tag("<tool>")], Discriminator(_entry)]],
        Field(min_length=1, max_length=200),
        Dsl(widget="list", label="May call", placeholder="findCustomer"),
    ] = Field(
        description="The tools that the flow may call there, each by its name or as an object. The list is the "
        "permission: what is not in it cannot be called."
    )


class Collection(Word):
    """Documents that were indexed in advance, and that a flow asks."""

    refuses: ClassVar[Mapping[str, str]] = _refused(
        "the collection",
        "url uri address host port path folder index documents",
        "token apiKey key secret password credential credentials user username",
    ) | {
        **dict.fromkeys(("model", "embedder", "dimensions"), "What indexed the collection is known where it is kept."),
        "score": "Which passages are near enough is decided where the collection is kept.",
        "threshold": "Which passages are near enough is decided where the collection is kept.",
        "method": "How documents are split is said by the index node that builds the collection.",
        "size": "How documents are split is said by the index node that builds the collection.",
    }

    describe: Annotated[Sentence, Dsl(widget="text", topic="knowledge", label="What it holds")] = Field(
        description="What the collection holds. Never where it is."
    )
    reader: Annotated[Literal["required"] | None, Dsl(widget="choice", label="Answers by reader")] = Field(
        None,
        description='"required" where what comes back depends on who asks: the person goes along with the question.',
    )
    builds: Annotated[OnlyTrue | None, Dsl(widget="switch", since="0.31", topic="index")] = Field(
        None, description="Index nodes of this flow may build the collection anew. Left out, it is only asked."
    )


class Database(Word):
    """A database that a flow reads."""

    refuses: ClassVar[Mapping[str, str]] = _refused(
        "the database",
        "url uri address host port path file driver engine dialect server database dsn connection",
        "user username password credential credentials token secret",
    ) | {
        "tables": "Which tables may be read is decided where the database is connected.",
        "schema": 'A database node with "mode": "schema" asks for it while the flow runs.',
        "relationships": "What joins to what is decided where the database is connected.",
    }

    describe: Annotated[Sentence, Dsl(widget="text", topic="databases", label="What it holds")] = Field(
        description="What the database holds. Never where it is."
    )


class Requires(Word):
    """What the flow needs: secrets, services, settings, packages, people, tool servers, collections, databases."""

    refuses: ClassVar[Mapping[str, str]] = {
        "people": 'Who may use the agent is said where it is deployed; a flow says only "users": true.',
        "model": "Which model answers is said where the flow is deployed.",
    }

    env: Annotated[
        list[str],
        Field(max_length=50),
        Dsl(widget="list", since="0.7", topic="contract", label="Secrets", placeholder="API_KEY"),
    ] = Field(default_factory=list, description="The secrets that code reads as env.NAME.")
    services: Annotated[
        dict[str, Annotated[str, Field(max_length=8000), Dsl(widget="text", unit="service")]],
        Field(max_length=50),
        Dsl(since="0.7", topic="services"),
    ] = Field(
        default_factory=dict,
        description="Name → what it is, what it offers and exactly how to call it; code is written from that once, and "
        "all other code reaches it as services.name.",
    )
    settings: Annotated[dict[str, Setting], Field(max_length=100), Dsl(since="0.7")] = Field(
        default_factory=dict, description="Name → default and description; code reads settings.name."
    )
    packages: Annotated[
        dict[str, Annotated[str, Field(max_length=200), Dsl(widget="line", placeholder=">=2.9,<3")]],
        Field(max_length=50),
        Dsl(since="0.9"),
    ] = Field(default_factory=dict, description="PyPI distribution → version range. Nothing else may be imported.")
    users: Annotated[
        OnlyTrue | None, Dsl(widget="switch", since="0.22", topic="contract", label="Only known people")
    ] = Field(
        default=None,
        description="The agent answers only people whom it can name. Nobody is named in a flow: who they are is said "
        "where it is deployed.",
    )
    mcp: Annotated[
        dict[str, McpServer], Field(max_length=50), Dsl(since="0.23", topic="services", label="Tool servers")
    ] = Field(
        default_factory=dict, description="MCP server → what it is for, and which of its tools the flow may call."
    )
    knowledge: Annotated[
        dict[str, Collection], Field(max_length=50), Dsl(since="0.30", topic="knowledge", label="Collections")
    ] = Field(default_factory=dict, description="Collection → what it holds. Knowledge nodes ask it.")
    database: Annotated[
        dict[str, Database], Field(max_length=50), Dsl(since="0.33", topic="databases", label="Databases")
    ] = Field(default_factory=dict, description="Database → what it holds. Database nodes read it.")


_CODE_HINT = "Use letters, digits and _, begin with a letter, and use no Python keyword."
_NAMED_BY_CODE = ("services", "settings", "knowledge", "database")
_REACHED_AS_SERVICES = ("services", "knowledge", "database")


@rule("ENV_NAME_INVALID")
def env_names(requires: Requires, path: str) -> Iterator[Finding]:
    """A secret is looked up by its name among environment variables and the deployment's secrets."""
    for index, name in enumerate(requires.env):
        if not ENV_NAME.fullmatch(name):
            yield (
                at(path, "env", index),
                f"The secret {quoted(name)} has no name that an environment variable can have.",
                "Use capital letters, digits and _: OPENAI_API_KEY. Never write the value here.",
            )


@rule("REQUIRED_NAME_INVALID")
def required_names(requires: Requires, path: str) -> Iterator[Finding]:
    """Services, settings, collections and databases have names that code can write; servers those that nodes have."""
    for section in _NAMED_BY_CODE:
        for name in getattr(requires, section):
            if not is_code_name(name):
                near = _as_code(name)
                yield (
                    at(path, section, name),
                    f"The name {quoted(name)} in requires.{section} cannot be written in code.",
                    _CODE_HINT + (f" Call it {quoted(near)}." if near else ""),
                )
    for name in requires.mcp:
        if not is_name(name):
            yield (
                at(path, "mcp", name),
                f"The name {quoted(name)} in requires.mcp cannot be the name of a server.",
                "Use up to 64 letters, digits, _ and -, and begin with a letter.",
            )


def _as_code(name: str) -> str:
    """`hr-policies` as code could write it: `hrPolicies`; "" when nothing can be made of it."""
    first, *rest = re.findall(r"[A-Za-z0-9]+", name) or [""]
    made = first[:1].lower() + first[1:] + "".join(word[:1].upper() + word[1:] for word in rest)
    return made if is_code_name(made) else ""


@rule("REQUIRED_NAME_TWICE")
def required_names_differ(requires: Requires, path: str) -> Iterator[Finding]:
    """Each name means one thing: to code, as services.<name>, and to the deployment, which spells it in capitals."""
    known = dict.fromkeys(ALWAYS, "there in every flow")
    for section in _REACHED_AS_SERVICES:
        for name in getattr(requires, section):
            if name in known:
                here = at(path, section, name)
                yield here, f"The name {quoted(name)} in requires.{section} is {known[name]} already.", "Rename it."
            known.setdefault(name, f"a name in requires.{section}")
    for section, spelled in (
        *((section, variable) for section in ("settings", "knowledge", "database")),
        ("packages", _distribution),
    ):
        seen: dict[str, str] = {}
        for name in getattr(requires, section):
            first = seen.setdefault(spelled(name), name)
            if first != name:
                yield (
                    at(path, section, name),
                    f"{quoted(first)} and {quoted(name)} in requires.{section} are one name where the flow is "
                    f"deployed: {spelled(name)}.",
                    "Keep one of them, or rename it.",
                )


def _distribution(name: str) -> str:
    return re.sub(r"[-_.]+", "-", name).lower()


@rule("SERVICE_UNDESCRIBED")
def what_is_required_is_described(requires: Requires, path: str) -> Iterator[Finding]:
    """Code is written from what a service is said to be, and people and models choose by what the rest is for."""
    for name, words in requires.services.items():
        if not words.strip():
            yield (
                at(path, "services", name),
                f"The service {quoted(name)} is not described.",
                "Say what it is and exactly how to call it.",
            )
    for section, what, hint in (
        ("mcp", "server", "Say what it is for."),
        ("knowledge", "collection", "Say what it holds."),
        ("database", "database", "Say what it holds."),
    ):
        for name, each in getattr(requires, section).items():
            if not each.describe.strip():
                yield at(path, section, name, "describe"), f"The {what} {quoted(name)} is not described.", hint


@rule("PACKAGE_INVALID")
def packages_have_ranges(requires: Requires, path: str) -> Iterator[Finding]:
    """Code may import the packages named here and no others, in a version that was meant."""
    for name, wanted in requires.packages.items():
        here = at(path, "packages", name)
        if not PACKAGE_NAME.fullmatch(name):
            hint = 'Write the name as PyPI spells it, such as "python-dateutil".'
            yield here, f"{quoted(name)} is no name of a PyPI distribution.", hint
        if not ranges.is_range(wanted):
            yield (
                here,
                f"The package {quoted(name)} has the version range {quoted(wanted)}, which is none of PyPI's.",
                f"Write {quoted(ranges.meant(wanted) or '>=2.9,<3')}, as pip reads it.",
            )
        elif ranges.is_empty(wanted):
            message = f"No version of the package {quoted(name)} can be in its range, {quoted(wanted)}."
            yield here, message, 'Write a range that holds one, such as ">=2.9,<3".'


RULES = (
    env_names,
    required_names,
    required_names_differ,
    what_is_required_is_described,
    packages_have_ranges,
)
