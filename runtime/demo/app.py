"""The ASGI application: the scripted model, the back office and, when wanted, their control."""

from __future__ import annotations

import asyncio

from runtime.demo import wire
from runtime.demo.chat import Model
from runtime.demo.control import Control
from runtime.demo.office import Office
from runtime.demo.web import BadRequest, Exchange, HungUp, Receive, Scope, Send


class App:
    def __init__(self, model: Model, office: Office, control: Control | None) -> None:
        self.model = model
        self.office = office
        self.control = control

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        exchange = Exchange(scope, receive, send)
        try:
            await exchange.read()
            await self._answer(exchange)
        except BadRequest as refused:
            await exchange.reply(400, wire.error(str(refused), "invalid_request_error"))
        except HungUp:
            # Nobody is left to answer; one turn of the loop lets the server see it too.
            await asyncio.sleep(0)
        finally:
            exchange.close()

    async def _answer(self, exchange: Exchange) -> None:
        path = exchange.path
        if path.startswith("/v1/"):
            await self.model.handle(exchange)
        elif path.startswith("/office/"):
            await self.office.handle(exchange)
        elif path.startswith("/control/") and self.control is not None:
            await self.control.handle(exchange)
        elif path in ("/", "/health"):
            await exchange.reply(200, {"server": "scripted model", "model": wire.MODEL})
        else:
            await exchange.reply(404, wire.error(f"There is nothing at {path}.", "invalid_request_error"))
