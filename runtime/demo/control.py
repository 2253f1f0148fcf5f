"""What a test tells the scripted server, and asks it: /control/*, there only when it was started with --control."""

from __future__ import annotations

from dataclasses import asdict, fields
from typing import Any

from pydantic import ValidationError

from runtime.demo.chat import Model, Settings
from runtime.demo.office import Fault, Office, OfficeSettings
from runtime.demo.script import ScriptRefused
from runtime.demo.web import BadRequest, Exchange

Json = Any


class Control:
    def __init__(self, model: Model, office: Office) -> None:
        self.model = model
        self.office = office

    async def handle(self, exchange: Exchange) -> None:
        asked = f"{exchange.method} {exchange.path.removeprefix('/control')}"
        body = exchange.json() if exchange.method == "POST" else None
        try:
            reply = self._do(asked, body, exchange.query)
        except ScriptRefused as refused:
            raise BadRequest(str(refused)) from refused
        except ValidationError as error:
            first = error.errors()[0]
            raise BadRequest(f"{'.'.join(map(str, first['loc']))}: {first['msg']}") from error
        await exchange.reply(404 if reply is None else 200, reply)

    def _do(self, asked: str, body: Json, query: dict[str, str]) -> Json:
        model, office = self.model, self.office
        match asked:
            case "POST /reset":
                self._reset(body or {})
                return {}
            case "POST /rules":
                return {"added": model.book.add(body)}
            case "POST /behave":
                return {"added": model.book.add({**_record(body), "overlay": True})}
            case "POST /release":
                model.release()
                return {}
            case "GET /settings":
                return asdict(model.settings)
            case "POST /settings":
                return self._set(_record(body))
            case "GET /requests":
                since = query.get("since", "0")
                if not since.isdigit():
                    raise BadRequest("'since' is the number of a request.")
                return {"requests": model.asked_since(int(since))}
            case "GET /counters":
                return model.figures()
            case "POST /office/reset":
                office.reset()
                return {}
            case "POST /office/settings":
                office.settings = OfficeSettings.model_validate({**office.settings.model_dump(), **_record(body)})
                return office.settings.model_dump()
            case "POST /office/faults":
                office.faults = [Fault.model_validate(f) for f in (body if isinstance(body, list) else [body])]
                return {"faults": [fault.model_dump() for fault in office.faults]}
            case "GET /office/writes":
                return office.writes()
        return None

    def _reset(self, body: dict[str, Json]) -> None:
        self.model.reset()
        if body.get("scripts"):
            self.model.book.clear(files=True)
        if body.get("office", True):
            self.office.reset()

    def _set(self, body: dict[str, Json]) -> Json:
        known = {field.name: type(getattr(Settings(), field.name)) for field in fields(Settings)}
        for name, value in body.items():
            if name not in known:
                raise BadRequest(f"There is no setting {name!r}; there are {', '.join(known)}.")
            if name == "key":
                fits = value is None or isinstance(value, str)
            elif known[name] is float:
                fits = isinstance(value, int | float) and not isinstance(value, bool) and value >= 0
            else:
                fits = type(value) is known[name]
            if not fits:
                raise BadRequest(f"The setting {name!r} cannot be {value!r}.")
        for name, value in body.items():
            setattr(self.model.settings, name, value)
        return asdict(self.model.settings)


def _record(body: Json) -> dict[str, Json]:
    if not isinstance(body, dict):
        raise BadRequest("The body is a JSON object.")
    return body
