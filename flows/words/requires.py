"""requires: what a flow needs from the place where it runs. It names things and never says where they are."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Annotated

from pydantic import Field

from flows.problem import Finding, at, quoted, rule
from flows.words.base import Dsl, Json, Word
from flows.words.names import ENV_NAME, PACKAGE_NAME, is_code_name

ALWAYS = ("http",)
"""Services that every flow has without declaring them."""

_CLAUSE = r"(?:(?:===?|!=|<=?|>=?|~=)\s*[0-9A-Za-z][0-9A-Za-z.*+!_-]*|[\^~][0-9]+(?:\.[0-9]+)*)"
_RANGE = re.compile(rf"\s*{_CLAUSE}(?:\s*,\s*{_CLAUSE})*\s*")


class Setting(Word):
    """A value that code reads as settings.<name>, and that a deployment may change."""

    default: Annotated[Json, Dsl(widget="json")] = Field(None, description="The value when nothing else is set.")
    description: Annotated[str, Field(max_length=1000), Dsl(widget="text")] = Field(
        "", description="What it does, for whoever sets it."
    )


class Requires(Word):
    """What the flow needs: secrets, services, settings and packages, by name."""

    env: Annotated[
        list[str],
        Field(max_length=50),
        Dsl(widget="list", since="0.7", topic="contract", label="Secrets", placeholder="API_KEY"),
    ] = Field(default_factory=list, description="The secrets that code reads as env.NAME.")
    services: Annotated[dict[str, str], Field(max_length=50), Dsl(since="0.7", topic="services")] = Field(
        default_factory=dict,
        description="Name → what it is and exactly how to call it; code reaches it as services.name.",
    )
    settings: Annotated[dict[str, Setting], Field(max_length=100), Dsl(since="0.7")] = Field(
        default_factory=dict, description="Name → default and description; code reads settings.name."
    )
    packages: Annotated[dict[str, str], Field(max_length=50), Dsl(since="0.9")] = Field(
        default_factory=dict, description="PyPI distribution → version range. Nothing else may be imported."
    )


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
def code_names(requires: Requires, path: str) -> Iterator[Finding]:
    """Code writes services.name and settings.name, so both are Python names."""
    for section in ("services", "settings"):
        for name in getattr(requires, section):
            if not is_code_name(name):
                yield (
                    at(path, section, name),
                    f"The name {quoted(name)} in requires.{section} cannot be written in code.",
                    "Use letters, digits and _, begin with a letter, and use no Python keyword.",
                )


@rule("SERVICE_UNDESCRIBED")
def services_are_described(requires: Requires, path: str) -> Iterator[Finding]:
    """Tools are written from the service's description, so an empty one is none."""
    for name, words in requires.services.items():
        if not words.strip():
            yield (
                at(path, "services", name),
                f"The service {quoted(name)} is not described.",
                "Say what it is and exactly how to call it.",
            )


@rule("PACKAGE_INVALID")
def packages_have_ranges(requires: Requires, path: str) -> Iterator[Finding]:
    """Code may import the packages named here and no others, in a version that was meant."""
    for name, wanted in requires.packages.items():
        if not PACKAGE_NAME.fullmatch(name):
            yield (
                at(path, "packages", name),
                f"{quoted(name)} is no name of a PyPI distribution.",
                'Write the name as PyPI spells it, such as "python-dateutil".',
            )
        if not _RANGE.fullmatch(wanted):
            yield (
                at(path, "packages", name),
                f"The package {quoted(name)} has the version range {quoted(wanted)}, which cannot be read.",
                'Write a range such as ">=2.9,<3" or "^2.9".',
            )


RULES = (env_names, code_names, services_are_described, packages_have_ranges)
