"""Versions: the flow says one that exists, and uses no word that is younger. The table is read off Dsl(since=…)."""

from __future__ import annotations

from collections.abc import Iterator

from flows.draft import Draft
from flows.kinds import BY_TYPE
from flows.problem import Finding, at, quoted, rule
from flows.words.base import Said, shape
from flows.words.versions import NEWEST, REFERENCE, below, is_known


@rule("VERSION_UNKNOWN")
def version_exists(draft: Draft) -> Iterator[Finding]:
    """A version that nobody has defined could mean anything."""
    version = draft.document.version
    if draft.document.says("version") and isinstance(draft.raw.get("version"), str) and not is_known(version):
        yield (
            "version",
            f"There is no version {quoted(version)} of the language.",
            f'Write "{REFERENCE}" for the reference\'s own words, or "{NEWEST}" for the newest.',
        )


@rule("VERSION_TOO_LOW")
def words_are_old_enough(draft: Draft) -> Iterator[Finding]:
    """A word below the version that brought it is refused, so that an old reader never half-understands a flow."""
    version = draft.document.version
    if not below(version, NEWEST) or not isinstance(draft.raw.get("version"), str):
        return
    for index, node in draft.nodes:
        since = BY_TYPE[node.type].since
        if below(version, since):
            yield _sentence(at("nodes", index, "type"), f"The node kind {quoted(node.type)}", since, version)
    around: list[Said] = []
    sections = {each.path: each.dsl.since for each in draft.sections if below(version, each.dsl.since)}
    for each in (*draft.sections, *draft.said):
        if below(version, each.dsl.since):
            # What stands inside a word that is too young is told when it is younger still.
            while around and not _is_inside(each.path, around[-1].path):
                around.pop()
            section, part, _ = each.path.partition("[")
            since = around[-1].dsl.since if around else sections.get(section, "") if part else ""
            if since and not below(since, each.dsl.since):
                continue
            around.append(each)
            yield _sentence(each.path, quoted(each.key), each.dsl.since, version)
        since = each.dsl.values.get(each.value) if isinstance(each.value, str) else None
        if since and below(version, since):
            yield _sentence(each.path, f"{quoted(each.key)} {quoted(each.value)}", since, version)
            continue
        form = shape(each.value) if each.dsl.shapes else ""
        since = each.dsl.shapes.get(form)
        if since and below(version, since):
            yield _sentence(each.path, f"{quoted(each.key)} written as {form}", since, version)


def _is_inside(path: str, word: str) -> bool:
    return path.startswith(word) and path[len(word) : len(word) + 1] in (".", "[")


def _sentence(path: str, what: str, since: str, version: str) -> Finding:
    return (
        path,
        f"{what} needs version {since}, and this flow says {version}.",
        f'Raise "version" to "{since}" or later; raising it never breaks a flow.',
    )


RULES = (version_exists, words_are_old_enough)
