"""Two versions of a flow of which the second names everything otherwise. Called through the stack's desk."""

from __future__ import annotations

from typing import Any

from flows import scope, store
from runtime.models import Deployment, Run
from tests.chaos.everything import PLACE, PLACE_TOOL, channels, flow, row
from tests.support.seed import the_workspace

FIRST = {"inner": "which", "child": "order", "channel": "customer", "place": "place"}
SECOND = {"inner": "who", "child": "ordering", "channel": "client", "place": "put"}


def prepare(host: str) -> None:
    """The first version, live under the slug "renamed"."""
    with scope.workspace(the_workspace().id):
        top = _draw(FIRST, host)
        Deployment.objects.create(
            flow=top, version=store.make_version(top), slug="renamed", name="Renamed", allowed_hosts=[host]
        )


def redeploy(host: str) -> None:
    """The second version takes its place."""
    with scope.workspace(the_workspace().id):
        deployment = Deployment.objects.get(slug="renamed")
        deployment.version = store.make_version(_draw(SECOND, host))
        deployment.save()


def versions(runs: list[str]) -> dict[str, int]:
    """How many of these runs ended well, by the number of the version on which they did."""
    with scope.workspace(the_workspace().id):
        found: dict[str, int] = {}
        for number in Run.objects.filter(id__in=runs, status="done").values_list("version__number", flat=True):
            found[str(number)] = found.get(str(number), 0) + 1
        return found


def _draw(names: dict[str, str], host: str) -> Any:
    """An inner flow asks; what it brings back is ordered."""
    needs = {"settings": {"url": {"default": f"http://{host}/office", "description": "The office."}}}
    inner, child, channel, place = names["inner"], names["child"], names["channel"], names["place"]
    row("renamed/child", flow(
        [{"id": inner, "type": "ask", "ask": "For which customer?", "output": channel}],
        [(inner, "END")], state=channels(**{channel: "string"}), outputs=[channel],
    ))  # fmt: skip
    return row("renamed", flow(
        [
            {"id": child, "type": "flow", "flow": "./child/flow.json", "output": {channel: channel}},
            {"id": place, "type": "tool", "tool": "place", "output": "answer",
             "args": {"customer": f"{{{{{channel}}}}}", "note": "{{question}}/renamed"}},
        ],
        [(child, place), (place, "END")],
        state=channels(**{"question": "string", "answer": "string", channel: "string"}), inputs=["question"],
        outputs=["answer"], conversation=True, tools=[PLACE_TOOL], requires=needs,
    ), {"place": PLACE})  # fmt: skip
