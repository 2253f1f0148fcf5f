"""The order desk's back office, over real HTTP: what it answers, refuses, repeats and loses."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path

import httpx
import pytest

from runtime.demo.testing import Scripted, scripted

TOMORROW = (datetime.now(UTC) + timedelta(days=1)).date().isoformat()
ORDER = {
    "customerId": "MERID",
    "lines": [{"productId": 101, "quantity": 12}],
    "shipTo": "Waalhaven 212, Rotterdam",
    "deliverOn": TOMORROW,
    "note": "Ring first",
}


@pytest.fixture
def office(demo: Scripted) -> Iterator[httpx.Client]:
    with httpx.Client(base_url=f"{demo.office_url}/", timeout=10) as client:
        yield client


def test_customers(office: httpx.Client) -> None:
    assert len(office.get("customers").json()["customers"]) == 12
    found = office.get("customers", params={"name": "nord"}).json()["customers"]
    assert [customer["id"] for customer in found] == ["NORDH", "NORDL"]
    assert office.get("customers", params={"name": "rotterdam"}).json()["customers"][0]["name"] == "Meridian Foods"
    assert office.get("customers", params={"name": "atlantis"}).json() == {"customers": []}
    assert office.get("customers/merid").json()["city"] == "Rotterdam"
    missing = office.get("customers/NOONE")
    assert (missing.status_code, missing.json()["error"]["code"]) == (404, "NOT_FOUND")


def test_products(office: httpx.Client) -> None:
    assert len(office.get("products").json()["products"]) == 20
    assert [p["id"] for p in office.get("products", params={"q": "Olive oils"}).json()["products"]] == [112]
    assert len(office.get("products", params={"q": "chilled"}).json()["products"]) == 3
    assert office.get("products/108").json()["price"] == 18.9


def test_orders_of_a_customer_come_newest_first(office: httpx.Client) -> None:
    orders = office.get("orders", params={"customer": "MERID"}).json()["orders"]
    assert [order["id"] for order in orders] == [10410, 10405, 10401]
    assert orders[0]["lines"][0] == {
        "productId": 101, "product": "Heather honey", "unit": "jar of 500 g",
        "quantity": 24, "unitPrice": 9.4, "amount": 225.6,
    }  # fmt: skip
    assert office.get("orders/10410").json() == orders[0]
    assert office.get("orders", params={"customer": "TIDEM"}).json() == {"orders": []}


def test_an_order_is_placed(office: httpx.Client, demo: Scripted) -> None:
    reply = office.post("orders", json=ORDER, headers={"Idempotency-Key": "k-1"})
    assert reply.status_code == 201
    order = reply.json()
    assert reply.headers["location"] == f"/office/orders/{order['id']}"
    assert (order["customer"], order["total"], order["status"]) == ("Meridian Foods", 112.8, "accepted")
    assert office.get(f"orders/{order['id']}").json() == order
    kept = demo.writes()
    assert (kept["placed"], kept["placed_twice"]) == (1, {})
    (write,) = kept["writes"]
    assert (write["key"], write["body"], write["order"], write["outcome"]) == ("k-1", ORDER, order["id"], "placed")


@pytest.mark.parametrize(
    ("change", "field"),
    [
        ({"customerId": "NOONE"}, "customerId"),
        ({"customerId": ["MERID"]}, "customerId"),
        ({"lines": []}, "lines"),
        ({"lines": ["x"]}, "lines.0"),
        ({"lines": [{"productId": 1, "quantity": 1}]}, "lines.0.productId"),
        ({"lines": [{"productId": 101, "quantity": 0}]}, "lines.0.quantity"),
        ({"lines": [{"productId": 101, "quantity": 1.5}]}, "lines.0.quantity"),
        ({"lines": [{"productId": 101, "quantity": True}]}, "lines.0.quantity"),
        ({"lines": [{"productId": 101, "quantity": 241}]}, "lines.0.quantity"),
        ({"shipTo": " "}, "shipTo"),
        ({"deliverOn": "soon"}, "deliverOn"),
        ({"deliverOn": "2020-01-01"}, "deliverOn"),
        ({"note": 5}, "note"),
    ],
)
def test_a_wrong_order_is_refused_field_by_field(
    office: httpx.Client, demo: Scripted, change: dict, field: str
) -> None:
    reply = office.post("orders", json={**ORDER, **change})
    assert reply.status_code == 422
    assert list(reply.json()["error"]["fields"]) == [field]
    assert demo.writes()["placed"] == 0
    assert demo.writes()["writes"][0]["outcome"] == "refused 422"


@pytest.mark.parametrize("body", ["[]", "null", "{nope", '"x"'])
def test_what_is_no_order_is_refused(office: httpx.Client, body: str) -> None:
    assert office.post("orders", content=body).status_code in (400, 422)


def test_other_methods_are_refused(office: httpx.Client) -> None:
    assert office.delete("orders/10401").status_code == 405
    assert office.post("customers", json={}).status_code == 405


def test_without_idempotence_a_repeated_key_places_again(office: httpx.Client, demo: Scripted) -> None:
    for _ in range(2):
        assert office.post("orders", json=ORDER, headers={"Idempotency-Key": "k-1"}).status_code == 201
    assert demo.writes()["placed_twice"] == {"k-1": 2}


def test_with_idempotence_a_repeated_key_gets_the_first_order(office: httpx.Client, demo: Scripted) -> None:
    demo.office(idempotent=True)
    first = office.post("orders", json=ORDER, headers={"Idempotency-Key": "k-1"})
    again = office.post("orders", json=ORDER, headers={"Idempotency-Key": "k-1"})
    assert (again.status_code, again.json()) == (200, first.json())
    assert again.headers["idempotent-replayed"] == "true"
    other = office.post("orders", json={**ORDER, "note": ""}, headers={"Idempotency-Key": "k-1"})
    assert (other.status_code, other.json()["error"]["code"]) == (422, "KEY_REUSED")
    kept = demo.writes()
    assert kept["placed"] == 1
    assert [write["outcome"] for write in kept["writes"]] == ["placed", "replayed", "refused 422"]
    assert office.post("orders", json=ORDER).json()["id"] > first.json()["id"]


@pytest.mark.parametrize(("at", "placed"), [("before", 0), ("after", 1)])
def test_faults(office: httpx.Client, demo: Scripted, at: str, placed: int) -> None:
    demo.faults({"at": at, "do": "fail", "status": 503, "retry_after": 2, "times": 1})
    reply = office.post("orders", json=ORDER)
    assert (reply.status_code, reply.headers["retry-after"]) == (503, "2")
    assert demo.writes()["placed"] == placed
    demo.faults({"at": at, "do": "drop"}, {"on": "read", "status": 500})
    with pytest.raises(httpx.RemoteProtocolError):
        office.post("orders", json=ORDER)
    demo.faults({"at": at, "do": "cut"})
    with pytest.raises(httpx.RemoteProtocolError):
        office.post("orders", json=ORDER)
    demo.faults({"at": at, "do": "hang"})
    with pytest.raises(httpx.ReadTimeout):
        office.post("orders", json=ORDER, timeout=0.3)
    assert demo.writes()["placed"] == 4 * placed
    demo.faults()
    assert office.post("orders", json=ORDER).status_code == 201


def test_reads_fail_too_and_the_office_can_be_slow(office: httpx.Client, demo: Scripted) -> None:
    demo.faults({"on": "any", "times": 1})
    assert office.get("customers").status_code == 500
    assert office.get("customers").status_code == 200
    demo.office(slow=60_000)
    with pytest.raises(httpx.ReadTimeout):
        office.get("customers", timeout=0.3)


@pytest.mark.parametrize("kill", [False, True])
def test_orders_and_writes_survive_a_restart(tmp_path: Path, kill: bool) -> None:
    with scripted(office_file=tmp_path / "office.jsonl") as server:
        server.office(idempotent=True)
        first = httpx.post(f"{server.office_url}/orders", json=ORDER, headers={"Idempotency-Key": "k-1"}).json()
        port, before = server.port, server.writes()
        if kill:
            server.kill()
            server.start()
        else:
            server.restart()
        assert server.port == port
        assert server.writes() == before
        assert httpx.get(f"{server.office_url}/orders/{first['id']}").json() == first
        server.office(idempotent=True)
        again = httpx.post(f"{server.office_url}/orders", json=ORDER, headers={"Idempotency-Key": "k-1"})
        assert again.json() == first
        server.reset()
        assert httpx.get(f"{server.office_url}/orders/{first['id']}").status_code == 404
        server.restart()
        assert server.writes()["writes"] == []


def test_a_half_written_line_is_left_out(tmp_path: Path) -> None:
    file = tmp_path / "office.jsonl"
    with scripted(office_file=file) as server:
        order = httpx.post(f"{server.office_url}/orders", json=ORDER).json()
        server.kill()
        with file.open("a", encoding="utf-8") as kept:
            kept.write('{"write": {"n": 2, "at"')
        server.start()
        assert httpx.get(f"{server.office_url}/orders/{order['id']}").status_code == 200
        assert httpx.post(f"{server.office_url}/orders", json=ORDER).json()["id"] == order["id"] + 1
        server.restart()
        assert server.writes()["placed"] == 2
