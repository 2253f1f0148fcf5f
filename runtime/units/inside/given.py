"""What a unit is given beside its state: services, settings and env. All of it asks the worker; nothing acts here."""

import base64
import json
from collections.abc import Awaitable, Callable, Mapping
from typing import Any

LARGEST_SAVED = 7_000_000
"""In base64: no more goes through to the worker at once."""
Ask = Callable[[str, dict], Awaitable[Any]]
"""Send a service request to the worker and wait for its reply; raises ServiceError with the worker's sentence."""


class ServiceError(Exception):
    """A service could not do what it was asked to. The message is a sentence; code may catch it."""


class Handle:
    """A secret by name. As text it is a mark that the worker replaces outside, towards allowed hosts only."""

    __slots__ = ("_mark", "name")

    def __init__(self, name: str, mark: str) -> None:
        self.name = name
        self._mark = mark

    def __str__(self) -> str:
        return self._mark

    __repr__ = __str__

    def __format__(self, spec: str) -> str:
        return self._mark

    def __add__(self, other: object) -> str:
        return self._mark + str(other)

    def __radd__(self, other: object) -> str:
        return str(other) + self._mark


class Env:
    """env.NAME for each name of requires.env."""

    def __init__(self, marks: dict[str, str]) -> None:
        self.__dict__.update({name: Handle(name, mark) for name, mark in marks.items()})

    def __getattr__(self, name: str) -> Handle:
        raise AttributeError(f"env.{name} is not declared: list it in requires.env")

    def __getitem__(self, name: str) -> Handle:
        return getattr(self, name)

    def get(self, name: str, default: object = None) -> object:
        return self.__dict__.get(name, default)


class Settings(Mapping):
    """settings.NAME, or settings["NAME"], for each name of requires.settings."""

    def __init__(self, values: dict[str, object]) -> None:
        self.__dict__.update(values)

    def __getattr__(self, name: str) -> object:
        raise AttributeError(f"settings.{name} is not declared: describe it in requires.settings")

    def __getitem__(self, name: str) -> object:
        return self.__dict__[name]

    def __iter__(self):
        return iter(self.__dict__)

    def __len__(self) -> int:
        return len(self.__dict__)


class Headers(dict):
    """Response headers; names in any case."""

    def __init__(self, pairs: dict[str, str]) -> None:
        super().__init__({name.lower(): value for name, value in pairs.items()})

    def __getitem__(self, name: str) -> str:
        return super().__getitem__(name.lower())

    def __contains__(self, name: object) -> bool:
        return super().__contains__(str(name).lower())

    def get(self, name: str, default: object = None) -> object:
        return super().get(name.lower(), default)


class Response:
    """What came back: status, headers, text, content (bytes), ok (status below 400), json()."""

    def __init__(self, reply: dict) -> None:
        self.status = self.status_code = reply["status"]
        self.headers = Headers(reply.get("headers") or {})
        self._base64 = reply.get("base64")
        self.text = reply.get("text") if self._base64 is None else self.content.decode("utf-8", "replace")

    @property
    def ok(self) -> bool:
        return self.status < 400

    @property
    def content(self) -> bytes:
        return base64.b64decode(self._base64) if self._base64 is not None else (self.text or "").encode()

    def json(self) -> object:
        """Raises ServiceError when the answer is not JSON."""
        try:
            return json.loads(self.text or "")
        except ValueError:
            start = " ".join((self.text or "").split())[:80]
            raise ServiceError(f'The answer (status {self.status}) is not JSON; it begins with "{start}".') from None


class Http:
    """services.http: the guarded client outside. Requests go where the deployment's rules let them."""

    def __init__(self, ask: Ask) -> None:
        self._ask = ask

    async def request(
        self,
        method: str,
        url: object,
        *,
        params: dict | None = None,
        headers: dict | None = None,
        json: object = None,
        text: str | None = None,
        form: dict | None = None,
        auth: tuple | None = None,
        timeout: float | None = None,  # noqa: ASYNC109 - enforced by the client outside
    ) -> Response:
        """json, text or form is the body; auth is (user, password); timeout is in seconds."""
        parts = {
            "method": str(method).upper(),
            "url": str(url),
            "params": _texts(params),
            "headers": _texts(headers),
            "json": _plain(json),
            "text": None if text is None else str(text),
            "form": _texts(form),
            "auth": None if auth is None else [str(part) for part in auth],
            "timeout": timeout,
        }
        reply = await self._ask("http.request", {name: value for name, value in parts.items() if value is not None})
        return Response(reply)

    async def get(self, url: object, **more) -> Response:
        return await self.request("GET", url, **more)

    async def head(self, url: object, **more) -> Response:
        return await self.request("HEAD", url, **more)

    async def post(self, url: object, **more) -> Response:
        return await self.request("POST", url, **more)

    async def put(self, url: object, **more) -> Response:
        return await self.request("PUT", url, **more)

    async def patch(self, url: object, **more) -> Response:
        return await self.request("PATCH", url, **more)

    async def delete(self, url: object, **more) -> Response:
        return await self.request("DELETE", url, **more)


class Files:
    """services.files: a file channel's bytes, and new files. A reference is {id, name, mediaType, url, bytes}."""

    def __init__(self, ask: Ask) -> None:
        self._ask = ask

    async def base64(self, ref: dict) -> str:
        return await self._ask("files.read", {"id": ref["id"]})

    async def read(self, ref: dict) -> bytes:
        return base64.b64decode(await self.base64(ref))

    async def save(self, file: dict | None = None, **parts) -> dict:
        """name, mediaType, and data: bytes, base64 text or a data: URL. Gives the reference to write to a channel."""
        file = {**(file or {}), **parts}
        body = file["data"]
        if isinstance(body, bytes | bytearray):
            body = base64.b64encode(body).decode()
        elif body.startswith("data:"):
            body = body.partition(",")[2]
        if len(body) > LARGEST_SAVED:
            raise ServiceError("A step may save files of at most 5 MB.")
        return await self._ask("files.save", {"name": file["name"], "mediaType": file["mediaType"], "base64": body})


class Services:
    """services.http, services.files and services.sign, and the flow's own services, each made when it is first read."""

    def __init__(self, ask: Ask, make: Callable[[str], object] | None = None) -> None:
        """make(name): a new service of the flow's own, or None where the flow has no such code."""
        self._ask = ask
        self._make = make
        self._making: list[str] = []
        self.http = Http(ask)
        self.files = Files(ask)

    def __getattr__(self, name: str) -> object:
        if name in self._making:
            way = ", which needs ".join(f"services.{one}" for one in [*self._making, name])
            raise ServiceError(f"The services need each other: {way}.")
        made = None
        if self._make is not None and not name.startswith("_"):
            self._making.append(name)
            try:
                made = self._make(name)
            finally:
                self._making.pop()
        if made is None:
            raise AttributeError(
                f"services.{name} is not there: code has services.http, services.files, services.sign and what the "
                "flow describes in requires.services"
            )
        self.__dict__[name] = made
        return made

    async def sign(self, key: Handle, body: bytes | str, encoding: str = "hex") -> str:
        """HMAC-SHA256 of body with the secret env.NAME, as hex or base64 text."""
        if not isinstance(key, Handle):
            raise TypeError("services.sign takes env.NAME and the bytes to sign")
        content = body.encode() if isinstance(body, str) else bytes(body)
        signature = await self._ask("sign", {"env": key.name, "data": base64.b64encode(content).decode()})
        return signature if encoding == "hex" else base64.b64encode(bytes.fromhex(signature)).decode()


def _texts(pairs: dict | None) -> dict | None:
    if pairs is None:
        return None
    return {str(name): _text(value) for name, value in pairs.items() if value is not None}


def _text(value: object) -> str | list[str]:
    if isinstance(value, list | tuple):
        return [str(item) for item in value]
    return str(value).lower() if isinstance(value, bool) else str(value)


def _plain(value: object) -> object:
    """JSON with every Handle as its mark."""
    if isinstance(value, Handle):
        return str(value)
    if isinstance(value, dict):
        return {str(key): _plain(item) for key, item in value.items()}
    return [_plain(item) for item in value] if isinstance(value, list | tuple) else value
