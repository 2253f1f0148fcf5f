"""Readiness: advice on what would make the flow, and the code written from it, better. Warnings stop nothing."""

from __future__ import annotations

import re
from collections.abc import Iterator

from flows.draft import Draft
from flows.kinds.handler import HandlerNode
from flows.kinds.llm import LlmNode
from flows.kinds.tool import ToolNode
from flows.kinds.tools import ToolsNode
from flows.kinds.work import WorkNode
from flows.problem import Finding, at, listed, quoted, rule
from flows.words.callables import expanded, own_names, servers
from flows.words.edge import ConditionalEdge
from flows.words.label import label
from flows.words.node import Node
from flows.words.template import reads
from flows.words.versions import below
from flows.words.when import is_otherwise

_WRITES = re.compile(
    r"(?:add|append|assign|book|buy|cancel|charge|create|delete|deploy|edit|insert|mail|merge|notify|order|pay|place|post"
    r"|publish|refund|register|remove|rename|reply|reset|revoke|save|send|set|ship|submit|transfer|update|upload|write)"
)
_WORD = re.compile(r"[A-Z]?[a-z]+|[A-Z]+(?![a-z])")
_IDENTIFIER = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")
_QUOTED_NAME = re.compile(r"'[A-Za-z_][\w.]*'|`[^`]+`")
_SHAPE_IN_PROMPT = re.compile(
    r"(?i)\b(?:return|answer|reply|respond|output)\b[^.\n]{0,40}\bjson\b|\bjson object\b|\band nothing else\b"
)
_FILE = "image|picture|photo|photograph|drawing|recording|audio|video|pdf|document|attachment|file|scan"
_FILE_LINK = re.compile(
    rf"(?i)\b(?:{_FILE})s? (?:url|link|address)\b"
    rf"|\b(?:url|link|web address|address) (?:of|to) (?:the|a|an|its|this) (?:\w+ )?(?:{_FILE})\b"
)
VAGUE_WORDS = 6


@rule("FLOW_UNDESCRIBED", "warning")
def the_flow_is_described(draft: Draft) -> Iterator[Finding]:
    """People choose a flow, and other flows call it, by what it says of itself."""
    document = draft.document
    if not document.description.strip() and not below(document.version, "0.7"):
        yield "", "The flow does not say what it does.", 'Add "description": what the whole flow does, start to finish.'


@rule("CONTRACT_INCOMPLETE", "warning")
def inputs_and_outputs_are_declared(draft: Draft) -> Iterator[Finding]:
    """What a run starts from and what it shows at the end are the flow's promise to whoever runs it."""
    if below(draft.document.version, "0.7"):
        return
    for key, hint in (
        ("inputs", 'Name the channels a run starts from; "inputs": [] for a flow that starts by itself.'),
        ("outputs", "Name the channels that are shown at the end."),
    ):
        if key not in draft.raw:
            yield "", f"The flow does not declare its {key}.", hint


@rule("OUTPUT_NEVER_WRITTEN", "warning")
def outputs_are_written(draft: Draft) -> Iterator[Finding]:
    """An output that no node writes is shown empty. Handlers may write any channel that their description names."""
    written: set[str] = set(draft.document.inputs)
    for _, node in draft.nodes:
        if isinstance(node, HandlerNode):
            written.update(_IDENTIFIER.findall(node.description))
    written.update(each.text for each in draft.mentions if each.field.dsl.writes)
    for position, name in enumerate(draft.document.outputs):
        if name in draft.channel_names and name not in written and draft.whole:
            yield (
                at("outputs", position),
                f"No node writes the output {quoted(name)}.",
                "Let a node write it, or name another output.",
            )


@rule("CHANNEL_UNDESCRIBED", "warning")
def channels_are_described(draft: Draft) -> Iterator[Finding]:
    """Generated code is written against a channel's description."""
    for name, channel in draft.document.state.items():
        if not channel.description.strip():
            yield (
                at("state", name),
                f"Channel {quoted(name)} is not described.",
                "Say what it holds, in the shape code will see it.",
            )


@rule("UNIT_UNDESCRIBED", "warning")
def code_is_described(draft: Draft) -> Iterator[Finding]:
    """A handler's and a tool's code is written from the description; without one there is nothing to write from."""
    described = {node.handler for _, node in draft.nodes if isinstance(node, HandlerNode) and node.description.strip()}
    for index, node in draft.nodes:
        if isinstance(node, HandlerNode) and node.handler not in described:
            yield (
                at("nodes", index),
                f"The handler {quoted(node.handler)} is not described, so its code cannot be written.",
                "Say which channels it reads, what it writes, and what happens when something is missing.",
            )
    for index, tool in draft.tools:
        if not tool.description.strip():
            yield (
                at("tools", index),
                f"The tool {quoted(tool.name)} is not described, so its code cannot be written.",
                "Say which service it calls and how, and end with exactly what it returns.",
            )


@rule("DESCRIPTION_VAGUE", "warning")
def descriptions_are_exact(draft: Draft) -> Iterator[Finding]:
    """ "Process the results" is not a description: it names no channel and no shape."""
    for index, node in draft.nodes:
        words = node.description
        if isinstance(node, HandlerNode) and words.strip():
            names = draft.channel_names & set(_IDENTIFIER.findall(words))
            if not names or (len(words.split()) < VAGUE_WORDS and not _QUOTED_NAME.search(words)):
                yield (
                    at("nodes", index, "description"),
                    f"The description of the handler {quoted(node.handler)} is too vague to write code from.",
                    "Name the channels it reads and writes in single quotes, with their exact shapes.",
                )
    for index, tool in draft.tools:
        words = tool.description
        if words.strip() and (len(words.split()) < VAGUE_WORDS or not re.search(r"(?i)\breturn", words)):
            yield (
                at("tools", index, "description"),
                f"The description of the tool {quoted(tool.name)} does not say exactly what it returns.",
                "Say which service it calls and how, and end with what it returns, in the shape of the channel.",
            )


@rule("WRITE_WITHOUT_APPROVAL", "warning")
def writes_wait_for_a_person(draft: Draft) -> Iterator[Finding]:
    """Anything that adds, places, sends or pays waits for a person first."""
    changing = _changing(draft)
    batches_wait = any(isinstance(node, ToolsNode) and node.approval is not None for _, node in draft.nodes)
    for index, node in draft.nodes:
        if isinstance(node, WorkNode) and node.approval is None:
            yield from _works_alone(draft, node, at("nodes", index), changing)
        if isinstance(node, ToolsNode) and not batches_wait:
            writing = [name for name in own_names(draft.document) if name in changing]
            if writing:
                yield (
                    at("nodes", index),
                    f"Node {quoted(node.id)} may call {listed(writing[:4])}, which seems to write, without asking "
                    "anybody.",
                    'Add "approval" to the node, or queue calls that write for a tools node of their own that has one.',
                )
        if isinstance(node, ToolNode) and node.approval is None and node.tool in changing:
            yield (
                at("nodes", index),
                f"Node {quoted(node.id)} calls {quoted(node.tool)}, which seems to write, without asking anybody.",
                'Add "approval": { "ask": "…?", "show": […], "onReject": "…" } to the node.',
            )


def _changing(draft: Draft) -> set[str]:
    """The tools whose name, here or on their server, begins with a word for changing something."""
    found = {name for name in draft.tool_names if writes_something(name)}
    for tools in servers(draft.document).values():
        found |= {name for name, tool in tools.items() if tool and tool.remote and writes_something(tool.remote)}
    return found


def _works_alone(draft: Draft, node: WorkNode, path: str, changing: set[str]) -> Iterator[Finding]:
    """The tools that write and that a model may call without asking anybody."""
    writing = [name for name in expanded(draft.document, node.tools) if name in changing and name not in node.approve]
    if writing:
        yield (
            at(path, "approve"),
            f"Node {quoted(node.id)} lets a model call {listed(writing[:4])}, which seems to write, without asking "
            "anybody.",
            f'Add "approve": [{", ".join(map(quoted, writing[:4]))}] to the node.',
        )


def writes_something(tool: str) -> bool:
    """Does a tool's name begin with a word for changing something: placeOrder, send_mail?"""
    first = _WORD.search(tool)
    return first is not None and _WRITES.fullmatch(first.group(0).lower()) is not None


@rule("TOOL_UNUSED", "warning")
def tools_are_called(draft: Draft) -> Iterator[Finding]:
    """The list of tools is the permission: a tool that no node calls is a permission that nobody needs."""
    called = {each.text for each in draft.mentions if each.field.dsl.ref == "tool"}
    if any(isinstance(node, ToolsNode) for _, node in draft.nodes):
        return
    for index, tool in draft.tools:
        if tool.name not in called and draft.whole:
            yield (
                at("tools", index),
                f"No node calls the tool {quoted(tool.name)}.",
                "Add a tool node that calls it, or remove it.",
            )


@rule("PROMPT_REPEATS_SCHEMA", "warning")
def prompts_leave_the_shape_to_the_schema(draft: Draft) -> Iterator[Finding]:
    """The schema is put to the model with the prompt; saying it twice lets the two drift apart."""
    for index, node in draft.nodes:
        if isinstance(node, LlmNode) and node.answer is not None and _SHAPE_IN_PROMPT.search(node.prompt):
            yield (
                at("nodes", index, "prompt"),
                f"The prompt of {quoted(node.id)} speaks of the answer's form, which its schema says already.",
                "Write the prompt as if a person were to answer; the schema goes to the model by itself.",
            )


@rule("HISTORY_UNREAD", "warning")
def prompts_know_the_conversation(draft: Draft) -> Iterator[Finding]:
    """Without {{history}} no prompt understands "them" or "do it again"."""
    prompts = [node for _, node in draft.nodes if isinstance(node, LlmNode | WorkNode)]
    if (
        draft.document.conversation
        and draft.whole
        and prompts
        and not any("history" in reads(node.prompt) for node in prompts)
    ):
        yield (
            "conversation",
            "The flow keeps its conversation, and none of its prompts reads it.",
            'Put {{history}} into the prompt that answers, or leave "conversation" out.',
        )


@rule("NO_OTHERWISE", "warning")
def some_route_takes_the_rest(draft: Draft) -> Iterator[Finding]:
    """When no sentence holds, the run fails at the router."""
    for index, edge in draft.edges:
        if isinstance(edge, ConditionalEdge) and edge.when and not any(map(is_otherwise, edge.when.values())):
            yield (
                at("edges", index, "when"),
                f"None of the routes from {quoted(edge.from_)} takes what the others leave.",
                'Let one of them say "anything else", unless the sentences cover every case.',
            )


@rule("FILE_IS_TEXT", "warning")
def files_are_files(draft: Draft) -> Iterator[Finding]:
    """A picture, a recording or a document is kept as a file, which the chat shows and code reads; an address of one
    may lead nowhere tomorrow."""
    links = set(draft.document.inputs) | {one for _, node in draft.nodes if node.type == "read" for one in _read(node)}
    for name, channel in draft.document.state.items():
        if (
            channel.type == "string"
            and name not in links
            and _FILE_LINK.search(f"{label(name)}. {channel.description}")
        ):
            yield (
                at("state", name, "type"),
                f"The channel {quoted(name)} seems to hold the address of a file, as text.",
                'Give it the type "file": what makes the file saves it with services.files.save and writes the '
                "reference.",
            )


def _read(node: Node) -> set[str]:
    return reads(getattr(node, "from_", []))


@rule("WORD_NOT_DRAWN", "warning")
def pages_draw_what_is_said(draft: Draft) -> Iterator[Finding]:
    """Words about how a page looks are checked and kept; until the page draws them, an author is told."""
    for each in (*draft.sections, *draft.said):
        if not each.dsl.offered and each.value:
            yield (
                each.path,
                f"{quoted(each.key)} is kept and checked, and the pages of this installation do not draw it.",
                "Keep it for an installation that does; what the flow does is the same without it.",
            )


RULES = (
    the_flow_is_described,
    inputs_and_outputs_are_declared,
    outputs_are_written,
    channels_are_described,
    code_is_described,
    descriptions_are_exact,
    writes_wait_for_a_person,
    tools_are_called,
    prompts_leave_the_shape_to_the_schema,
    prompts_know_the_conversation,
    some_route_takes_the_rest,
    files_are_files,
    pages_draw_what_is_said,
)
