"""The editor, driven as a person drives it: steps from the palette, lines by the pointer, fields by typing."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from functools import cached_property
from typing import Any

from playwright.sync_api import Locator, Page, expect

from studio import strings
from tests.e2e.company import Company
from tests.e2e.sentences import comparison

# Where the middle of a line is on the screen, some frames later.
MIDDLE = """async (path) => {
  for (let frame = 0; frame < 6; frame++) await new Promise(requestAnimationFrame);
  const at = path.getPointAtLength(path.getTotalLength() / 2).matrixTransform(path.getScreenCTM());
  return [at.x, at.y];
}"""

Json = Any


class Board:
    """One flow, open in one browser."""

    def __init__(self, page: Page) -> None:
        self.page = page
        self.pane = page.locator(".ed-pane")

    @classmethod
    def new(cls, company: Company, who: str, name: str, **options: Any) -> Board:
        """Make a flow on the page of flows, and stand before its canvas."""
        page = company.page(who, "/flows", **options)
        page.get_by_role("button", name="New flow").first.click()
        page.get_by_label("Name").fill(name)
        page.get_by_role("button", name="Create").click()
        board = cls(page)
        board.ready()
        return board

    @classmethod
    def open(cls, company: Company, who: str, flow: str, **options: Any) -> Board:
        board = cls(company.page(who, f"/flows/{flow}", **options))
        board.ready()
        return board

    def ready(self) -> None:
        expect(self.page.locator(".ed-canvas, .ed-json").first).to_be_visible()

    @property
    def id(self) -> str:
        return self.page.url.rpartition("/flows/")[2].partition("?")[0].partition("#")[0]

    # What stands there

    def saved(self) -> None:
        """Everything that was done is on the server."""
        expect(self.page.locator(".ed-saved")).to_have_attribute("data-saving", "saved")

    def boot(self) -> dict[str, Json]:
        """The flow as the server has it, with its layout, its problems and its revision."""
        answer = self.page.request.get(f"/api/flows/{self.id}/editor")
        assert answer.ok, answer.text()
        return answer.json()

    def document(self) -> dict[str, Json]:
        return json.loads(self.boot()["text"])

    @cached_property
    def language(self) -> dict[str, Json]:
        """What the editor knows of the language: the inputs of every field."""
        return self.page.request.get("/api/language").json()

    # Canvas

    def card(self, id: str) -> Locator:
        return self.page.locator(f'.react-flow__node[data-id="{id}"]')

    def ran(self, id: str, state: str) -> None:
        """The step's card shows that state of the run."""
        expect(self.card(id).locator(".ed-card")).to_have_attribute("data-run", state)

    def line(self, id: str) -> Locator:
        return self.page.locator(f'.react-flow__edge[data-id="{id}"]')

    def calm(self) -> None:
        """Nothing is chosen: the pane, when it is open, shows the flow itself."""
        self.page.locator(".react-flow__pane").click(position={"x": 12, "y": 12})

    def clear(self) -> None:
        """Take every step away."""
        self.calm()
        self.page.keyboard.press("ControlOrMeta+a")
        self.page.keyboard.press("Delete")
        expect(self.page.locator(".react-flow__node-card")).to_have_count(0)

    def far(self) -> None:
        """Look from so far away that a dozen steps are in sight."""
        for _ in range(5):
            self.page.get_by_role("button", name="Zoom out").click()
        zoom = "() => new DOMMatrix(getComputedStyle(document.querySelector('.react-flow__viewport')).transform).a"
        expect(self.page.locator(".react-flow__viewport")).to_be_attached()
        last = 0.0
        while (now := self.page.evaluate(zoom)) != last:
            last = now
            self.page.wait_for_timeout(200)

    def drop(self, kind: str, x: float, y: float) -> str:
        """Drag a kind from the palette to a place of the canvas. Returns the new step's id."""
        before = set(self.ids())
        stage = self.page.locator(".ed-canvas")
        self.page.locator(f'.ed-palette-kind[data-kind="{kind}"]').drag_to(stage, target_position={"x": x, "y": y})
        expect(self.page.locator(".react-flow__node-card")).to_have_count(len(before) + 1)
        (id,) = set(self.ids()) - before
        return id

    def ids(self) -> list[str]:
        return self.page.locator(".react-flow__node-card").evaluate_all("all => all.map((each) => each.dataset.id)")

    def choose(self, id: str) -> None:
        """Press a step, so that its panel is open."""
        self.card(id).locator(".ed-card-head").click()
        expect(self.card(id)).to_have_class(re.compile("selected"))
        self.tab("Step")
        expect(self.pane.locator('[data-path$=".id"] input')).to_have_value(id)

    def rename(self, id: str, to: str) -> None:
        self.choose(id)
        name = self.pane.locator('[data-path$=".id"] input')
        name.fill(to)
        name.press("Enter")
        expect(self.card(to)).to_be_visible()

    def join(self, from_: str, to: str) -> None:
        """Draw a line from a step's right end to another step."""
        start = self._middle(self.card(from_).locator(".ed-port-out"))
        end = self._middle(self.card(to))
        self.page.mouse.move(*start)
        self.page.mouse.down()
        self.page.mouse.move(start[0] + 12, start[1] + 4, steps=3)
        self.page.mouse.move(*end, steps=8)
        self.page.mouse.up()

    def drag(self, id: str, by: tuple[float, float]) -> None:
        """Move a step by its head."""
        x, y = self._middle(self.card(id).locator(".ed-card-head"))
        self.page.mouse.move(x, y)
        self.page.mouse.down()
        self.page.mouse.move(x + by[0] / 2, y + by[1] / 2, steps=4)
        self.page.mouse.move(x + by[0], y + by[1], steps=4)
        self.page.mouse.up()

    def _middle(self, of: Locator) -> tuple[float, float]:
        box = of.bounding_box()
        assert box, of
        return box["x"] + box["width"] / 2, box["y"] + box["height"] / 2

    # Panels

    def tab(self, title: str) -> None:
        self.pane.get_by_role("tab", name=re.compile(rf"^{title}")).click()

    def field(self, path: str) -> Locator:
        return self.pane.locator(f'.ed-field[data-path="{path}"]')

    def pick(self, box: Locator, value: str) -> None:
        """Choose one of what a box offers; what it does not offer yet is made."""
        box.click()
        box.fill(value)
        known = self.page.locator(f'.ed-options [data-value="{value}"]')
        made = self.page.locator('.ed-options [data-value="+"]')
        expect(known.or_(made).first).to_be_visible()
        (known if known.count() else made).first.click()

    def add(self, words: str, inside: Locator | None = None) -> None:
        named = re.compile(rf"^{re.escape(words)}$", re.IGNORECASE)
        (inside or self.pane).get_by_role("button", name=named).last.click()

    def fill(self, at: str, field: Mapping[str, Json], value: Json) -> None:
        """Give the field at this path a value, by whatever input it has."""
        place = self.field(at)
        widget = field["widget"]
        if widget in ("line", "text", "prompt", "code", "number"):
            self.type(place.locator("textarea, input").first, str(value))
        elif widget in ("channel", "node", "route", "tool", "choice"):
            self.pick(place.get_by_role("combobox").first, str(value))
        elif widget == "switch":
            place.get_by_role("switch").set_checked(bool(value), force=True)
        elif widget == "object":
            if field.get("adds"):
                self.add(f"Add {field['label'].lower()}", place)
            self.fill_all(at, field["item"], value)
        elif widget == "list":
            self._fill_list(place, field, value)
        elif widget == "map":
            self._fill_map(at, place, field, value)
        elif widget == "fields":
            self._fill_fields(at, place, field, value)
        elif widget == "schema":
            self.add(f"Add {field['label'].lower()}", place)
            self._fill_shape(at, place, value)
        else:
            self.type(place.locator("textarea, input").first, value if isinstance(value, str) else json.dumps(value))

    def fill_all(self, at: str, fields: list[Mapping[str, Json]], value: Mapping[str, Json]) -> None:
        known = {field["key"]: field for field in fields}
        for key, each in value.items():
            self.fill(f"{at}.{key}" if at else key, known[key], each)

    def type(self, box: Locator, words: str) -> None:
        box.fill(words)
        box.blur()

    def _fill_list(self, place: Locator, field: Mapping[str, Json], value: list[Json]) -> None:
        for each in value:
            if field["of"]["widget"] == "channel":
                self.pick(place.get_by_role("combobox").last, each)
                expect(place.locator(".ed-chip", has_text=re.compile(rf"^{re.escape(each)}$"))).to_be_visible()
            else:
                box = place.locator("textarea, input").last
                box.fill(str(each))
                box.press("Enter")
                expect(box).to_have_value("")

    def _fill_map(self, at: str, place: Locator, field: Mapping[str, Json], value: Mapping[str, Json]) -> None:
        for name, each in value.items():
            count = place.locator(".ed-keybox").count()
            self.add(f"Add to {field['label']}", place)
            key = place.locator(".ed-keybox input").nth(count)
            key.fill(name)
            key.press("Enter")
            inside = self.pane.locator(f'[data-path="{at}.{name}"]')
            if field["of"]["widget"] == "object":
                self.fill_all(f"{at}.{name}", field["of"]["item"], each)
            else:
                self.type(inside.locator("textarea, input").first, each if isinstance(each, str) else json.dumps(each))

    def _fill_fields(self, at: str, place: Locator, field: Mapping[str, Json], value: Json) -> None:
        if isinstance(value, str):
            place.get_by_role("button", name="From a channel").click()
            self.type(place.locator("textarea").first, value)
            return
        raise AssertionError("Fields that are written out are not filled in by this.")

    def _fill_shape(self, at: str, place: Locator, value: Mapping[str, Json]) -> None:
        known = {field["key"]: field for field in self.language["schema"]}
        for name, inner in value.get("properties", {}).items():
            self.add("Add a property", place)
            rows = place.locator(".ed-rows > .ed-row")
            key = rows.last.locator(".ed-keybox input")
            key.fill(name)
            key.press("Enter")
            row = self.pane.locator(f'.ed-row[data-path="{at}.properties.{name}"]')
            expect(row).to_be_visible()
            if not row.locator(".ed-row-body").count():
                row.get_by_role("button", name=f"Details of {name}").click()
            if inner["type"] != "string":
                self.pick(row.locator(".ed-row-head").get_by_role("combobox"), inner["type"])
            row.get_by_role("switch", name="Must be there").set_checked(name in value.get("required", []), force=True)
            for word, each in inner.items():
                if word != "type":
                    self.fill(f"{at}.properties.{name}.{word}", known[word], each)

    def say(self, id: str, said: Mapping[str, Json]) -> None:
        """Fill in these of a step's fields, tab by tab. An object that is there already is filled in, not made."""
        self.choose(id)
        at = (self.pane.locator('[data-path$=".id"]').first.get_attribute("data-path") or "").rpartition(".")[0]
        kinds = {kind["type"]: kind for kind in self.language["kinds"]}
        node = next(node for node in self.document()["nodes"] if node["id"] == id)
        fields = [field for field in kinds[node.get("type", "handler")]["fields"] if field["key"] in said]
        for field in fields:
            self.tab(self._titles[field["tab"]])
            if field["widget"] == "object" and field["key"] in node:
                self.fill_all(f"{at}.{field['key']}", field["item"], said[field["key"]])
            else:
                self.fill(f"{at}.{field['key']}", field, said[field["key"]])

    def say_of_flow(self, said: Mapping[str, Json]) -> None:
        """Fill in these of the flow's own fields."""
        for field in self.language["flow"]:
            if field["key"] in said:
                self.flow(self._titles[field["tab"]])
                self.fill(field["key"], field, said[field["key"]])

    @property
    def _titles(self) -> dict[str, str]:
        """What a tab is called on the page."""
        said = "panel.tab."
        return {key[len(said) :]: words for key, words in strings.catalogue().items() if key.startswith(said)}

    # Channels, tools, the flow

    def flow(self, tab: str) -> None:
        """The flow's own settings."""
        settings = self.page.get_by_role("button", name="Settings of the flow")
        if settings.get_attribute("aria-pressed") != "true":
            settings.click()
        self.tab(tab)

    def _listed(self, name: str) -> Locator:
        named = self.page.locator(".ed-item-name", has_text=re.compile(rf"^{re.escape(name)}$"))
        return self.pane.locator(".ed-item", has=named)

    def channel(self, name: str, word: Mapping[str, Json]) -> None:
        """Declare a channel, or say more of one that a step has brought along."""
        self.flow("Channels")
        if self._listed(name).count():
            self._listed(name).click()
        else:
            self.add("Add a channel")
            box = self.pane.get_by_role("textbox", name="Name", exact=True)
            expect(box).to_have_value(re.compile("channel"))
            box.fill(name)
            box.press("Enter")
        expect(self.field(f"state.{name}.type")).to_be_visible()
        self.fill_all(f"state.{name}", self.language["channel"], word)

    def tool(self, name: str, word: Mapping[str, Json]) -> None:
        """Say what a tool does that a step has brought along."""
        self.flow("Tools")
        self._listed(name).click()
        at = (self.pane.locator('[data-path^="tools["]').first.get_attribute("data-path") or "").partition(".")[0]
        self.fill_all(at, self.language["tool"], word)

    # Edges

    def cut(self, way: str) -> None:
        """Press a line and remove it with the keyboard."""
        self.press(way)
        expect(self.line(way)).to_have_class(re.compile("selected"))
        self.page.keyboard.press("Delete")
        expect(self.line(way)).to_have_count(0)

    def press(self, way: str) -> None:
        """Press a line in its middle, once it stands still: what is drawn moves for a moment after it changed."""
        self.saved()
        path = self.line(way).locator("path").first
        at = path.evaluate(MIDDLE)
        while at != (at := path.evaluate(MIDDLE)):
            continue
        self.page.mouse.click(*at)

    def decide(self, from_: str, edge: Mapping[str, Json]) -> None:
        """Draw a decision: the way that takes the rest, then the others in the order in which they are tried."""
        routes, when = edge["routes"], edge["when"]
        rest = next(name for name, words in when.items() if words == "anything else")
        for name in (rest, *(each for each in when if each != rest)):
            self.join(from_, routes[name])
            if name != rest:
                expect(self.pane.get_by_role("region", name=f"Route {routes[name]}")).to_be_visible()
            self.saved()
        at = self.pane.locator('[data-path^="edges["]').first.get_attribute("data-path") or ""
        at = at.partition(".")[0]
        for name, words in when.items():
            self._rename_route(routes[name], name)
            if name != rest:
                self._condition(name, words)
            if name in edge.get("limits", {}):
                limit = edge["limits"][name]
                self.add("Add limit", self.route(name))
                place = f"{at}.limits.{name}"
                self.type(self.field(f"{place}.max").locator("input"), str(limit["max"]))
                self.pick(self.field(f"{place}.then").get_by_role("combobox"), limit["then"])
        self.type(self.field(f"{at}.router").locator("input"), edge["router"])

    def route(self, name: str) -> Locator:
        return self.pane.get_by_role("region", name=f"Route {name}", exact=True)

    def _rename_route(self, old: str, new: str) -> None:
        if old == new:
            return
        key = self.route(old).locator(".ed-keybox input").first
        key.fill(new)
        key.press("Enter")
        expect(self.route(new)).to_be_visible()

    def _condition(self, name: str, words: str) -> None:
        """Say in the builder what a regular sentence says."""
        read, test, value = comparison(words)
        place = self.route(name)
        self.type(place.get_by_role("combobox", name="What is read"), read)
        self.pick(place.get_by_role("combobox", name="How it is compared"), test)
        if value is not None:
            self.type(place.get_by_role("textbox", name="What it is compared with"), value)
