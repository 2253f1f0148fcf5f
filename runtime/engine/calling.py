"""One call of a step, whoever offers the tool: its code in the sandbox, or a server that the operator connected."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from flows.kinds.base import Called, Json, NodeFailed, Offer
from flows.problem import quoted
from flows.words import toolschema
from flows.words.callables import inputs_of
from runtime.engine.calls import Settled
from runtime.engine.servers import FAILED, TOOL_OFF, is_on_server, request_for, tool_of
from runtime.services.toolcalls import ToolCall
from runtime.units.sandbox import ServiceFailed

if TYPE_CHECKING:
    from runtime.engine.step import EngineStep


async def make(step: EngineStep, tool: str, args: Mapping[str, Json], place: str) -> Json:
    """Make the call and give its result. Raises NodeFailed."""
    if not is_on_server(step.flow, tool):
        return await step.code("tool", tool, dict(args), place)
    servers = step.servers
    offered = await servers.offered(step.flow, tool)
    carrier = await servers.carrier(offered, step.address)
    calls = step.calls(tool, place, client=carrier, secrets={}, marks={}, effect_of=carrier.effect)
    try:
        answer = await calls.send(request_for(offered, args))
    except ServiceFailed as failed:
        raise NodeFailed(failed.message, "TOOL_FAILED") from None
    text = answer.get("text") or ""
    if answer["status"] == FAILED:
        raise NodeFailed(f"The tool {quoted(tool)} failed: {text}", "TOOL_FAILED")
    try:
        return json.loads(text)
    except ValueError:
        # What came back of a write was too much to be kept whole.
        return text


async def attempt(step: EngineStep, tool: str, args: Mapping[str, Json], place: str) -> Called:
    """Make the call. What goes wrong with it is said in words; what stops the whole step is raised."""
    try:
        return Called(await make(step, tool, args, place))
    except Settled as settled:
        return Called(settled.result)
    except NodeFailed as failed:
        return Called(error=failed.message, code=failed.code)


async def offers(step: EngineStep, names: Sequence[str]) -> list[Offer]:
    """The tools of these names as a model is offered them. Raises NodeFailed for a server that does not answer."""
    flow, found = step.flow, []
    for name in names:
        own = inputs_of(flow, name)
        if not is_on_server(flow, name):
            found.append(Offer(name, flow.tool(name).description, toolschema.of_fields(own), own, own))
            continue
        tool = tool_of(flow, name)
        said = tool.describe if tool is not None else ""
        try:
            offered = await step.servers.offered(flow, name)
        except NodeFailed as failed:
            if failed.code != TOOL_OFF:
                raise
            found.append(Offer(name, said, {}, own, own, failed.message))
            continue
        schema = offered.definition.schema
        fields = {**(toolschema.readable(schema) or {}), **own}
        words = said or offered.definition.description
        found.append(Offer(name, words, toolschema.merged(schema, own), own, fields))
    return found


def heard(call: ToolCall) -> dict[str, str]:
    """A call that a model wants made, as it is kept."""
    return {"id": call.id, "name": call.name, "arguments": call.arguments}
