"""What the scripted model does when it is asked: build an example, add an approval, reword, explain, write code.

Each act makes the turns of a conversation from the flow that stands in the request. What it builds is the example
itself, so that an example and the script that builds it cannot differ.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator, Mapping
from functools import cache
from pathlib import Path
from typing import Any

from runtime.units.handlerfile import parse_handlers

Json = Any
Turns = list[dict[str, Json]]

EXAMPLES = Path(__file__).resolve().parents[2] / "flows" / "examples"
_FLOW = re.compile(r"<flow>\s*(\{.*\})\s*</flow>", re.DOTALL)
_ASK = re.compile(r"<ask>\s*(.*?)\s*</ask>", re.DOTALL)
_FUNCTION = re.compile(r"async def (\w+)\(")
_WRITES = re.compile(r"(?i)(place|send|post|create|pay|book|update|delete|cancel|save|submit|order)")


def turns(act: str, prompt: str, instructions: str, example: str) -> Turns | None:
    """What the model says, answer by answer; None when the act has nothing to do with this request."""
    return ACTS[act](prompt, instructions, example)


@cache
def document(example: str) -> dict[str, Json]:
    return json.loads((EXAMPLES / example / "flow.json").read_text(encoding="utf-8"))


@cache
def _code(example: str) -> dict[str, str]:
    return parse_handlers((EXAMPLES / example / "handlers.py").read_text(encoding="utf-8"))


def _flow_of(prompt: str) -> dict[str, Json] | None:
    found = _FLOW.search(prompt)
    try:
        value = json.loads(found[1]) if found else None
    except ValueError:
        return None
    return value if isinstance(value, dict) else None


def _wish(prompt: str) -> str:
    found = _ASK.search(prompt)
    return found[1] if found else ""


def _call(tool: str, /, **arguments: Json) -> dict[str, Json]:
    return {"name": tool, "arguments": arguments}


# Build


def build(prompt: str, instructions: str, example: str) -> Turns | None:
    """The whole example, in place of whatever the flow holds."""
    flow, wanted = _flow_of(prompt), document(example)
    if flow is None:
        return None
    channels, tools = wanted["state"], wanted["tools"]
    return [
        {"say": "I look up what I need.", "calls": [_call("read_reference", topic="approval")]},
        {"say": "First the flow itself.", "calls": [*_clear(flow, wanted), *_contract(wanted)]},
        {"say": "Its channels.", "calls": [*_channels(flow, wanted)]},
        {"say": "Its tools.", "calls": [_call("addTool", tool=tool) for tool in tools]},
        {"say": "Its steps.", "calls": [_call("addNode", node=node) for node in wanted["nodes"]]},
        {"say": "How they follow each other.", "calls": [_call("setStart", id=wanted["start"]), *_edges(wanted)]},
        {"say": "Is it whole?", "calls": [_call("check_readiness")]},
        {
            "say": f"This is the order desk: {len(wanted['nodes'])} steps, {len(channels)} channels and {len(tools)} "
            "tools. It finds the customer, answers look-ups, completes an order in a form, and places it once it is "
            "approved. Write the code of its steps, then try it."
        },
    ]


def _clear(flow: Mapping[str, Json], wanted: Mapping[str, Json]) -> Iterator[dict[str, Json]]:
    ids = [node["id"] for node in flow.get("nodes", [])]
    if ids:
        yield _call("removeNodes", ids=ids)
    for tool in flow.get("tools", []):
        yield _call("removeTool", name=tool["name"])
    kept = {"inputs": wanted["inputs"], "outputs": wanted["outputs"]}
    yield _call("describe_flow_contract", **kept)
    for name in flow.get("state", {}):
        if name not in wanted["state"]:
            yield _call("removeChannel", name=name)


def _contract(wanted: Mapping[str, Json]) -> Iterator[dict[str, Json]]:
    keys = ("description", "conversation", "suggestions", "requires")
    yield _call("describe_flow_contract", **{key: wanted[key] for key in keys})


def _channels(flow: Mapping[str, Json], wanted: Mapping[str, Json]) -> Iterator[dict[str, Json]]:
    for name, channel in wanted["state"].items():
        there = flow.get("state", {}).get(name)
        if there is None:
            yield _call("addChannel", name=name, channel=channel)
        elif there != channel:
            for key in channel.keys() | there.keys():
                change = {"value": channel[key]} if key in channel else {}
                if channel.get(key) != there.get(key):
                    yield _call("setField", on={"channel": name}, path=[key], **change)


def _edges(wanted: Mapping[str, Json]) -> Iterator[dict[str, Json]]:
    for edge in wanted["edges"]:
        start = edge["from"]
        if "to" in edge:
            yield _call("connect", **{"from": start, "to": edge["to"]})
            continue
        for route, to in edge["routes"].items():
            yield _call("connect", **{"from": start, "to": to, "route": route, "when": edge["when"][route]})
        yield _call("setField", on={"edge": {"from": start}}, path=["router"], value=edge["router"])
        if "limits" in edge:
            yield _call("setField", on={"edge": {"from": start}}, path=["limits"], value=edge["limits"])


# Change


def approve(prompt: str, instructions: str, example: str) -> Turns | None:
    """An approval for the step that the wish names, else for the first that writes without one."""
    flow, wish = _flow_of(prompt), _wish(prompt)
    if flow is None:
        return None
    steps = [node for node in flow["nodes"] if "tool" in node or node.get("type") == "tools"]
    open_steps = [node for node in steps if "approval" not in node]
    named = [node for node in open_steps if _names(wish, node["id"]) or _names(wish, node.get("tool", ""))]
    step = next(iter(named or [node for node in open_steps if _WRITES.match(node.get("tool", ""))] or open_steps), None)
    if step is None:
        return [{"say": "Every step that calls a tool asks for approval already, so there is nothing to add."}]
    read = list(dict.fromkeys(re.findall(r"\{\{\s*(\w+)", json.dumps(step.get("args", {})))))
    shown = [name for name in read if name in flow.get("state", {})]
    approval: dict[str, Json] = {"ask": f"{_title(step['id'])}?", "show": shown or list(flow.get("state", {}))[:1]}
    after = [edge["to"] for edge in flow["edges"] if edge.get("from") == step["id"] and "to" in edge]
    answers = [node["id"] for node in flow["nodes"] if node.get("type") == "llm"]
    target = next((id for id in [step.get("onError"), *after, *answers[-1:]] if id and id != "END"), None)
    if target:
        approval["onReject"] = target
    return [
        {"calls": [_call("read_reference", topic="approval")]},
        {"calls": [_call("setField", on={"node": step["id"]}, path=["approval"], value=approval)]},
        {
            "say": f"Before {step['id']} runs, a person now sees what it is about to do and says yes or no."
            + (f" A no goes to {target}." if target else "")
        },
    ]


def reword(prompt: str, instructions: str, example: str) -> Turns | None:
    """One more sentence for the prompt of the step that the wish names, else of the last one that has a prompt."""
    flow, wish = _flow_of(prompt), _wish(prompt)
    if flow is None:
        return None
    steps = [node for node in flow["nodes"] if isinstance(node.get("prompt"), str)]
    if not steps:
        return [{"say": "No step of this flow has a prompt."}]
    step = next((node for node in steps if _names(wish, node["id"])), steps[-1])
    quoted = re.search(r"[“\"]([^”\"]+)[”\"]", wish)
    added = quoted[1] if quoted else "Answer in at most three short sentences."
    text = f"{step['prompt'].rstrip()}\n\n{added}"
    return [
        {"calls": [_call("setField", on={"node": step["id"]}, path=["prompt"], value=text)]},
        {"say": f"The prompt of {step['id']} now ends with: {added}"},
    ]


def explain(prompt: str, instructions: str, example: str) -> Turns | None:
    """What the step that the wish names does, else what the flow does, in the flow's own words."""
    flow, wish = _flow_of(prompt), _wish(prompt)
    if flow is None:
        return None
    chosen = re.search(r"<selection>[^\[]*(\[.*?\])", prompt, re.DOTALL)
    picked = json.loads(chosen[1]) if chosen else []
    steps = flow.get("nodes", [])
    step = next((node for node in steps if _names(wish, node["id"])), None)
    step = step or next((node for node in steps if node["id"] in picked), None)
    if step is None:
        return [{"say": flow.get("description") or "The flow does not say yet what it does."}]
    words = step.get("description") or step.get("prompt") or step.get("ask") or "It does not say yet what it does."
    after = [
        edge.get("to") or ", ".join(edge.get("routes", {})) for edge in flow["edges"] if edge["from"] == step["id"]
    ]
    then = f" After it comes {after[0]}." if after else ""
    return [
        {"calls": [_call("read_flow", part=step["id"])]},
        {"say": f"{_title(step['id'])} is a step of the kind {step.get('type', 'handler')}. {words.strip()}{then}"},
    ]


def code(prompt: str, instructions: str, example: str) -> Turns | None:
    """The example's own function, for exactly the description that it was written from."""
    found = _FUNCTION.search(instructions)
    written = _code(example).get(found[1]) if found else None
    if found is None or written is None:
        return None
    wanted = document(example)
    named = {node.get("handler"): node for node in wanted["nodes"]} | {tool["name"]: tool for tool in wanted["tools"]}
    if named[found[1]]["description"].strip() not in prompt:
        return None
    return [{"say": f"```python\n{written}```"}]


def _names(wish: str, name: str) -> bool:
    words = re.sub(r"[_-]+", " ", re.sub(r"(?<=[a-z])(?=[A-Z])", " ", name)).lower()
    return bool(name) and (name.lower() in wish.lower() or words in wish.lower())


def _title(id: str) -> str:
    return re.sub(r"[_-]+", " ", id).capitalize()


ACTS: Mapping[str, Callable[[str, str, str], Turns | None]] = {
    "build": build,
    "approve": approve,
    "reword": reword,
    "explain": explain,
    "code": code,
}
