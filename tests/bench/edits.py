"""Prints what an edit of a large flow costs the server, part by part, on a database of its own.

python -m tests.bench.edits [NODES]
"""

from __future__ import annotations

import os
import sys
import tempfile
import time
import uuid
from collections.abc import Callable
from statistics import median
from typing import Any

Json = Any
ROUNDS = 15
KINDS = ("llm", "handler", "tool", "ask", "llm")


def large(count: int) -> Json:
    """A flow of so many nodes in a row, with a choice after every fourth, that is right as it is."""
    state: dict[str, Json] = {"question": {"type": "string", "description": "What was asked."}}
    nodes: list[Json] = []
    edges: list[Json] = []
    for at in range(count):
        kind, name, read = KINDS[at % 5], f"value_{at}", f"value_{at - 1}" if at else "question"
        state[name] = {"type": "object" if kind == "tool" else "string", "description": f"What step {at} found."}
        nodes.append({"id": f"step_{at}", **_node(kind, at, read, name)})
        to = f"step_{at + 1}" if at + 1 < count else "END"
        edge: Json = {"from": f"step_{at}", "to": to}
        if at % 4 == 3 and at + 5 < count:
            edge = {
                "from": f"step_{at}", "type": "conditional", "router": f"route{at}",
                "routes": {"skip": f"step_{at + 4}", "on": to},
                "when": {"skip": f"'{name}' is \"skip\"", "on": "anything else"},
            }  # fmt: skip
        edges.append(edge)
    look = {"name": "look", "description": "GETs the order by services.shop. Returns the order, an object."}
    return {
        "version": "1.0", "name": "Large", "description": "Works through many steps.", "conversation": True,
        "inputs": ["question"], "outputs": [f"value_{count - 1}"],
        "requires": {"services": {"shop": "The shop's REST API, called with GET."}}, "start": "step_0",
        "tools": [{**look, "inputs": {"id": {"type": "string", "required": True}}}],
        "state": state, "nodes": nodes, "edges": edges,
    }  # fmt: skip


def _node(kind: str, at: int, read: str, name: str) -> Json:
    if kind == "handler":
        words = (
            f"Reads '{read}' and writes '{name}': the same text in capitals. When '{read}' is empty, writes nothing."
        )
        return {"handler": f"work{at}", "description": words}
    if kind == "tool":
        return {"type": "tool", "tool": "look", "args": {"id": f"{{{{{read}}}}}"}, "output": name}
    if kind == "ask":
        return {"type": "ask", "ask": f"What do you say of {{{{{read}}}}}?", "output": name}
    prompt = f"{{{{history}}}}\nWrite a summary of {{{{{read}}}}} for the customer, with what is still open."
    return {"type": "llm", "prompt": prompt, "output": name}


def halfway(document: Json) -> Json:
    """The same flow in the middle of being rebuilt: every channel has another name, and nothing follows yet."""
    return {**document, "state": {f"{name}_new": each for name, each in document["state"].items()}}


def took(work: Callable[[int], object]) -> str:
    spent = []
    for turn in range(ROUNDS):
        began = time.process_time()
        work(turn)
        spent.append((time.process_time() - began) * 1000)
    return f"{median(spent):7.1f} ms of processor time (worst {max(spent):.1f})"


def main(count: int) -> None:
    from flows import scope, store
    from flows.check import check
    from flows.edits.apply import apply, sketch_of, written
    from flows.models import Workspace
    from runtime import bell
    from studio import editing
    from studio.api.edits import editor_boot, reply_of
    from studio.editing import Sent
    from tests.support.people import person

    # Nobody listens here, and no broker is asked.
    bell.install(Silence())
    document = large(count)
    text, rough = written(document), written(halfway(document))
    print(f"{count} nodes, {len(text):,} characters; {len(check(text).problems)} problems")
    print("check(), right flow      ", took(lambda turn: check(text)))
    print(f"check(), {len(check(rough).problems)} problems    ", took(lambda turn: check(rough)))
    sketch = sketch_of(text, {})
    print("apply(), one field       ", took(lambda turn: apply(sketch, [field(turn)])))
    rename = [{"op": "renameChannel", "name": "value_5", "to": "other"}]
    print("apply(), rename a channel", took(lambda turn: apply(sketch, rename)))
    workspace = Workspace.objects.create(name="Bench")
    with scope.workspace(workspace.id):
        ann, flow = person(workspace, "builder", "Ann"), store.import_flow(text)

        def edit(operation: Callable[[int], Json]) -> Callable[[int], object]:
            def work(turn: int) -> object:
                flow.refresh_from_db()
                sent = Sent(uuid.uuid4(), flow.revision, [operation(turn)])
                return reply_of(editing.submit(flow, sent, ann), sent.revision, ann)

            return work

        print("an edit, with its reply  ", took(edit(field)))
        print("moving all, with reply   ", took(edit(lambda turn: moved(document, turn))))
        print("undo, with its reply     ", took(lambda turn: reply_of(editing.undo(flow, ann), 10**6, ann)))
        flow.refresh_from_db()
        print("what the page carries    ", took(lambda turn: editor_boot(flow, ann, "builder")))


class Silence:
    """Rings for nobody."""

    def send(self, group: str, message: Json) -> None: ...

    def run(self, run: uuid.UUID) -> None: ...

    def errand(self, name: str, id: uuid.UUID) -> None: ...


def field(turn: int) -> Json:
    return {"op": "setField", "on": {"node": "step_5"}, "path": ["description"], "value": f"Turn {turn}"}


def moved(document: Json, turn: int) -> Json:
    return {"op": "move", "positions": {each["id"]: {"x": turn, "y": at} for at, each in enumerate(document["nodes"])}}


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as folder:
        os.environ |= {"LGSTUDIO_VAR": folder, "DJANGO_SETTINGS_MODULE": "studio.settings"}
        import django
        from django.core.management import call_command

        django.setup()
        call_command("migrate", verbosity=0)
        main(int(sys.argv[1]) if len(sys.argv) > 1 else 300)
