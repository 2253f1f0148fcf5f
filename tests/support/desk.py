"""A process of the product under test that does what a test asks of its database: one JSON line in, one out.

A browser test cannot use the ORM itself: it stands outside, as its browser does, and its process may have set up
Django for another database. `Desk.call("tests.support.seed:deploy", slug="orders")` runs that function in there.
"""

from __future__ import annotations

import importlib
import json
import subprocess
import sys
import traceback
from collections.abc import Mapping
from typing import IO, Any

from runtime.processes import ROOT


class Desk:
    """The test's end of it. Raises AssertionError with the other end's traceback."""

    def __init__(self, environment: Mapping[str, str], log: IO[str]) -> None:
        self.child = subprocess.Popen(
            [sys.executable, "-m", "tests.support.desk"],
            cwd=ROOT,
            env=dict(environment),
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=log,
            text=True,
        )

    def call(self, name: str, **arguments: Any) -> Any:
        """The result, as JSON carries it, of `module:function` called with these arguments."""
        assert self.child.stdin and self.child.stdout
        self.child.stdin.write(json.dumps({"name": name, "arguments": arguments}) + "\n")
        self.child.stdin.flush()
        line = self.child.stdout.readline()
        if not line:
            raise AssertionError(f"The desk ended with code {self.child.wait()} while it did {name}; see desk.log.")
        answer = json.loads(line)
        if "error" in answer:
            raise AssertionError(f"{name} failed in the product:\n{answer['error']}")
        return answer["result"]

    def close(self) -> None:
        if self.child.stdin:
            self.child.stdin.close()
        self.child.wait(60)


def main() -> None:
    import django

    replies, sys.stdout = sys.stdout, sys.stderr
    django.setup()
    from django.db import close_old_connections

    for line in sys.stdin:
        asked = json.loads(line)
        module, _, function = asked["name"].partition(":")
        close_old_connections()
        try:
            result = getattr(importlib.import_module(module), function)(**asked["arguments"])
            answer = {"result": result}
        except Exception:
            answer = {"error": traceback.format_exc()}
        print(json.dumps(answer, default=str), file=replies, flush=True)


if __name__ == "__main__":
    main()
