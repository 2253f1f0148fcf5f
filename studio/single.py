"""One step or one tool of a draft, tried by itself on the flow's workbench: a run like any other, of a part."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from flows import single, store
from flows.models import Flow
from flows.single import NotSingle, Single
from flows.words.channel import ChannelRefused, judge
from flows.words.document import Document
from runtime import runs
from runtime.runs import Actor, Started
from runtime.units import shelf
from studio import drafts, workbench
from studio.models import User
from studio.refusal import Missing, Refusal, Wrong
from studio.strings import t
from studio.workbench import NotReady

Json = Any


def of(flow: Flow, step: str, tool: str) -> Single:
    """The step, or the tool, as a flow of its own. Raises Refusal for a draft that cannot be read."""
    document = drafts.checked(flow.draft).flow
    if document is None:
        raise Refusal("DRAFT_UNREADABLE", t("single.unreadable"), 409)
    try:
        if tool:
            return single.of_tool(document, tool)
        return single.of_step(document, step, _code(flow, document, step))
    except NotSingle as refused:
        if refused.code.endswith("_GONE"):
            raise Missing(refused.message) from refused
        raise Refusal(refused.code, refused.message, 409) from refused


def _code(flow: Flow, document: Document, step: str) -> str:
    """The code of a step that is a function, "" of any other."""
    node = next((each for each in document.nodes if each.id == step), None)
    name = getattr(node, "handler", "")
    found = shelf.find(flow, document, "handler", name) if name else None
    return found.code if found else ""


def run(flow: Flow, found: Single, values: Mapping[str, Json], by: User, title: str) -> Started:
    """Start it in a conversation of its own. Raises Wrong beside each value that does not fit, and NotReady."""
    text = json.dumps(found.document, ensure_ascii=False)
    checked = drafts.checked(text)
    wrong: dict[str, str] = {}
    for name, value in values.items():
        if name not in found.asks:
            wrong[name] = t("single.no_input", name=name)
        elif checked.flow is not None:
            try:
                judge(checked.flow.state[name], value)
            except ChannelRefused as refused:
                wrong[name] = refused.message
    if wrong:
        raise Wrong(wrong)
    try:
        version = store.try_part(flow, text, by)
    except store.VersionRefused as refused:
        raise NotReady(refused) from refused
    bench = workbench.of(flow)
    actor = Actor(name=str(by), user=by.pk)
    talk = runs.open_conversation(bench, actor, title)
    return runs.start(bench, actor, inputs=dict(values), conversation=talk, version=version.pk)
