"""What stands in for the outside in tests and evals: the rules that both have."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from flows.beside.around import ENTERS, Around, Spot
from flows.beside.reading import described
from flows.kinds.database import DatabaseNode
from flows.problem import Finding, at, listed, quoted, rule, suggestion
from flows.words.base import Json, shape
from flows.words.node import Node
from flows.words.testfile import FAILS, NOTHING_FOUND, THEN

STANDS_FOR: dict[str, tuple[str, ...]] = {
    "nodes": ("llm", "work"),
    "reads": ("read",),
    "knowledge": ("knowledge",),
    "index": ("index",),
    "database": ("database",),
}
"""Part of a mock → the kinds of nodes that it stands in for."""

GATES = ("read-only", "diagram")
"""What may turn a statement away."""

_INSTEAD = {
    "handler": "It runs its own code. Leave the mock out, and give the run the input that makes it answer so.",
    "tool": 'It calls a tool: stand in for that one by its name, under "tools".',
    "tools": 'It calls tools: stand in for those by their names, under "tools".',
    "flow": "It runs a flow: stand in for that flow's steps, as {0}/step.",
    "agent": "It runs an agent: stand in for that agent's steps, as {0}/agent/step.",
    "ask": 'A person answers it: say what, under "answers".',
    "form": 'A person fills it in: say with what, under "answers".',
    "fanout": "It only spreads a list. Stand in for the node that it sends the items to.",
    "llm": 'A model answers it: say what, under "nodes".',
    "work": 'A model answers it: say what, under "nodes".',
    "read": 'It reads a document: say which, under "reads".',
    "knowledge": 'It looks passages up: say which, under "knowledge".',
    "index": 'It keeps passages: say how many, under "index".',
    "database": 'It asks a database: say what comes back, under "database".',
}


def missing(by: str, spot: Spot, address: str, path: str, around: Around) -> Finding:
    """A name that is no step of the flow, in words."""
    own = described([name for name in spot.choices if ENTERS not in name], "It has", "It has no steps.")
    return path, f"{by} {quoted(address)}, and the flow has no such step.", suggestion(address, spot.choices, own)


@rule("TEST_NODE_NOT_FOUND")
def mocked_nodes_exist(mock: Mapping[str, Json], owner: str, path: str, around: Around) -> Iterator[Finding]:
    """A mock for a step that is not there stands in for nothing, and the real thing would be called."""
    for section in (*STANDS_FOR, "answers"):
        for address in mock.get(section, {}):
            spot = around.step(address)
            if spot.missing:
                verb = "speaks for a person at" if section == "answers" else "stands in for"
                yield missing(f"{owner} {verb}", spot, address, at(path, section, address), around)


@rule("MOCK_WRONG_KIND")
def mocks_stand_where_they_can(mock: Mapping[str, Json], owner: str, path: str, around: Around) -> Iterator[Finding]:
    """Only what comes from outside has something to stand in for; every other step runs for real."""
    for section, kinds in STANDS_FOR.items():
        for address in mock.get(section, {}):
            node = around.step(address).node
            if node is not None and node.type not in kinds:
                yield (
                    at(path, section, address),
                    f"{owner} stands in for {quoted(address)} under {quoted(section)}, and that is a node of kind "
                    f"{quoted(node.type)}.",
                    _INSTEAD.get(node.type, "Leave the mock out.").format(address),
                )


@rule("TEST_TOOL_NOT_FOUND")
def mocked_tools_exist(mock: Mapping[str, Json], owner: str, path: str, around: Around) -> Iterator[Finding]:
    """A mock for a tool that nobody declares stands in for nothing."""
    tools = around.tools
    if tools is None:
        return
    for name in mock.get("tools", {}):
        if name in tools:
            continue
        here = at(path, "tools", name)
        node = around.step(name).node
        if node is not None and node.type == "read":
            hint = 'A read node is no tool: stand in for it under "reads".'
            yield here, f"{owner} stands in for the tool {quoted(name)}, which is a read node.", hint
        elif not tools:
            hint = "Leave the mock out: there is nothing to stand in for."
            yield here, f"{owner} stands in for the tool {quoted(name)}, and the flow declares no tools.", hint
        else:
            hint = suggestion(name, tools, f"It declares {listed(sorted(tools)[:12], 'and')}.")
            yield here, f"{owner} stands in for the tool {quoted(name)}, which the flow does not declare.", hint


@rule("MOCK_WRAPPED")
def mocks_are_answers(mock: Mapping[str, Json], owner: str, path: str, around: Around) -> Iterator[Finding]:
    """A mock is what the model answered, not what the state holds afterwards: one level too deep, nothing is read."""
    for address, value in mock.get("nodes", {}).items():
        node = around.step(address).node
        output = getattr(node, "output", None)
        shaped = getattr(node, "answer", None)
        if not isinstance(output, str) or output in (getattr(shaped, "properties", None) or {}):
            continue
        for each, here in _each_time(value, at(path, "nodes", address)):
            if isinstance(each, dict) and list(each) == [output]:
                yield (
                    here,
                    f"{owner} wraps the answer of {quoted(address)} in its own channel, {quoted(output)}.",
                    f"Write what the model answered, without {quoted(output)} around it.",
                )


@rule("MOCK_SHAPE")
def mocks_can_be_read(mock: Mapping[str, Json], owner: str, path: str, around: Around) -> Iterator[Finding]:
    """What comes each time, what fails, and what a model's turn is have one way to be written each."""
    for section in (*STANDS_FOR, "tools"):
        for name, value in mock.get(section, {}).items():
            here = at(path, section, name)
            by = f"{owner}, for {quoted(name)},"
            if isinstance(value, dict) and THEN in value:
                given = value[THEN]
                if len(value) > 1 or not isinstance(given, list) or not given:
                    hint = 'Write { "then": [ … ] } with what comes the first time, the second time, and so on.'
                    yield at(here, THEN), f'{by} says "then" with something else than a list of answers alone.', hint
                    continue
            node = around.step(name).node if section in ("nodes", "database") else None
            for each, inner in _each_time(value, here):
                if isinstance(each, dict) and list(each) == [FAILS] and section != "nodes":
                    if not isinstance(each[FAILS], str) or not each[FAILS].strip():
                        yield at(inner, FAILS), f'{by} says "fails" without words.', 'Write { "fails": "why" }.'
                    continue
                fault = _rows_fault(node, each) if section == "database" else _fault(section, _kind_of(node), each)
                if fault:
                    yield inner, f"{by} {fault[0]}.", fault[1]


def _fault(section: str, kind: str, value: Json) -> tuple[str, str] | None:
    """What is wrong with one answer, and what to write."""
    if section == "nodes" and kind == "work" and isinstance(value, dict) and "calls" in value:
        calls = value["calls"]
        fine = isinstance(calls, list) and calls and all(
            isinstance(call, dict) and isinstance(call.get("name"), str) and isinstance(call.get("args", {}), dict)
            and call.keys() <= {"name", "args"}
            for call in calls
        )  # fmt: skip
        if not fine or len(value) > 1:
            return "has a turn whose calls cannot be read", 'Write { "calls": [ { "name": "…", "args": { … } } ] }.'
    if section == "reads" and not isinstance(value, str | dict):
        return f"gives {shape(value)} as a document", 'Write its text, or { "text": "…", "title": "…" }.'
    if section == "knowledge":
        found = isinstance(value, dict) and value == {NOTHING_FOUND: True}
        passages = isinstance(value, list) and all(
            isinstance(each, dict) and isinstance(each.get("text"), str) for each in value
        )
        if not found and not passages:
            return "gives no passages", 'Write [ { "text": "…", "source": "…" } ], or { "nothingFound": true }.'
    if section == "index" and not (isinstance(value, dict) and _is_count(value.get("passages"))):
        return "does not say how many passages were kept", 'Write { "passages": 12 }.'
    return None


def _kind_of(node: Node | None) -> str:
    return node.type if node is not None else ""


def _rows_fault(node: Node | None, value: Json) -> tuple[str, str] | None:
    """What is wrong with one answer of a database, and what to write. An object without a refusal is a schema, or the
    whole answer with what it says beside the rows."""
    if isinstance(node, DatabaseNode) and node.mode == "schema":
        if not isinstance(value, dict) or "rows" in value:
            return "gives no schema to a node that asks for one", 'Write { "tables": [ … ], "relationships": [] }.'
        return None
    if not isinstance(value, list | dict):
        hint = 'Write a list of records, or { "refused": "…", "gate": "read-only" }.'
        return f"gives {shape(value)} as records", hint
    if isinstance(value, list):
        odd = next((each for each in value if not isinstance(each, dict)), None)
        return None if odd is None else (f"gives {shape(odd)} as a record", 'Write each as { "column": value, … }.')
    if "refused" in value and (not _is_words(value["refused"]) or value.get("gate") not in GATES):
        return (
            "is refused without saying why and by which gate",
            f'Write {{ "refused": "why, for a person", "gate": … }}, and as the gate {listed(GATES)}.',
        )
    return None


def _is_words(value: Json) -> bool:
    return isinstance(value, str) and bool(value.strip())


def _is_count(value: Json) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and value >= 0


def _each_time(value: Json, path: str) -> Iterator[tuple[Json, str]]:
    """What a mock says, once or each time, with its path."""
    if isinstance(value, dict) and THEN in value:
        given = value[THEN]
        for index, each in enumerate(given if isinstance(given, list) else ()):
            yield each, at(path, THEN, index)
    else:
        yield value, path


@rule("TEST_SETTING_NOT_FOUND")
def settings_are_declared(settings: Mapping[str, Json], owner: str, path: str, around: Around) -> Iterator[Finding]:
    """A setting that the flow does not declare would quietly change nothing."""
    declared = around.settings
    for name in settings if declared is not None else ():
        if name not in (declared or ()):
            own = described(declared or (), "It declares", "It declares none.")
            yield (
                at(path, "settings", name),
                f"{owner} sets {quoted(name)}, and the flow declares no such setting.",
                suggestion(name, declared or (), own),
            )


@rule("TEST_INPUT_NOT_FOUND")
def inputs_are_declared(given: Mapping[str, Json], owner: str, path: str, around: Around) -> Iterator[Finding]:
    """A run is given the flow's inputs and nothing else."""
    inputs = around.inputs
    for name in given if inputs is not None else ():
        if name not in (inputs or ()):
            own = described(inputs or (), "The flow takes", "The flow takes no inputs.")
            yield (
                at(path, "input", name),
                f"{owner} gives {quoted(name)}, which is no input of the flow.",
                suggestion(name, inputs or (), own),
            )


RULES = (mocked_nodes_exist, mocks_stand_where_they_can, mocked_tools_exist, mocks_are_answers, mocks_can_be_read)
"""Called with (mock as JSON, owner, path, around)."""
