"""The back office's records: customers, products, orders, and every write it received; in a file when given one."""

from __future__ import annotations

import json
import time
from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass
from datetime import UTC, date, datetime
from pathlib import Path
from typing import IO, Any

Json = Any

CATALOGUE = Path(__file__).with_name("office.json")


class OrderRefused(Exception):
    """The office does not take this order. fields: what is wrong with each, by name."""

    def __init__(self, message: str, fields: Mapping[str, str], code: str = "ORDER_REFUSED") -> None:
        super().__init__(message)
        self.fields = dict(fields)
        self.code = code


@dataclass
class Write:
    """One POST that reached the office. at: Unix seconds. order: what it placed or repeated, if anything."""

    n: int
    at: float
    key: str | None
    body: Json
    order: int | None = None
    outcome: str = "received"


class Ledger:
    """Customers and products as the catalogue has them; orders and writes as they come.

    With a file, each order and each write is a line appended before anything is answered, and read back at the start:
    a restarted office, also one that was killed, has its orders.
    """

    def __init__(self, file: Path | None = None) -> None:
        catalogue = json.loads(CATALOGUE.read_text(encoding="utf-8"))
        self.currency: str = catalogue["currency"]
        self.customers: dict[str, Json] = {customer["id"]: customer for customer in catalogue["customers"]}
        self.products: dict[int, Json] = {product["id"]: product for product in catalogue["products"]}
        self._first_orders = catalogue["orders"]
        self.orders: dict[int, Json] = {}
        self.writes: list[Write] = []
        self._by_key: dict[str, Write] = {}
        self._path = file
        self._file: IO[str] | None = None
        self._begin()
        if file is not None:
            self._read(file)
            self._file = file.open("a", encoding="utf-8")

    def _begin(self) -> None:
        self.orders = {order["id"]: self._written_out(**order) for order in self._first_orders}
        self.writes.clear()
        self._by_key.clear()

    def _read(self, file: Path) -> None:
        if not file.exists():
            return
        kept = file.read_bytes()
        whole = kept[: kept.rfind(b"\n") + 1]
        if len(whole) < len(kept):
            file.write_bytes(whole)
        for line in whole.decode("utf-8").splitlines():
            entry = json.loads(line)
            if "order" in entry:
                self.orders[entry["order"]["id"]] = entry["order"]
            write = Write(**entry["write"])
            if write.n > len(self.writes):
                self.writes.append(write)
            else:
                self.writes[write.n - 1] = write
            self._remember(write)

    def _remember(self, write: Write) -> None:
        if write.key is not None and write.outcome == "placed":
            self._by_key.setdefault(write.key, write)

    def _keep(self, write: Write, order: Json = None) -> None:
        if self._file is None:
            return
        entry = {"write": asdict(write)} if order is None else {"write": asdict(write), "order": order}
        self._file.write(json.dumps(entry, ensure_ascii=False) + "\n")
        self._file.flush()

    def reset(self) -> None:
        """Back to the first orders, with nothing written; the file is emptied too."""
        self._begin()
        if self._file is not None:
            self._file.truncate(0)

    def _written_out(
        self,
        *,
        id: int,
        customerId: str,
        lines: Iterable[tuple[int, int]],
        deliverOn: str | None,
        placedAt: str,
        status: str,
        shipTo: str | None = None,
        note: str = "",
    ) -> Json:
        customer = self.customers[customerId]
        written = []
        for product_id, quantity in lines:
            product = self.products[product_id]
            cents = round(product["price"] * 100) * quantity
            written.append(
                {
                    "productId": product_id,
                    "product": product["name"],
                    "unit": product["unit"],
                    "quantity": quantity,
                    "unitPrice": product["price"],
                    "amount": cents / 100,
                }
            )
        return {
            "id": id,
            "customerId": customerId,
            "customer": customer["name"],
            "status": status,
            "placedAt": placedAt,
            "deliverOn": deliverOn,
            "lines": written,
            "total": round(sum(line["amount"] for line in written), 2),
            "currency": self.currency,
            "shipTo": customer["address"] if shipTo is None else shipTo,
            "note": note,
        }

    def find_customers(self, name: str) -> list[Json]:
        """Those whose id, name or city holds these words, in any case; all of them for no words."""
        wanted = name.strip().casefold()
        return [c for c in self.customers.values() if wanted in f"{c['id']}\n{c['name']}\n{c['city']}".casefold()]

    def find_products(self, words: str) -> list[Json]:
        """Those whose name or category holds every one of these words, in any case; a plural s does not count."""
        wanted = [word.removesuffix("s") for word in words.casefold().split()]
        return [
            product
            for product in self.products.values()
            if all(word in f"{product['name']} {product['category']}".casefold() for word in wanted)
        ]

    def orders_of(self, customer_id: str | None) -> list[Json]:
        """One customer's orders, or all, the newest first."""
        found = [o for o in self.orders.values() if customer_id is None or o["customerId"] == customer_id.upper()]
        return sorted(found, key=lambda order: order["id"], reverse=True)

    def receive(self, key: str | None, body: Json) -> Write:
        """Note a write before anything is decided about it."""
        write = Write(len(self.writes) + 1, time.time(), key, body)
        self.writes.append(write)
        self._keep(write)
        return write

    def close(self, write: Write, outcome: str) -> None:
        """Note what became of a write that placed nothing."""
        write.outcome = outcome
        self._keep(write)

    def placed_with(self, key: str | None) -> Write | None:
        """The write that placed an order under this key."""
        return None if key is None else self._by_key.get(key)

    def place(self, write: Write) -> Json:
        """Place the order and note both at once. Raises OrderRefused."""
        body = self._checked(write.body)
        order = self._written_out(
            id=max(self.orders) + 1,
            customerId=body["customerId"],
            lines=[(line["productId"], line["quantity"]) for line in body["lines"]],
            deliverOn=body.get("deliverOn") or None,
            placedAt=datetime.now(UTC).strftime("%Y-%m-%dT%H:%M:%SZ"),
            status="accepted",
            shipTo=body["shipTo"],
            note=body.get("note") or "",
        )
        write.order, write.outcome = order["id"], "placed"
        self._keep(write, order)
        self.orders[order["id"]] = order
        self._remember(write)
        return order

    def _checked(self, body: Json) -> Mapping[str, Json]:
        if not isinstance(body, Mapping):
            raise OrderRefused("An order is a JSON object.", {})
        wrong: dict[str, str] = {}
        customer = self.customers.get(body["customerId"]) if isinstance(body.get("customerId"), str) else None
        if customer is None:
            wrong["customerId"] = "There is no such customer."
        lines = body.get("lines")
        if not isinstance(lines, list) or not lines:
            wrong["lines"] = "An order needs at least one line."
        else:
            for at, line in enumerate(lines):
                wrong.update(self._wrong_line(f"lines.{at}", line))
        ship_to = body.get("shipTo")
        if not isinstance(ship_to, str) or not ship_to.strip():
            wrong["shipTo"] = "Say where to ship it."
        deliver_on = body.get("deliverOn")
        if deliver_on:
            wrong.update(_wrong_date("deliverOn", deliver_on))
        note = body.get("note")
        if note is not None and not isinstance(note, str):
            wrong["note"] = "A note is text."
        if wrong:
            raise OrderRefused(" ".join(wrong.values()), wrong)
        return body

    def _wrong_line(self, where: str, line: Json) -> dict[str, str]:
        if not isinstance(line, Mapping):
            return {where: "A line is a product and a quantity."}
        product_id, quantity = line.get("productId"), line.get("quantity")
        product = self.products.get(product_id) if type(product_id) is int else None
        if product is None:
            return {f"{where}.productId": "There is no such product."}
        if type(quantity) is not int or quantity < 1:
            return {f"{where}.quantity": "A quantity is a whole number, at least 1."}
        if quantity > product["largestOrder"]:
            most = product["largestOrder"]
            return {f"{where}.quantity": f"We can send at most {most} of {product['name']} in one order."}
        return {}


def _wrong_date(where: str, text: Json) -> dict[str, str]:
    try:
        day = date.fromisoformat(text)
    except (TypeError, ValueError):
        return {where: "A delivery date is written YYYY-MM-DD."}
    if day < datetime.now(UTC).date():
        return {where: "The delivery date has passed."}
    return {}
