"""Prints what checking and compiling cost, beside the bare floor: the same JSON parsed and nothing asked of it.

python -m tests.bench.check
"""

from __future__ import annotations

import json
import os
import time
from collections.abc import Callable
from statistics import median
from typing import Any

Json = Any
ROUNDS = 9
TREE = 50


def took(work: Callable[[], object], rounds: int = ROUNDS) -> tuple[float, float]:
    """(median, worst) milliseconds of processor time."""
    spent: list[float] = []
    for _ in range(rounds):
        began = time.process_time()
        work()
        spent.append((time.process_time() - began) * 1000)
    return median(spent), max(spent)


def show(title: str, work: Callable[[], object], floor: float = 0.0, target: str = "", rounds: int = ROUNDS) -> None:
    middle, worst = took(work, rounds)
    beside = f"  {middle / floor:6.1f} x its floor" if floor else ""
    print(f"{title:<42}{middle:9.2f} ms (worst {worst:.2f}){beside}{f'  target {target}' if target else ''}")


def halfway(document: Json) -> Json:
    """The same flow in the middle of being rebuilt: every channel has another name, and nothing follows yet."""
    return {**document, "state": {f"{name}_new": each for name, each in document["state"].items()}}


def tree(count: int) -> dict[str, str | bytes]:
    """A flow that runs others, which run others: so many in all, each of a dozen steps or so."""
    from tests.bench.edits import large
    from tests.flows.later_kinds import child, parent

    files: dict[str, str | bytes] = {}
    for at in range(count):
        below = [each for each in (2 * at + 1, 2 * at + 2) if each < count]
        flow = child()
        steps = large(12)
        if below:
            flow = parent(f"./f{below[0]}.json")
            second = {**flow["nodes"][0], "id": "find_more", "flow": f"./f{below[-1]}.json"}
            flow["nodes"].insert(1, second)
            flow["edges"][0]["to"] = "find_more"
            flow["edges"].insert(1, {"from": "find_more", "to": "reply"})
            flow |= {"inputs": ["customerId"], "outputs": ["customer", "orders"]}
            flow["state"]["customerId"] = {"type": "string", "description": "The customer's id."}
            flow["state"]["orders"] = {"type": "list", "description": "The customer's orders."}
            for node in flow["nodes"][:2]:
                node["input"] = {"customerId": "{{customerId}}"}
        flow["nodes"] += steps["nodes"]
        flow["edges"] = [{**each, "to": "step_0"} if each.get("to") == "END" else each for each in flow["edges"]]
        flow["edges"] += steps["edges"]
        flow["state"] = {**steps["state"], **flow["state"]}
        flow["tools"] = [*flow.get("tools", []), *steps["tools"]]
        flow["requires"], flow["conversation"] = steps["requires"], True
        files["flow.json" if at == 0 else f"f{at}.json"] = json.dumps(flow)
    return files


def main() -> None:
    from flows.check import check
    from flows.tree import check_tree
    from flows.words.canonical import sha
    from runtime.engine.compile import compile_graph
    from tests.bench.edits import large

    no_saver: Any = None
    for count in (300, 3000):
        text = json.dumps(large(count))
        rough = json.dumps(halfway(json.loads(text)))
        found = check(text)
        assert found.flow is not None and not found.errors, found.errors[:3]
        floor, _ = took(lambda text=text: json.loads(text))
        flow = found.flow
        print(f"{count} nodes, {len(text):,} characters; parsed in {floor:.2f} ms")
        show("  check, a right flow", lambda text=text: check(text), floor, "50 ms" if count == 300 else "")
        show(f"  check, {len(check(rough).problems)} problems", lambda rough=rough: check(rough), floor)
        show(
            "  compile",
            lambda flow=flow: compile_graph(flow, no_saver),
            0,
            *(("100 ms", 5) if count == 300 else ("", 1)),
        )
        show("  hash", lambda flow=flow: sha(flow), floor)
    files = tree(TREE)
    seen = check_tree(files)
    wrong = [problem for each in seen.values() for problem in each.errors]
    assert len(seen) == TREE and not wrong, wrong[:3]
    floor, _ = took(lambda: [json.loads(text) for text in files.values()])
    print(f"a tree of {len(files)} flows, {sum(map(len, files.values())):,} characters; parsed in {floor:.2f} ms")
    show("  check of the tree", lambda: check_tree(files), floor)


if __name__ == "__main__":
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "tests.settings")
    import django

    django.setup()
    main()
