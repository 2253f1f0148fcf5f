"""Flows that the benches run, published inside a product under test."""

from __future__ import annotations

from typing import Any

from django.conf import settings

from flows import scope
from runtime.models import ModelChoice, ModelEntry
from tests.support.people import person
from tests.support.seed import session_of, the_workspace
from tests.support.talk import agent

ONE_LLM: dict[str, Any] = {
    "version": "0.33",
    "name": "One answer",
    "description": "Answers what it is asked.",
    "conversation": True,
    "inputs": ["question"],
    "outputs": ["answer"],
    "start": "reply",
    "state": {
        "question": {"type": "string", "description": "What was asked."},
        "answer": {"type": "string", "description": "The reply."},
    },
    "nodes": [{"id": "reply", "type": "llm", "prompt": "Answer: {{question}}", "output": "answer"}],
    "edges": [{"from": "reply", "to": "END"}],
}
COUNT = "async def {name}(state, *, services, settings, env):\n    return {{'answer': state['answer'] + 'x'}}\n"


def ten_steps() -> tuple[dict[str, Any], dict[str, str]]:
    """Ten handlers in a row, each adding a letter."""
    names = [f"step_{number}" for number in range(10)]
    nodes = [{"id": name, "handler": name, "description": "Adds one 'x' to 'answer'."} for name in names]
    edges = [{"from": a, "to": b} for a, b in zip(names, [*names[1:], "END"], strict=True)]
    units = {f"handler:{name}": COUNT.format(name=name) for name in names}
    return {**ONE_LLM, "start": names[0], "nodes": nodes, "edges": edges}, units


def publish(people: int) -> list[str]:
    """The agents "one-llm" and "ten-steps", answered by the demo model; sessions of so many people who may chat."""
    workspace = the_workspace()
    with scope.workspace(workspace.id):
        entry = ModelEntry.objects.create(name="Bench", base_url=settings.DEMO_URL, model="demo")
        ModelChoice.objects.create(purpose="answers", entry=entry)
        agent("one-llm", ONE_LLM)
        document, units = ten_steps()
        made = agent("ten-steps", document)
        made.version.units = units
        made.version.save(update_fields=["units"])
        return [session_of(person(workspace, "member", f"Member {number}")) for number in range(people)]
