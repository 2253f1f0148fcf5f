"""What a file of tests says about itself, read without checking it: its flow, its code, the names of its tests."""

from __future__ import annotations

from flows.words import strictjson
from flows.words.address import fault_of, resolve
from flows.words.base import Json
from flows.words.strictjson import JsonRefused

HANDLERS = "handlers.py"


def beside(file: str, name: str) -> str:
    """The path of a file in the same folder."""
    folder = file.rpartition("/")[0]
    return f"{folder}/{name}" if folder else name


def flow_of(raw: str, path: str) -> str:
    """The path of the flow that a file of tests speaks of; "" when it names none that can be read."""
    return _resolved(raw, "flow", path)


def handlers_of(raw: str, path: str) -> str:
    """The path of the code that it names; "" when it names none."""
    return _resolved(raw, "handlers", path)


def names_in(raw: str) -> list[str]:
    """The names of its tests as far as they can be read; "" for one without."""
    tests = _read(raw).get("tests")
    named = [
        each.get("name") if isinstance(each, dict) else None for each in (tests if isinstance(tests, list) else ())
    ]
    return [name if isinstance(name, str) else "" for name in named]


def _resolved(raw: str, key: str, path: str) -> str:
    address = _read(raw).get(key)
    if not isinstance(address, str) or fault_of(address):
        return ""
    return resolve(address, path) or ""


def _read(raw: str) -> dict[str, Json]:
    try:
        value: Json = strictjson.loads(raw)
    except JsonRefused:
        return {}
    return value if isinstance(value, dict) else {}
