"""The order desk's code does what its descriptions say, against the real office over HTTP."""

from __future__ import annotations

import pytest

from flows.words.form import check_values, from_json_schema, prefilled
from runtime.demo.testing import Scripted
from tests.examples.conftest import Run

DESK = "order-desk"
TEA = {
    "id": 107,
    "name": "Breakfast tea",
    "unit": "box of 80 bags",
    "category": "Drinks",
    "price": 6.2,
    "largestOrder": 400,
}
OIL = {
    "id": 112,
    "name": "Extra virgin olive oil",
    "unit": "can of 3 l",
    "category": "Pantry",
    "price": 34.0,
    "largestOrder": 90,
}
ICE = {"id": 7, "name": "Iced tea", "unit": "can", "category": "Drinks", "price": 1.01, "largestOrder": 9000}
CUSTOMER = {
    "id": "MERID",
    "name": "Meridian Foods",
    "address": "Waalhaven 212",
    "terms": "30 days",
    "since": "2019-03-11",
}


async def test_customers_are_found_by_id_name_or_a_part(run: Run) -> None:
    assert [one["id"] for one in await run(DESK, "findCustomers", {"wanted": "nord"})] == ["NORDH", "NORDL"]
    assert [one["id"] for one in await run(DESK, "findCustomers", {"wanted": " nordh "})] == ["NORDH"]
    assert [one["id"] for one in await run(DESK, "findCustomers", {"wanted": "MERIDIAN foods"})] == ["MERID"]
    assert await run(DESK, "findCustomers", {"wanted": "Atlantis & Co?"}) == []


async def test_orders_are_read_as_rows(run: Run) -> None:
    orders = await run(DESK, "listOrders", {"customerId": "MERID"})
    assert orders[0] == {
        "order": 10410, "placed": "2026-11-19", "items": "24 × Heather honey, 36 × Breakfast tea",
        "total": "448.80 EUR", "status": "on its way",
    }  # fmt: skip
    assert await run(DESK, "listOrders", {"customerId": "TIDEM"}) == []


@pytest.mark.parametrize(
    ("tool", "args"),
    [("findCustomers", {"wanted": "x"}), ("listOrders", {"customerId": "MERID"}), ("listProducts", {})],
)
async def test_an_office_that_is_down_fails_the_tool(run: Run, demo: Scripted, tool: str, args: dict) -> None:
    demo.faults({"on": "read", "status": 503})
    with pytest.raises(RuntimeError, match="503"):
        await run(DESK, tool, args)


async def test_an_order_is_placed_refused_or_fails(run: Run, demo: Scripted) -> None:
    args = {"customerId": "MERID", "productId": 107.0, "quantity": 12, "shipTo": "Quay 1", "deliverOn": "", "note": ""}
    placed = await run(DESK, "placeOrder", args)
    assert (placed["refused"], placed["order"]["total"], placed["order"]["deliverOn"]) == ("", 74.4, None)
    assert demo.writes()["writes"][0]["body"]["lines"] == [{"productId": 107, "quantity": 12}]
    refused = await run(DESK, "placeOrder", {**args, "quantity": 4000})
    assert refused == {"order": None, "refused": "We can send at most 400 of Breakfast tea in one order."}
    demo.faults({"at": "before"})
    with pytest.raises(RuntimeError, match="500"):
        await run(DESK, "placeOrder", args)
    assert demo.writes()["placed"] == 1


@pytest.mark.parametrize(
    ("named", "known", "wanted"),
    [
        ({"customer": " Meridian "}, {}, "Meridian"),
        ({"customer": ""}, CUSTOMER, "MERID"),
        ({}, CUSTOMER, "MERID"),
        ({"customer": None}, {}, ""),
        ({"customer": "Nordhavn"}, CUSTOMER, "Nordhavn"),
    ],
)
async def test_whom_it_looks_for(run: Run, named: dict, known: dict, wanted: str) -> None:
    assert await run(DESK, "pickCustomer", {"request": named, "customer": known}) == {"wanted": wanted}


async def test_one_customer_is_taken_several_are_shown(run: Run) -> None:
    other = {"id": "NORDL", "name": "Nordlicht", "city": "Hamburg"}
    assert await run(DESK, "takeCustomer", {"found": [other]}) == {"customer": other, "choices": ""}
    assert await run(DESK, "takeCustomer", {"found": []}) == {"customer": {}, "choices": ""}
    several = await run(DESK, "takeCustomer", {"found": [other, {**other, "id": "NORDH"}] * 8})
    assert several["customer"] == {}
    assert several["choices"].splitlines()[:3] == [
        "| Id | Name | City |", "| --- | --- | --- |", "| NORDL | Nordlicht | Hamburg |",
    ]  # fmt: skip
    assert len(several["choices"].splitlines()) == 12


@pytest.mark.parametrize(
    ("request_", "customer", "details", "missing"),
    [
        ({"product": "olive oils", "quantity": 5}, CUSTOMER, ("Extra virgin olive oil", 5), []),
        ({"product": "Tea", "quantity": 5}, CUSTOMER, ("", 5), ["product"]),
        ({"product": "iced TEA", "quantity": 5.0}, CUSTOMER, ("Iced tea", 5), []),
        ({"product": "moon dust", "quantity": 5}, CUSTOMER, ("", 5), ["product"]),
        ({"product": "olive oil"}, CUSTOMER, ("Extra virgin olive oil", None), ["quantity"]),
        ({"product": "olive oil", "quantity": 91}, CUSTOMER, ("Extra virgin olive oil", None), ["quantity"]),
        ({"product": "olive oil", "quantity": 2.5}, CUSTOMER, ("Extra virgin olive oil", None), ["quantity"]),
        ({"product": "", "quantity": 0}, {**CUSTOMER, "address": ""}, ("", None), ["product", "quantity", "shipTo"]),
        ({}, {"id": "X", "name": "X"}, ("", None), ["product", "quantity", "shipTo"]),
    ],
)
async def test_what_is_missing_is_asked_for_and_what_is_known_is_filled_in(
    run: Run, request_: dict, customer: dict, details: tuple, missing: list
) -> None:
    # LG-forms-21, LG-tools-12
    made = await run(DESK, "prepareOrder", {"request": request_, "customer": customer, "products": [TEA, OIL, ICE]})
    assert (made["details"]["product"], made["details"]["quantity"]) == details
    assert made["missing"] == missing
    fields = from_json_schema(made["order_form"])
    known = prefilled(fields, {})
    assert known == {key: value for key, value in made["details"].items() if value}
    assert sorted(check_values(fields, known)[1]) == sorted(missing)
    completed = {**known, "product": "Iced tea", "quantity": "3", "shipTo": "Here", "deliverOn": "2026-12-24"}
    assert check_values(fields, completed)[1] == {}


async def test_the_form_says_what_does_not_fit(run: Run) -> None:
    async def form(**request: object) -> dict:
        state = {"request": request, "customer": CUSTOMER, "products": [TEA, OIL, ICE]}
        return (await run(DESK, "prepareOrder", state))["order_form"]

    assert (await form(product="moon dust"))["product"]["description"].startswith('We do not sell "moon dust"')
    assert (await form(product="tea"))["product"]["options"] == ["Breakfast tea", "Iced tea"]
    assert (await form(product="olive oil", quantity=500))["quantity"]["description"] == "At most 90 in one order."
    assert (await form(deliverOn="2026-12-24"))["deliverOn"]["default"] == "2026-12-24"
    assert "default" not in (await form(deliverOn="next week"))["deliverOn"]


async def test_the_figures(run: Run) -> None:
    details = {"product": "Iced tea", "quantity": 1003.0, "shipTo": "Quay 1"}
    made = await run(DESK, "priceOrder", {"details": details, "customer": CUSTOMER, "products": [TEA, OIL, ICE]})
    assert made == {
        "problem": "", "product_id": 7, "customer_name": "Meridian Foods (MERID)", "product": "Iced tea, can",
        "quantity": 1003, "unit_price": "1.01 EUR", "total": "1,013.03 EUR", "ship_to": "Quay 1", "deliver_on": "",
        "note": "",
        "account": [
            "Meridian Foods has been a customer since 2019-03-11 and pays: 30 days.",
            "Iced tea costs 1.01 EUR for a can; 1003 of them come to 1,013.03 EUR.",
        ],
    }  # fmt: skip


@pytest.mark.parametrize(
    ("change", "problem"),
    [
        ({"product": "Moon dust"}, 'We do not sell "Moon dust".'),
        ({"quantity": 2.5}, "A quantity is a whole number of at least 1."),
        ({"quantity": 0}, "A quantity is a whole number of at least 1."),
        ({"quantity": None}, "A quantity is a whole number of at least 1."),
        ({"quantity": 91}, "We can send at most 90 of Extra virgin olive oil in one order."),
    ],
)
async def test_what_cannot_be_ordered_is_not_priced(run: Run, change: dict, problem: str) -> None:
    details = {"product": "Extra virgin olive oil", "quantity": 5, "shipTo": "Here", **change}
    made = await run(DESK, "priceOrder", {"details": details, "customer": CUSTOMER, "products": [TEA, OIL]})
    assert made == {"problem": problem}
