"""Reading a unit's code: what is refused, in which words, and what is not."""

import pytest

from flows.words.when import compile_router
from runtime.units.lint import Ground, lint

HEAD = "*, services, settings, env"


def judge(code: str, kind="handler", name="plan", **more) -> str:
    ground = Ground(kind, name, **{"settings": ("top",), "env": ("KEY",), "services": ("crm",), **more})
    return "\n".join(lint(ground, code))


def body(text: str, kind="handler", **more) -> str:
    first = "args" if kind == "tool" else "state"
    lines = "\n".join(f"    {line}" for line in text.splitlines())
    return judge(f"async def plan({first}, {HEAD}):\n{lines}\n", kind, **more)


# LG-handlers-02
@pytest.mark.parametrize(
    ("code", "words"),
    [
        (f"async def other(state, {HEAD}):\n    return {{}}", "exactly one function named plan: async def plan(state"),
        (f"async def plan(state, {HEAD}):\n    return {{}}\n" * 2, "There are 2."),
        (f"def plan(state, {HEAD}):\n    return {{}}", "plan must be async"),
        ("async def plan(state):\n    return {}", "the function must begin async def plan(state, *, services"),
        (f"async def plan(args, {HEAD}):\n    return {{}}", "the function must begin"),
        (f"async def plan(state, more, {HEAD}):\n    return {{}}", "the function must begin"),
        (f"async def plan(state, {HEAD}, **more):\n    return {{}}", "the function must begin"),
        (f"@print\nasync def plan(state, {HEAD}):\n    return {{}}", "must have no decorator"),
        (f"async def plan(state, {HEAD}):\n    yield 1", "must return its result, not yield it"),
        (f"async def plan(state, {HEAD}):\n    return 'done'", "returns an object of the channels it changes"),
        ("async def plan(", "this is not Python"),
        ("x = 1\0", "this is not Python"),
        ("(" * 5000 + ")" * 5000, "this is not Python"),
        ("# " + "x" * 70_000, "longer than 64 KB"),
        (f"print('hello')\nasync def plan(state, {HEAD}):\n    return {{}}", "outside functions stand only imports"),
    ],
)
def test_the_function(code, words):
    assert words in judge(code)


# LG-contract-12, LG-studio-11
@pytest.mark.parametrize(
    ("line", "words"),
    [
        ("import os", "os cannot be imported; code may import abc,"),
        ("import requests", "code reaches the outside through services.http"),
        ("from socket import socket", "code reaches the outside through services.http"),
        ("import urllib.request", "of urllib, code may import urllib.parse"),
        ("from urllib import request", "of urllib, code may import urllib.parse"),
        ("import xml.sax", "of xml, code may import xml.etree.ElementTree, xml.sax.saxutils"),
        ("from . import other", "nothing beside the code"),
        ("from math import *", "import names one by one"),
        (
            "from pandas import DataFrame",
            "pandas is in requires.packages, and this installation's sandbox does not have it",
        ),
    ],
)
def test_imports_that_are_refused(line, words):
    assert words in body(f"{line}\nreturn {{}}", packages=(("pandas", ">=2"),))


@pytest.mark.parametrize(
    "line",
    [
        "import re",
        "from datetime import date, datetime",
        "import urllib.parse",
        "from urllib.parse import quote",
        "from urllib import parse",
        "import xml.etree.ElementTree as ET",
        "from xml.etree import ElementTree",
        "from collections.abc import Mapping",
        "from email.utils import parsedate_to_datetime",
        "import asyncio",
    ],
)
def test_imports_that_are_not(line):
    assert body(f"{line}\nreturn {{}}") == ""


# LG-services-02, LG-contract-24
@pytest.mark.parametrize(
    ("line", "words"),
    [
        ("services.shop.find()", "services.shop is not declared. Describe it in requires.services, or use"),
        ("services.crm.find()", "write await before services.crm.find"),
        ("return services.crm.find()", "write await before services.crm.find"),
        ("await services.http.fetch('x')", "services.http has no fetch; it has request, get"),
        ("services.http.get('x')", "write await before services.http.get"),
        ("x = services.http.get('x').json()", "write await before services.http.get"),
        ("return services.sign(env.KEY, b'')", "write await before services.sign"),
        ("settings.bottom", "settings.bottom is not declared. Add bottom to requires.settings"),
        ("settings['bottom']", "settings.bottom is not declared"),
        ("settings.get('bottom')", "settings.bottom is not declared"),
        ("env.OTHER", "env.OTHER is not declared. Add OTHER to requires.env, or do without it. Declared are KEY."),
        ("eval('1')", "eval cannot be used"),
        ("open('x')", "open cannot be used: there are no files; use services.files"),
        ("().__class__", "__class__ reaches into Python itself"),
        ("__builtins__", "__builtins__ reaches into Python itself"),
        ("import time\ntime.sleep(1)", "write await asyncio.sleep"),
        ("import asyncio\nawait asyncio.to_thread(print)", "asyncio.to_thread does not work here"),
        ("global x", "nothing outlives a call"),
    ],
)
def test_names_that_are_refused(line, words):
    assert words in body(f"{line}\nreturn {{}}")


def test_good_code_has_no_problems():
    code = f"""
import re
from datetime import date

RATE = 1.19


class Line:
    def __init__(self, price):
        super().__init__()
        self.price = price


def gross(line):
    return line.price * RATE


async def plan(state, {HEAD}) -> dict:
    \"\"\"Plan.\"\"\"
    pending = services.http.get("https://x.example", headers={{"Authorization": f"Bearer {{env.KEY}}"}})
    reply = await pending
    if reply.status >= 400 or re.search("x", state["text"].lower()):
        return
    kind = type(state).__name__
    return {{"top": reply.json()[: settings.top], "gross": gross(Line(1)), "kind": kind, "all": dict(settings.items())}}
"""
    assert judge(code) == ""


ROUTES = {"routes": ("order", "other"), "channels": {"kind": "string", "list": "list", "message": "string"}}


# LG-edges-03, LG-edges-11, LG-edges-12
@pytest.mark.parametrize(
    "test",
    [
        "state['message'].startswith('order')",
        "state['message'].lower() == 'order'",
        "'order' in state['message']",
        "any(word in state['message'] for word in ('buy', 'order'))",
        "'order' in state.get('message')",
        "'order' not in str(state['message'])",
        "state['message'].find('order') > 0",
        "len(state['message'].split()) > 3",
        "'order' in text",
        "state['message'].casefold().removesuffix('.') == 'order'",
    ],
)
def test_routers_that_match_patterns_are_refused(test):
    code = f"text = state['message']\nif {test}:\n    return 'order'\nreturn 'other'"
    told = body(code, "router", **ROUTES)
    assert "Line " in told
    assert "let an llm node write one word to a channel" in told


def test_a_router_that_imports_re_is_refused():
    told = body(
        "import re\nif re.match('x', state['message']):\n    return 'order'\nreturn 'other'", "router", **ROUTES
    )
    assert "the router matches patterns in text (it imports re)" in told


@pytest.mark.parametrize(
    "test",
    [
        "state['kind'] == 'order'",
        "state['kind'] in ('order', 'buy')",
        "'x' in state['list']",
        "'x' in (state.get('list') or [])",
        "'kind' in state",
        "len(state['list']) >= 2 and state['kind'] != 'x'",
        "(state.get('plan') or {}).get('want') == 'call'",
        "all(one['ok'] for one in state['list'])",
        "not state['message'].strip()",
    ],
)
def test_routers_that_compare_are_not(test):
    assert body(f"if {test}:\n    return 'order'\nreturn 'other'", "router", **ROUTES) == ""


@pytest.mark.parametrize(
    ("code", "words"),
    [
        ("return 'orders'", '"orders" is no route of plan. Its routes are order, other.'),
        ("return state['kind']", "return the route's name itself, one of order, other"),
        ("if state['kind'] == 'x':\n    return 'order'", "after the last line nothing is returned"),
        ("return 'order'", 'The route "other" is never returned.'),
        ("await services.http.get('x')\nreturn 'order' if state else 'other'", "a router asks nobody"),
    ],
)
def test_routers_return_declared_routes(code, words):
    assert words in body(code, "router", **ROUTES)


def test_every_way_of_ending_a_router_counts():
    code = """
try:
    match state["kind"]:
        case "order":
            return "order"
        case _:
            return "order" if state["list"] else "other"
except KeyError:
    raise ValueError("There is no kind.")
"""
    assert body(code.strip(), "router", **ROUTES) == ""


def test_regular_routers_pass():
    when = {"order": "'kind' is one of \"order\", \"buy\" and 'list' has at least 2 items", "other": "anything else"}
    code = compile_router("plan", {"order": "a", "other": "b"}, when)
    assert code is not None
    assert judge(code, "router", **ROUTES) == ""
