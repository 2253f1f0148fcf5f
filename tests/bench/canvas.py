"""Prints how long the editor takes to open a flow of 300 steps, and the frames while a step is dragged through it."""

from __future__ import annotations

import json
import os
import uuid
from typing import TYPE_CHECKING, Any

from playwright.sync_api import sync_playwright

from tests.support import chromium
from tests.support.stack import Stack, running

if TYPE_CHECKING:
    from playwright.sync_api import Page

STEPS = int(os.environ.get("BENCH_STEPS", "300"))
ROUNDS = int(os.environ.get("BENCH_ROUNDS", "3"))
MOVES = 120
WIDE = {"width": 1440, "height": 900}

# Every frame's time since the one before, and every task that held the page for longer than 50 ms.
WATCH = """() => {
  const seen = (window.__seen = { frames: [], tasks: [], stop: false });
  let last = 0;
  const frame = (now) => {
    if (last) seen.frames.push(now - last);
    last = now;
    if (!seen.stop) requestAnimationFrame(frame);
  };
  requestAnimationFrame(frame);
  new PerformanceObserver((list) => seen.tasks.push(...list.getEntries().map((each) => each.duration)))
    .observe({ entryTypes: ["longtask"] });
}"""
SEEN = "() => { window.__seen.stop = true; return window.__seen; }"


def long_flow(count: int) -> dict[str, Any]:
    """A flow of so many steps, every fifth of which decides between two ways on."""
    state = {f"value_{at}": {"type": "string", "description": f"Value {at}."} for at in range(count)}
    nodes = [
        {
            "id": f"step_{at}",
            "type": "llm",
            "description": f"Works on part {at} of the question and passes it on.",
            "prompt": "Look at this.\n\n{{" + (f"value_{at - 1}" if at else "question") + "}}",
            "output": f"value_{at}",
        }
        for at in range(count)
    ]
    edges: list[dict[str, Any]] = []
    for at in range(count - 1):
        if at % 5 or at + 4 >= count:
            edges.append({"from": f"step_{at}", "to": f"step_{at + 1}"})
        else:
            routes = {"next": f"step_{at + 1}", "skip": f"step_{at + 4}"}
            when = {"next": f"'value_{at}' is not empty", "skip": "anything else"}
            edges.append(
                {"from": f"step_{at}", "type": "conditional", "router": f"by_{at}", "routes": routes, "when": when}
            )
    edges.append({"from": f"step_{count - 1}", "to": "END"})
    return {
        "version": "0.33",
        "name": "A long flow",
        "description": "Passes a question on and on.",
        "inputs": ["question"],
        "outputs": [f"value_{count - 1}"],
        "start": "step_0",
        "state": {"question": {"type": "string", "description": "What is asked."}, **state},
        "nodes": nodes,
        "edges": edges,
    }


def keep(workspace: str, text: str, across: int) -> str:
    """Store a flow with its steps laid out in rows. Runs inside the product."""
    from flows import scope
    from flows.models import Flow
    from tests.e2e.inside import draft

    flow = draft(workspace, text)
    ids = [node["id"] for node in json.loads(text)["nodes"]] if across else []
    places = {id: {"x": at % across * 300, "y": at // across * 140} for at, id in enumerate(ids)}
    with scope.workspace(uuid.UUID(workspace)):
        Flow.objects.filter(pk=flow).update(layout={"nodes": places, "comments": []})
    return flow


def opened(page: Page, path: str) -> float:
    """Milliseconds from the click until the steps are drawn."""
    page.goto("about:blank")
    page.goto(path, wait_until="commit")
    page.wait_for_selector(".ed-card")
    return page.evaluate("new Promise((drawn) => requestAnimationFrame(() => drawn(performance.now())))")


def dragged(page: Page) -> dict[str, list[float]]:
    """What the page's frames were like while one of the steps in sight was dragged."""
    cards = page.locator(".react-flow__node-card")
    box = cards.nth(cards.count() // 2).bounding_box()
    assert box
    x, y = box["x"] + box["width"] / 2, box["y"] + box["height"] / 2
    page.mouse.move(x, y)
    page.evaluate(WATCH)
    page.mouse.down()
    for at in range(MOVES):
        page.mouse.move(x + at * 1.5, y + at)
    seen = page.evaluate(SEEN)
    page.mouse.up()
    page.wait_for_timeout(1000)
    return seen


def say(what: str, seen: dict[str, list[float]]) -> None:
    frames = sorted(seen["frames"])
    over = sum(frame > 50 for frame in frames)
    middle, most = frames[len(frames) // 2], frames[-1]
    tasks = f"longest task {max(seen['tasks']):.0f} ms" if seen["tasks"] else "no task over 50 ms"
    print(f"{what:28} {len(frames)} frames, median {middle:.0f} ms, longest {most:.0f} ms, {over} over 50 ms; {tasks}")


def measure(stack: Stack, page: Page, workspace: str) -> None:
    text = json.dumps(long_flow(STEPS), indent=2)
    for what, across in (("laid out", 20), ("without places", 0)):
        id = stack.call("tests.bench.canvas:keep", workspace=workspace, text=text, across=across)
        times = [opened(page, f"/flows/{id}") for _ in range(ROUNDS)]
        print(f"{STEPS} steps, {what}: opens in {', '.join(f'{each:.0f}' for each in times)} ms")
        say("  dragging, near by", dragged(page))
        page.keyboard.press("0")
        page.wait_for_timeout(1000)
        shown = page.locator(".ed-card").count()
        say(f"  dragging, {shown} in sight", dragged(page))


def main() -> None:
    path = chromium.find()
    assert path, "Chromium is needed; make test installs it."
    with running() as stack, sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=path, args=chromium.flags())
        page = browser.new_context(viewport=WIDE, base_url=stack.url).new_page()  # type: ignore[arg-type]
        made = stack.call("tests.bench.canvas:company")
        page.context.add_cookies([{"name": "sessionid", "value": made["session"], "url": stack.url}])
        measure(stack, page, made["workspace"])
        browser.close()


def company() -> dict[str, str]:
    """A workspace with its builder. Runs inside the product."""
    from tests.e2e.inside import company as found

    made = found(model=False)
    return {"workspace": made["workspace"], "session": made["people"]["builder"]["session"]}


if __name__ == "__main__":
    main()
