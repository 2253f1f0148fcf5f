"""A graph node that LangGraph does not look into.

It reads the code of every plain function for graphs inside it, so that these keep their checkpoints, and asks each for
its signature and its types: most of what compiling a flow costs. Most nodes have no graph inside, and say so by being
no plain function.
"""

# The types below are read once for each node: as texts they would be evaluated each time.
from collections.abc import Awaitable, Callable
from inspect import Parameter, Signature
from typing import Any


class Opaque:
    """The work of a graph node that runs no other graph."""

    __signature__ = Signature([Parameter("state", Parameter.POSITIONAL_OR_KEYWORD)])

    def __init__(self, run: Callable[[Any], Awaitable[Any]]) -> None:
        self._run = run

    async def __call__(self, state: Any) -> Any:
        return await self._run(state)
