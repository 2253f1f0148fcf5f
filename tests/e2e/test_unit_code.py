"""A step's code in its panel: written by hand or by the model, compared, and never replaced unseen."""

from __future__ import annotations

import json

from playwright.sync_api import expect

from runtime.processes import ROOT
from tests.e2e.company import Company
from tests.e2e.desk import DESK, Desk
from tests.e2e.looks import looks

WIDE = (1440, 1024)


def test_code_is_edited_by_hand_and_never_replaced_unseen(company: Company) -> None:
    shown = company.deploy("order-desk")
    page = company.page("builder", f"/flows/{shown['flow']}", reduced_motion="reduce")
    pane = page.locator(".ed-pane")
    page.locator('.react-flow__node[data-id="take_customer"]').dispatch_event("click")
    unit = pane.locator('[data-unit="handler:takeCustomer"]')
    modal = page.locator(".ed-modal")
    before = page.request.get(f"/api/flows/{shown['flow']}/units/handler/takeCustomer").json()["unit"]["code"]
    unit.get_by_role("button", name="Edit").click()
    expect(modal.locator(".cm-content")).to_be_focused()
    page.keyboard.press("Control+End")
    page.keyboard.type("# By hand.\n")
    expect(modal.get_by_text("Not saved yet")).to_be_visible()
    looks(page, "panel-code", widths=WIDE, but=".react-flow")
    # Leaving is asked about, and what was typed is there again.
    page.keyboard.press("Escape")
    modal.get_by_role("button", name="Go on editing").click()
    modal.get_by_role("button", name="Save", exact=True).click()
    expect(modal.get_by_text("The code is saved.")).to_be_visible()
    modal.get_by_role("button", name="Close").last.click()
    expect(unit).to_contain_text("edited by hand")
    # The model writes again: what is there is shown beside it, and stays until somebody says otherwise.
    unit.get_by_role("button", name="Write over it").click()
    expect(modal.locator(".cm-mergeView")).to_be_visible()
    expect(modal.locator(".cm-merge-a")).to_contain_text("# By hand.")
    looks(page, "panel-compare", widths=WIDE, but=".react-flow")
    modal.get_by_role("button", name="Keep what is there").click()
    code = page.request.get(f"/api/flows/{shown['flow']}/units/handler/takeCustomer").json()["unit"]["code"]
    assert code == before + "# By hand.\n"
    unit.get_by_role("button", name="Write over it").click()
    modal.get_by_role("button", name="Replace the code written by hand").click()
    expect(unit).to_contain_text("Written by the model")
    after = page.request.get(f"/api/flows/{shown['flow']}/units/handler/takeCustomer").json()["unit"]
    assert (after["origin"], "# By hand." in after["code"]) == ("generated", False)


CRM = """\
class Crm:
    async def find(self, name):
        return []

def crm(*, services, settings, env):
    return Crm()
"""


# LG-contract-08
def test_code_that_may_not_run_says_why_and_a_services_stands_below_its_words(company: Company) -> None:
    service = "The customer system. It offers find(name), which GETs `/people` and gives what is in 'people'."
    desk = Desk(company, {**DESK, "requires": {**DESK.get("requires", {}), "services": {"crm": service}}})
    pane = desk.choose("sort_them")
    unit = pane.locator('[data-unit="handler:sortThem"]')
    expect(unit).to_contain_text("not written")
    unit.get_by_role("button", name="Edit").click()
    modal = desk.page.locator(".ed-modal")
    expect(modal.locator(".cm-content")).to_be_focused()
    desk.page.keyboard.type("import os\n")
    desk.page.keyboard.press("Control+s")
    expect(modal.locator(".dialog-foot")).to_contain_text("os")
    modal.get_by_role("button", name="Close").last.click()
    expect(unit).to_contain_text("refused")
    desk.nothing()
    desk.tab("Needs")
    unit = pane.locator('[data-unit="service:crm"]')
    expect(unit).to_contain_text("not written")
    unit.get_by_role("button", name="Edit").click()
    expect(modal).to_contain_text("It offers find(name)")
    expect(modal.locator(".cm-content")).to_be_focused()
    desk.page.keyboard.insert_text(CRM)
    looks(desk.page, "panel-service-code", widths=WIDE, but=".react-flow")
    desk.page.keyboard.press("Control+s")
    expect(modal.get_by_text("The code is saved.")).to_be_visible()
    modal.get_by_role("button", name="Close").last.click()
    expect(unit).to_contain_text("def crm(*, services, settings, env)")
    looks(desk.page, "panel-service", widths=WIDE, but=".react-flow")
    # The list of the flow's code names it among the rest.
    desk.page.locator(".ed-problems").click()
    expect(desk.page.locator('[data-flow-units=""]')).to_contain_text("Service")


def test_missing_code_is_written_by_the_model(company: Company) -> None:
    text = (ROOT / "flows/examples/order-desk/flow.json").read_text(encoding="utf-8")
    desk = Desk(company, json.loads(text))
    pane = desk.choose("pick_customer")
    unit = pane.locator('[data-unit="handler:pickCustomer"]')
    expect(unit).to_contain_text("not written")
    unit.get_by_role("button", name="Write it").click()
    expect(unit).to_contain_text("Written by the model from the description.")
    expect(unit).to_contain_text("async def pickCustomer")
    expect(unit).to_contain_text("current")
    # Once its words change, the code is out of date and says so.
    pane.get_by_label("Description", exact=True).press("End")
    pane.get_by_label("Description", exact=True).press_sequentially(" Always.")
    expect(unit).to_contain_text("out of date")
