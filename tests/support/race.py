"""Deciders of one process, racing for cards: `python -m tests.support.race`, told by one line of JSON what to do.

In: {database, workspace, user, name, questions: [[id, digest], …], first, racers}. It says "ready", waits for a line,
and writes [[question, what came of it], …].
"""

from __future__ import annotations

import json
import random
import sys
import threading
import uuid
from typing import Any


def main() -> None:
    import django

    django.setup()
    from django.db import connection, connections

    from flows import scope
    from runtime.questions import Conflict, answer
    from runtime.runs import Actor

    told = json.loads(sys.stdin.readline())
    connections["default"].settings_dict["NAME"] = told["database"]
    by = Actor(name=told["name"], user=uuid.UUID(told["user"]))
    results: list[tuple[str, str]] = []
    start = threading.Event()

    def race(n: int) -> None:
        chance = random.Random(n)
        start.wait()
        with scope.workspace(uuid.UUID(told["workspace"])):
            for id, digest in told["questions"]:
                kind = chance.choice(["approve", "decline", "edit", "stale"])
                said: dict[str, Any] = {"digest": "0" * 64 if kind == "stale" else digest, "key": str(n)}
                if kind == "edit":
                    said["values"] = {"order.quantity": n + 3}
                decision: Any = "decline" if kind == "decline" else "approve"
                try:
                    answer(uuid.UUID(id), by=by, role="reviewer", decision=decision, **said)
                    results.append((id, kind))
                except Conflict:
                    results.append((id, "conflict"))
        connection.close()

    first = told["first"]
    racers = [threading.Thread(target=race, args=(n,)) for n in range(first, first + told["racers"])]
    for racer in racers:
        racer.start()
    print("ready", flush=True)
    sys.stdin.readline()
    start.set()
    for racer in racers:
        racer.join()
    print(json.dumps(results), flush=True)


if __name__ == "__main__":
    main()
