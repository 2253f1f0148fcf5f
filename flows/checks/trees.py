"""What holds between flows: the one that runs another, the other's contract, and the agents' names.

Rules of trees are called with (tree, file) and find what is wrong in that file.
"""

from __future__ import annotations

from collections.abc import Iterator

from flows.calls import Call, Tree
from flows.draft import Draft
from flows.kinds.agent import AgentNode
from flows.problem import Finding, Rule, at, chain, listed, quoted, rule, suggestion
from flows.words.address import fault_of, resolve
from flows.words.agents import names_fault
from flows.words.base import Json

DEEPEST = 16
"""How many flows may run inside one another."""


@rule("TREE_TOO_LARGE")
def trees_end(tree: Tree, file: str) -> Iterator[Finding]:
    """A tree is read as a whole, so it has an end."""
    if tree.cut and file == tree.top:
        yield (
            "",
            f"This flow runs or may call more than {len(tree.flows)} flows.",
            "Run fewer, or let one of them be an agent of its own, published by itself.",
        )


@rule("FLOW_NOT_FOUND")
def flows_exist(tree: Tree, file: str) -> Iterator[Finding]:
    """Reading a flow reads the flows it runs."""
    for call in tree.calls.get(file, ()):
        if call.by == "flow" and call.to is None and not fault_of(call.address):
            yield _not_found(tree, file, call.address, call.path, f"Flow node {quoted(call.node)} runs")
    if file == tree.registry_file and tree.registry is not None:
        for name, agent in tree.registry.agents.items():
            here = at("agents", name, "flow")
            if fault_of(agent.flow):
                continue
            if tree.agents[name] is None:
                yield _not_found(tree, file, agent.flow, here, f"The agent {quoted(name)} is")


def _not_found(tree: Tree, file: str, address: str, path: str, who: str) -> Finding:
    whole = resolve(address, file)
    if whole is None:
        return path, f"{who} {quoted(address)}, which lies outside of this project.", "Put the flow into the project."
    return (
        path,
        f"{who} {quoted(address)}, and there is no file {quoted(whole)}.",
        suggestion(whole, tree.files, f"Addresses are relative to the file that names them, here {quoted(file)}."),
    )


@rule("FLOW_ADDRESS_INVALID")
def registered_addresses_are_relative(tree: Tree, file: str) -> Iterator[Finding]:
    """The registry names flows as flow nodes do: by where they stand to it."""
    if file == tree.registry_file and tree.registry is not None:
        for name, agent in tree.registry.agents.items():
            fault = fault_of(agent.flow)
            if fault:
                yield (
                    at("agents", name, "flow"),
                    f"The agent {quoted(name)} is {quoted(agent.flow)}, which {fault}.",
                    'Write the address relative to the registry: "./agents/sql/flow.json".',
                )


@rule("AGENT_NAME_INVALID")
def registered_names_are_names(tree: Tree, file: str) -> Iterator[Finding]:
    """Nodes list agents by name, so a registry gives each a name that they can write."""
    if file == tree.registry_file and tree.registry is not None:
        for name in tree.registry.agents:
            fault = names_fault(name)
            if fault:
                yield (
                    at("agents", name),
                    f"The registry calls an agent {quoted(name)}, which {fault}.",
                    "Use up to 64 letters, digits, _ and -, and begin with a letter.",
                )


@rule("FLOW_RUNS_ITSELF")
def no_flow_runs_itself(tree: Tree, file: str) -> Iterator[Finding]:
    """A flow that runs itself, directly or in a circle, would never come to its end."""
    for call in tree.calls.get(file, ()):
        if call.by == "flow" and tree.goes_round(file, call):
            yield (
                call.path,
                f"Flow node {quoted(call.node)} leads back to this flow: {_circle(tree, file, call)}.",
                "Let one of them do its work without running the others.",
            )


@rule("AGENT_RUNNING_ABOVE")
def no_agent_calls_what_runs_it(tree: Tree, file: str) -> Iterator[Finding]:
    """An agent that already runs above a node cannot be called by it."""
    for call in tree.calls.get(file, ()):
        if call.by == "agent" and tree.goes_round(file, call):
            yield (
                call.path,
                f"Agent node {quoted(call.node)} always calls {quoted(call.address)}, which is running above it: "
                f"{_circle(tree, file, call)}.",
                "Call another agent, or none.",
            )


def _circle(tree: Tree, file: str, call: Call) -> str:
    """`a.json → b.json → a.json`: the shortest way back."""
    ways = tree.ways_back(file)
    way = [file, call.to or ""]
    while way[-1] != file:
        way.append(ways[way[-1]])
    return chain(way)


@rule("TREE_TOO_DEEP")
def flows_nest_a_little(tree: Tree, file: str) -> Iterator[Finding]:
    """Flows run inside one another only so deep that a person can still follow."""
    for call in tree.certain(file):
        if tree.depths[file] == DEEPEST + 1 and tree.depths[call.to or ""] == DEEPEST:
            yield (
                call.path,
                f"From node {quoted(call.node)} on, flows run inside one another more than {DEEPEST} deep.",
                "Let a flow further up run some of them itself, one after another.",
            )


@rule("FLOW_HAS_ERRORS")
def flows_within_are_right(tree: Tree, file: str) -> Iterator[Finding]:
    """A flow is as right as the flows it runs."""
    for call in tree.calls.get(file, ()):
        checked = tree.flows.get(call.to or "")
        if checked is None or not checked.errors or tree.goes_round(file, call):
            continue
        many = len(checked.errors)
        yield (
            call.path,
            f"{quoted(call.to)}, which node {quoted(call.node)} runs, has {many} error{'s' if many > 1 else ''}. "
            f"First: {checked.errors[0].message}",
            f"Correct {quoted(call.to)}.",
        )


@rule("NO_REGISTRY")
def agents_have_a_registry(tree: Tree, file: str) -> Iterator[Finding]:
    """A flow that delegates and has no registry would be published broken."""
    if tree.registry_file in tree.files:
        return
    for node, path in delegates(tree, file):
        yield (
            at(path, "agents"),
            f"Agent node {quoted(node.id)} calls agents, and there is no registry {quoted(tree.registry_file)}.",
            'Say which flow each name means: { "agents": { "sql": { "flow": "./agents/sql/flow.json" } } }.',
        )


@rule("AGENT_NOT_REGISTERED")
def agents_are_registered(tree: Tree, file: str) -> Iterator[Finding]:
    """A name means what the registry says; one that it does not have means nothing."""
    if tree.registry is None:
        return
    for node, path in delegates(tree, file):
        for position, name in enumerate(node.agents):
            if name not in tree.registry.agents and not names_fault(name):
                yield (
                    at(path, "agents", position),
                    f"Agent node {quoted(node.id)} lists {quoted(name)}, and the registry has no such agent.",
                    suggestion(name, tree.registry.agents, f"Add it to {quoted(tree.registry_file)}."),
                )


@rule("AGENT_CONTRACT_MISSING")
def agents_have_contracts(tree: Tree, file: str) -> Iterator[Finding]:
    """An agent is chosen by what it says it does, and gives back only what it says it gives."""
    if file != tree.registry_file:
        return
    for name, path in tree.agents.items():
        document = tree.document(path)
        if document is None:
            continue
        lacking = [
            key
            for key, there in (("description", document.description.strip()), ("outputs", document.outputs))
            if not there
        ]
        if lacking:
            yield (
                at("agents", name, "flow"),
                f"The agent {quoted(name)} cannot be registered: {quoted(path)} declares no {listed(lacking)}.",
                f"Add {listed(lacking, 'and')} to {quoted(path)}.",
            )


@rule("TOOL_DIFFERS")
def tools_are_one(tree: Tree, file: str) -> Iterator[Finding]:
    """A tool is the project's, one of each name, so two flows do not describe it in two ways, or find it in two
    places."""
    known: dict[str, tuple[str, dict[str, Json]]] = {}
    for each, draft in tree.drafts.items():
        for path, name, said in _tools(draft):
            first, there = known.setdefault(name, (each, said))
            # One that is only named on its server says nothing of itself.
            if each == file and first != file and any(there.get(key, value) != value for key, value in said.items()):
                moved = said["server"] != there["server"]
                yield (
                    path,
                    f"The tool {quoted(name)} is "
                    f"{'another one' if moved else 'described in another way'} in {quoted(first)}.",
                    f'Rename one of them; by "remote" its server still finds it: {{ "name": "…", "remote": "{name}" }}.'
                    if moved and said["server"]
                    else "Give both the same description and inputs, or rename one of them.",
                )


def _tools(draft: Draft) -> Iterator[tuple[str, str, dict[str, Json]]]:
    """(path, name, what is said of it) of each tool that a flow may call."""
    for index, tool in draft.tools:
        inputs = {name: field.plain() for name, field in (tool.inputs or {}).items()}
        said = {"server": "", "description": tool.description.strip(), "inputs": inputs}
        yield at("tools", index), tool.name, said
    for server, declared in draft.document.requires.mcp.items():
        for index, tool in enumerate(declared.tools):
            path = at("requires", "mcp", server, "tools", index)
            if isinstance(tool, str):
                yield path, tool, {"server": server, "remote": tool}
                continue
            inputs = {name: field.plain() for name, field in (tool.inputs or {}).items()}
            said = {"server": server, "remote": tool.remote or tool.name, "inputs": inputs}
            yield path, tool.name, {**said, "description": tool.describe.strip()}


@rule("SERVICE_DIFFERS")
def services_are_one(tree: Tree, file: str) -> Iterator[Finding]:
    """A service is the project's, one of each name, so two flows do not describe it in two ways; nor does one ask as
    everybody what another asks as somebody."""
    known: dict[str, tuple[str, str]] = {}
    for each, draft in tree.drafts.items():
        for name, words in draft.document.requires.services.items():
            first, there = known.setdefault(name, (each, words.strip()))
            if each == file and first != file and words.strip() != there:
                yield (
                    at("requires", "services", name),
                    f"The service {quoted(name)} is described in another way in {quoted(first)}.",
                    "Give both the same description, or rename one of them.",
                )
    readers: dict[str, tuple[str, str]] = {}
    for each, draft in tree.drafts.items():
        for name, collection in draft.document.requires.knowledge.items():
            first, there = readers.setdefault(name, (each, collection.reader or ""))
            if each == file and first != file and (collection.reader or "") != there:
                yield (
                    at("requires", "knowledge", name),
                    f"The collection {quoted(name)} answers by who asks in {quoted(first if there else file)}, and the "
                    f"same to everybody in {quoted(file if there else first)}.",
                    'Say "reader": "required" in both, or in neither.',
                )


def delegates(tree: Tree, file: str) -> Iterator[tuple[AgentNode, str]]:
    """(node, its path) of each agent node."""
    draft = tree.drafts.get(file)
    for index, node in draft.nodes if draft else ():
        if isinstance(node, AgentNode):
            yield node, at("nodes", index)


RULES: tuple[Rule, ...] = (
    trees_end,
    flows_exist,
    registered_addresses_are_relative,
    registered_names_are_names,
    no_flow_runs_itself,
    no_agent_calls_what_runs_it,
    flows_nest_a_little,
    flows_within_are_right,
    agents_have_a_registry,
    agents_are_registered,
    agents_have_contracts,
    tools_are_one,
    services_are_one,
)
