"""Names in edits: which are free, and how everything that says one follows when it changes."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterable, Mapping
from typing import Any

from flows.edits.references import Reference, references, strings
from flows.edits.work import Mistake, Work
from flows.problem import quoted, suggestion
from flows.words import template, when
from flows.words.base import Ref, shape
from flows.words.names import HISTORY, RESERVED_NODES, ROUTE_NAME, is_code_name, is_name

Json = Any
LONGEST = 64


def judge_node_id(id: Json) -> None:
    """Raises Mistake unless the id may be a node's."""
    how = "Use up to 64 letters, digits, _ and -, and begin with a letter."
    if not isinstance(id, str):
        said = f"The id of a node must be text, and it is {shape(id)}."
        raise Mistake("NODE_ID_INVALID", said, f'Write one, such as "reply". {how}')
    if not is_name(id):
        raise Mistake("NODE_ID_INVALID", f"{quoted(id)} cannot be the id of a node.", how)
    if id in RESERVED_NODES:
        raise Mistake("NODE_ID_RESERVED", f"The node id {quoted(id)} is reserved.", "Choose another id.")


def judge_code_name(what: str, name: Json) -> None:
    """Raises Mistake unless code can see the name: a channel's or a tool's."""
    how = "Use up to 64 letters, digits and _, begin with a letter, and use no Python keyword."
    if not isinstance(name, str):
        said = f"The name of a {what} must be text, and it is {shape(name)}."
        raise Mistake("NAME_INVALID", said, f'Write one, such as "orders". {how}')
    if not is_code_name(name):
        raise Mistake("NAME_INVALID", f"{quoted(name)} cannot be the name of a {what}.", how)


def judge_channel_name(work: Work, name: str) -> None:
    judge_code_name("channel", name)
    if name == HISTORY and work.document.get("conversation") is True:
        raise Mistake("NAME_TAKEN", 'A flow with a conversation has "history" by itself.', "Choose another name.")


def judge_route_name(name: str) -> None:
    if not ROUTE_NAME.fullmatch(name):
        raise Mistake(
            "ROUTE_NAME_INVALID", f"{quoted(name)} cannot be the name of a route.",
            "Use up to 32 lowercase letters, digits, _ and -, and begin with a letter.",
        )  # fmt: skip


def taken(what: str, name: str) -> Mistake:
    return Mistake("NAME_TAKEN", f"There is a {what} {quoted(name)} already.", "Choose another name.")


def missing(what: str, name: str, known: Iterable[str]) -> Mistake:
    """No such thing, with the name that was probably meant."""
    hint = suggestion(name, list(known), "It may have been removed or renamed meanwhile.")
    return Mistake("NOT_FOUND", f"There is no {what} {quoted(name)}.", hint, name)


def free(name: str, taken: Collection[str], longest: int = LONGEST) -> str:
    """The name, or name_2, name_3 …: the first that is not taken."""
    found, number = name[:longest], 1
    while found in taken:
        number += 1
        ending = f"_{number}"
        found = name[: longest - len(ending)] + ending
    return found


def router_name(from_: str, taken: Collection[str]) -> str:
    """`routePlan` for the edge that leaves "plan"."""
    words = "".join(part[:1].upper() + part[1:] for part in re.split(r"[^A-Za-z0-9]+", from_))
    return free(f"route{words}", taken)


def route_name(to: str, taken: Collection[str]) -> str:
    """A route named for where it leads."""
    plain = re.sub(r"[^a-z0-9_-]+", "_", to.lower()).strip("_-")
    name = plain[:32] if ROUTE_NAME.fullmatch(plain[:32]) else "route"
    return free(name, taken, 32)


def follow(work: Work, refs: tuple[Ref, ...], old: str, new: str) -> None:
    """Let every reference of these sorts that says `old` say `new`."""
    follow_all(work, refs, {old: new})


def follow_all(work: Work, refs: tuple[Ref, ...], names: Mapping[str, str]) -> None:
    """As follow, for many names at once, by old name: no new one is among the old ones."""
    for found in list(references(work.document, *refs)):
        if found.text in names:
            work.put(found.path, names[found.text])


def follow_channels(work: Work, names: Mapping[str, str]) -> None:
    """As follow_all, for channels: also in templates, wherever in a node they stand, and in the routes' sentences."""
    follow_all(work, ("channel",), names)
    texts = {found.path: found.text for found in references(work.document, "template")}
    texts.update({path: text for text, path in strings(work.listed("nodes"), ("nodes",))})
    for path, text in texts.items():
        work.put(path, _renamed(template.renamed, text, names))
    for index, _, edge in list(work.edges()):
        said = edge.get("when")
        for route, sentence in list(said.items()) if isinstance(said, dict) else ():
            if isinstance(sentence, str):
                work.put(["edges", index, "when", route], _renamed(when.renamed, sentence, names))


def _renamed(one: Callable[[str, str, str], str], text: str, names: Mapping[str, str]) -> str:
    for old, new in names.items():
        if old in text:
            text = one(text, old, new)
    return text


def let_go(work: Work, found: Reference) -> bool:
    """Take a reference out where its field may do without: a list's entry, or a whole optional field.

    False when the field needs it; the flow's problems name it then.
    """
    if isinstance(found.path[-1], int):
        work.drop(found.path)
        return True
    if found.optional:
        work.drop(found.field)
        return True
    return False
