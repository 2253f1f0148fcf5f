"""The order desk's back office over HTTP: its customers, products and orders, and faults on demand."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import asdict
from typing import Any, Literal

from pydantic import BaseModel, ConfigDict, Field

from runtime.demo.ledger import Ledger, OrderRefused
from runtime.demo.web import JSON_TYPE, BadRequest, Exchange

Json = Any

ONE = re.compile(r"/office/(customers|products|orders)/([^/]+)")


class Fault(BaseModel):
    """What goes wrong with the next requests, instead of an answer.

    on: writes (POST), reads (GET) or any. at: before the order is placed, or after it. do: fail with the status, hang
    for ever, drop the line without a reply, or cut it in the middle of one. times: for how many requests; without it,
    until the faults are cleared.
    """

    model_config = ConfigDict(extra="forbid")

    on: Literal["write", "read", "any"] = "write"
    at: Literal["before", "after"] = "before"
    do: Literal["fail", "hang", "drop", "cut"] = "fail"
    status: int = Field(500, ge=400, le=599)
    retry_after: float | None = None
    times: int | None = Field(None, ge=1)


class OfficeSettings(BaseModel):
    """idempotent: a repeated Idempotency-Key gets the first order again, else every POST places one. slow: ms."""

    model_config = ConfigDict(extra="forbid")

    idempotent: bool = False
    slow: float = Field(0, ge=0)


class Office:
    def __init__(self, ledger: Ledger) -> None:
        self.ledger = ledger
        self.settings = OfficeSettings()  # pyright: ignore[reportCallIssue]
        self.faults: list[Fault] = []

    def reset(self) -> None:
        self.ledger.reset()
        self.settings = OfficeSettings()  # pyright: ignore[reportCallIssue]
        self.faults.clear()

    async def handle(self, exchange: Exchange) -> None:
        if self.settings.slow:
            await exchange.wait(self.settings.slow)
        if exchange.method in ("GET", "HEAD"):
            await self._read(exchange)
        elif exchange.method == "POST" and exchange.path == "/office/orders":
            await self._write(exchange)
        else:
            await _refuse(exchange, 405, "METHOD_NOT_ALLOWED", "The office does not take this method here.")

    async def _read(self, exchange: Exchange) -> None:
        fault = self._fault("read", "before") or self._fault("read", "after")
        if fault is not None:
            await _go_wrong(exchange, fault)
            return
        found = self._find(exchange)
        if found is None:
            await _refuse(exchange, 404, "NOT_FOUND", f"The office has nothing at {exchange.path}.")
        else:
            await exchange.reply(200, found)

    def _find(self, exchange: Exchange) -> Json:
        ledger, query = self.ledger, exchange.query
        if exchange.path == "/office/customers":
            return {"customers": ledger.find_customers(query.get("name", ""))}
        if exchange.path == "/office/products":
            return {"products": ledger.find_products(query.get("q", ""))}
        if exchange.path == "/office/orders":
            return {"orders": ledger.orders_of(query.get("customer"))}
        one = ONE.fullmatch(exchange.path)
        if one is None:
            return None
        kind, name = one.groups()
        if kind == "customers":
            return ledger.customers.get(name.upper())
        shelf: Mapping[int, Json] = ledger.products if kind == "products" else ledger.orders
        return shelf.get(int(name)) if name.isascii() and name.isdigit() and len(name) < 12 else None

    async def _write(self, exchange: Exchange) -> None:
        key = exchange.headers.get("idempotency-key")
        try:
            body = exchange.json()
        except BadRequest as refused:
            write = self.ledger.receive(key, exchange.body.decode("utf-8", "replace"))
            self.ledger.close(write, "refused 400")
            await _refuse(exchange, 400, "NOT_JSON", str(refused))
            return
        write = self.ledger.receive(key, body)
        fault = self._fault("write", "before")
        if fault is not None:
            self.ledger.close(write, f"{fault.do} before")
            await _go_wrong(exchange, fault)
            return
        first = self.ledger.placed_with(key) if self.settings.idempotent else None
        if first is not None and first.body != body:
            self.ledger.close(write, "refused 422")
            await _refuse(exchange, 422, "KEY_REUSED", "This Idempotency-Key was used for another order.")
            return
        if first is not None and first.order is not None:
            write.order = first.order
            self.ledger.close(write, "replayed")
            order, status, headers = self.ledger.orders[first.order], 200, [(b"idempotent-replayed", b"true")]
        else:
            try:
                order, status, headers = self.ledger.place(write), 201, []
            except OrderRefused as refused:
                self.ledger.close(write, "refused 422")
                await _refuse(exchange, 422, refused.code, str(refused), fields=refused.fields)
                return
        fault = self._fault("write", "after")
        if fault is not None:
            await _go_wrong(exchange, fault)
            return
        location = (b"location", f"/office/orders/{order['id']}".encode())
        await exchange.reply(status, order, [location, *headers])

    def _fault(self, on: str, at: str) -> Fault | None:
        for fault in self.faults:
            if fault.on in (on, "any") and fault.at == at:
                if fault.times is not None:
                    fault.times -= 1
                    if not fault.times:
                        self.faults.remove(fault)
                return fault
        return None

    def writes(self) -> Json:
        """Every write received, and how many orders each key placed: more than one is an order placed twice."""
        placed: dict[str, int] = {}
        for write in self.ledger.writes:
            if write.outcome == "placed":
                placed[write.key or ""] = placed.get(write.key or "", 0) + 1
        return {
            "writes": [asdict(write) for write in self.ledger.writes],
            "placed": sum(placed.values()),
            "placed_twice": {key: times for key, times in placed.items() if key and times > 1},
        }


async def _go_wrong(exchange: Exchange, fault: Fault) -> None:
    if fault.do == "hang":
        await exchange.wait(None)
    elif fault.do == "drop":
        await exchange.drop()
    elif fault.do == "cut":
        await exchange.start(200, [JSON_TYPE, (b"content-length", b"512")])
        await exchange.write(b'{"id": 1')
        await exchange.drop()
    else:
        headers = [] if fault.retry_after is None else [(b"retry-after", f"{fault.retry_after:g}".encode())]
        await _refuse(exchange, fault.status, "OFFICE_DOWN", "The back office has a fault.", headers=headers)


async def _refuse(
    exchange: Exchange,
    status: int,
    code: str,
    message: str,
    *,
    fields: Mapping[str, str] | None = None,
    headers: list[tuple[bytes, bytes]] | None = None,
) -> None:
    wrong: dict[str, Json] = {"code": code, "message": message}
    if fields:
        wrong["fields"] = fields
    await exchange.reply(status, {"error": wrong}, headers or [])
