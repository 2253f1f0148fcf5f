"""A small flow with a step of every kind, in the editor of a test's own."""

from __future__ import annotations

import json
from typing import Any

from playwright.sync_api import Locator, expect

from tests.e2e.company import ECHO, Company

Json = Any
DESK: dict[str, Any] = {
    **ECHO,
    "version": "1.0",
    "name": "Small desk",
    "tools": [{"name": "find", "description": "Finds rows with services.http. RETURNS a list.", "inputs": {}}],
    "state": {
        **ECHO["state"],
        "plan": {"type": "object", "description": "What is wanted."},
        "rows": {"type": "list", "description": "What was found."},
    },
    "nodes": [
        {
            "id": "think", "type": "llm", "prompt": "Think about {{question}}.", "output": "plan",
            "schema": {"type": "object", "properties": {"want": {"type": "string"}}, "required": ["want"]},
        },
        {"id": "look_up", "type": "tool", "tool": "find", "args": {"wanted": "{{plan.want}}"}, "output": "rows"},
        {"id": "sort_them", "handler": "sortThem", "description": "Reads 'rows' and writes it back in order."},
        {"id": "complete", "type": "form", "fields": {"name": {"type": "string"}}, "output": "plan"},
        {"id": "which", "type": "ask", "ask": "Which one?", "output": "answer"},
        ECHO["nodes"][0],
    ],
    "start": "think",
    "edges": [
        {
            "from": "think", "type": "conditional", "router": "routeThink",
            "routes": {"find": "look_up", "form": "complete", "rest": "which"},
            "when": {"find": "'plan.want' is \"rows\"", "form": "'plan.want' is empty", "rest": "anything else"},
        },
        {"from": "look_up", "to": "sort_them"},
        {"from": "sort_them", "to": "reply"},
        {"from": "complete", "to": "reply"},
        {"from": "which", "to": "reply"},
        {"from": "reply", "to": "END"},
    ],
}  # fmt: skip


class Desk:
    """The editor of a flow of the test's own."""

    def __init__(self, company: Company, document: Json, who: str = "builder") -> None:
        self.company = company
        self.id: str = company.stack.call(
            "tests.e2e.inside:draft", workspace=company.workspace, text=json.dumps(document)
        )
        self.page = company.page(who, f"/flows/{self.id}", reduced_motion="reduce")
        self.pane = self.page.locator(".ed-pane")
        expect(self.page.locator(".react-flow__node").first).to_be_visible()

    def becomes(self, document: Json) -> None:
        """The owner replaces the flow by another, which this page follows."""
        operation = {"op": "setDocument", "text": json.dumps(document)}
        self.company.stack.call(
            "tests.e2e.asked:edit", workspace=self.company.workspace, flow=self.id, operations=[operation]
        )
        ids = {node["id"] for node in document["nodes"]}
        expect(self.page.locator(".react-flow__node-card")).to_have_count(len(ids))
        for id in ids:
            expect(self.page.locator(f'.react-flow__node[data-id="{id}"]')).to_be_attached()

    def choose(self, node: str) -> Locator:
        """Choose a step; its panel."""
        self.page.locator(f'.react-flow__node[data-id="{node}"]').dispatch_event("click")
        expect(self.pane).to_be_visible()
        return self.pane

    def nothing(self) -> Locator:
        """Choose nothing: the flow's own panel."""
        self.page.locator(".react-flow__pane").click(position={"x": 420, "y": 40})
        return self.pane

    def tab(self, name: str) -> None:
        self.pane.get_by_role("tab", name=name).click()

    def document(self) -> Json:
        """The flow as the server has it, once everything is there."""
        expect(self.page.locator('.ed-saved[data-saving="saved"]')).to_be_visible()
        return json.loads(self.page.request.get(f"/api/flows/{self.id}/draft").json()["text"])

    def node(self, id: str) -> Json:
        return next(node for node in self.document()["nodes"] if node["id"] == id)
